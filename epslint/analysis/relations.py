"""Relations: what is known of a result because of what both its operands were made of."""

from __future__ import annotations

import re
from collections.abc import Mapping

import libcst as cst

from epslint.analysis import ranges
from epslint.analysis.fact import Evidence, Fact, Form, Kind, replace
from epslint.analysis.keys import key_of, roots_of, words_of
from epslint.analysis.moments import of_variance
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.transfer import Call, transfer
from epslint.analysis.transfer.call import LOGARITHMIC, TOPIC


def divided(operands: Mapping[str, Operand]) -> Mapping[str, Operand]:
    """What the dividend tells of the divisor: the same value is a hazard under one and not under
    another.
    """
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None or not y.fact.range.has_zero:
        return operands
    zero = y.fact.zero
    if _is_own_magnitude(x, y):
        zero = zero or Evidence.NAMED
    elif any(is_weak(x, y) for is_weak in _WEAK):
        zero = Evidence.NONE
    return operands if zero is y.fact.zero else {**operands, "y": _with_zero(y, zero)}


def _with_zero(operand: Operand, zero: Evidence) -> Operand:
    return replace(operand, fact=replace(operand.fact, zero=zero))


def _is_own_magnitude(x: Operand, y: Operand) -> bool:
    """`x / x.abs()` is a sign written out: somebody expects x on both sides of 0, and so at it."""
    op, key = maker(y.fact)
    return op is Op.ABS and key is not None and key in (key_of(x.node), maker(x.fact)[1])


def _is_part_of_formula(x: Operand, y: Operand) -> bool:
    """A magnitude of which nothing else is known, in some formula: a step, a width, a time.

    Not where one is divided by it, which is the weight of a distance, nor where it is a target's,
    which is a relative error.
    """
    if y.fact.zero is not Evidence.NAMED or y.fact.kinds & ~Kind.DRAWN != Kind.MAGNITUDE:
        return False
    if x.fact.constant is not None or _is_signed(y.fact) or maker(y.fact)[0] is Op.MEDIAN:
        return False
    return not any(map(_TRUE_VALUE.search, words_of(y.node)))


def _is_signed(magnitude: Fact) -> bool:
    """Whether it was taken of what is seen to have both signs."""
    origin = magnitude.origin
    return origin is not None and origin.fact("x").is_any(Kind.SIGNED)


_TRUE_VALUE = re.compile(r"(^|_)(targets?|labels?|true|truth|gt|refs?|reference|actual|y)(_|$)")


def _is_inverse_weight(x: Operand, y: Operand) -> bool:
    """`1 / probs`: of what was drawn the probability was not 0. Propensities divide rewards."""
    if y.fact.ground is not Evidence.NAMED or not y.fact.is_any(Kind.PROB):
        return False
    return not x.fact.is_any(TOPIC | Kind.PROB)


_LOSS = re.compile(r"(^|_)(loss|losses|kls?|nll|ce|entropy|objective|surr\d?|surrogate)(_|$)")
_LEARNED_FROM = TOPIC | LOGARITHMIC | Kind.RATIO


def _is_pooling(x: Operand, y: Operand) -> bool:
    """A mean over what is not padding: only of a loss it may be that nothing is left."""
    if not y.fact.is_any(Kind.PADS) or x.fact.is_any(_LEARNED_FROM):
        return False
    return not any(map(_LOSS.search, words_of(x.node)))


_AVERAGED = Kind.SUM | Kind.VAR | Kind.STD | Kind.MAGNITUDE | TOPIC


def _is_spacing(x: Operand, y: Operand) -> bool:
    """`width / (n - 1)`: a grid has two points. An average over n - 1 may have one."""
    if not y.fact.is_any(Kind.OFFSET) or not y.fact.is_any(Kind.SHAPE):
        return False
    corrects = not isinstance(x.node, cst.Name) and not set(roots_of(x.node)).isdisjoint(
        roots_of(y.node)  # `var * n / (n - 1)`
    )
    averages = x.fact.is_any(_AVERAGED) or maker(x.fact)[0] in _AVERAGING
    return not (corrects or averages or "sum" in words_of(x.node))


_AVERAGING = frozenset({Op.MATMUL, Op.DOT, Op.EINSUM, Op.SUM})
_WEAK = (_is_part_of_formula, _is_inverse_weight, _is_pooling, _is_spacing)


