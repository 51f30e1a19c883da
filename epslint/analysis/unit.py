"""Units: the stretches of a file that the interpreter reads, and where their nodes stand.

A unit is a run of whole lines, such as one method with its decorators. The interpreter is given
its bare tree. Where somebody asks for a place in the text, which is where there is something to
say, LibCST parses the statement and no others, and its tree is printed once to find every span.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from epslint.analysis.bare import Statement, UnlikeError, statements, twins
from epslint.analysis.homes import Home, homes
from epslint.depth import with_room
from epslint.scout import Rows, Stretch
from epslint.source import Source, SourceError, Span
from epslint.spans import spans_of

# An indented run of lines is no module; under this header it is one.
_HEADER = "if 1:\n"


class Unit:
    """Some lines of a file as a syntax tree; `full`: LibCST's own, at once."""

    def __init__(self, source: Source, stretch: Stretch, *, full: bool = False) -> None:
        self.source = source
        self.stretch = stretch
        self._places: dict[Home, _Places] = {}
        self._full: _FullTree | None = None
        self.body: Sequence[Statement] = self._read(full)

    def _read(self, full: bool) -> Sequence[Statement]:
        if not full:
            with suppress(UnlikeError):
                return statements(self.stretch.statements)
        self._full = _FullTree(self.source, self.stretch.rows)
        return self._full.body

    @property
    def length(self) -> int:
        """How many lines these are."""
        return self.stretch.rows.last - self.stretch.rows.first + 1

    @property
    def written(self) -> str:
        """The lines themselves."""
        rows = self.stretch.rows
        return "".join(self.source.lines[rows.first - 1 : rows.last])

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node stands, without its own parentheses."""
        return self._located(node).inner[node]

    def outer_span(self, node: cst.BaseExpression) -> Span:
        """Where a node stands with the parentheses that belong to it."""
        return self._located(node).outer.get(node) or self.span(node)

    def parenthesised(self, node: cst.BaseExpression) -> bool:
        """Whether a node has parentheses of its own."""
        return node in self._located(node).outer

    def _located(self, node: cst.CSTNode) -> _Places:
        home = self._homes[node]
        if home not in self._places:
            self._places[home] = with_room(lambda: self._places_of(home))
        return self._places[home]

    @cached_property
    def _homes(self) -> Mapping[cst.CSTNode, Home]:
        if self._full is None:
            return with_room(lambda: homes(self.source, self.stretch, self.body))
        whole = Home(self.stretch.rows, self.body, None)
        return dict.fromkeys(self._full.spans, whole)

    def _places_of(self, home: Home) -> _Places:
        if self._full is not None:
            return _places(((node, node) for node in self._full.spans), self._full)
        try:
            full = _FullTree(self.source, home.rows)
            return _places(twins(home.body, full.body), full)
        except (SourceError, UnlikeError):
            if home.around is None:
                raise
            return self._places_of(home.around)

    def row(self, node: cst.CSTNode) -> int:
        return self.source.location(self.span(node).start).row

    def find_row(self, node: cst.CSTNode) -> int | None:
        """The row of a node that may have been made up by the analysis."""
        return self.row(node) if node in self._homes else None

    def brief(self, node: cst.CSTNode) -> str:
        """A node as messages show it: on one line."""
        return " ".join(self.text(node).split())

    def text(self, node: cst.CSTNode) -> str:
        return self.source.slice(self.span(node))


@dataclass(frozen=True, slots=True)
class _Places:
    """Where nodes stand in the file: alone, and those that have parentheses with them."""

    inner: Mapping[cst.CSTNode, Span]
    outer: Mapping[cst.CSTNode, Span]


class _FullTree:
    """The tree that LibCST makes of some lines."""

    def __init__(self, source: Source, rows: Rows) -> None:
        start = source.offset(rows.first)
        text = source.text[start : _end(source, rows.last)]
        header = _HEADER if text[:1] in (" ", "\t", "\f") else ""
        self._offset = start - len(header)
        self._text = header + text
        self._module = _parsed(self._text, rows)
        self.body = _under_header(self._module) if header else self._module.body

    @cached_property
    def spans(self) -> Mapping[cst.CSTNode, Span]:
        offset = self._offset
        return {
            node: Span(span.start + offset, span.end + offset)
            for node, span in spans_of(self._module, self._text).items()
        }


def _under_header(module: cst.Module) -> Sequence[cst.BaseStatement]:
    (block,) = module.body
    assert isinstance(block, cst.If)
    assert isinstance(block.body, cst.IndentedBlock)
    return block.body.body


def _places(pairs: Iterable[tuple[cst.CSTNode, cst.CSTNode]], full: _FullTree) -> _Places:
    """Where the first of each pair stands, when the second is a node of the full tree."""
    spans = full.spans
    inner: dict[cst.CSTNode, Span] = {}
    outer: dict[cst.CSTNode, Span] = {}
    for mine, theirs in pairs:
        inner[mine] = spans[theirs]
        if isinstance(theirs, cst.BaseExpression) and theirs.lpar:
            outer[mine] = Span(spans[theirs.lpar[0]].start, spans[theirs.rpar[-1]].end)
    return _Places(inner, outer)


def _end(source: Source, row: int) -> int:
    return source.offset(row + 1) if row < len(source.lines) else len(source.text)


def _parsed(text: str, rows: Rows) -> cst.Module:
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        row = rows.first + error.raw_line - 1
        raise SourceError(f"line {row}: syntax error: {error.message}") from None
