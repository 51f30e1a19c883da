"""Running totals: attributes, and entries of them, that start at 0 and are added to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epslint.analysis import ranges
from epslint.analysis.fact import Fact, Form, Kind, replace
from epslint.analysis.interpreter.sizes import is_of_many
from epslint.analysis.program.counters import Counters
from epslint.analysis.words import hints
from epslint.outline import ClassOutline


@dataclass(frozen=True, slots=True)
class Running:
    """What the methods of a class add to one of its attributes."""

    counters: Counters
    owner: ClassOutline
    name: str

    def as_running(self, fact: Fact, assigned: Sequence[Fact]) -> Fact:
        """Running counts start at 0 and are added to; other attributes that start at 0 are not."""
        starts_at_zero = any(each.constant == 0 for each in assigned)
        if not starts_at_zero or all(each.constant == 0 for each in assigned):
            return fact.minus(Kind.RUNNING)
        grows = fact.is_any(Kind.RUNNING) or hints.is_counter(self.name)
        # What is added is not known where one attribute is asked about because of another.
        grows = grows or (is_of_many(fact) and self.counters.grows(self.owner, self.name))
        return fact.plus(Kind.RUNNING) if grows else fact.minus(Kind.RUNNING)

    def started(self, fact: Fact) -> Fact:
        """A mapping's numbers are where it starts: `self.stats = {"total": 0}`. Those that are
        added to are running counts.
        """
        if fact.form is not Form.OTHER:
            return fact
        parts = [part for part in fact.parts if part[1].constant is None]
        zeros = {key: part for key, part in fact.parts if part.constant == 0}
        moving = self.counters.entries_added_to(self.owner, self.name) if zeros else ()
        parts += [
            (key, replace(zero, range=ranges.REAL, kinds=Kind.RUNNING))
            for key, zero in zeros.items()
            if key in moving
        ]
        return replace(fact, parts=tuple(parts))

    def filled(self, zeros: Fact) -> Fact | None:
        """What becomes of a tensor of zeros; None where somebody puts other things into it."""
        if self.counters.is_filled(self.owner, self.name):
            return None
        if not self.counters.grows_here_and_there(self.owner, self.name):
            return zeros
        return replace(zeros, range=ranges.REAL, kinds=Kind.SUM | Kind.RUNNING)
