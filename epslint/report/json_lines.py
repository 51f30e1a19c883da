"""The objects of the JSON format, one on each line."""

from __future__ import annotations

import json

from epslint.outcome import Run
from epslint.report._text import findings
from epslint.report.json import row

TALKS = False


def render(run: Run) -> str:
    """One line per finding."""
    return "".join(json.dumps(row(s, f)) + "\n" for s, f in findings(run.reports))
