"""Origins: the expression a fact was built from, so that reasons can be told and code rewritten."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from epslint.analysis import bare
from epslint.analysis.fact import UNKNOWN, Fact
from epslint.analysis.ops import Op
from epslint.analysis.unit import Unit


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """An argument of an operation: what is written and what is known of it."""

    node: bare.BaseExpression
    fact: Fact


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """The operation that made a value."""

    op: Op
    node: bare.BaseExpression
    unit: Unit
    operands: Mapping[str, Operand]
    clock: int  # when it was evaluated: names assigned later no longer mean the same
    frame: int  # which execution: an expression of another function cannot be repeated here
    # `n += x` leaves in n what n was before, too; of `a, b = x.chunk(2)` neither is the whole.
    whole: bool = True

    def fact(self, name: str) -> Fact:
        operand = self.operands.get(name)
        return UNKNOWN if operand is None else operand.fact

    @property
    def row(self) -> int:
        return self.unit.row(self.node)

    @property
    def text(self) -> str:
        return self.unit.brief(self.node)


def behind(fact: Fact, through: Collection[Op]) -> Origin | None:
    """The operation that made a value, seen through others."""
    origin = fact.origin
    while origin is not None and origin.op in through:
        origin = origin.fact("x").origin
    return origin


def within(operand: Operand, through: Collection[Op]) -> Operand:
    """What an operand is made of, seen through the same."""
    *_, last = layers(operand, through)
    return last


def layers(operand: Operand, through: Collection[Op]) -> Iterator[Operand]:
    """An operand, what it was made of by one of these operations, and so on."""
    yield operand
    origin = operand.fact.origin
    while origin is not None and origin.op in through and "x" in origin.operands:
        operand = origin.operands["x"]
        yield operand
        origin = operand.fact.origin
