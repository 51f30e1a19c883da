"""The Code Quality report that GitLab shows in a merge request."""

from __future__ import annotations

import hashlib
import json

from epslint.errors import Failure
from epslint.outcome import Run
from epslint.report._machine import failure_text, fingerprinted, repository_path
from epslint.rule import Finding, Severity
from epslint.source import Source

TALKS = False

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.ADVICE: "info"}

Object = dict[str, object]


def render(run: Run) -> str:
    """An array with one issue per finding, and one for whatever could not be checked."""
    found = [_finding(source, finding, known) for source, finding, known in fingerprinted(run)]
    failed = [_failure(failure) for failure in run.all_failures]
    return json.dumps([*found, *failed], indent=2) + "\n"


def _finding(source: Source, finding: Finding, fingerprint: str) -> Object:
    rows = source.rows(finding.span)
    return {
        "check_name": finding.code,
        "description": f"{finding.code} ({finding.name}): {finding.message}",
        "severity": _SEVERITIES[finding.severity],
        "fingerprint": fingerprint,
        "location": _location(source.filename, rows[0], rows[-1]),
    }


def _failure(failure: Failure) -> Object:
    row = failure.row or 1
    return {
        "check_name": "not-checked",
        "description": failure_text(failure),
        "severity": "blocker",
        "fingerprint": hashlib.sha256(str(failure).encode()).hexdigest()[:32],
        "location": _location(failure.filename, row, row),
    }


def _location(filename: str, begin: int, end: int) -> Object:
    return {"path": repository_path(filename), "lines": {"begin": begin, "end": end}}
