"""Tokens: whose the parentheses in a text are."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epslint.source import Source, Span

_LONE_RETURN = re.compile(r"\r(?!\n)")  # the end of a line to Python, but not to its tokenizer
_SILENT = frozenset(
    {
        tokenize.COMMENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
        tokenize.INDENT,
        tokenize.NEWLINE,
        tokenize.NL,
        # What stands between the braces of a text, which Python 3.12 takes apart: `f"({x})"`.
        getattr(tokenize, "FSTRING_MIDDLE", tokenize.NL),
        getattr(tokenize, "TSTRING_MIDDLE", tokenize.NL),
    }
)
_KEYWORDS = frozenset(keyword.kwlist)
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


class UnevenError(Exception):
    """Lines that cannot be read alone: a bracket in them is opened or closed elsewhere."""


@dataclass(frozen=True, slots=True)
class _Token:
    span: Span
    text: str

    @property
    def ends_value(self) -> bool:
        """Whether parentheses behind it are those of a call, or of a class's bases."""
        word = self.text[-1]
        return (word.isalnum() or word in "_)]}'\"") and self.text not in _KEYWORDS


class Tokens:
    """The tokens of some lines, white space and comments apart."""

    def __init__(self, source: Source, first: int, last: int) -> None:
        self._tokens = _read(source, first, last)
        self._starts = [token.span.start for token in self._tokens]
        self._partners = _partners(self._tokens)

    def inside(self, span: Span) -> Span | None:
        """What stands in the parentheses with which a span begins and ends; None without them."""
        first, last = self._at(span)
        if self._tokens[first].text != "(" or self._partners[first] != last:
            return None
        if last == first + 1:
            return Span(self._tokens[last].span.start, self._tokens[last].span.start)
        return Span(self._tokens[first + 1].span.start, self._tokens[last - 1].span.end)

    def around(self, span: Span) -> Span:
        """A span with the parentheses around it, but for those of a call."""
        first, last = self._at(span)
        while self._are_own(first - 1, last + 1):
            first, last = first - 1, last + 1
            span = Span(self._tokens[first].span.start, self._tokens[last].span.end)
        return span

    def are_own(self, span: Span) -> bool:
        """Whether the parentheses with which a span begins and ends are not those of a call."""
        return self._are_own(*self._at(span))

    def _are_own(self, first: int, last: int) -> bool:
        if first < 0 or self._tokens[first].text != "(" or self._partners[first] != last:
            return False
        before = self._tokens[first - 1] if first else None
        after = self._tokens[last + 1].text if last + 1 < len(self._tokens) else ""
        if before is None or (before.text == "with" and after == ":"):
            return before is None  # those of `with (a as b, c):` are the statement's
        return not before.ends_value

    def _at(self, span: Span) -> tuple[int, int]:
        return bisect_left(self._starts, span.start), bisect_left(self._starts, span.end) - 1


def _read(source: Source, first: int, last: int) -> Sequence[_Token]:
    text = _LONE_RETURN.sub("\n", "".join(source.lines[first - 1 : last]))
    try:
        return [
            _Token(Span(*(source.offset(first + row - 1) + column for row, column in ends)), word)
            for kind, word, *ends, _ in tokenize.generate_tokens(io.StringIO(text).readline)
            if kind not in _SILENT
        ]
    except (tokenize.TokenError, SyntaxError):
        raise UnevenError from None


def _partners(tokens: Sequence[_Token]) -> Mapping[int, int]:
    """Which bracket closes which."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for number, token in enumerate(tokens):
        if token.text in _OPENING:
            opened.append(number)
        elif token.text in _CLOSING:
            if not opened:
                raise UnevenError
            found[opened.pop()] = number
    return found
