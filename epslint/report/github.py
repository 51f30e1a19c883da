"""Workflow commands that GitHub Actions turns into annotations of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.errors import Failure
from epslint.outcome import Run
from epslint.report._machine import failure_text, repository_path
from epslint.report._text import findings
from epslint.rule import Finding, Severity
from epslint.source import Source

TALKS = False

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "notice"}
_IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = _IN_MESSAGE | str.maketrans({":": "%3A", ",": "%2C"})


def render(run: Run) -> str:
    """One command per finding, and one for whatever could not be checked."""
    found = [_finding(source, finding) for source, finding in findings(run.reports)]
    return "".join([*found, *(_failure(failure) for failure in run.all_failures)])


def _finding(source: Source, finding: Finding) -> str:
    start, end = source.location(finding.span.start), source.location(finding.span.end)
    place: dict[str, object] = {"line": start.row, "endLine": end.row}
    if start.row == end.row:  # GitHub refuses columns on several lines
        place |= {"col": start.column, "endColumn": end.column}
    return _command(
        _COMMANDS[finding.severity],
        {
            "title": f"epslint {finding.code} ({finding.name})",
            "file": repository_path(source.filename),
            **place,
        },
        "\n".join(_message(finding)),
    )


def _message(finding: Finding) -> Iterator[str]:
    yield f"{finding.message} [{finding.confidence.value}]"
    for reason in finding.why:
        yield f"why: {reason.text}" if reason.row is None else f"line {reason.row}: {reason.text}"


def _failure(failure: Failure) -> str:
    line = {} if failure.row is None else {"line": failure.row}
    properties = {"title": "epslint", "file": repository_path(failure.filename), **line}
    return _command("error", properties, failure_text(failure))


def _command(name: str, properties: dict[str, object], message: str) -> str:
    told = ",".join(f"{key}={str(v).translate(_IN_PROPERTY)}" for key, v in properties.items())
    return f"::{name} {told}::{message.translate(_IN_MESSAGE)}\n"
