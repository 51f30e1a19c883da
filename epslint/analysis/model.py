"""The model of one file: what its functions, classes and constants are, computed when asked for.

Nothing is interpreted before somebody needs it, and nothing twice. A question that comes back to
itself (recursion, attributes defined by each other) is answered with "unknown".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.env import Env, Mode
from epslint.analysis.fact import UNKNOWN, Fact, replace
from epslint.analysis.frame import Callee, Frame, Lesson
from epslint.analysis.interpreter.statements import Interpreter
from epslint.analysis.learning import Learning
from epslint.analysis.ops import Op
from epslint.analysis.program.callers import Callers
from epslint.analysis.program.counters import Counters
from epslint.analysis.program.holdings import Holdings
from epslint.analysis.program.modules import may_be_in
from epslint.analysis.program.signature import (
    annotated,
    mode_inside,
    mode_of,
    parameter_fact,
    parameters,
    self_name,
)
from epslint.analysis.program.summaries import Summaries
from epslint.analysis.quick import emptied
from epslint.analysis.site import AtHand, Scope, Site
from epslint.analysis.unit import Unit
from epslint.analysis.uses.ends import is_cut_off
from epslint.analysis.words import names
from epslint.analysis.words.purpose import computes_in_double, differentiates, rehearses, trains
from epslint.epsilon import Hierarchy
from epslint.outline import ClassOutline, FunctionOutline, Outline, Stretch
from epslint.source import Source


class Model:
    """Everything that is known of one file."""

    def __init__(
        self,
        source: Source,
        outline: Outline,
        hierarchy: Hierarchy,
        listening: frozenset[Op],
        *,
        tracing: bool = False,
        whole: bool = False,
    ) -> None:
        self.source = source
        self.outline = outline
        self.hierarchy = hierarchy
        self.listening = listening
        self.tracing = tracing
        self.imports: Mapping[str, str] = outline.imports
        self.mode = Mode(
            grad=differentiates(outline.imports, source.filename, source.text),
            rehearsal=rehearses(source.filename),
            trains=trains(outline.imports, source.filename, source.text),
            double=computes_in_double(source.text),
        )
        self.learning = Learning(outline, source.filename)
        self.clock = 0
        self.rooms: list[object] = []
        self._units: dict[Stretch, Unit] = {}
        self._whole = whole
        self._full = whole or outline.newer  # there is no bare form of what `ast` has not read
        self.summaries = Summaries(self)
        self.holdings = Holdings(self)
        self.counters = Counters(outline)
        self.callers = Callers(self)

    @cached_property
    def has_modules(self) -> bool:
        return may_be_in(self.source, self.outline)

    def dismantle(self) -> None:
        """Take apart what refers to itself, or it waits for the garbage collector.

        What was found stays; but the rooms of every interpreter know each other, and each knows
        this file's trees. Collecting them costs a tenth of a run.
        """
        for room in self.rooms:
            emptied(room)
        emptied(self)

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    def unit(self, stretch: Stretch) -> Unit:
        if stretch not in self._units:
            self._units[stretch] = Unit(self.source, stretch, full=self._full)
        return self._units[stretch]

    # -- sites -------------------------------------------------------------------------------

    def sites(self) -> Iterator[Site]:
        for frame in self.frames():
            for site in frame.sites.values():
                yield self.finished(site, frame)

    def finished(self, site: Site, frame: Frame) -> Site:
        """A site with what the whole of its frame tells."""
        shared = {
            name: frozenset(frame.uses.get(operand.fact.origin.node, {}).values())
            for name, operand in site.operands.items()
            if operand.fact.origin is not None
        }
        cut_off = is_cut_off(frame.uses, site.node)
        return replace(
            site,
            result=replace(site.result, grad=False) if cut_off else site.result,
            flow=frame.uses,
            shared=shared,
            learning=self.learning,
            callers=self.callers,
        )

    def frames(self) -> Iterator[Frame]:
        """Every suspect stretch of the file, interpreted; then the others, if they are wanted.

        In this order, for what is asked first is answered first, and attributes that are made of
        each other are not the same from every side.
        """
        yield from self._frames(suspect=True)
        if self.tracing or self._whole:
            yield from self._frames(suspect=False)

    def _frames(self, *, suspect: bool) -> Iterator[Frame]:
        if self.outline.suspect is suspect:
            yield from self.body_frames(self.outline.body, None)
        for function in self.outline.defined:
            if function.suspect is suspect:
                yield self.function_frame(function, None)
        for owner in self.outline.owners:
            if owner.suspect is suspect:
                yield from self.body_frames(owner.body, owner)
            for method in owner.defined:
                if method.suspect is suspect:
                    yield self.function_frame(method, owner)

    def body_frames(self, body: Sequence[Stretch], owner: ClassOutline | None) -> Iterator[Frame]:
        """Statements outside functions: one environment, a unit per statement."""
        env = Env(mode=self.mode)
        for stretch in body:
            frame = Frame(self.unit(stretch), self._scope("", owner), owner, serial=self.tick())
            env.enter(frame.serial)
            Interpreter(self, frame).run(frame.unit.body, env)
            self.callers.listen(frame)
            yield frame

    def function_frame(
        self,
        function: FunctionOutline,
        owner: ClassOutline | None,
        taught: Mapping[Callee, Lesson] = MappingProxyType({}),
    ) -> Frame:
        """A function interpreted on its own, or with what its callers pass."""
        unit, node = self.definition(function)
        frame = replace(self.frame_of(unit, node, owner), taught=taught)
        mode = mode_of(node, self.mode, owner.name if owner else "")
        if mode.grad and self.learning.is_around(function.stretch):
            mode = replace(mode, grad=False, around=True)
        env, interpreter = Env(mode=mode), Interpreter(self, frame)
        self.bind_parameters(node.params, interpreter, env, {})
        self.callers.teach(node, frame, env)
        interpreter.run(node.body.body, env)
        if not taught:
            self.callers.listen(frame)
        return frame

    def definition(self, function: FunctionOutline) -> tuple[Unit, bare.FunctionDef]:
        unit = self.unit(function.stretch)
        (node,) = unit.body
        assert isinstance(node, bare.FunctionDef)
        return unit, node

    def frame_of(
        self, unit: Unit, node: bare.FunctionDef, owner: ClassOutline | None, *, depth: int = 0
    ) -> Frame:
        frame = Frame(
            unit,
            self._scope(node.name.value, owner),
            owner,
            self_name(node) if owner else "",
            depth=depth,
            serial=self.tick(),
        )
        if depth == 0:
            epsilons = tuple(self._epsilons(node.params, frame))
            frame.scope = replace(frame.scope, epsilons=epsilons)
        return frame

    def run_nested(self, node: bare.FunctionDef, env: Env, outer: Frame) -> None:
        """A function inside a function: its sites belong to the enclosing frame."""
        frame = replace(
            outer,
            scope=replace(outer.scope, function=node.name.value),
            functions=dict(outer.functions),
            returns=[],
            attributes={},
            serial=self.tick(),
            inner=node,
        )
        inner, interpreter = Env(env, mode_inside(node, env.mode)), Interpreter(self, frame)
        self.bind_parameters(node.params, interpreter, inner, {})
        self.callers.teach(node, frame, inner)
        interpreter.run(node.body.body, inner)

    def run_method(
        self, node: bare.FunctionDef, env: Env, outer: Frame, attributes: Mapping[str, Fact]
    ) -> Mapping[str, Fact]:
        """A method of a class inside a function; what it assigns to its self."""
        me = self_name(node)
        frame = replace(
            outer,
            scope=replace(outer.scope, function=node.name.value),
            owner=None,
            self_name=me,
            recording=outer.recording,
            functions=dict(outer.functions),
            returns=[],
            attributes={},
            serial=self.tick(),
            inner=None,
        )
        inner, interpreter = Env(env, mode_of(node, env.mode)), Interpreter(self, frame)
        self.bind_parameters(node.params, interpreter, inner, {})
        for name, fact in attributes.items():
            inner.assign(f"{me}.{name}", fact, self.tick())
        interpreter.run(node.body.body, inner)
        return frame.attributes

    def _scope(self, function: str, owner: ClassOutline | None) -> Scope:
        if owner is None:
            return Scope(function, imports=self.imports)
        kin = (owner.name, *owner.bases)
        return Scope(function, owner.name, kin, imports=self.imports)

    # -- parameters --------------------------------------------------------------------------

    def bind_parameters(
        self, params: bare.Parameters, interpreter: Interpreter, env: Env, given: Mapping[str, Fact]
    ) -> None:
        env.enter(interpreter.frame.serial)
        for parameter in parameters(params):
            name = parameter.name.value
            fact = given.get(name)
            if fact is None:
                default = parameter.default
                value = interpreter.expressions.eval(default, env) if default is not None else None
                fact = annotated(parameter, parameter_fact(name, value), self.imports)
            env.assign(name, fact, self.tick())

    def _epsilons(self, params: bare.Parameters, frame: Frame) -> Iterator[AtHand]:
        """The names in reach that hold an epsilon of known size."""
        for parameter in parameters(params):
            name, default = parameter.name.value, parameter.default
            if default is not None and names.is_epsilon_for_anything(name):
                yield from _at_hand(name, Interpreter(self, frame).expressions.eval(default, Env()))
        if frame.owner is not None and frame.self_name:
            for attribute in sorted(self.holdings.names_of(frame.owner)):
                if names.is_epsilon_for_anything(attribute):
                    fact = self.holdings.attribute(frame.owner, attribute) or UNKNOWN
                    yield from _at_hand(f"{frame.self_name}.{attribute}", fact)
        for name in self.outline.fields:
            if names.is_epsilon_for_anything(name):
                yield from _at_hand(name, self.holdings.of_module(name))


def _at_hand(text: str, fact: Fact) -> Iterator[AtHand]:
    if fact.constant is not None and fact.constant > 0:
        yield AtHand(text, fact.constant)
