"""Limits: the range that a comparison leaves to the value on its left, where it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from epslint.analysis import bare, ranges
from epslint.analysis.fact import UNKNOWN, Fact, Form
from epslint.analysis.keys import dotted
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.ranges import Range, next_whole
from epslint.analysis.words.hints import tells_of_threshold
from epslint.analysis.words.operators import Comparing


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


LEFT_BY: Mapping[Comparing, Callable[[Range], Range]] = MappingProxyType(
    {
        bare.GreaterThan: _greater,
        bare.GreaterThanEqual: _at_least,
        bare.LessThan: _less,
        bare.LessThanEqual: _at_most,
        bare.Equal: _same,
        bare.NotEqual: _different,
    }
)


def limits_by(operator: Comparing, fact: Fact, other: Operand) -> Range:
    """The same with what both sides are known to be."""
    limits = LEFT_BY[operator](other.fact.range)
    if operator is bare.NotEqual and (value := other.fact.constant) is not None:
        limits = _without_end(fact.range, value) or limits
    if _is_chosen(operator, fact, other):
        limits = ranges.POSITIVE
    return next_whole(limits) if fact.whole else limits


def _without_end(range_: Range, value: float) -> Range | None:
    if value == range_.lo:
        return ranges.above(value)
    return ranges.below(value) if value == range_.hi else None


def _is_chosen(operator: Comparing, fact: Fact, other: Operand) -> bool:
    """`norm > max_norm`, and what is left after `if norm < tol: return`.

    By meaning: somebody chose what a length or a count is compared with, and would not have asked
    with less than 0; 0 itself is left by `>=`, but no tolerance is 0.
    """
    path, limit = dotted(other.node), other.fact
    single = limit.form in _SINGLE or (limit.origin is not None and limit.origin.op is Op.AS_TENSOR)
    if path is None or not single or limit.range != UNKNOWN.range:
        return False
    if tells_of_threshold(path.rpartition(".")[2]):
        return operator in (bare.GreaterThan, bare.GreaterThanEqual)
    return operator is bare.GreaterThan and fact.range.nonnegative


_SINGLE = (Form.UNKNOWN, Form.NUMBER)


def of_extreme(name: str, limits: Range) -> Range | None:
    """What `min(x) > 0` and `x.max() < 1` tell of each x."""
    if name in ("min", "amin") and limits.lo > -ranges.INF:
        return Range(limits.lo, ranges.INF, limits.lo_open)
    if name in ("max", "amax") and limits.hi < ranges.INF:
        return Range(-ranges.INF, limits.hi, hi_open=limits.hi_open)
    return None


def of_magnitude(name: str, limits: Range) -> Range | None:
    """What `abs(x) > 0` and `abs(x) < 1` tell of x."""
    if name in ("abs", "fabs") and limits.positive:
        return ranges.REAL.without_zero()
    if name in ("abs", "fabs") and limits.hi < ranges.INF:
        return Range(-limits.hi, limits.hi, lo_open=limits.hi_open, hi_open=limits.hi_open)
    return None
