"""The model of one file: what its functions, classes and constants are, computed when asked for.

Nothing is interpreted before somebody needs it, and nothing twice. A question that comes back to
itself (recursion, attributes defined by each other) is answered with "unknown".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import libcst as cst

from epslint.analysis import names
from epslint.analysis.callers import Callers
from epslint.analysis.cases import as_asked, decided_by
from epslint.analysis.counters import Counters
from epslint.analysis.ends import is_cut_off
from epslint.analysis.env import Case, Env, Mode
from epslint.analysis.fact import UNKNOWN, Fact, Form, Kind, joined, replace
from epslint.analysis.frame import Callee, Frame, Lesson
from epslint.analysis.interpreter import Interpreter
from epslint.analysis.learning import Learning
from epslint.analysis.modules import may_be_in
from epslint.analysis.ops import Op
from epslint.analysis.purpose import differentiates, rehearses, trains
from epslint.analysis.running import Running
from epslint.analysis.signature import (
    annotated,
    mode_inside,
    mode_of,
    parameter_fact,
    parameters,
    self_name,
)
from epslint.analysis.site import AtHand, Scope, Site
from epslint.analysis.summaries import Summaries
from epslint.analysis.unit import Unit
from epslint.epsilon import Hierarchy
from epslint.scout import ClassOutline, FunctionOutline, Outline, Stretch
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
        )
        self.learning = Learning(outline, source.filename)
        self.clock = 0
        self.rooms: list[object] = []
        self._units: dict[Stretch, Unit] = {}
        self._whole = whole
        self._full = whole or outline.newer  # there is no bare form of what `ast` has not read
        self._answers: dict[object, Fact] = {}
        # By class and path: what a constructor made depend on a test, and the test.
        self._cases: dict[tuple[str, str], tuple[str, Case]] = {}
        self.summaries = Summaries(self)
        self.counters = Counters(outline)
        self.callers = Callers(self)
        self._under_way: set[object] = set()

    @cached_property
    def has_modules(self) -> bool:
        return may_be_in(self.source, self.outline)

    def dismantle(self) -> None:
        """Take apart what refers to itself, or it waits for the garbage collector.

        What was found stays; but the rooms of every interpreter know each other, and each knows
        this file's trees. Collecting them costs a tenth of a run.
        """
        for room in self.rooms:
            vars(room).clear()
        vars(self).clear()

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
        for function in self.outline.functions.values():
            if function.suspect is suspect:
                yield self.function_frame(function, None)
        for owner in self.outline.classes.values():
            if owner.suspect is suspect:
                yield from self.body_frames(owner.body, owner)
            for method in owner.methods.values():
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
        frame = replace(self._frame(unit, node, owner), taught=taught)
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

    def definition(self, function: FunctionOutline) -> tuple[Unit, cst.FunctionDef]:
        unit = self.unit(function.stretch)
        (node,) = unit.body
        assert isinstance(node, cst.FunctionDef)
        return unit, node

    def _frame(
        self, unit: Unit, node: cst.FunctionDef, owner: ClassOutline | None, *, depth: int = 0
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

    def run_nested(self, node: cst.FunctionDef, env: Env, outer: Frame) -> None:
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
        self, node: cst.FunctionDef, env: Env, outer: Frame, attributes: Mapping[str, Fact]
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
        self, params: cst.Parameters, interpreter: Interpreter, env: Env, given: Mapping[str, Fact]
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

    def _epsilons(self, params: cst.Parameters, frame: Frame) -> Iterator[AtHand]:
        """The names in reach that hold an epsilon of known size."""
        for parameter in parameters(params):
            name, default = parameter.name.value, parameter.default
            if default is not None and names.is_epsilon_for_anything(name):
                yield from _at_hand(name, Interpreter(self, frame).expressions.eval(default, Env()))
        if frame.owner is not None and frame.self_name:
            for attribute in sorted(self._attribute_names(frame.owner)):
                if names.is_epsilon_for_anything(attribute):
                    fact = self.attribute(frame.owner, attribute) or UNKNOWN
                    yield from _at_hand(f"{frame.self_name}.{attribute}", fact)
        for name in self.outline.fields:
            if names.is_epsilon_for_anything(name):
                yield from _at_hand(name, self.global_fact(name))

    # -- constants and attributes ------------------------------------------------------------

    def _answer(self, question: object, work: Callable[[], Fact]) -> Fact:
        if question in self._answers:
            return self._answers[question]
        if question in self._under_way:
            return UNKNOWN
        self._under_way.add(question)
        try:
            self._answers[question] = work()
        finally:
            self._under_way.discard(question)
        return self._answers[question]

    def global_fact(self, name: str) -> Fact:
        """What a name of the module is: the join of its assignments at the top level, unless a
        function gives it something else.
        """
        stretches = self.outline.fields.get(name)
        if stretches is None or name in self.outline.rebound:
            return names.named(name)
        return self._answer(("global", name), lambda: self._field(name, stretches, None))

    def _field(self, name: str, stretches: Sequence[Stretch], owner: ClassOutline | None) -> Fact:
        facts = []
        for each in stretches:
            frame = Frame(self.unit(each), Scope(""), owner, recording=False, serial=self.tick())
            env = Env()
            env.enter(frame.serial)
            Interpreter(self, frame).run(frame.unit.body, env)
            facts.append(env.fact(name) or UNKNOWN)
        return joined(facts)

    def attribute(self, owner: ClassOutline, name: str) -> Fact | None:
        """What `self.name` is: the join of what the class and its bases here assign to it."""
        return self._answer(("attribute", owner.name, name), lambda: self._attribute(owner, name))

    def _attribute(self, owner: ClassOutline, name: str) -> Fact:
        facts: list[Fact] = []
        for each in self.outline.lineage(owner):
            if (method := each.methods.get(name)) is not None and method.is_property:
                facts.append(self._property(method, each))
            if (stretches := each.fields.get(name)) is not None:
                facts.append(self._field(name, stretches, each))
            facts.extend(
                self._assigned_in(method, each, name)
                for method in each.methods.values()
                if name in method.assigns
            )
        if not facts:
            return names.named_attribute(name, "self")
        # None and other placeholders of a constructor are not what the attribute is later.
        running = Running(self.counters, owner, name)
        real = [running.started(f) for f in facts if f.form is not Form.OTHER or f.parts]
        found = running.as_running(joined(real or facts), real)
        if not found.is_any(Kind.RUNNING):
            found = joined([f for f in real if f.constant != 0] or real or facts)
        if found.constant == 0 and found.form.tensor:
            found = running.filled(found) or names.named(name)
        counted = found.form is Form.NUMBER and not names.is_epsilon(name)
        if found.constant == 0 and counted and self._has_strangers(owner):
            return names.named(name)  # a base class in another file counts it up
        return found if found != UNKNOWN else names.named(name)

    def _assigned_in(self, method: FunctionOutline, owner: ClassOutline, name: str) -> Fact:
        fact = self._assigned_by(method, owner).get(name, UNKNOWN)
        # What a constructor adds up is there before anybody divides by it.
        return fact.minus(Kind.RUNNING) if method.name == "__init__" else fact

    def _property(self, method: FunctionOutline, owner: ClassOutline) -> Fact:
        unit, node = self.definition(method)
        summary = self.summaries.run(unit, node, owner, {}, Env(mode=mode_of(node, self.mode)), 1)
        return summary.value

    def _assigned_by(self, method: FunctionOutline, owner: ClassOutline) -> Mapping[str, Fact]:
        question = ("assigns", owner.name, method.name)
        fact = self._answer(question, lambda: self._assignments(method, owner))
        return {str(key): part for key, part in fact.parts}

    def _assignments(self, method: FunctionOutline, owner: ClassOutline) -> Fact:
        unit, node = self.definition(method)
        frame = replace(self._frame(unit, node, owner, depth=1), recording=False)
        frame.watched = tuple(f"{frame.self_name}.{name}" for name in sorted(method.assigns))
        env, interpreter = Env(mode=mode_of(node, self.mode)), Interpreter(self, frame)
        self.bind_parameters(node.params, interpreter, env, {})
        # What comes after the last of them has no say in what they are.
        if interpreter.run(node.body.body[: method.last_assigning + 1], env):
            frame.leave(UNKNOWN, env)
        if method.name == "__init__":
            for key, case in decided_by(env):
                self._cases[owner.name, case.name] = key, case
        found = {name: _left(frame, name) or fact for name, fact in frame.attributes.items()}
        return Fact(parts=tuple(found.items()))

    def as_constructed(self, owner: ClassOutline, path: str, env: Env) -> Fact | None:
        """What an attribute is on a path that has asked what its constructor asked, if nobody else
        assigns it.
        """
        attribute, kin = path.partition(".")[2], list(self.outline.lineage(owner))
        assigning = [m for each in kin for m in each.methods.values() if attribute in m.assigns]
        if len(assigning) != 1:
            return None
        cases = (self._cases.get((each.name, path)) for each in kin)
        facts = (as_asked(*case, env) for case in cases if case is not None)
        return next((fact for fact in facts if fact is not None), None)

    def _has_strangers(self, owner: ClassOutline) -> bool:
        """Whether a class has a base that is not in this file."""
        bases = {base for each in self.outline.lineage(owner) for base in each.bases}
        return not bases <= {*self.outline.classes, "object"}

    def _attribute_names(self, owner: ClassOutline) -> set[str]:
        found: set[str] = set()
        for each in self.outline.lineage(owner):
            found |= set(each.fields)
            for method in each.methods.values():
                found |= method.assigns
        return found


def _left(frame: Frame, attribute: str) -> Fact | None:
    """What an attribute is once a method is done, if every way out of it has assigned it.

    `self.std = x.std()`, then `self.std = self.std.clamp(min=1e-6)`: nobody else sees the first.
    """
    ends = [known.get(f"{frame.self_name}.{attribute}") for _, known in frame.returns]
    if not ends or any(end is None for end in ends):
        return None
    return joined([end for end in ends if end is not None])


def _at_hand(text: str, fact: Fact) -> Iterator[AtHand]:
    if fact.constant is not None and fact.constant > 0:
        yield AtHand(text, fact.constant)
