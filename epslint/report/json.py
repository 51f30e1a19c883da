"""An array of objects with the keys of ruff's JSON, plus severity, confidence and why."""

from __future__ import annotations

import json
from pathlib import Path

from epslint import address
from epslint.outcome import Run
from epslint.report._text import findings
from epslint.rule import Finding, Fix
from epslint.source import Source, Span

TALKS = False

Object = dict[str, object]


def render(run: Run) -> str:
    """The array, as text."""
    rows = [row(source, finding) for source, finding in findings(run.reports)]
    return json.dumps(rows, indent=2) + "\n"


def row(source: Source, finding: Finding) -> Object:
    """One finding."""
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "filename": filename(source),
        **_range(source, finding.span),
        "url": address.page(finding.code),
        "fix": None if finding.fix is None else _fix(source, finding.fix),
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "why": [{"row": reason.row, "text": reason.text} for reason in finding.why],
    }


def filename(source: Source) -> str:
    """The absolute path; a name that is no file, such as <stdin>, as it is."""
    path = Path(source.filename)
    return str(path.absolute()) if path.exists() else source.filename


def _fix(source: Source, fix: Fix) -> Object:
    return {
        "applicability": "safe" if fix.grade.safe else "unsafe",
        "message": fix.message,
        "edits": [{"content": e.content, **_range(source, e.span)} for e in fix.edits],
    }


def _range(source: Source, span: Span) -> Object:
    return {
        "location": _location(source, span.start),
        "end_location": _location(source, span.end),
    }


def _location(source: Source, offset: int) -> Object:
    at = source.location(offset)
    return {"row": at.row, "column": at.column}
