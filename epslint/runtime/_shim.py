"""shim(): for code one cannot edit.

Under it the operations of `_menders` are run as they are, and where they turn finite numbers into
NaN or Inf the result is replaced by the guarded one, in the backward pass by 0. Whatever was finite
stays as it was, bit for bit.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from torch import Tensor
from torch._ops import OpOverload

from epslint.runtime._frames import Place, Spot, place_of, user_spot
from epslint.runtime._menders import (
    FAMILIES,
    Call,
    Mender,
    backward_mender_of,
    call_of,
    capped_by,
    mended,
    mender_of,
)
from epslint.runtime._modes import QuietMode, Switch, forks, is_wrapper, outer_modes, unseen
from epslint.runtime._probe import are_finite_now
from epslint.runtime._trail import Node, Trail, current_node


def shim(*, ops: Iterable[str] = FAMILIES, quiet: bool = False) -> Shim:
    """Guard the operations of a `with` block, or of a decorated function, on this thread.

    `ops` are the families to guard: div, log, exp, sqrt, rsqrt, pow, std, softmax. At the end a
    summary of what was repaired, and where, goes to stderr, unless `quiet`; `with … as report` has
    it in either case.
    """
    chosen = frozenset(ops)
    if unknown := chosen - set(FAMILIES):
        raise ValueError(f"unknown ops {sorted(unknown)}: choose from {', '.join(FAMILIES)}")
    return Shim(chosen, quiet, ShimReport())


@dataclass(frozen=True, slots=True)
class Repair:
    """How many numbers of an operation at a line were replaced."""

    op: str
    phase: str
    place: Place | None
    numbers: int


class ShimReport:
    """What a shim repaired, in the order of first sight. False when it had nothing to do."""

    __slots__ = ("_counts", "_lock")

    def __init__(self) -> None:
        # The counts stay on the device until somebody asks.
        self._counts: dict[tuple[str, str, Spot | None], Tensor] = {}
        self._lock = threading.Lock()

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The repairs by operation and line; reading them synchronises with the device."""
        counted = [(*key, int(count.item())) for key, count in self._counts.items()]
        return tuple(
            Repair(op, phase, place_of(spot) if spot else None, numbers)
            for op, phase, spot, numbers in counted
            if numbers
        )

    def count(self, op: str, phase: str, spot: Spot | None, where: Tensor) -> None:
        """Take in where numbers were replaced."""
        number = where.sum()
        with self._lock:
            known = self._counts.get((op, phase, spot))
            self._counts[op, phase, spot] = (
                number if known is None else known + number.to(known.device)
            )

    def __bool__(self) -> bool:
        return bool(self.repairs)

    def __str__(self) -> str:
        repairs = self.repairs
        if not repairs:
            return "epslint shim: nothing to repair"
        total = sum(repair.numbers for repair in repairs)
        lines = [f"epslint shim: {total} number{'' if total == 1 else 's'} repaired"]
        for repair in repairs:
            source = repair.place.source if repair.place else ""
            where = repair.place or "an unknown line"
            lines.append(
                f"  {repair.numbers:>8} in {repair.op} ({repair.phase})  {where}  {source}"
            )
        return "\n".join(lines)

    def to_json(self) -> str:
        """The same for machines."""
        return json.dumps([asdict(repair) for repair in self.repairs], indent=2)


class Shim(Switch[ShimReport, "_Session"]):
    """A shim that can be switched on; its report grows with every use."""

    noun = "shim"

    def __init__(self, families: frozenset[str], quiet: bool, report: ShimReport) -> None:
        super().__init__(report)
        self._families = families
        self._quiet = quiet

    def _recreate_cm(self) -> Shim:
        return Shim(self._families, self._quiet, self.report)

    def _started(self) -> _Session:
        return _Session(self._families, self.report)

    def _ended(self, mode: _Session, error: BaseException | None) -> None:
        if not self._quiet and self.report:
            print(self.report, file=sys.stderr)


class _Session(QuietMode):
    """One stretch under the shim."""

    def __init__(self, families: frozenset[str], report: ShimReport) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch's, and untyped there
        self._families = families
        self._report = report
        self._forks = forks.count
        self._trail = Trail()
        # By identity, which the caches of `_menders` keep for good: an operation computes its hash
        # anew each time, in Python.
        self._menders: dict[tuple[int, str | None], Mender | None] = {}

    def __torch_dispatch__(
        self,
        func: OpOverload,
        types: tuple[type, ...],
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        kwargs = kwargs or {}
        if types and any(is_wrapper(kind) for kind in types):
            return NotImplemented
        node = current_node()
        mender = self._mender(func, None if node is None else node.name())
        if mender is None:
            return func(*args, **kwargs)
        self._trail.follow()
        with unseen():
            call = call_of(func, args, kwargs)
            replaced = self._replacement(mender, call, node)
            if replaced is not None:
                return call.deliver(replaced)
        if call.target is None and not outer_modes():
            return call.plain
        # Nothing was mended: now for all to see, and in place if it was asked for that way.
        return func(*args, **kwargs)

    def _mender(self, func: OpOverload, node: str | None) -> Mender | None:
        key = id(func), node
        if key not in self._menders:
            mender = mender_of(func) if node is None else backward_mender_of(func, node)
            is_chosen = mender is not None and mender.family in self._families
            self._menders[key] = mender if is_chosen else None
        return self._menders[key]

    def _replacement(self, mender: Mender, call: Call, node: Node | None) -> Tensor | None:
        """The mended result; None if it is known that nothing needs mending."""
        plain = call.plain
        if not plain.is_floating_point() or plain.is_meta:
            return None
        capped = None if node is None else capped_by(node.name(), plain.dtype)
        if capped is None and are_finite_now([plain]):
            return None
        result, born = mended(mender, call, capped)
        if plain.is_cpu and not born.any():
            return None
        # A forked DataLoader worker is guarded too, but nobody will read its report.
        if forks.count == self._forks:
            spot = user_spot() if node is None else self._trail.line_of(node) or user_spot()
            phase = "forward" if node is None else "backward"
            self._report.count(call.name.strip("_"), phase, spot, born)
        return result
