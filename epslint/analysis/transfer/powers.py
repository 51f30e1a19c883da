"""Powers and roots, whole, broken and negative."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis import ranges
from epslint.analysis.fact import Evidence, Fact, Form, Kind, replace
from epslint.analysis.ops import Op
from epslint.analysis.origin import behind
from epslint.analysis.ranges import Range
from epslint.analysis.transfer.call import TOPIC, WHOLE, Call, Transfer, result


def power(call: Call) -> Fact:
    exponent = call.y.constant
    if exponent is not None:
        return _raised_to(call, exponent)
    if call.x.range.positive:
        return result(call, ranges.POSITIVE)
    return result(call, _NOWHERE_ZERO if _is_negated(call.y) else ranges.TOP)


_NOWHERE_ZERO = ranges.TOP.without_zero()


def _is_negated(exponent: Fact) -> bool:
    """`f ** (-alpha / 2)`: by its meaning alpha is positive, and 1 / f ** alpha is never 0."""
    origin = behind(exponent, (Op.MUL, Op.DIV))
    return origin is not None and origin.op is Op.NEG


def square(call: Call) -> Fact:
    return _raised_to(call, 2.0)


def square_root(call: Call) -> Fact:
    x = call.x
    return result(call, _root(x.range), _rooted(x.kinds), ground=x.ground, zero=x.zero)


def _raised_to(call: Call, exponent: float) -> Fact:
    base = call.x
    if exponent == 0.5:
        return square_root(call)
    if exponent < 0:
        return result(call, _raised(base.range, -exponent).reciprocal())
    even = exponent % 2 == 0
    kinds = base.kinds & (TOPIC | Kind.NORM | Kind.SPAN | Kind.MASK | Kind.COUNT | Kind.PROB)
    kinds |= Kind.VAR if base.is_any(Kind.STD) or (even and _is_centred(base)) else Kind.NONE
    kinds |= base.kinds & (Kind.DRAWN | Kind.NONZERO) | (Kind.MAGNITUDE if even else Kind.NONE)
    kinds |= Kind.NONZERO if base.is_any(Kind.SIMPLEX) else Kind.NONE  # its largest is not 0
    # What takes both signs passes through 0; of an unknown base nobody has said that it does.
    through_zero = even and (base.is_any(Kind.SIGNED) or _is_difference(base))
    zero = base.zero or (Evidence.NAMED if through_zero else Evidence.NONE)
    if even and base.is_any(Kind.DRAWN):
        zero = Evidence.NONE  # cos² and noise²: where they meet 0 nobody stands
    return result(call, _raised(base.range, exponent), kinds, ground=base.ground, zero=zero)


def _is_difference(fact: Fact) -> bool:
    """Whether it is `a - b` of two values, which may be the same."""
    origin = fact.origin
    if origin is None or origin.op is not Op.SUB:
        return False
    return all(
        o.fact.constant is None and o.fact.form is not Form.NUMBER for o in origin.operands.values()
    )


def _is_centred(fact: Fact) -> bool:
    """Whether it is `x - x.mean()`: its squares are 0 when all values are equal."""
    origin = fact.origin
    if origin is None or origin.op is not Op.SUB:
        return False
    return origin.operands["y"].fact.is_any(Kind.MEAN)


def _rooted(kinds: Kind) -> Kind:
    return (kinds & ~(Kind.VAR | WHOLE)) | (Kind.STD if kinds & Kind.VAR else Kind.NONE)


def _raised(base: Range, exponent: float) -> Range:
    if exponent == 0:
        return ranges.point(1.0)
    if exponent % 2 == 0:
        return base.abs().monotone(lambda v: _pow(v, exponent))
    if base.nonnegative or exponent % 2 == 1:
        return replace(base.monotone(lambda v: _pow(v, exponent)), holed=base.holed)
    return ranges.TOP


def _pow(value: float, exponent: float) -> float:
    try:
        return float(value**exponent)
    except OverflowError:
        return -ranges.INF if value < 0 and exponent % 2 else ranges.INF


def _root(range_: Range) -> Range:
    if range_.hi < 0:
        return ranges.TOP
    nan = range_.nan or range_.lo < 0
    inside = range_.meet(ranges.NONNEGATIVE)
    return replace(inside.monotone(lambda v: v if math.isinf(v) else math.sqrt(v)), nan=nan)


def reciprocal(call: Call) -> Fact:
    return result(call, call.x.range.reciprocal(), call.x.kinds & TOPIC)


def reciprocal_root(call: Call) -> Fact:
    return result(call, _root(call.x.range).reciprocal())


TABLE: Mapping[Op, Transfer] = MappingProxyType(
    {
        Op.POW: power,
        Op.SQUARE: square,
        Op.SQRT: square_root,
        Op.RECIPROCAL: reciprocal,
        Op.RSQRT: reciprocal_root,
    }
)
