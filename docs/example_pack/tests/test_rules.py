"""The pack's tests: every fixture, and the rule's documentation."""

from pathlib import Path

import pytest

from epslint.testing import Case, assert_documented, assert_fixture, fixture_cases
from epslint_acme.acm101 import TemperatureDivision

FIXTURES = Path(__file__).parent.parent / "fixtures"


@pytest.mark.parametrize("case", fixture_cases(FIXTURES), ids=str)
def test_fixture(case: Case) -> None:
    assert_fixture(case)


def test_documentation() -> None:
    assert_documented(TemperatureDivision())
