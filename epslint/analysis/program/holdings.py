"""Holdings: what the names of a module and the attributes of its classes hold, computed when asked.

An attribute is what all methods of the class and its bases in the file assign to it. The questions
lead back to themselves (`self.a` is made of `self.b`, and that of `self.a`): what is under way is
unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from epslint.analysis.env import Case, Env
from epslint.analysis.fact import UNKNOWN, Evidence, Fact, Form, Kind, joined, replace
from epslint.analysis.frame import Frame
from epslint.analysis.guards.cases import as_asked, decided_by
from epslint.analysis.interpreter.statements import Interpreter
from epslint.analysis.learning.words import tells_of_formula
from epslint.analysis.program.counters import moved_key
from epslint.analysis.program.running import Running
from epslint.analysis.program.signature import mode_of
from epslint.analysis.site import Scope
from epslint.analysis.words import names
from epslint.outline import ClassOutline, FunctionOutline, Stretch

if TYPE_CHECKING:
    from epslint.analysis.model import Model


class Holdings:
    """What one file keeps under names that outlive a function."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._answers: dict[object, Fact] = {}
        self._under_way: set[object] = set()
        # By class and path: what a constructor made depend on a test, and the test.
        self._cases: dict[tuple[ClassOutline, str], tuple[str, Case]] = {}

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

    def of_module(self, name: str) -> Fact:
        """What a name of the module is: the join of its assignments at the top level, unless a
        function gives it something else.
        """
        stretches = self._model.outline.fields.get(name)
        if stretches is None or name in self._model.outline.rebound:
            return names.named(name)
        return self._answer(("global", name), lambda: self._field(name, stretches, None))

    def _field(self, name: str, stretches: Sequence[Stretch], owner: ClassOutline | None) -> Fact:
        facts = []
        for each in stretches:
            frame = Frame(
                self._model.unit(each), Scope(""), owner, recording=False, serial=self._model.tick()
            )
            env = Env()
            env.enter(frame.serial)
            Interpreter(self._model, frame).run(frame.unit.body, env)
            facts.append(env.fact(name) or UNKNOWN)
        return joined(facts)

    def own(self, path: str, frame: Frame, env: Env) -> Fact | None:
        """What `self.name` is in a method, on this path; None if it is no such path."""
        me, _, attribute = path.partition(".")
        if frame.owner is None or me != frame.self_name or "." in attribute:
            return None
        fact = self.attribute(frame.owner, attribute)
        if fact is None or not fact.zero:
            return fact
        if fact.is_any(Kind.RUNNING):
            moved = self.has_moved(path, frame, env)
            return replace(fact, zero=Evidence.NONE) if moved else fact
        return self._as_constructed(frame.owner, path, env) or fact

    def has_moved(self, path: str, frame: Frame, env: Env) -> bool:
        """Whether a count that starts at 0 has been added to by now."""
        if env.mode.gathered or env.fact(moved_key(path)) is not None:
            return True
        owner, method = frame.owner, frame.scope.function
        attribute = path.partition(".")[2]
        return owner is not None and self._model.counters.moved_before(owner, method, attribute)

    def attribute(self, owner: ClassOutline, name: str) -> Fact | None:
        """What `self.name` is: the join of what the class and its bases here assign to it."""
        return self._answer(("attribute", owner, name), lambda: self._attribute(owner, name))

    def _attribute(self, owner: ClassOutline, name: str) -> Fact:
        facts: list[Fact] = []
        for each in self._model.outline.lineage(owner):
            if (method := each.methods.get(name)) is not None and method.is_property:
                facts.append(self._property(method, each))
            if (stretches := each.fields.get(name)) is not None:
                facts.append(self._field(name, stretches, each))
            facts.extend(
                self._assigned_in(method, each, name)
                for method in each.defined
                if name in method.assigns
            )
        if not facts:
            return names.named_attribute(name, "self")
        # None and other placeholders of a constructor are not what the attribute is later.
        running = Running(self._model.counters, owner, name)
        real = [running.started(f) for f in facts if f.form is not Form.OTHER or f.parts]
        found = running.as_running(joined(real or facts), real)
        if not found.is_any(Kind.RUNNING):
            found = joined([f for f in real if f.constant != 0] or real or facts)
        if found.constant == 0 and found.form.tensor:
            found = running.filled(found) or names.named(name)
        counted = found.form is Form.NUMBER and not names.is_epsilon(name)
        if found.constant == 0 and counted and self._is_set_elsewhere(owner, name):
            return replace(names.named(name), form=found.form)
        if found.huge and self._is_bounded(owner, name):
            found = replace(found, huge=Evidence.NONE)
        return found if found != UNKNOWN else _by_name(name, owner)

    def _is_bounded(self, owner: ClassOutline, name: str) -> bool:
        """Whether somebody brings a parameter back between bounds, step after step."""
        methods = (m for each in self._model.outline.lineage(owner) for m in each.defined)
        return any(name in method.bounds for method in methods)

    def _assigned_in(self, method: FunctionOutline, owner: ClassOutline, name: str) -> Fact:
        fact = self._assigned_by(method, owner).get(name, UNKNOWN)
        # What a constructor adds up is there before anybody divides by it.
        return fact.minus(Kind.RUNNING) if method.name == "__init__" else fact

    def _property(self, method: FunctionOutline, owner: ClassOutline) -> Fact:
        unit, node = self._model.definition(method)
        summary = self._model.summaries.run(
            unit, node, owner, {}, Env(mode=mode_of(node, self._model.mode)), 1
        )
        return summary.value

    def _assigned_by(self, method: FunctionOutline, owner: ClassOutline) -> Mapping[str, Fact]:
        question = ("assigns", owner, method)
        fact = self._answer(question, lambda: self._assignments(method, owner))
        return {str(key): part for key, part in fact.parts}

    def _assignments(self, method: FunctionOutline, owner: ClassOutline) -> Fact:
        unit, node = self._model.definition(method)
        frame = replace(self._model.frame_of(unit, node, owner, depth=1), recording=False)
        frame.watched = tuple(f"{frame.self_name}.{name}" for name in sorted(method.assigns))
        env, interpreter = (
            Env(mode=mode_of(node, self._model.mode)),
            Interpreter(self._model, frame),
        )
        self._model.bind_parameters(node.params, interpreter, env, {})
        # What comes after the last of them has no say in what they are.
        if interpreter.run(node.body.body[: method.last_assigning + 1], env):
            frame.leave(UNKNOWN, env)
        if method.name == "__init__":
            for key, case in decided_by(env):
                self._cases[owner, case.name] = key, case
        found = {name: _left(frame, name) or fact for name, fact in frame.attributes.items()}
        return Fact(parts=tuple(found.items()))

    def _as_constructed(self, owner: ClassOutline, path: str, env: Env) -> Fact | None:
        """What an attribute is on a path that has asked what its constructor asked, if nobody else
        assigns it.
        """
        attribute, kin = path.partition(".")[2], list(self._model.outline.lineage(owner))
        assigning = [m for each in kin for m in each.defined if attribute in m.assigns]
        if len(assigning) != 1:
            return None
        cases = (self._cases.get((each, path)) for each in kin)
        facts = (as_asked(*case, env) for case in cases if case is not None)
        return next((fact for fact in facts if fact is not None), None)

    def _is_set_elsewhere(self, owner: ClassOutline, name: str) -> bool:
        """Whether others give an attribute its value: a base class in another file, or whoever has
        the object, of what is public and here never anything but 0.
        """
        return not name.startswith("_") or self._has_strangers(owner)

    def _has_strangers(self, owner: ClassOutline) -> bool:
        """Whether a class has a base that is not in this file."""
        bases = {base for each in self._model.outline.lineage(owner) for base in each.bases}
        return not bases <= {*self._model.outline.classes, "object"}

    def names_of(self, owner: ClassOutline) -> set[str]:
        """The attributes that a class and its bases here are seen to have."""
        found: set[str] = set()
        for each in self._model.outline.lineage(owner):
            found |= set(each.fields)
            for method in each.defined:
                found |= method.assigns
        return found


def _by_name(name: str, owner: ClassOutline) -> Fact:
    """What an attribute is that a constructor was handed: nothing learns the temperature of an
    algorithm that is not seen to; those of a distribution are what it is a distribution of.
    """
    told = names.named(name)
    knob = told is UNKNOWN and names.is_knob(name) and not tells_of_formula(owner.name)
    return names.KNOB if knob else told


def _left(frame: Frame, attribute: str) -> Fact | None:
    """What an attribute is once a method is done and has assigned it, whichever way it took.

    `self.std = x.std()`, then `self.std = self.std.clamp(min=1e-6)`: nobody else sees the first.
    """
    ends = [known.get(f"{frame.self_name}.{attribute}") for _, known in frame.returns]
    if not ends or any(end is None for end in ends):
        return None
    return joined([end for end in ends if end is not None])
