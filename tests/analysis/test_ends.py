"""Ends: a quotient that is only compared, or whose NaN is left out, harms nobody."""

from __future__ import annotations

import pytest

from tests.analysis.probe import codes, function

HEAD = "q = x / mask.sum()\nok = q > 1\n"

# Each of them is a way by which the quotient gets away.
WAYS_OUT = {
    "returned": "return q",
    "returned-among-others": "return ok, q",
    "returned-in-a-dict": "return {'ok': ok, 'q': q}",
    "yielded": "yield q",
    "attribute": "x.rate = q",
    "text-key": "x['rate'] = q",
    "element": "x[0] = q",
    "slice": "x[1:] = q",
    "masked-elements": "x[mask > 0] = q",
    "element-of-a-call": "mask.clone()[0] = q",
    "stranger": "loader(q)",
    "stranger-by-keyword": "loader(rate=q)",
    "method-of-a-stranger": "loader.add(q)",
    "method-of-its-own": "q.hand_over()",
    "method-of-what-is-made-of-it": "(q + 1).hand_over()",
    "collected": "rates = []\nrates.append(q)\nreturn rates",
    "comprehension": "return [r for r in q]",
    "loop": "for r in q:\n    loader(r)",
    "zipped": "for r, s in zip(q, x):\n    loader(r)",
    "unpacked": "a, b = q\nreturn a",
    "made-in-a-comprehension": "return [q * 2 for _ in loader]",
    "dict-comprehension": "return {r: q for r in loader}",
    "lambda": "return lambda: q",
    "function": "def g():\n    return q\nreturn g",
    "method": "class A:\n    def g(self):\n        return q\nreturn A",
    "added-up": "total = 0\nfor _ in loader:\n    total += q\nreturn total",
    "branch": "r = q if ok else x\nreturn r * 2",
    "average": "return q.mean() > 1",
}

# Each of them is no use of it, or one that compares again.
KEPT = {
    "nothing-else": "return ok",
    "shape": "return torch.zeros_like(q), ok",
    "again": "return (q < 2) & ok",
    "scaled": "return (q * 100).abs() - 1 > 0",
    "arranged": "return q.view(-1)[0].float() > 0",
    "renamed": "r = q\nreturn r > 2",
    "asserted": "assert q < 2",
    "collected": "rates = []\nrates.append(q)\nreturn torch.stack(rates) > 1",
}


@pytest.mark.parametrize("way", WAYS_OUT.values(), ids=WAYS_OUT.keys())
def test_a_way_out_is_a_use(way: str) -> None:
    assert codes(function(HEAD + way, params="x, mask, loader")) == ["EPS101"]


@pytest.mark.parametrize("rest", KEPT.values(), ids=KEPT.keys())
def test_what_is_only_compared_is_silent(rest: str) -> None:
    assert codes(function(HEAD + rest, params="x, mask, loader")) == []


INNER = "def g(v):\n    return (v * mask).sum(-1) / mask.sum(-1)\n"

CALLS: list[tuple[str, str, bool]] = [
    ("left-out", "return torch.nanmean(g(x > 0))", False),
    ("left-out-twice", "return torch.nanmean(g(x > 0)) + torch.nansum(g(x < 0))", False),
    ("by-way-of-a-stranger", "return nanmax(loader.pooled(g(x > 0)))", False),
    ("never-called", "return x", True),
    ("one-of-two", "return torch.nanmean(g(x > 0)) + g(x < 0)", True),
    ("handed-on", "loader(g)\nreturn torch.nanmean(g(x > 0))", True),
    ("returned", "return torch.nanmean(g(x > 0)), g", True),
    ("given-another-name", "h = g\nreturn torch.nanmean(g(x > 0)) + h(x)", True),
    ("stranger-alone", "loader.pooled(g(x > 0))", True),
]


@pytest.mark.parametrize(
    ("rest", "flagged"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS]
)
def test_what_an_inner_function_returns_ends_where_it_is_called(rest: str, flagged: bool) -> None:
    source = function(INNER + rest, params="x, mask, loader")
    assert codes(source) == ["EPS101"] * flagged


def test_a_decorated_function_is_called_by_others() -> None:
    source = "@loader.register\n" + INNER + "return torch.nanmean(g(x > 0))"
    assert codes(function(source, params="x, mask, loader")) == ["EPS101"]
