"""A rule that is selected alone finds what it finds among the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from epslint import api
from epslint.config import Config
from epslint.source import Source
from epslint.testing import Case, fixture_cases, markers

FIXTURES = Path(__file__).parent.parent / "fixtures"
# What an ignore comment silences depends on the rules beside it.
HAZARDS = [c for c in fixture_cases(FIXTURES) if not c.clean and not c.code.startswith("EPS0")]


@pytest.mark.parametrize("case", HAZARDS, ids=str)
def test_alone(case: Case) -> None:
    source = Source.decode(case.path.read_bytes(), str(case.path))
    table = {"select": [case.code], "preview": True, "confidence": "unlikely"}
    config = Config().overlaid(table, "the test")
    found = api.check_source(source.text, source.filename, config).findings
    rows = {source.location(finding.span.start).row for finding in found}
    assert {row for row, code in markers(source) if code == case.code} <= rows
