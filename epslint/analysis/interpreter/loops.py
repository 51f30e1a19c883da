"""Loops: a body that runs until nothing more is learnt, and the ways out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import UNKNOWN, DType, Fact, number
from epslint.analysis.interpreter.expressions import Expressions
from epslint.analysis.keys import called, end_of_range, key_of, roots_of


@dataclass
class _Loop:
    """Where the paths out of a loop body go.

    They are taken down to its entry at once: what stands between changes as the body goes on.
    """

    entry: Env
    body: Env
    filters: bool = False  # whether it goes on with some of what it is over, and not with all
    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)


_POSITION = Fact(dtype=DType.INT, grad=False)


class Loops:
    """Executes the loops of one frame; `suite` executes a body."""

    def __init__(
        self, expressions: Expressions, suite: Callable[[bare.IndentedBlock, Env], bool]
    ) -> None:
        self._expressions = expressions
        self._suite = suite
        self._open: list[_Loop] = []
        # What a loop inside another came to when it was last met. It starts from there, or a nest
        # of four would run its innermost body sixteen times and more.
        self._settled: dict[bare.Node, Env] = {}

    @property
    def inside(self) -> bool:
        """Whether a loop is being executed."""
        return bool(self._open)

    def may_be_skipped(self, env: Env) -> bool:
        """Whether a loop may pass this by in every turn: a branch, or behind a `continue`."""
        return self.inside and (env is not self._open[-1].body or self._open[-1].filters)

    def leave_out(self, test: bare.BaseExpression, env: Env) -> None:
        """A test that nothing comes back from. Of positions (`if i == j: continue`) some are always
        left.
        """
        if self.inside and self._open[-1].continues:
            found = (env.fact(name) for name in roots_of(test))
            about = [fact for fact in found if fact is not None]
            positions = bool(about) and all(fact.dtype is DType.INT for fact in about)
            self._open[-1].filters |= not positions

    def break_(self, node: bare.Break, env: Env) -> bool:
        if self._open:
            self._open[-1].breaks.append(env.down_to(self._open[-1].entry))
        return False

    def continue_(self, node: bare.Continue, env: Env) -> bool:
        if self._open:
            self._open[-1].continues.append(env.down_to(self._open[-1].entry))
        return False

    def for_(self, node: bare.For, env: Env) -> bool:
        source = self._expressions.eval(node.iter, env)

        def bind(inner: Env) -> None:
            self._expressions.enter(node.iter, inner)
            self._bind_loop_target(node, source, inner)

        bound = end_of_range(node.iter)
        key = None if bound is None else key_of(bound)
        before = None if key is None else env.binding(key)

        def leave(layer: Env) -> None:
            # That n is not 0 was so inside: `for i in range(n)` may have had nothing to do.
            if key is not None and before is not None and before.fact is not None:
                now = layer.binding(key)
                if now is not None and now.clock == before.clock:
                    layer.refine(key, before.fact)

        return self._loop(node, env, bind, leave)

    def _bind_loop_target(self, node: bare.For, source: Fact, env: Env) -> None:
        if called(node.iter) == "enumerate" and isinstance(node.target, bare.Tuple):
            self._bind_enumerated(node.iter, node.target, env)
        elif called(node.iter) == "range" and isinstance(node.target, bare.Name):
            self._expressions.bindings.bind(node.target, _POSITION, env)
        else:
            self._expressions.bindings.bind_each(node.target, source, env)

    def _bind_enumerated(self, call: bare.BaseExpression, target: bare.Tuple, env: Env) -> None:
        assert isinstance(call, bare.Call)
        over = self._expressions.quietly(call.args[0].value, env) if call.args else UNKNOWN
        index, *rest = [element.value for element in target.elements]
        start = (
            self._expressions.quietly(call.args[1].value, env) if len(call.args) > 1 else number(0)
        )
        lowest = ranges.at_least(start.range.lo)
        self._expressions.bindings.bind(index, Fact(lowest, dtype=DType.INT, grad=False), env)
        for element in rest:
            self._expressions.bindings.bind_each(element, over, env)

    def while_(self, node: bare.While, env: Env) -> bool:
        def bind(inner: Env) -> None:
            self._expressions.eval(node.test, inner)
            self._expressions.guards.assume(node.test, True, inner)

        def leave(layer: Env) -> None:
            self._expressions.guards.assume(node.test, False, layer)

        forever = isinstance(node.test, bare.Name) and node.test.value == "True"
        return self._loop(node, env, bind, None if forever else leave)

    def _loop(
        self,
        node: bare.For | bare.While,
        env: Env,
        bind: Callable[[Env], None],
        leave: Callable[[Env], None] | None,
    ) -> bool:
        """Run a body until nothing changes any more; `leave` is None if only a break ends it.

        A loop is taken to run at least once: a count accumulated over a loader is not 0 after it.
        """
        entry = env.turn().child()
        if (settled := self._settled.get(node)) is not None:
            entry.resume(settled, self._expressions.model.tick())
        for turn in range(3):
            ends, loop = self._turn(node.body, entry, bind)
            after = entry.child()
            after.absorb([layer.down_to(entry) for layer in ends])
            if not ends or not entry.widen(after, first=not turn):
                break
        if self.inside:
            self._settled[node] = entry
        breaks = [layer.down_to(env) for layer in loop.breaks]
        ended: list[Env] = []
        if leave is not None and (ends or not breaks):
            last = env.child()
            last.absorb([layer.down_to(env) for layer in ends])
            leave(last)
            # What follows `else` is reached by the loop's own end and not by a break.
            if node.orelse is None or self._suite(node.orelse.body, last):
                ended = [last]
        env.absorb([*ended, *breaks])
        return bool(ended or breaks)

    def _turn(
        self, body: bare.IndentedBlock, entry: Env, bind: Callable[[Env], None]
    ) -> tuple[list[Env], _Loop]:
        env = entry.child()
        loop = _Loop(entry, env)
        self._open.append(loop)
        try:
            bind(env)
            ends = [env] if self._suite(body, env) else []
        finally:
            self._open.pop()
        return [*ends, *loop.continues], loop
