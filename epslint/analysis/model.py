"""The model of one file: what its functions, classes and constants are, computed when asked for.

Nothing is interpreted before somebody needs it, and nothing twice. A question that comes back to
itself (recursion, attributes defined by each other) is answered with "unknown".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import libcst as cst

from epslint.analysis import names, ranges
from epslint.analysis.env import Env, Mode
from epslint.analysis.fact import UNKNOWN, Evidence, Fact, Form, Kind
from epslint.analysis.frame import Callee, Frame, Summary
from epslint.analysis.interpreter import Interpreter
from epslint.analysis.keys import dotted
from epslint.analysis.ops import Op
from epslint.analysis.site import AtHand, Scope, Site
from epslint.analysis.unit import Unit
from epslint.epsilon import Hierarchy
from epslint.scout import ClassOutline, FunctionOutline, Outline, Rows
from epslint.source import Source

_DEPTH = 4  # of helpers calling helpers that are followed
_UNDIFFERENTIATED = ("no_grad", "inference_mode")


_ANNOTATED: Mapping[str, Form] = MappingProxyType(
    {
        "torch.Tensor": Form.TORCH,
        "torch.FloatTensor": Form.TORCH,
        "torch.LongTensor": Form.TORCH,
        "torch.BoolTensor": Form.TORCH,
        "numpy.ndarray": Form.NUMPY,
        "jax.Array": Form.JAX,
        "jax.numpy.ndarray": Form.JAX,
        "tensorflow.Tensor": Form.TENSORFLOW,
        "int": Form.NUMBER,
        "float": Form.NUMBER,
    }
)


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
    ) -> None:
        self.source = source
        self.outline = outline
        self.hierarchy = hierarchy
        self.listening = listening
        self.tracing = tracing
        self.imports: Mapping[str, str] = outline.imports
        self.clock = 0
        self._units: dict[Rows, Unit] = {}
        self._answers: dict[object, Fact] = {}
        self._summaries: dict[object, Summary] = {}
        self._under_way: set[object] = set()

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    def unit(self, rows: Rows) -> Unit:
        if rows not in self._units:
            self._units[rows] = Unit(self.source, rows)
        return self._units[rows]

    # -- sites -------------------------------------------------------------------------------

    def sites(self) -> Iterator[Site]:
        for frame in self.frames():
            for site in frame.sites.values():
                shared = {
                    name: frozenset(frame.uses.get(operand.fact.origin.node, {}).values())
                    for name, operand in site.operands.items()
                    if operand.fact.origin is not None
                }
                uses = frozenset(_final_uses(site.node, frame.uses))
                yield replace(site, uses=uses, shared=shared)

    def frames(self) -> Iterator[Frame]:
        """Every suspect stretch of the file, interpreted."""
        if self.outline.suspect or self.tracing:
            yield from self._body_frames(self.outline.body, None)
        for function in self.outline.functions.values():
            if function.suspect or self.tracing:
                yield self._function_frame(function, None)
        for owner in self.outline.classes.values():
            if owner.suspect or self.tracing:
                yield from self._body_frames(owner.body, owner)
            for method in owner.methods.values():
                if method.suspect or self.tracing:
                    yield self._function_frame(method, owner)

    def _body_frames(self, body: Sequence[Rows], owner: ClassOutline | None) -> Iterator[Frame]:
        """Statements outside functions: one environment, a unit per statement."""
        env = Env()
        for rows in body:
            frame = Frame(self.unit(rows), self._scope("", owner), owner, serial=self.tick())
            Interpreter(self, frame).run(frame.unit.body, env)
            yield frame

    def _function_frame(self, function: FunctionOutline, owner: ClassOutline | None) -> Frame:
        unit, node = self._definition(function)
        frame = self._frame(unit, node, owner)
        env = Env(mode=_mode(node))
        self._bind_parameters(node.params, frame, env, {})
        Interpreter(self, frame).run(node.body.body, env)
        return frame

    def _definition(self, function: FunctionOutline) -> tuple[Unit, cst.FunctionDef]:
        unit = self.unit(function.rows)
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
        )
        inner = Env(env, _mode(node, env.mode))
        self._bind_parameters(node.params, frame, inner, {})
        Interpreter(self, frame).run(node.body.body, inner)

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
        )
        inner = Env(env, _mode(node, env.mode))
        self._bind_parameters(node.params, frame, inner, {})
        for name, fact in attributes.items():
            inner.assign(f"{me}.{name}", fact, self.tick())
        Interpreter(self, frame).run(node.body.body, inner)
        return frame.attributes

    def _scope(self, function: str, owner: ClassOutline | None) -> Scope:
        return Scope(function, owner.name if owner else "", imports=self.imports)

    # -- parameters --------------------------------------------------------------------------

    def _bind_parameters(
        self, params: cst.Parameters, frame: Frame, env: Env, given: Mapping[str, Fact]
    ) -> None:
        interpreter = Interpreter(self, frame)
        for parameter in [*params.posonly_params, *params.params, *params.kwonly_params]:
            name = parameter.name.value
            fact = given.get(name)
            if fact is None:
                default = parameter.default
                value = interpreter.expressions.eval(default, env) if default is not None else None
                fact = self._annotated(parameter, _parameter(name, value))
            env.assign(name, fact, self.tick())

    def _annotated(self, parameter: cst.Param, fact: Fact) -> Fact:
        """`x: torch.Tensor` says what holds the value."""
        if parameter.annotation is None:
            return fact
        name = dotted(parameter.annotation.annotation) or ""
        root, dot, rest = name.partition(".")
        form = _ANNOTATED.get(self.imports.get(root, root) + dot + rest)
        return fact if form is None else replace(fact, form=form)

    def _epsilons(self, params: cst.Parameters, frame: Frame) -> Iterator[AtHand]:
        """The names in reach that hold an epsilon of known size."""
        for parameter in [*params.posonly_params, *params.params, *params.kwonly_params]:
            if names.is_epsilon(parameter.name.value) and parameter.default is not None:
                fact = Interpreter(self, frame).expressions.eval(parameter.default, Env())
                yield from _at_hand(parameter.name.value, fact)
        if frame.owner is not None and frame.self_name:
            for attribute in sorted(self._attribute_names(frame.owner)):
                if names.is_epsilon(attribute):
                    fact = self.attribute(frame.owner, attribute) or UNKNOWN
                    yield from _at_hand(f"{frame.self_name}.{attribute}", fact)
        for name in self.outline.fields:
            if names.is_epsilon(name):
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
        """What a name of the module is: the join of its assignments at the top level."""
        rows = self.outline.fields.get(name)
        if rows is None:
            return names.named(name)
        return self._answer(("global", name), lambda: self._field(name, rows, None))

    def _field(self, name: str, rows: Sequence[Rows], owner: ClassOutline | None) -> Fact:
        facts = []
        for each in rows:
            frame = Frame(self.unit(each), Scope(""), owner, recording=False, serial=self.tick())
            env = Env()
            Interpreter(self, frame).run(frame.unit.body, env)
            facts.append(env.fact(name) or UNKNOWN)
        return _joined(facts)

    def attribute(self, owner: ClassOutline, name: str) -> Fact | None:
        """What `self.name` is: the join of what the class and its bases here assign to it."""
        return self._answer(("attribute", owner.name, name), lambda: self._attribute(owner, name))

    def _attribute(self, owner: ClassOutline, name: str) -> Fact:
        facts: list[Fact] = []
        for each in self._lineage(owner):
            if (method := each.methods.get(name)) is not None and method.is_property:
                facts.append(self._property(method, each))
            if (rows := each.fields.get(name)) is not None:
                facts.append(self._field(name, rows, each))
            for method in each.methods.values():
                if name in method.assigns:
                    facts.append(self._assigned_by(method, each).get(name, UNKNOWN))
        if not facts:
            return names.named(name)
        # None and other placeholders of a constructor are not what the attribute is later.
        real = [fact for fact in facts if fact.form is not Form.OTHER or fact.parts]
        joined = _joined(real or facts)
        if any(fact.constant == 0 for fact in real) and any(fact.constant != 0 for fact in real):
            joined = joined.plus(Kind.RUNNING)
        return joined if joined != UNKNOWN else names.named(name)

    def _property(self, method: FunctionOutline, owner: ClassOutline) -> Fact:
        unit, node = self._definition(method)
        summary = self._run(unit, node, owner, {}, Env(mode=_mode(node)), 1)
        return summary.value

    def _assigned_by(self, method: FunctionOutline, owner: ClassOutline) -> Mapping[str, Fact]:
        question = ("assigns", owner.name, method.name)
        fact = self._answer(question, lambda: self._assignments(method, owner))
        return {str(key): part for key, part in fact.parts}

    def _assignments(self, method: FunctionOutline, owner: ClassOutline) -> Fact:
        unit, node = self._definition(method)
        frame = replace(self._frame(unit, node, owner, depth=1), recording=False)
        env = Env(mode=_mode(node))
        self._bind_parameters(node.params, frame, env, {})
        Interpreter(self, frame).run(node.body.body, env)
        return Fact(parts=tuple(frame.attributes.items()))

    def _lineage(self, owner: ClassOutline) -> Iterator[ClassOutline]:
        """The class and those of its bases that are in this file."""
        seen: set[str] = set()
        waiting = [owner.name]
        while waiting:
            name = waiting.pop()
            if name not in seen and (found := self.outline.classes.get(name)) is not None:
                seen.add(name)
                yield found
                waiting.extend(found.bases)

    def _attribute_names(self, owner: ClassOutline) -> set[str]:
        found: set[str] = set()
        for each in self._lineage(owner):
            found |= set(each.fields)
            for method in each.methods.values():
                found |= method.assigns
        return found

    # -- calls inside the file ---------------------------------------------------------------

    def callee(
        self, name: str, frame: Frame, env: Env
    ) -> tuple[Unit, Callee, ClassOutline | None] | None:
        """The function of this file that a call means."""
        if (nested := frame.functions.get(name)) is not None:
            return frame.unit, nested, None
        owner, _, method = name.rpartition(".")
        if not owner:
            function = self.outline.functions.get(name)
            if function is None or env.fact(name) is not None:
                return None
            return (*self._definition(function), None)
        found = self._method(owner, method, frame)
        return None if found is None else (*self._definition(found[0]), found[1])

    def _method(
        self, owner: str, method: str, frame: Frame
    ) -> tuple[FunctionOutline, ClassOutline] | None:
        start = self.outline.classes.get(owner)
        if frame.owner is not None and owner in (frame.self_name, "cls", "super()"):
            start = frame.owner
        if start is None:
            return None
        for each in self._lineage(start):
            if (found := each.methods.get(method)) is not None:
                return found, each
        return None

    def summarise(
        self,
        callee: tuple[Unit, Callee, ClassOutline | None],
        positional: Sequence[Fact],
        keywords: Mapping[str, Fact],
        env: Env,
        frame: Frame,
    ) -> Summary | None:
        """What a call gives; None where it leads too deep or back to itself."""
        unit, node, owner = callee
        if frame.depth >= _DEPTH:
            return None
        given = _matched(node, positional, keywords, bound=owner is not None)
        question = (id(node), tuple(sorted(given.items(), key=lambda item: item[0])), env.mode.grad)
        if question in self._summaries:
            return self._summaries[question]
        if id(node) in self._under_way:
            return None
        self._under_way.add(id(node))
        try:
            nested = unit is frame.unit and node in frame.functions.values()
            inner = Env(env if nested else None, _mode(node, env.mode))
            summary = self._run(unit, node, owner, given, inner, frame.depth + 1)
        finally:
            self._under_way.discard(id(node))
        self._summaries[question] = _by_position(summary, node, bound=owner is not None)
        return self._summaries[question]

    def _run(
        self,
        unit: Unit,
        node: Callee,
        owner: ClassOutline | None,
        given: Mapping[str, Fact],
        env: Env,
        depth: int,
    ) -> Summary:
        name = node.name.value if isinstance(node, cst.FunctionDef) else ""
        me = self_name(node) if owner and isinstance(node, cst.FunctionDef) else ""
        frame = Frame(
            unit, Scope(name), owner, me, recording=False, depth=depth, serial=self.tick()
        )
        self._bind_parameters(node.params, frame, env, given)
        interpreter = Interpreter(self, frame)
        if isinstance(node, cst.Lambda):
            frame.returns.append((interpreter.expressions.eval(node.body, env), env))
        else:
            if interpreter.run(node.body.body, env):
                frame.returns.append((UNKNOWN, env))
            if len(frame.returns) > 1:
                frame.returns = [r for r in frame.returns if r[0] != UNKNOWN] or frame.returns
        value = _joined([fact for fact, _ in frame.returns])
        return Summary(value, _on_return(given, frame))


def _final_uses(
    node: cst.CSTNode, uses: Mapping[cst.CSTNode, Mapping[cst.CSTNode, Op]]
) -> Iterator[Op]:
    """What a value goes into, seen through what only arranges or averages it."""
    seen: set[cst.CSTNode] = set()
    waiting = [node]
    while waiting:
        current = waiting.pop()
        for user, op in uses.get(current, {}).items():
            if op in _PASSING and user in uses:
                if user not in seen:
                    seen.add(user)
                    waiting.append(user)
            else:
                yield op


# Operations that hand a value on: what matters is where it goes from there.
_PASSING = frozenset({Op.SAME, Op.PICK, Op.TO, Op.FLOAT, Op.DETACH, Op.MEAN, Op.SUM})


def _on_return(given: Mapping[str, Fact], frame: Frame) -> dict[str, Fact]:
    """What is known of each parameter once the function has returned, if it was not rebound."""
    known: dict[str, Fact] = {}
    for name, fact in given.items():
        ends = [env.fact(name) for _, env in frame.returns]
        if ends and all(end is not None and end.origin is fact.origin for end in ends):
            known[name] = _joined([end for end in ends if end is not None])
    return known


def _matched(
    node: Callee, positional: Sequence[Fact], keywords: Mapping[str, Fact], *, bound: bool
) -> dict[str, Fact]:
    parameters = [p.name.value for p in (*node.params.posonly_params, *node.params.params)]
    if bound and isinstance(node, cst.FunctionDef) and not _is_static(node):
        parameters = parameters[1:]
    given = dict(zip(parameters, positional, strict=False))
    accepted = {*parameters, *(p.name.value for p in node.params.kwonly_params)}
    given.update({name: fact for name, fact in keywords.items() if name in accepted})
    # An argument about which nothing is known is no better than the parameter's own name.
    return {name: fact for name, fact in given.items() if fact != UNKNOWN}


def _by_position(summary: Summary, node: Callee, *, bound: bool) -> Summary:
    """The arguments of a summary under their positions as well as their names."""
    parameters = [p.name.value for p in (*node.params.posonly_params, *node.params.params)]
    if bound and isinstance(node, cst.FunctionDef) and not _is_static(node):
        parameters = parameters[1:]
    positions = {
        str(index): summary.arguments[name]
        for index, name in enumerate(parameters)
        if name in summary.arguments
    }
    return replace(summary, arguments={**summary.arguments, **positions})


def _parameter(name: str, default: Fact | None) -> Fact:
    """What a parameter is when the caller is not known: what its default or its name tells."""
    told = names.named(name)
    if default is None or default.constant is None or default.dtype.precision is not None:
        return told
    if told is names.EPSILON:
        return replace(default, kinds=Kind.EPSILON, ground=Evidence.NAMED)
    if told != UNKNOWN:
        return told
    if default.constant > 0:
        # A setting is positive by its meaning unless the code shows otherwise.
        return Fact(range=ranges.POSITIVE, ground=Evidence.NAMED, dtype=default.dtype, grad=False)
    return UNKNOWN


def _at_hand(text: str, fact: Fact) -> Iterator[AtHand]:
    if fact.constant is not None and fact.constant > 0:
        yield AtHand(text, fact.constant)


def _joined(facts: Sequence[Fact]) -> Fact:
    if not facts:
        return UNKNOWN
    joined = facts[0]
    for fact in facts[1:]:
        joined = joined.join(fact)
    return joined


def self_name(node: cst.FunctionDef) -> str:
    parameters = [*node.params.posonly_params, *node.params.params]
    return parameters[0].name.value if parameters and not _is_static(node) else ""


def _is_static(node: cst.FunctionDef) -> bool:
    return "staticmethod" in _decorators(node)


def _decorators(node: cst.FunctionDef) -> list[str]:
    found = []
    for decorator in node.decorators:
        called = decorator.decorator
        func = called.func if isinstance(called, cst.Call) else called
        if isinstance(func, cst.Attribute):
            found.append(func.attr.value)
        elif isinstance(func, cst.Name):
            found.append(func.value)
    return found


def _mode(node: Callee, outer: Mode | None = None) -> Mode:
    mode = outer or Mode()
    if isinstance(node, cst.FunctionDef) and any(d in _UNDIFFERENTIATED for d in _decorators(node)):
        return replace(mode, grad=False)
    return mode
