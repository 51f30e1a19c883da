"""Places: what holds where a mask is true, or at the indices that `np.where(n > 0)` gives."""

from __future__ import annotations

from dataclasses import dataclass

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import REMEMBERED, DType, Fact, Kind, number, replace
from epslint.analysis.guards.limits import limits_by
from epslint.analysis.made.rows import keeps_order
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.ranges import Range
from epslint.analysis.uses.ledger import still_means
from epslint.analysis.words.operators import MIRRORED, connective_of, operator_of

# What leaves places those of something that was found: all of them, some, in another shape.
_HANDING_ON = frozenset({Op.SAME, Op.PICK, Op.SELECT, Op.TO, Op.INT, Op.TO_NUMPY, Op.DETACH})
_FAR = 5  # times that a mask is made of another one


@dataclass(frozen=True, slots=True)
class Test:
    """What holds of the elements that an index chooses."""

    operand: Operand
    current: bool  # whether its names still mean what they meant


def test_of(index: Operand, indices: int, env: Env) -> Test | None:
    """What holds at an index, one of as many `indices`: a mask, or places where something holds.

    `rows, columns = np.where(n > 0)`: it holds at `n[rows, columns]`, not in all of `n[rows]`.
    """
    if index.fact.is_any(Kind.MASK):
        return Test(index, current=True)
    origin = index.fact.origin
    while origin is not None and origin.op in _HANDING_ON:
        if (among := origin.operands.get("among")) is not None and among.fact.constant != indices:
            return None
        origin = origin.fact("x").origin
    if origin is None or origin.op is not Op.NONZERO:
        return None
    return Test(origin.operands["x"], still_means(origin, env))


def coordinate(places: Fact, among: int) -> Fact | None:
    """One of the `among` names that places are unpacked into."""
    origin = places.origin
    if origin is None or origin.op is not Op.NONZERO:
        return None
    operands = {
        "x": Operand(origin.node, places),
        "among": Operand(origin.node, number(among, DType.INT)),
    }
    picked = Origin(Op.PICK, origin.node, origin.unit, operands, origin.clock, origin.frame)
    return replace(places, origin=picked, parts=())


def said_of(value: Fact, mask: Fact, far: int = _FAR) -> Range:
    """What a mask says of a value where it is true, both known by what made them: a helper may call
    them otherwise, and after `ok = ok & more` no name tells what `ok` was.
    """
    makers = (mask.origin, *mask.rivals)
    if not far or len(makers) > REMEMBERED:
        return ranges.TOP  # there may be a path that nobody remembers
    limits = [_said_by(maker, value, far - 1) for maker in makers]
    result = limits[0]
    for each in limits[1:]:
        result = result.join(each)
    return result


def _said_by(origin: Origin | None, value: Fact, far: int) -> Range:
    if origin is None:
        return ranges.TOP
    if keeps_order(origin.node):
        return said_of(value, origin.fact("x"), far)
    x, y = origin.fact("x"), origin.fact("y")
    if origin.op is Op.LOGICAL and connective_of(origin.node) is bare.BitAnd:
        return said_of(value, x, far).meet(said_of(value, y, far))
    operator = operator_of(origin.node) if origin.op is Op.COMPARE else None
    left, right = origin.operands.get("x"), origin.operands.get("y")
    if operator is None or left is None or right is None:
        return ranges.TOP
    if is_same(x, value):
        return limits_by(operator, x, right)
    return limits_by(MIRRORED[operator], y, left) if is_same(y, value) else ranges.TOP


def is_same(x: Fact, y: Fact) -> bool:
    """Whether two facts are of one value, in whatever shape."""
    first, second = _unshaped(x), _unshaped(y)
    return first.origin is not None and (first.origin, first.rivals) == (
        second.origin,
        second.rivals,
    )


def _unshaped(fact: Fact) -> Fact:
    while fact.origin is not None and keeps_order(fact.origin.node) and not fact.rivals:
        fact = fact.origin.fact("x")
    return fact
