"""Sums: what is known of one because of what both its sides are made of."""

from __future__ import annotations

from collections.abc import Mapping

from epslint.analysis import ranges
from epslint.analysis.fact import Evidence, Fact, Kind, replace
from epslint.analysis.keys import key_of
from epslint.analysis.made.makers import is_one, maker
from epslint.analysis.made.marked import with_marked_zeros
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.relations.forms import weighed_either_way
from epslint.analysis.transfer import Call, transfer

_FLOORING = frozenset({Op.RELU, Op.CLAMP, Op.CLAMP_MIN, Op.MAXIMUM})


def total(operands: Mapping[str, Operand]) -> Fact | None:
    """Sums that are known because of what both sides are made of."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None:
        return None
    for value, mask in ((x, y), (y, x)):
        if (repaired := with_marked_zeros(value, mask)) is not None:
            return repaired
        if (lifted := _lifted(value, mask)) is not None:
            return lifted
    if _is_square(x.fact) and _is_square(y.fact) and _share_out(x.fact.origin, y.fact.origin):
        summed = transfer(Call(Op.ADD, {"x": x.fact, "y": y.fact}))
        return replace(summed, range=summed.range.without_zero())
    if maker(x.fact)[0] is maker(y.fact)[0] is Op.CUMSUM:
        # Hits and misses as they come, each of them one or the other: `tp / (tp + fp)`.
        return replace(transfer(Call(Op.ADD, {"x": x.fact, "y": y.fact})), zero=Evidence.NONE)
    return _mixture(x, y) or _of_equal_choices(x.fact, y.fact) or weighed_either_way(x, y)


def _lifted(value: Operand, lack: Operand) -> Fact | None:
    """`n + relu(eps - n)` is the larger of n and eps."""
    made = lack.fact.origin
    if made is None or made.op not in _FLOORING or lack.fact.range.lo != 0:
        return None
    missing = made.fact("x").origin
    if missing is None or missing.op is not Op.SUB or not missing.fact("x").range.positive:
        return None
    taken = missing.operands["y"]
    key = key_of(taken.node)
    same = is_one(taken.fact, value.fact) or (key is not None and key == key_of(value.node))
    return value.fact.within(ranges.POSITIVE) if same else None


def _mixture(x: Operand, y: Operand) -> Fact | None:
    """`(1 - a) * p + a * q` of two distributions adds up to 1, and is one if a is between 0 and 1;
    its elements underflow where both do.
    """
    first, second = _weighed_distribution(x), _weighed_distribution(y)
    if first is None or second is None or not _are_shares(first, second):
        return None
    summed = transfer(Call(Op.ADD, {"x": x.fact, "y": y.fact})).plus(Kind.SIMPLEX)
    between = first.fact.range.nonnegative and second.fact.range.nonnegative
    return replace(summed, range=summed.range.meet(ranges.UNIT)) if between else summed


def _weighed_distribution(term: Operand) -> Operand | None:
    """The weight in `a * softmax(x)`."""
    origin = term.fact.origin
    if origin is None or origin.op is not Op.MUL:
        return None
    factors = list(origin.operands.values())
    weights = [factor for factor in factors if not factor.fact.is_any(Kind.SIMPLEX)]
    return weights[0] if len(weights) == 1 == len(factors) - 1 else None


def _are_shares(one: Operand, other: Operand) -> bool:
    """`a` and `1 - a`."""
    for part, rest in ((one, other), (other, one)):
        made = rest.fact.origin
        if made is None or made.op is not Op.SUB or not made.fact("x").range.positive:
            continue
        if key_of(made.operands["y"].node) == key_of(part.node) is not None:
            return True
    return False


def _of_equal_choices(x: Fact, y: Fact) -> Fact | None:
    """`where(same, 1, a) + where(same, 1, b)`: one test keeps both away from 0, or needs to."""
    tests = [f.origin.operands.get("cond") for f in (x, y) if f.origin and f.origin.op is Op.WHERE]
    if len(tests) < 2 or not (x.zero and y.zero):
        return None
    keys = {None if test is None else key_of(test.node) for test in tests}
    if len(keys) != 1 or None in keys:
        return None
    summed = transfer(Call(Op.ADD, {"x": x, "y": y}))
    return replace(summed, zero=Evidence.NONE)


def is_squared_length(fact: Fact) -> bool:
    """`a**2 + b**2`, of what a network has not made."""
    origin = fact.origin
    if origin is None or origin.op is not Op.ADD:
        return False
    terms = [operand.fact for operand in origin.operands.values()]
    squares = len(terms) == 2 and all(map(_is_square, terms))
    return squares and not any(term.is_any(Kind.DRAWN) for term in terms)


def _is_square(fact: Fact) -> bool:
    origin = fact.origin
    made = origin is not None and origin.op in (Op.POW, Op.SQUARE, Op.MUL)
    return made and fact.is_any(Kind.MAGNITUDE) and fact.range.has_zero


def _share_out(x: Origin | None, y: Origin | None) -> bool:
    """`t**2` and `(1 - t)**2`: never both of them 0."""
    return x is not None and y is not None and _are_shares(x.operands["x"], y.operands["x"])
