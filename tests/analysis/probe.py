"""Short ways to ask the linter about a snippet."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from epslint import api
from epslint.config import Config
from epslint.outcome import FileReport, Repair

# The tests of the analysis ask about divisions: the other rules have tests of their own.
DIVISIONS = ("EPS101", "EPS102", "EPS103", "EPS104", "EPS105", "EPS106")
CONFIG = Config().overlaid({"select": list(DIVISIONS), "confidence": "unlikely"})


def report(source: str) -> FileReport:
    """The findings about divisions; a failure of the tool is a failure of the test."""
    found = api.check_source(textwrap.dedent(source), config=CONFIG)
    assert not found.failures, found.failures
    return found


def codes(source: str) -> list[str]:
    return [finding.code for finding in report(source).findings]


def places(source: str) -> list[str]:
    """What is flagged, as it is written."""
    found = report(source)
    assert found.source is not None
    return [found.source.slice(finding.span) for finding in found.findings]


def repaired(source: str, *, unsafe: bool = False) -> Repair:
    result = api.fix_source(textwrap.dedent(source), config=CONFIG, unsafe=unsafe)
    assert not result.report.failures, result.report.failures
    return result


def fixed(source: str, *, unsafe: bool = False) -> str:
    return repaired(source, unsafe=unsafe).after.text


def function(
    body: str,
    *,
    name: str = "f",
    params: str = "x, mask",
    imports: Sequence[str] = ("torch",),
) -> str:
    """A module with one function of this body."""
    head = "".join(f"import {name}\n" for name in imports)
    return (
        f"{head}\n\ndef {name}({params}):\n"
        + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
        + "\n"
    )
