"""Summaries: what a function of the same file gives when it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from epslint.analysis import bare
from epslint.analysis.env import Env
from epslint.analysis.fact import UNKNOWN, Fact, joined
from epslint.analysis.frame import Callee, Found, Frame, Summary
from epslint.analysis.interpreter.statements import Interpreter
from epslint.analysis.program.signature import by_position, matched, mode_inside, mode_of, self_name
from epslint.analysis.site import Scope
from epslint.analysis.unit import Unit
from epslint.outline import ClassOutline, FunctionOutline

if TYPE_CHECKING:
    from epslint.analysis.model import Model

_DEPTH = 4  # of helpers calling helpers that are followed
# A function of more lines is no helper: it does many things, and what it gives is made of all of
# them. Following it costs more than anything else and tells nothing.
_LONGEST = 60


class Summaries:
    """Answers calls inside one file; each combination of arguments is interpreted once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[object, Summary] = {}
        self._under_way: set[object] = set()

    def callee(self, name: str, frame: Frame, env: Env) -> Found | None:
        """The function of this file that a call means."""
        if (nested := frame.functions.get(name)) is not None:
            return frame.unit, nested, None
        owner, _, method = name.rpartition(".")
        if not owner:
            function = self._model.outline.functions.get(name)
            if function is None or env.fact(name) is not None:
                return None
            return (*self._model.definition(function), None)
        found = self._method(owner, method, frame)
        return None if found is None else (*self._model.definition(found[0]), found[1])

    def _method(
        self, owner: str, method: str, frame: Frame
    ) -> tuple[FunctionOutline, ClassOutline] | None:
        start = self._model.outline.classes.get(owner)
        if frame.owner is not None and owner in (frame.self_name, "cls", "super()"):
            start = frame.owner
        if start is None:
            return None
        for each in self._model.outline.lineage(start):
            if (found := each.methods.get(method)) is not None:
                return found, each
        return None

    def summarise(
        self,
        callee: Found,
        positional: Sequence[Fact],
        keywords: Mapping[str, Fact],
        env: Env,
        frame: Frame,
    ) -> Summary | None:
        """What a call gives; None where it leads too deep or back to itself."""
        unit, node, owner = callee
        if frame.depth >= _DEPTH or (unit is not frame.unit and unit.length > _LONGEST):
            return None
        given = matched(node, positional, keywords, bound=owner is not None)
        question = (id(node), tuple(sorted(given.items(), key=lambda item: item[0])), env.mode.grad)
        if question in self._known:
            return self._known[question]
        if id(node) in self._under_way:
            return None
        self._under_way.add(id(node))
        try:
            nested = unit is frame.unit and node in frame.functions.values()
            mode = mode_inside(node, env.mode) if nested else mode_of(node, env.mode)
            inner = Env(env if nested else None, mode)
            summary = self.run(unit, node, owner, given, inner, frame.depth + 1)
        finally:
            self._under_way.discard(id(node))
        self._known[question] = by_position(summary, node, bound=owner is not None)
        return self._known[question]

    def run(
        self,
        unit: Unit,
        node: Callee,
        owner: ClassOutline | None,
        given: Mapping[str, Fact],
        env: Env,
        depth: int,
    ) -> Summary:
        name = node.name.value if isinstance(node, bare.FunctionDef) else ""
        me = self_name(node) if owner and isinstance(node, bare.FunctionDef) else ""
        frame = Frame(
            unit, Scope(name), owner, me, recording=False, depth=depth, serial=self._model.tick()
        )
        frame.watched = tuple(given)
        interpreter = Interpreter(self._model, frame)
        self._model.bind_parameters(node.params, interpreter, env, given)
        if isinstance(node, bare.Lambda):
            frame.leave(interpreter.expressions.eval(node.body, env), env)
        elif interpreter.run(node.body.body, env):
            frame.leave(UNKNOWN, env)
        values = [fact for fact, _ in frame.returns]
        value = joined([fact for fact in values if fact != UNKNOWN] or values)
        return Summary(value, _on_return(given, frame))


def _on_return(given: Mapping[str, Fact], frame: Frame) -> dict[str, Fact]:
    """What is known of each parameter once the function has returned, if it was not rebound."""
    known: dict[str, Fact] = {}
    for name, fact in given.items():
        ends = [known_then[name] for _, known_then in frame.returns]
        if ends and all(end is not None and end.origin is fact.origin for end in ends):
            known[name] = joined([end for end in ends if end is not None])
    return known
