"""Smoothing: counts that were given a little more each, so that none of them is 0."""

from __future__ import annotations

from collections.abc import Mapping

from epslint.analysis.fact import Evidence, Fact, Kind, replace
from epslint.analysis.keys import key_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.transfer import Call, transfer


def smoothed(operands: Mapping[str, Operand]) -> Fact | None:
    """`(counts + eps) / (total + k * eps) * total`: Laplace's smoothing is there so that no count
    is 0. By meaning: who smooths counts has counted something.
    """
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None or not (_is_share_of(x, y) or _is_share_of(y, x)):
        return None
    fact = transfer(Call(Op.MUL, {"x": x.fact, "y": y.fact}))
    return replace(fact, zero=Evidence.NONE)


def _is_share_of(share: Operand, total: Operand) -> bool:
    origin = share.fact.origin
    if not total.fact.zero or origin is None or origin.op is not Op.DIV:
        return False
    above, below = origin.fact("x").origin, origin.fact("y").origin
    if above is None or below is None or above.op is not Op.ADD or below.op is not Op.ADD:
        return False
    raised = any(operand.fact.is_any(Kind.EPSILON) for operand in above.operands.values())
    return raised and any(_is_same_total(term, total) for term in below.operands.values())


def _is_same_total(term: Operand, total: Operand) -> bool:
    """By its name, or because both are the sum of one thing, here and in a helper."""
    key = key_of(term.node)
    if key is not None and key == key_of(total.node):
        return True
    sums = [operand.fact.origin for operand in (term, total)]
    if any(origin is None or origin.op is not Op.SUM for origin in sums):
        return False
    first, second = (origin.fact("x").origin for origin in sums if origin is not None)
    return first is not None and first is second
