"""The format of reviewdog, which comments on pull requests, with the fixes as suggestions."""

from __future__ import annotations

import json

from epslint import address
from epslint.errors import Failure
from epslint.outcome import Run
from epslint.report._machine import failure_text, one_edit, repository_path
from epslint.report._text import findings
from epslint.rule import Finding, Fix, Severity
from epslint.source import Source, Span

TALKS = False

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.ADVICE: "INFO"}

Object = dict[str, object]


def render(run: Run) -> str:
    """One result with all diagnostics."""
    found = [_finding(source, finding) for source, finding in findings(run.reports)]
    failed = [_failure(failure) for failure in run.all_failures]
    source = {"name": "epslint", **_url(address.HOME)}
    return json.dumps({"source": source, "diagnostics": [*found, *failed]}, indent=2) + "\n"


def _finding(source: Source, finding: Finding) -> Object:
    suggestions = [] if finding.fix is None else [_suggestion(source, finding.fix)]
    return {
        "message": finding.message,
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": finding.code, **_url(address.page(finding.code))},
        "location": {
            "path": repository_path(source.filename),
            "range": _range(source, finding.span),
        },
        "suggestions": suggestions,
    }


def _failure(failure: Failure) -> Object:
    place = {} if failure.row is None else {"range": {"start": {"line": failure.row}}}
    return {
        "message": failure_text(failure),
        "severity": "ERROR",
        "location": {"path": repository_path(failure.filename), **place},
    }


def _suggestion(source: Source, fix: Fix) -> Object:
    """One for the whole fix: half of a pair of parentheses is no suggestion."""
    edit = one_edit(source, fix)
    return {"range": _range(source, edit.span), "text": edit.content}


def _range(source: Source, span: Span) -> Object:
    return {"start": _position(source, span.start), "end": _position(source, span.end)}


def _position(source: Source, offset: int) -> Object:
    """Columns count bytes here, not characters."""
    at = source.location(offset)
    before = source.text[source.offset(at.row) : offset]
    return {"line": at.row, "column": len(before.encode("utf-8", "surrogatepass")) + 1}


def _url(url: str | None) -> Object:
    return {} if url is None else {"url": url}
