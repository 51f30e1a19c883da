"""One line per finding."""

from __future__ import annotations

from epslint.outcome import Run
from epslint.report._text import findings, headline, place

TALKS = True


def render(run: Run) -> str:
    """One line per finding."""
    return "".join(f"{place(s, f)}: {headline(f)}\n" for s, f in findings(run.reports))
