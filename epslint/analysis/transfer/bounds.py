"""Floors and ceilings: clamps, the larger and the smaller of two, and numbers in place of NaN."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis.fact import Evidence, Fact, Form, Kind, number, replace, weakest
from epslint.analysis.ops import Op
from epslint.analysis.transfer.call import WHOLE, Call, Transfer, like


def clamp(call: Call) -> Fact:
    fact = call.x
    if (lower := call.get("min")) is not None and lower.form is not Form.OTHER:
        fact = raised(fact, lower)
    if (upper := call.get("max")) is not None and upper.form is not Form.OTHER:  # None: no bound
        fact = lowered(fact, upper)
    return like(call, fact.minus(WHOLE))


def is_never_below(x: Fact) -> bool:
    """Not below 0, nor rounded to be: a sum of squares is; `1 - cosine ** 2` is not."""
    return x.range.nonnegative and (x.origin is None or x.origin.op is not Op.SUB)


def raised(x: Fact, floor: Fact) -> Fact:
    """max(x, floor)."""
    range_ = x.range.maximum(floor.range)
    if floor.constant == 0 and x.constant is None:
        if is_never_below(x):
            return replace(x, range=range_)  # which it has anyway
        # Nothing need be known of x: a floor of 0 is there because it is reached.
        kinds = (x.kinds & ~Kind.DRAWN) | Kind.MAGNITUDE
        return replace(x, range=range_, zero=Evidence.PROVEN, kinds=kinds)
    if floor.range.hi <= 0:
        return replace(x, range=range_, zero=max(x.zero, floor.zero))
    return replace(x, range=range_, zero=weakest(x.zero, floor.zero))


def lowered(x: Fact, ceiling: Fact) -> Fact:
    """min(x, ceiling)."""
    zero = max(x.zero, ceiling.zero)
    huge = weakest(x.huge, ceiling.huge)
    return replace(x, range=x.range.minimum(ceiling.range), zero=zero, huge=huge)


def larger(call: Call) -> Fact:
    x, y = _value_first(call)
    return like(call, replace(raised(x, y), grad=x.grad or y.grad).minus(WHOLE))


def smaller(call: Call) -> Fact:
    x, y = _value_first(call)
    return like(call, replace(lowered(x, y), grad=x.grad or y.grad).minus(WHOLE))


def _value_first(call: Call) -> tuple[Fact, Fact]:
    """`max(1, n)` is `max(n, 1)`: the bound is the constant one."""
    x, y = call.x, call.y
    return (y, x) if x.constant is not None and y.constant is None else (x, y)


def finite(call: Call) -> Fact:
    x, filling = call.x, call.get("nan") or number(0)
    range_ = x.range.join(filling.range) if x.range.nan else x.range
    return like(call, replace(x, range=range_.without_nan()).minus(Kind.STRUCK))


TABLE: Mapping[Op, Transfer] = MappingProxyType(
    {
        Op.CLAMP: clamp,
        Op.CLAMP_MIN: clamp,
        Op.CLAMP_MAX: clamp,
        Op.MAXIMUM: larger,
        Op.MINIMUM: smaller,
        Op.NAN_TO_NUM: finite,
    }
)
