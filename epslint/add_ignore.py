"""`--add-ignore`: a comment for every finding, with the reason why it may stay."""

from __future__ import annotations

import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from epslint.outcome import FileReport
from epslint.rule import Edit, Finding, Fix, Grade
from epslint.source import Source, SourceError, Span
from epslint.suppress import Ignore, Reach, find_ignores, is_near, tokens
from epslint.syntax import plain
from epslint.task import Amend

_BETWEEN = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT})


@dataclass(frozen=True, slots=True)
class AddIgnore:
    """Gives findings a fix that silences them, in place of the one that would repair them.

    The fixer does the rest: it applies them round by round, and gives up those that do not silence.
    """

    reason: str
    about_comments: frozenset[str]  # rules whose findings a comment cannot silence sensibly
    scope: Amend  # what has its say first

    @property
    def _reason(self) -> str:
        return " ".join(self.reason.split())  # on one line, whatever the shell let through

    def __call__(self, report: FileReport) -> FileReport:
        report = self.scope(report)
        if report.source is None or not report.findings:
            return report
        try:
            page = _Page.of(report.source)
        except SourceError:  # its failure is in the report already
            return report
        findings = tuple(self._silenced(finding, page) for finding in report.findings)
        return replace(report, findings=findings)

    def _silenced(self, finding: Finding, page: _Page) -> Finding:
        if finding.code in self.about_comments:
            return replace(finding, fix=None)
        return replace(finding, fix=Fix("Add an ignore", Grade.EXACT, (self._edit(finding, page),)))

    def _edit(self, finding: Finding, page: _Page) -> Edit:
        listed = page.ignore_to_extend(finding)
        if listed is not None:
            end = listed.codes[-1].span.end
            return Edit(Span(end, end), f", {finding.code}")
        end = page.end_of(page.row_for(finding))
        return Edit(Span(end, end), f"  # epslint: ignore[{finding.code}] {self._reason}")


@dataclass(frozen=True, slots=True)
class _Page:
    """A file as one who wants to write comments into it sees it."""

    source: Source
    ignores: tuple[Ignore, ...]
    closed: frozenset[int]  # lines that end inside a string or with a backslash
    last_rows: tuple[tuple[int, int], ...]  # first and last line of every statement

    @classmethod
    def of(cls, source: Source) -> _Page:
        read = tokens(source)
        inside = {
            row
            for token in read
            if token.type not in (tokenize.NEWLINE, tokenize.NL)
            for row in range(token.start[0], token.end[0])
        }
        continued = {
            row
            for row, line in enumerate(plain(source).lines, 1)
            if line.rstrip("\r\n").endswith("\\")
        }
        return cls(
            source, find_ignores(source), frozenset(inside | continued), tuple(_statements(read))
        )

    def ignore_to_extend(self, finding: Finding) -> Ignore | None:
        """A comment with codes that already speaks for the finding's line."""
        fitting = (
            ignore
            for ignore in self.ignores
            if ignore.reach is Reach.LINE
            and ignore.codes
            and is_near(ignore, finding.span, self.source)
        )
        return next(fitting, None)

    def row_for(self, finding: Finding) -> int:
        """The finding's first line, or the last one of its statement if that takes no comment."""
        row = self.source.location(finding.span.start).row
        if row not in self.closed:
            return row
        return next((last for first, last in self.last_rows if first <= row <= last), row)

    def end_of(self, row: int) -> int:
        return self.source.offset(row) + len(self.source.line(row).rstrip())


def _statements(read: Sequence[tokenize.TokenInfo]) -> Iterator[tuple[int, int]]:
    first: int | None = None
    for token in read:
        if token.type == tokenize.NEWLINE and first is not None:
            yield first, token.start[0]
            first = None
        elif token.type not in _BETWEEN and first is None:
            first = token.start[0]
