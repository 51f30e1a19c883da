"""Variances as differences: which subtractions are seen to be one, and how it is known."""

from __future__ import annotations

import pytest

from epslint import api
from epslint.analysis import analyse
from epslint.analysis.fact import Evidence, Fact, Kind
from epslint.analysis.ops import Op
from epslint.source import Source
from tests.analysis.probe import function

PROVEN, NAMED, NONE = Evidence.PROVEN, Evidence.NAMED, Evidence.NONE

DIFFERENCES = [
    ("(x**2).mean() - x.mean() ** 2", PROVEN),
    ("x.square().mean(0) - x.mean(0).square()", PROVEN),
    ("torch.mean(x * x) - torch.mean(x) * torch.mean(x)", PROVEN),
    ("x.float().pow(2).mean() - x.mean().float() ** 2", PROVEN),
    ("(x**2).sum() / n - (x.sum() / n) ** 2", PROVEN),
    ("(x**2).sum() * n - (x.sum() * n) ** 2", PROVEN),
    ("(w * x**2).sum() - (w * x).sum() ** 2", PROVEN),
    ("torch.einsum('i,i->', w, x**2) - torch.einsum('i,i->', w, x) ** 2", PROVEN),
    ("(x**4).mean() - (x**2).mean() ** 2", PROVEN),
    ("(x**2).sum() - x.sum() ** 2 / n", PROVEN),
    ("(x**2).sum() - n * x.mean() ** 2", PROVEN),
    ("mean_sq - mean * mean", NAMED),
    ("sum_sq / n - mean**2", NAMED),
    ("a / count - (b / count) ** 2", NAMED),
    ("x.mean() ** 2 - (x**2).mean()", NONE),
    ("(x**2).mean() - y.mean() ** 2", NONE),
    ("(x * y).mean() - x.mean() * y.mean()", NONE),
    ("(x**2).sum() - x.sum() ** 2", NONE),
    ("(x**2).sum() - 2 * x.sum() ** 2", NONE),
    ("(x**3).mean() - x.mean() ** 2", NONE),
    ("(w**2 * x**2).sum() - (y * x).sum() ** 2", NONE),
    ("a_sq - b**2", NONE),
    ("mean_sq - b**2", NONE),
    ("a / b - (c / b) ** 2", NONE),
]


def difference(expression: str) -> Fact:
    code = function(
        f"return torch.sqrt({expression})", params="x, y, w, n, a, b, c, mean, count, *rest"
    )
    sites = analyse(Source("<test>", code), listening=frozenset({Op.SQRT}))
    (site,) = sites
    return site.operands["x"].fact


@pytest.mark.parametrize(("expression", "evidence"), DIFFERENCES)
def test_difference(expression: str, evidence: Evidence) -> None:
    fact = difference(expression)
    assert (fact.zero if fact.is_any(Kind.CANCELLED) else NONE) is evidence


@pytest.mark.parametrize(
    ("around", "negative"),
    [("{}", True), ("({}) * 2", True), ("({}) + 1e-5", True), ("({}).clamp(min=0)", False)],
)
def test_it_stays_one_until_it_is_clamped(around: str, negative: bool) -> None:
    fact = difference(around.format("(x**2).mean() - x.mean() ** 2"))
    assert fact.is_any(Kind.CANCELLED) == negative
    assert fact.is_any(Kind.VAR)


def test_products_of_products_come_to_an_end() -> None:
    growing = "x = x * x\n" * 40
    code = function(f"{growing}return torch.sqrt((x**2).mean() - x.mean() ** 2)")
    assert not api.check_source(code).failures
