"""Limits: what a comparison that holds leaves of the values on its sides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import libcst as cst

from epslint.analysis import ranges
from epslint.analysis.fact import Fact
from epslint.analysis.operators import Comparing
from epslint.analysis.ranges import Range, next_whole


def _greater(other: Range) -> Range:
    return ranges.above(other.lo)


def _at_least(other: Range) -> Range:
    return Range(other.lo, ranges.INF, other.lo_open)


def _less(other: Range) -> Range:
    return ranges.below(other.hi)


def _at_most(other: Range) -> Range:
    return Range(-ranges.INF, other.hi, hi_open=other.hi_open)


def _same(other: Range) -> Range:
    return other.without_nan()


def _different(other: Range) -> Range:
    return ranges.REAL.without_zero() if other.constant == 0 else ranges.TOP


HOLDS: Mapping[Comparing, Callable[[Range], Range]] = MappingProxyType(
    {
        cst.GreaterThan: _greater,
        cst.GreaterThanEqual: _at_least,
        cst.LessThan: _less,
        cst.LessThanEqual: _at_most,
        cst.Equal: _same,
        cst.NotEqual: _different,
    }
)


def limits_of(operator: Comparing, fact: Fact, other: Fact) -> Range:
    """Where `fact` lies if it compares so with `other`."""
    limits = HOLDS[operator](other.range)
    if operator is cst.NotEqual and (value := other.constant) is not None:
        limits = _without_end(fact.range, value) or limits
    return next_whole(limits) if fact.whole else limits


def _without_end(range_: Range, value: float) -> Range | None:
    if value == range_.lo:
        return ranges.above(value)
    return ranges.below(value) if value == range_.hi else None


def of_magnitude(name: str, limits: Range) -> Range | None:
    """What `abs(x) > 0` and `abs(x) < 1` tell of x."""
    if name in ("abs", "fabs") and limits.positive:
        return ranges.REAL.without_zero()
    if name in ("abs", "fabs") and limits.hi < ranges.INF:
        return Range(-limits.hi, limits.hi, lo_open=limits.hi_open, hi_open=limits.hi_open)
    return None
