"""The birth of a NaN or Inf, and the report of all that were seen."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from epslint.runtime._blame import Blame
from epslint.runtime._frames import Place
from epslint.runtime._probe import Extent

_OVERWRITTEN = "overwritten in place"
_WORDS = {"nan": "NaN", "inf": "Inf"}


@dataclass(frozen=True, slots=True)
class Birth:
    """An operation whose result held a NaN or Inf that none of its operands held."""

    kinds: tuple[str, ...]
    op: str
    node: str | None
    place: Place | None
    called_from: Place | None
    operands: tuple[Extent | None, ...]
    outputs: tuple[Extent | None, ...]
    blame: Blame
    times: int = 1

    @property
    def phase(self) -> str:
        """In which pass it was born: only autograd's nodes run in the backward pass."""
        return "forward" if self.node is None else "backward"

    @property
    def key(self) -> tuple[object, ...]:
        """Births of one key are one birth seen several times."""
        return self.kinds, self.op, self.node, self.place, self.called_from

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        born = " and ".join(_WORDS[kind] for kind in self.kinds)
        often = f", {self.times} times" if self.times > 1 else ""
        where = f"{self.op} of {self.node}" if self.node else self.op
        yield f"{born} born in {where} ({self.phase} pass{often})"
        yield from _place_lines("at", self.place)
        if self.called_from is not None:
            yield from _place_lines("run by", self.called_from)
        for position, extent in enumerate(self.operands):
            yield f"  operand {position}: {extent or _OVERWRITTEN}"
        for extent in self.outputs:
            yield f"  result:    {extent or _OVERWRITTEN}"
        codes = " ".join(self.blame.codes)
        yield f"  {codes}: {self.blame.hint}" if codes else f"  {self.blame.hint}"


@dataclass(frozen=True, slots=True)
class Arrival:
    """The first sight of a NaN that came from outside: data, a checkpoint, another thread."""

    op: str
    place: Place | None
    operands: tuple[Extent | None, ...]

    def __str__(self) -> str:
        lines = [f"NaN came in from outside the watch, first seen by {self.op}"]
        lines += _place_lines("at", self.place)
        lines += [
            f"  operand {i}: {extent or _OVERWRITTEN}" for i, extent in enumerate(self.operands)
        ]
        return "\n".join(lines)


class WatchReport:
    """What a watch saw, in the order of first sight. Empty, and false, when all was finite."""

    __slots__ = ("_arrival", "_births", "_lock")

    def __init__(self) -> None:
        self._births: dict[tuple[object, ...], Birth] = {}
        self._arrival: Arrival | None = None
        self._lock = threading.Lock()

    @property
    def births(self) -> tuple[Birth, ...]:
        """The births, each place once, with how often it was seen."""
        return tuple(self._births.values())

    @property
    def arrival(self) -> Arrival | None:
        """Where a NaN that was not born under the watch was first seen, if no birth explains it."""
        return self._arrival

    def add(self, birth: Birth) -> None:
        """Take a birth in, or count it."""
        with self._lock:
            known = self._births.get(birth.key)
            self._births[birth.key] = (
                birth if known is None else replace(known, times=known.times + birth.times)
            )

    def has_born(self, kind: str) -> bool:
        """Whether a birth of this kind is known."""
        return any(kind in birth.kinds for birth in self.births)

    def note_arrival(self, arrival: Arrival) -> None:
        """Remember the first sight of a NaN from outside."""
        with self._lock:
            self._arrival = self._arrival or arrival

    def __bool__(self) -> bool:
        return bool(self._births)

    def __len__(self) -> int:
        return len(self._births)

    def __str__(self) -> str:
        parts = [str(birth) for birth in self.births]
        if self._arrival is not None:
            parts.append(str(self._arrival))
        return "\n\n".join(parts) or "no NaN or Inf was born"

    def to_json(self) -> str:
        """The same for machines."""
        births = [{**asdict(birth), "phase": birth.phase} for birth in self.births]
        arrival = asdict(self._arrival) if self._arrival else None
        return json.dumps({"births": births, "arrival": arrival}, indent=2, allow_nan=False)


class WatchError(FloatingPointError):
    """Raised at the first birth by `watch(on="raise")`."""

    __module__ = "epslint.runtime"  # Where users find it, and what a traceback shows.

    def __init__(self, message: str, birth: Birth | None = None) -> None:
        super().__init__(message)
        self.birth = birth


class WatchWarning(RuntimeWarning):
    """Issued at each birth, at the user's own line, by `watch(on="warn")`."""

    __module__ = "epslint.runtime"


def _place_lines(word: str, place: Place | None) -> list[str]:
    if place is None:
        return [
            f"  {word} a line that is not known (it ran before the watch, or on no user's thread)"
        ]
    return [f"  {word} {place} in {place.function}", f"      {place.source}"]
