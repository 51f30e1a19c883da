"""Logging commands that Azure Pipelines turns into issues of a build."""

from __future__ import annotations

from epslint.errors import Failure
from epslint.outcome import Run
from epslint.report._machine import failure_text, repository_path
from epslint.report._text import findings
from epslint.rule import Finding, Severity
from epslint.source import Source

TALKS = False

_TYPES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "warning"}
_IN_MESSAGE = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = _IN_MESSAGE | str.maketrans({";": "%3B", "]": "%5D"})


def render(run: Run) -> str:
    """One command per finding, and one for whatever could not be checked."""
    found = [_finding(source, finding) for source, finding in findings(run.reports)]
    return "".join([*found, *(_failure(failure) for failure in run.all_failures)])


def _finding(source: Source, finding: Finding) -> str:
    at = source.location(finding.span.start)
    properties = {
        "type": _TYPES[finding.severity],
        "sourcepath": repository_path(source.filename),
        "linenumber": at.row,
        "columnnumber": at.column,
        "code": finding.code,
    }
    return _command(properties, finding.message)


def _failure(failure: Failure) -> str:
    properties = {"type": "error", "sourcepath": repository_path(failure.filename)}
    line = {} if failure.row is None else {"linenumber": failure.row}
    return _command({**properties, **line}, failure_text(failure))


def _command(properties: dict[str, object], message: str) -> str:
    told = "".join(f"{key}={str(v).translate(_IN_PROPERTY)};" for key, v in properties.items())
    return f"##vso[task.logissue {told}]{message.translate(_IN_MESSAGE)}\n"
