"""`path:row: [code] message`, which Jenkins and many editors read."""

from __future__ import annotations

from epslint.outcome import Run
from epslint.report._machine import repository_path
from epslint.report._text import findings

TALKS = False


def render(run: Run) -> str:
    """One line per finding."""
    return "".join(
        f"{repository_path(source.filename)}:{source.location(finding.span.start).row}: "
        f"[{finding.code}] {finding.message}\n"
        for source, finding in findings(run.reports)
    )
