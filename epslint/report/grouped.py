"""One line per finding, under the name of its file."""

from __future__ import annotations

import click

from epslint.outcome import FileReport, Run
from epslint.report._text import findings, headline, shown_path

TALKS = True


def render(run: Run) -> str:
    """A block of lines per file."""
    return "\n".join(_group(report) for report in run.reports if report.findings)


def _group(report: FileReport) -> str:
    rows = []
    for source, finding in findings((report,)):
        at = source.location(finding.span.start)
        rows.append(f"  {f'{at.row}:{at.column}':<8} {headline(finding)}\n")
    return f"{click.style(shown_path(report.filename), bold=True)}:\n{''.join(rows)}"
