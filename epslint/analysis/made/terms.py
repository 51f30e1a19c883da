"""Terms: what a sum or a product is made of, seen through names and rearrangements."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from epslint.analysis.fact import Fact
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind

# The same values in another shape, place or type.
ARRANGING = frozenset(
    {Op.SAME, Op.TO, Op.FLOAT, Op.DOUBLE, Op.ITEM, Op.TO_NUMPY, Op.AS_TENSOR, Op.DETACH}
)
PRODUCTS = frozenset({Op.MUL, Op.NEG})
POWERS = PRODUCTS | {Op.SQUARE, Op.POW}
_DEEP = 6  # terms and factors are looked for no further down than this


@dataclass(frozen=True, slots=True)
class Term:
    """One of what a sum is made of."""

    operand: Operand
    added: bool


def terms(operand: Operand, *, added: bool = True, deep: int = _DEEP) -> Iterator[Term]:
    origin = arranged(operand.fact)
    if origin is None or origin.op not in (Op.ADD, Op.SUB) or not deep:
        yield Term(operand, added)
        return
    yield from terms(origin.operands["x"], added=added, deep=deep - 1)
    if (second := origin.operands.get("y")) is not None:
        same = added if origin.op is Op.ADD else not added
        yield from terms(second, added=same, deep=deep - 1)


def factors(
    operand: Operand, through: Collection[Op] = POWERS, deep: int = _DEEP
) -> Iterator[Operand]:
    """What a product is made of; `x ** 2` is made of x."""
    origin = arranged(operand.fact)
    if origin is None or origin.op not in through or not deep:
        yield operand
        return
    yield from factors(origin.operands["x"], through, deep - 1)
    if origin.op is Op.MUL and (second := origin.operands.get("y")) is not None:
        yield from factors(second, through, deep - 1)


def is_root(origin: Origin) -> bool:
    """`sqrt(x)` and `x ** 0.5`."""
    return origin.op is Op.SQRT or (origin.op is Op.POW and origin.fact("y").constant == 0.5)


def arranged(fact: Fact) -> Origin | None:
    """The operation behind mere rearrangements, where it is told what it is done to."""
    origin = behind(fact, ARRANGING)
    return origin if origin is not None and "x" in origin.operands else None
