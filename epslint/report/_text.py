"""Words and pieces that several formats for people share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import click

from epslint.outcome import FileReport
from epslint.rule import Finding, Severity
from epslint.source import Source

TAB = 4
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.ADVICE: "cyan"}


def findings(reports: tuple[FileReport, ...]) -> Iterator[tuple[Source, Finding]]:
    """Every finding with the text it is about."""
    for report in reports:
        if report.source is not None:
            for finding in report.findings:
                yield report.source, finding


def shown_path(filename: str) -> str:
    """A path as short as it can be said from here."""
    path = Path(filename)
    if not path.is_absolute():
        return filename
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return filename


def place(source: Source, finding: Finding) -> str:
    """`path:row:column`, as editors and terminals turn into a link."""
    at = source.location(finding.span.start)
    path = click.style(shown_path(source.filename), bold=True)
    return f"{path}:{at.row}:{at.column}"


def headline(finding: Finding) -> str:
    """Code, whether --fix can help, what is wrong, how surely it is known, and if it is advice."""
    code = click.style(finding.code, fg=_COLOURS[finding.severity], bold=True)
    advice = ", advice" if finding.severity is Severity.ADVICE else ""
    known = f"[{finding.confidence.value}{advice}]"
    return f"{code} {fixable_mark(finding)}{finding.message} {known}"


def fixable_mark(finding: Finding) -> str:
    if finding.fix is None:
        return ""
    return "[" + click.style("*" if finding.fix.grade.safe else "unsafe", fg="cyan") + "] "


def expanded(text: str) -> str:
    """Text as a terminal can be trusted with: tabs as blanks, no control characters."""
    return _CONTROL.sub("\ufffd", text.expandtabs(TAB))


def width(text: str) -> int:
    """How many columns a terminal uses for a text without tabs."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
