"""Sites: operations with what is known of their operands. What rules are asked about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from epslint.analysis import bare
from epslint.analysis.env import Mode
from epslint.analysis.fact import UNKNOWN, Fact
from epslint.analysis.learning import NOT_SHOWN, Learning, Shown
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.unit import Unit
from epslint.analysis.uses.ends import (
    ARRANGING,
    CHOOSING,
    ELEMENTWISE,
    MENDING,
    PASSING,
    ROUNDING,
    SCALING,
    SCORING,
    Uses,
    ends,
    ends_only,
    is_capped,
    is_levelled,
    is_read,
    is_reported,
)
from epslint.analysis.uses.overwritten import is_overwritten
from epslint.analysis.words.hints import tells_of_picturing
from epslint.analysis.words.policies import are_categorical, have_a_floor
from epslint.analysis.words.purpose import draws
from epslint.epsilon import Hierarchy
from epslint.source import Span

_PRINTING = frozenset({"__repr__", "__str__", "extra_repr"})
_CONSTRUCTORS = frozenset({"__init__", "__post_init__", "setup", "build"})
_GRAPH = re.compile(
    r"\btf(1|\.compat\.v1)?"
    r"\.(placeholder|get_variable|variable_scope|Session|(train|optimizers)\.\w+Optimizer)\b"
)
_MODULES = frozenset({"Module", "Layer", "LightningModule"})


@dataclass(frozen=True, slots=True)
class AtHand:
    """An epsilon that the code already has a name for."""

    text: str
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Where a site stands: the function, the class, and the epsilons in reach there."""

    function: str
    owner: str = ""
    kin: tuple[str, ...] = ()  # the class and its bases
    epsilons: tuple[AtHand, ...] = ()
    imports: Mapping[str, str] = field(default_factory=dict)  # local name → dotted name

    def alias(self, dotted: str) -> str | None:
        """What a library is called here: `np` for numpy, `torch.nn.functional` for itself where
        only torch is imported; None where it cannot be reached.
        """
        local = next((name for name, full in self.imports.items() if full == dotted), None)
        if local is not None:
            return local
        parent, dot, last = dotted.rpartition(".")
        outer = self.alias(parent) if dot else None
        return None if outer is None else f"{outer}.{last}"

    def imported(self, dotted: str) -> str | None:
        """The name under which exactly this was imported."""
        return next((name for name, full in self.imports.items() if full == dotted), None)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Where a result is used: where this test is true, or false."""

    test: Operand
    truth: bool
    inline: bool  # whether the test stands around the operation, so that it can be asked there


class Callers(Protocol):
    """The room that knows who calls the function a site stands in."""

    def seen(self, site: Site) -> Site | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """One operation of the program, with the facts of its operands."""

    op: Op
    node: bare.BaseExpression | bare.AugAssign
    unit: Unit
    operands: Mapping[str, Operand]
    result: Fact
    mode: Mode
    scope: Scope
    hierarchy: Hierarchy
    # The operands as they are where the result is used: in the chosen branch of a `where`, or
    # after a repair such as `y[n == 0] = 0`. None: the result is used as it is.
    chosen: Mapping[str, Fact] | None = None
    choice: Choice | None = None  # None also where what is not finite is replaced, whyever it is so
    # The same where a mask, a comparison that the result is multiplied by, is 1. A product repairs
    # nothing: inf * 0 is NaN.
    masked: Mapping[str, Fact] | None = None
    mask: Choice | None = None
    repeatable: frozenset[str] = frozenset()  # operands whose making may be written here again
    flow: Uses = field(default_factory=dict)  # of all values of the frame
    # The operations that each operand's value goes into, here and elsewhere.
    shared: Mapping[str, frozenset[Op]] = field(default_factory=dict)
    learning: Learning | None = None  # what the file shows of gradients
    callers: Callers | None = None  # what the file shows of arguments

    def operand(self, name: str) -> Operand | None:
        return self.operands.get(name)

    def fact(self, name: str) -> Fact:
        operand = self.operands.get(name)
        return UNKNOWN if operand is None else operand.fact

    @property
    def uses(self) -> frozenset[Op]:
        """The operations that the result goes into."""
        return self.ends(frozenset())

    def ends(self, through: frozenset[Op]) -> frozenset[Op]:
        """Where the result ends up, seen through what only arranges or averages it, and more."""
        return ends(self.flow, self.node, PASSING | through)

    def only(self, wanted: frozenset[Op], through: frozenset[Op]) -> bool:
        """Whether everything that becomes of the result is of one sort."""
        return ends_only(self.flow, self.node, through, wanted)

    @property
    def rounded(self) -> bool:
        """Whether all that is made of the result is whole numbers, of which nothing is learned."""
        return self.only(ROUNDING, PASSING | SCALING)

    @property
    def chosen_by(self) -> bool:
        """Whether the result only says what is drawn, or which is the largest."""
        return self.only(CHOOSING, SCORING)

    @property
    def of_finitely_many(self) -> bool:
        """Whether actions are drawn from finitely many here, so that their ratios have a limit."""
        return are_categorical(self.unit.source)

    @property
    def of_the_probable(self) -> bool:
        """Whether nothing is drawn here whose probability is below an epsilon."""
        return have_a_floor(self.unit.source)

    @property
    def read_out(self) -> bool:
        """Whether all that is made of the result is logged or compared: there inf is the truth."""
        return is_read(self.flow, self.node)

    @property
    def reported(self) -> bool:
        """The same, and no number that was read goes on: not `return log_alpha.exp().item()`."""
        return self.scope.function in _PRINTING or is_reported(self.flow, self.node)

    @property
    def capped(self) -> bool:
        """Whether an infinite result is caught before anything but reading is done with it."""
        return is_capped(self.flow, self.node)

    @property
    def compared(self) -> bool:
        """Whether the result is only compared: NaN and inf decide, and nothing is made of them."""
        return self.only(frozenset({Op.COMPARE}), ARRANGING | ELEMENTWISE | {Op.DOT, Op.MATMUL})

    @property
    def mended(self) -> bool:
        """Whether every use of the result leaves NaN out or replaces it."""
        return self.only(MENDING, ARRANGING | ELEMENTWISE | {Op.CALL})

    @property
    def inverted(self) -> bool:
        """Whether the result is only divided by: of inf nothing is left."""
        return self.only(frozenset({Op.RECIPROCAL}), ARRANGING)

    @property
    def levelled(self) -> bool:
        """Whether the result is a ratio of which only decibels are made."""
        return is_levelled(self.flow, self.node)

    @property
    def rehearsed(self) -> bool:
        """Whether it is in a test, where numbers are chosen and NaN is seen at once. A model or a
        loss that is written in one, to compare with, is code like any other.
        """
        return self.mode.rehearsal and _MODULES.isdisjoint(self.scope.kin)

    @property
    def constructing(self) -> bool:
        """Whether it is where an object is made, of which nothing has been learned yet. In a graph
        of TensorFlow 1 formulas are only written there: they are computed with what is learned.
        """
        making = bool(self.scope.owner) and self.scope.function in _CONSTRUCTORS
        return making and not _GRAPH.search(self.unit.written)

    @property
    def unlearned(self) -> bool:
        """Whether the function says that nothing is learned in it."""
        return self.learning is not None and self.learning.is_denied(self.unit.stretch)

    @property
    def pictured(self) -> bool:
        """Whether it is for people to look at: a blank picture hurts nobody."""
        source = self.unit.source
        shown = tells_of_picturing(self.scope.function) or draws(source.filename, source.text)
        return shown and not self.learned.evidence

    @property
    def overwritten(self) -> bool:
        """Whether its name is given another value before anybody reads this one."""
        return is_overwritten(self.unit.stretch, self.unit.row(self.node))

    @property
    def span(self) -> Span:
        return self.unit.span(self.node)

    @property
    def differentiated(self) -> bool:
        """Whether nothing forbids that a gradient flows through the operation."""
        allowed = self.result.grad and self.mode.grad
        if not allowed or self.learning is None:
            return allowed
        unit, node = self.unit, self.node
        return not self.learning.is_constant(unit.stretch, unit.text(node), unit.row(node))

    @property
    def as_called(self) -> Site | None:
        """The same with what the callers in this file are seen to pass; None where they do not get
        here. Asked of what would be a finding only: the function is read once more for it.
        """
        return self if self.callers is None else self.callers.seen(self)

    @property
    def learned(self) -> Shown:
        """How the code shows that one does. Asked last: it is read off the whole function."""
        if self.learning is None or not self.differentiated:
            return NOT_SHOWN
        unit, node = self.unit, self.node
        return self.learning.shown(unit.stretch, unit.text(node), unit.row(node))