def difference(operands: Mapping[str, Operand]) -> Fact | None:
    """Differences that are known because of what both sides are made of."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None:
        return None
    left = x.fact
    mine, theirs = maker(x.fact), maker(y.fact)
    key = key_of(x.node)
    if key is not None and theirs == (Op.DETACH, key):
        return replace(left, range=ranges.point(0.0), kinds=Kind.NONE, huge=Evidence.NONE)
    if key is not None and theirs == (Op.MAX, key):
        known = Fact(ranges.NONPOSITIVE, kinds=Kind.SHIFTED, ground=Evidence.PROVEN)
        return replace(known, dtype=left.dtype, form=left.form, grad=left.grad)
    if mine[0] is Op.MAX and theirs[0] is Op.MIN and mine[1] == theirs[1] is not None:
        proven = Evidence.PROVEN
        known = Fact(ranges.NONNEGATIVE, kinds=Kind.SPAN, ground=proven, zero=proven)
        return replace(known, dtype=left.dtype, form=left.form, grad=left.grad)
    if _is_exponential_less(x.fact, y):
        # `exp(d) - 1 - d` is not negative, but for rounding.
        proven, kinds = Evidence.PROVEN, Kind.KL | Kind.CANCELLED
        known = Fact(ranges.REAL, kinds=kinds, ground=proven, zero=proven, huge=y.fact.huge)
        return replace(known, dtype=left.dtype, form=left.form, grad=left.grad)
    return _variance(x, y)


def _variance(x: Operand, y: Operand) -> Fact | None:
    """E[x²] − E[x]²: 0 when all values are equal, and then rounding makes it a little less."""
    evidence = of_variance(x, y)
    if not evidence:
        return None
    left, right = x.fact, y.fact
    kinds = Kind.VAR | Kind.CANCELLED | (left.kinds & right.kinds & TOPIC)
    known = Fact(ranges.REAL, kinds=kinds, ground=evidence, zero=evidence)
    form = left.form if left.form is not Form.UNKNOWN else right.form
    return replace(known, dtype=left.dtype, form=form, grad=left.grad or right.grad)


def _is_exponential_less(left: Fact, right: Operand) -> bool:
    """`exp(d) - 1` and d, or `exp(d) - d` and 1."""
    outer = left.origin
    if outer is None or outer.op is not Op.SUB:
        return False
    exponential, subtracted = outer.fact("x").origin, outer.operands["y"]
    if exponential is None or exponential.op is not Op.EXP:
        return False
    terms = (subtracted, right) if right.fact.constant == 1 else (right, subtracted)
    argument = key_of(exponential.operands["x"].node)
    return (
        argument is not None and key_of(terms[0].node) == argument and terms[1].fact.constant == 1
    )


def with_its_zeros(operands: Mapping[str, Operand]) -> Fact | None:
    """`n + (n == 0)` is n where n is not 0, and 1 where it is."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None or (key := key_of(x.node)) is None or y.fact.origin is None:
        return None
    if y.fact.origin.node is not y.node or key_of(y.node) not in (f"({key}==0)", f"(0=={key})"):
        return None
    return replace(x.fact, range=x.fact.range.without_zero()) if x.fact.range.nonnegative else None


def maker(fact: Fact) -> tuple[Op | None, str | None]:
    """The operation that made a value, seen through rearrangements, and what it was made of."""
    origin = fact.origin
    while origin is not None and "x" in origin.operands:
        inner = origin.operands["x"].fact.origin
        through_detach = origin.op is Op.DETACH and inner is not None and inner.op is Op.MAX
        if origin.op not in (Op.SAME, Op.ITEM, Op.FLOAT, Op.PICK) and not through_detach:
            return origin.op, key_of(origin.operands["x"].node)
        origin = inner
    return (None if origin is None else origin.op), None


def square(operands: Mapping[str, Operand]) -> Fact | None:
    """`x * x` is `x ** 2`."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None or type(x.node) is not type(y.node):
        return None
    same = x.fact.origin is not None and x.fact.origin is y.fact.origin
    if not same and (key_of(x.node) is None or key_of(x.node) != key_of(y.node)):
        return None
    return transfer(Call(Op.SQUARE, {"x": x.fact}))
