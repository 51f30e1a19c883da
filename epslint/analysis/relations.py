"""Relations: what is known of a result because of what both its operands were made of."""

from __future__ import annotations

from collections.abc import Mapping

from epslint.analysis import ranges
from epslint.analysis.fact import Evidence, Fact, Form, Kind, replace
from epslint.analysis.keys import key_of
from epslint.analysis.moments import of_variance
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.transfer import Call, transfer
from epslint.analysis.transfer.call import TOPIC


def over_own_magnitude(operands: Mapping[str, Operand]) -> Mapping[str, Operand]:
    """`x / x.abs()` is a sign written out: somebody expects x on both sides of 0, and so at it."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None or y.fact.zero or not y.fact.range.has_zero:
        return operands
    key = key_of(x.node)
    if key is None or _maker(y.fact) != (Op.ABS, key):
        return operands
    return {**operands, "y": replace(y, fact=replace(y.fact, zero=Evidence.NAMED))}


def difference(operands: Mapping[str, Operand]) -> Fact | None:
    """Differences that are known because of what both sides are made of."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None:
        return None
    left = x.fact
    mine, theirs = _maker(x.fact), _maker(y.fact)
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


def _maker(fact: Fact) -> tuple[Op | None, str | None]:
    """The operation that made a value, seen through rearrangements, and what it was made of."""
    origin = fact.origin
    while origin is not None and "x" in origin.operands:
        inner = origin.operands["x"].fact.origin
        through_detach = origin.op is Op.DETACH and inner is not None and inner.op is Op.MAX
        if origin.op not in (Op.SAME, Op.ITEM, Op.FLOAT, Op.PICK) and not through_detach:
            return origin.op, key_of(origin.operands["x"].node)
        origin = inner
    return None, None


def square(operands: Mapping[str, Operand]) -> Fact | None:
    """`x * x` is `x ** 2`."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None or type(x.node) is not type(y.node):
        return None
    same = x.fact.origin is not None and x.fact.origin is y.fact.origin
    if not same and (key_of(x.node) is None or key_of(x.node) != key_of(y.node)):
        return None
    return transfer(Call(Op.SQUARE, {"x": x.fact}))
