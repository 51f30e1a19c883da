"""Comments that silence findings, and what became of each of them.

    x / n  # epslint: ignore[EPS101]          this rule, by code or by name; several with commas
    x / n  # epslint: ignore                  every rule
    x / n  # noqa: EPS101                     the same, shared with other linters; # noqa is all
    # epslint: ignore-file[EPS101]            anywhere in the file, for all of it

A comment counts for a finding when it stands on any line of the finding, or on the first or the
last line of the statement that holds it.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from epslint.rule import Edit, Finding, IgnoreRule
from epslint.selection import Ruleset
from epslint.source import Source, SourceError, Span
from epslint.syntax import plain, reads


class Reach(Enum):
    """How far a comment reaches, or that nobody can tell."""

    LINE = "line"
    NOQA = "noqa"
    FILE = "file"
    UNCLEAR = "unclear"


class Fate(Enum):
    """What became of a code that a comment names."""

    USED = "used"
    UNUSED = "unused"
    OFF = "off"  # the rule did not run, so nobody knows
    UNKNOWN = "unknown"
    FOREIGN = "foreign"  # another linter's, in a noqa


@dataclass(frozen=True, slots=True)
class Code:
    """A code or name inside a comment, as written."""

    text: str
    span: Span
    fate: Fate = Fate.OFF


@dataclass(frozen=True, slots=True)
class Ignore:
    """One suppression comment; without codes it is meant for every rule."""

    reach: Reach
    span: Span  # from its # to the end of what it says, the reason after it left out
    removal: Span  # what to delete so that nothing of it stays behind
    rows: range  # the lines it speaks for: its own, or all those of its statement
    codes: tuple[Code, ...] = ()
    fate: Fate = Fate.UNUSED  # of a comment without codes

    def having(self, fate: Fate) -> tuple[Code, ...]:
        return tuple(code for code in self.codes if code.fate is fate)

    def without(self, gone: Sequence[Code]) -> tuple[Edit, ...]:
        """Edits that take these codes out, and the whole comment when none is left."""
        kept = [code for code in self.codes if code not in gone]
        if not kept:
            return (Edit(self.removal, ""),)
        last = self.codes.index(kept[-1])
        return tuple(
            Edit(self._with_separator(index, forward=index < last), "")
            for index, code in enumerate(self.codes)
            if code in gone
        )

    def _with_separator(self, index: int, *, forward: bool) -> Span:
        """A code and the separator after it, or before it when it is one of the last."""
        if forward:
            return Span(self.codes[index].span.start, self.codes[index + 1].span.start)
        return Span(self.codes[index - 1].span.end, self.codes[index].span.end)


_DIRECTIVE = re.compile(
    r"""\#\s*(?:
        epslint:\s*(?P<reach>ignore(?:-file)?)(?![\w:-])\s*(?:\[(?P<codes>\s*[^\]\#\s,][^\]\#]*)\])?(?!\s*\[)
      | (?P<noqa>noqa)(?![\w-])(?:\s*:\s*(?P<noqa_codes>[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*))?
      | (?P<unclear>epslint:[^\#]*)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(r"[^\s,]+")
_FORMATTED = ("f", "rf")
_LAYOUT = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})
_REACHES = {"ignore": Reach.LINE, "ignore-file": Reach.FILE}


def find_ignores(source: Source) -> tuple[Ignore, ...]:
    """Every suppression comment of a file, in order."""
    text = source.text.lower()
    if "epslint:" not in text and "noqa" not in text:
        return ()
    if _DIRECTIVE.search(source.text) is None:
        return ()  # it speaks to others; the tokenizer would take longer to find that out
    return tuple(_ignores(source))


def _ignores(source: Source) -> Iterator[Ignore]:
    """Walk the tokens; a statement's comments are known to be its own once its end is seen."""
    waiting: list[tokenize.TokenInfo] = []
    first: int | None = None  # the first line of the statement being read
    for token in tokens(source):
        if token.type == tokenize.COMMENT:
            waiting.append(token)
        elif token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            for comment in waiting:
                yield from _directives(source, comment, first, token.start[0])
            waiting, first = [], None
        elif token.type not in _LAYOUT and first is None:
            # What waited so far stood above the statement, on lines of its own.
            for comment in waiting:
                yield from _directives(source, comment, None, 0)
            waiting, first = [], token.start[0]


def tokens(source: Source) -> Sequence[tokenize.TokenInfo]:
    """A file's tokens, as Python's tokenizer sees them."""
    try:
        found = _tokens(source)
    except (tokenize.TokenError, SyntaxError):
        found = None
    if found is not None and not _is_torn(found):
        return found
    try:
        return _tokens(plain(source))
    except (tokenize.TokenError, SyntaxError) as error:
        raise SourceError(f"its comments cannot be read: {error}") from None


def _tokens(source: Source) -> Sequence[tokenize.TokenInfo]:
    # The tokenizer does not know the line end "\r" that Python does; columns stay the same.
    lines = (line.rstrip("\r\n") + "\n" for line in source.lines)
    return tuple(tokenize.generate_tokens(lambda: next(lines, "")))


def _is_torn(found: Sequence[tokenize.TokenInfo]) -> bool:
    """Whether there may be pieces of a text among them that the tokenizer is too old for.

    Of `f"{d["a"]}"` it makes the text `f"{d["`, a name and another text; of `t"{x}"` a name and a
    text. What it takes for a comment after that may be none.
    """
    return any(
        token.type == tokenize.ERRORTOKEN
        or (token.type == tokenize.STRING and _is_piece(found[place - 1], token))
        for place, token in enumerate(found)
    )


def _is_piece(before: tokenize.TokenInfo, text: tokenize.TokenInfo) -> bool:
    if before.type == tokenize.NAME and before.end == text.start:
        return True
    return text.string[:2].lower().startswith(_FORMATTED) and not reads(text.string)


def _directives(
    source: Source, comment: tokenize.TokenInfo, first: int | None, last: int
) -> Iterator[Ignore]:
    row, column = comment.start
    start = source.offset(row, column + 1)
    # On the first or last line of a statement a comment speaks for all of it; in between, only for
    # its own line.
    whole = first is not None and row in (first, last)
    rows = range(first or row, last + 1) if whole else range(row, row + 1)
    for match in _DIRECTIVE.finditer(comment.string):
        yield Ignore(
            _reach(match),
            Span(start + match.start(), start + match.end()),
            _removal(source, comment.string, match, start),
            rows,
            tuple(_codes(match, start)),
        )


def _reach(match: re.Match[str]) -> Reach:
    if match["reach"]:
        return _REACHES[match["reach"].lower()]
    return Reach.NOQA if match["noqa"] else Reach.UNCLEAR


def _codes(match: re.Match[str], start: int) -> Iterator[Code]:
    for group in ("codes", "noqa_codes"):
        for word in _WORD.finditer(match[group] or ""):
            begin = start + match.start(group) + word.start()
            yield Code(word[0], Span(begin, begin + len(word[0])))


def _removal(source: Source, comment: str, match: re.Match[str], start: int) -> Span:
    """The comment with the blanks before it, or its line when it has one for itself.

    Never the neighbour it shares a line with, such as `# type: ignore`.
    """
    following = comment.find("#", match.end())
    row = source.location(start).row
    line_start = source.offset(row)
    begin = start + match.start()
    if following >= 0:
        return Span(begin, start + following)
    before = source.text[line_start:begin]
    if before.strip():
        return Span(line_start + len(before.rstrip()), start + len(comment))
    return Span(line_start, line_start + len(source.lines[row - 1]))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The findings that no comment silences, and what became of the comments."""

    findings: tuple[Finding, ...]
    ignores: tuple[Ignore, ...]


def apply_ignores(
    source: Source, findings: Iterable[Finding], ignores: Sequence[Ignore], ruleset: Ruleset
) -> Verdict:
    """Take out the findings that a comment silences, and note which comments did."""
    findings = tuple(findings)
    hits = [(i, [f for f in findings if covers(i, f, source)]) for i in ignores]
    silenced = {finding for _, hit in hits for finding in hit}
    return Verdict(
        tuple(finding for finding in findings if finding not in silenced),
        tuple(_settled(ignore, hit, ruleset) for ignore, hit in hits),
    )


def covers(ignore: Ignore, finding: Finding, source: Source) -> bool:
    """Whether a comment silences a finding."""
    return is_near(ignore, finding.span, source) and (
        not ignore.codes or any(_names(code, finding) for code in ignore.codes)
    )


def covers_by_name(ignore: Ignore, finding: Finding, source: Source) -> bool:
    """The same for findings about comments: a blanket ignore must not hide that it is unused."""
    return bool(ignore.codes) and covers(ignore, finding, source)


def is_near(ignore: Ignore, span: Span, source: Source) -> bool:
    """Whether a comment speaks for the place, whatever it says there."""
    if ignore.reach is Reach.UNCLEAR:
        return False
    if ignore.reach is Reach.FILE:
        return True
    rows = source.rows(span)
    return rows.start < ignore.rows.stop and ignore.rows.start < rows.stop


def _names(code: Code, finding: Finding) -> bool:
    return code.text in (finding.code, finding.name)


def _settled(ignore: Ignore, silenced: Sequence[Finding], ruleset: Ruleset) -> Ignore:
    if ignore.codes:
        codes = (replace(c, fate=_fate(c, ignore, silenced, ruleset)) for c in ignore.codes)
        return replace(ignore, codes=tuple(codes))
    if silenced:
        return replace(ignore, fate=Fate.USED)
    # A bare noqa is for other linters too; and rules that are off may be what an ignore is for.
    known = ignore.reach in (Reach.LINE, Reach.FILE) and ruleset.complete
    return replace(ignore, fate=Fate.UNUSED if known else Fate.OFF)


def _fate(code: Code, ignore: Ignore, silenced: Sequence[Finding], ruleset: Ruleset) -> Fate:
    rule = ruleset.catalogue.find(code.text)
    if rule is None:
        foreign = ignore.reach is Reach.NOQA and not ruleset.catalogue.owns(code.text)
        return Fate.FOREIGN if foreign else Fate.UNKNOWN
    if any(_names(code, finding) for finding in silenced):
        return Fate.USED
    # Rules about comments speak last, when all this is settled: theirs is never called unused.
    runs = rule.code in ruleset.on and not isinstance(rule, IgnoreRule)
    return Fate.UNUSED if runs else Fate.OFF
