"""How the rules about epsilons stand beside the others: one finding per place, as sure as it is."""

from __future__ import annotations

import pytest

from epslint import api
from epslint.config import Config
from epslint.outcome import FileReport
from epslint.rule import Confidence, Severity

HEAD = "import torch\n\n\ndef f(x: torch.Tensor, y: torch.Tensor):\n"


def report(body: str, **settings: object) -> FileReport:
    config = Config().overlaid(dict(settings), "the test")
    found = api.check_source(f"{HEAD}    return {body}\n", config=config)
    assert not found.failures, found.failures
    return found


def codes(body: str, **settings: object) -> list[str]:
    return [finding.code for finding in report(body, **settings).findings]


ROOT = "x / y.clamp(min=0).sqrt()"


def test_a_root_and_the_division_by_it_are_one_finding() -> None:
    assert codes(ROOT) == ["EPS605"]


def test_without_it_the_division_speaks() -> None:
    assert codes(ROOT, ignore=["EPS605"]) == ["EPS103"]


@pytest.mark.parametrize(
    ("body", "plain"),
    [
        ("x / (y > 0).sum().clamp(min=0)", "EPS101"),
        ("x / y.std().clamp(min=0)", "EPS102"),
        ("x / y.clamp(min=0)", "EPS103"),
        ("torch.log(y.softmax(-1).clamp(min=0))", "EPS201"),
        ("torch.log(y.clamp(min=0))", "EPS207"),
    ],
)
def test_a_floor_of_0_is_told_once(body: str, plain: str) -> None:
    assert codes(body) == ["EPS605"]
    assert codes(body, ignore=["EPS605"]) == [plain]


def test_a_dtype_that_is_not_shown_is_advice() -> None:
    found = report("x.float().softmax(-1).clamp(min=1e-8).to(x.dtype).log()")
    assert [f.severity for f in found.findings] == [Severity.ADVICE]
    assert [f.confidence for f in found.findings] == [Confidence.NAMED]
    assert not found.fails


def test_a_dtype_that_is_shown_is_an_error() -> None:
    found = report("x.float().softmax(-1).clamp(min=1e-8).half().log()")
    assert [f.severity for f in found.findings] == [Severity.ERROR]
    assert found.fails


def test_an_epsilon_that_is_0_is_not_also_off_the_hierarchy() -> None:
    body = "torch.log(x.half().norm() + 1e-12)"
    everything = {"extend-select": ["EPS603"]}
    assert codes(body, **everything) == ["EPS601"]
    assert codes(body, **everything, ignore=["EPS601"]) == ["EPS603"]
