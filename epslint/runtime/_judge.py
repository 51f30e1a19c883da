"""Was it a birth? The exact questions, asked of the few operations whose sum was not finite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from torch import Tensor
from torch._ops import OpOverload

from epslint.runtime._births import Arrival, Birth
from epslint.runtime._blame import blame, op_of_node
from epslint.runtime._frames import Spot, place_of
from epslint.runtime._probe import (
    INF,
    NAN,
    Extent,
    extent_of,
    kinds_in,
    kinds_of_number,
    leaves_in,
)
from epslint.runtime._versions import GONE, is_still, version_of

Kinds = frozenset[str]


# Named tuples: on a GPU one of these is made for every operation, and a frozen dataclass takes four
# times as long.
class Held(NamedTuple):
    """A tensor, and the version of it that is meant."""

    tensor: Tensor
    version: int

    @property
    def is_there(self) -> bool:
        """Whether nobody wrote over it since."""
        return is_still(self.tensor, self.version)


class Seen(NamedTuple):
    """One operation, with all that is needed to judge it later."""

    op: OpOverload
    operands: tuple[Held, ...]
    numbers: tuple[float, ...]
    outputs: tuple[Held, ...]
    before: tuple[Tensor, ...]
    sums: tuple[Tensor, ...]
    spot: Spot | None
    node: str | None
    forward_spot: Spot | None

    def found(self) -> Kinds:
        """What the outputs held when they were made; of those written over only the sum is left."""
        return _union(
            kinds_in(output.tensor) if output.is_there else kinds_of_number(one.item())
            for output, one in zip(self.outputs, self.sums, strict=True)
        )

    def held(self, tainted: dict[int, Kinds]) -> Kinds:
        """What the operands held already; `tainted` knows of those that were written over."""
        before = _union(kinds_of_number(one.item()) for one in self.before)
        return (
            _union(map(kinds_of_number, self.numbers))
            # A sum is NaN as well when both infinities were there: then neither is born.
            | (before | {INF} if NAN in before else before)
            | _union(
                kinds_in(operand.tensor)
                if operand.is_there
                else tainted.get(id(operand.tensor), frozenset())
                for operand in self.operands
            )
        )

    def birth(self, born: Kinds) -> Birth:
        """The birth of these kinds, told in full."""
        place = self.forward_spot or self.spot
        caller = self.spot if self.forward_spot else None
        name = op_of_node(self.node) if self.node else self.op.overloadpacket.__name__
        return Birth(
            kinds=tuple(kind for kind in (NAN, INF) if kind in born),
            op=str(self.op),
            node=self.node,
            place=place_of(place) if place else None,
            called_from=place_of(caller) if caller else None,
            operands=_extents(self.operands),
            outputs=_extents(self.outputs),
            blame=blame(name, self.node is not None, born),
        )

    def arrival(self) -> Arrival:
        """The first sight of what was born elsewhere."""
        place = self.forward_spot or self.spot
        return Arrival(str(self.op), place_of(place) if place else None, _extents(self.operands))


class Sighting(NamedTuple):
    """An operation as it comes by: what it was called with and what it gave."""

    op: OpOverload
    args: tuple[object, ...]
    kwargs: dict[str, object]
    outputs: list[Tensor]
    before: list[Tensor]

    def keep(
        self, sums: list[Tensor], spot: Spot | None, node: str | None, forward_spot: Spot | None
    ) -> Seen:
        """All of it that a judgement needs."""
        operands, numbers = leaves_in((self.args, self.kwargs))
        given = {id(tensor) for tensor in operands}
        written = {id(tensor) for tensor in self.outputs if id(tensor) in given}
        return Seen(
            op=self.op,
            operands=tuple(Held(t, GONE if id(t) in written else version_of(t)) for t in operands),
            numbers=tuple(numbers),
            outputs=tuple(Held(t, version_of(t) + (id(t) in written)) for t in self.outputs),
            before=tuple(self.before),
            sums=tuple(sums),
            spot=spot,
            node=node,
            forward_spot=forward_spot,
        )


def _extents(tensors: tuple[Held, ...]) -> tuple[Extent | None, ...]:
    return tuple(extent_of(one.tensor) if one.is_there else None for one in tensors)


def _union(sets: Iterable[Kinds]) -> Kinds:
    return frozenset[str]().union(*sets)
