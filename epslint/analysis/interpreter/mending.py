"""Mending: what a test says of a value that is something else where the test holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from epslint.analysis import bare
from epslint.analysis.env import Env
from epslint.analysis.fact import Fact, Kind, replace
from epslint.analysis.keys import key_of, roots_of
from epslint.analysis.ops import FINITENESS
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Choice

if TYPE_CHECKING:
    from epslint.analysis.interpreter.expressions import Expressions

_FINITENESS_WORDS = re.compile(r"\b(inf|is_?inf|is_?nan|is_?finite)\b")  # `~np.isfinite(y)`


class Mending:
    """Tells the operations of one frame that their results are replaced or masked."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def repair(self, fact: Fact, test: bare.BaseExpression, truth: bool, env: Env) -> None:
        """Where `test` is `truth` the value is replaced: `y[n == 0] = 0` mends a division by n."""
        expressions = self._expressions
        makers = tuple(expressions.ledger.makers(fact))
        if not makers:
            return
        tested = expressions.quietly(test, env)
        about = tested.origin is not None and tested.origin.op in FINITENESS
        if about or asks_for_finiteness(test):
            expressions.ledger.mend(fact)
            return
        choice = Choice(Operand(test, tested), not truth, inline=False)
        for origin, chosen in self._where(choice, makers, env):
            expressions.ledger.choose(origin, chosen, choice)

    def mask(self, fact: Fact, test: Operand, env: Env) -> None:
        """A value is multiplied by a comparison: `log(x) * (x > 0)`."""
        ledger = self._expressions.ledger
        makers = tuple(ledger.makers(fact))
        choice = Choice(test, truth=True, inline=False)
        for origin, masked in self._where(choice, makers, env) if makers else ():
            ledger.note_mask(origin, masked, choice)

    def _where(
        self, choice: Choice, makers: Sequence[Origin], env: Env
    ) -> Iterator[tuple[Origin, Mapping[str, Fact]]]:
        """The operands of operations as they are where a choice falls on them."""
        kept = env.child()
        self._expressions.guards.assume(choice.test.node, choice.truth, kept)
        for origin in makers:
            operands = origin.operands.items()
            yield origin, {name: self._now(operand, origin, kept) for name, operand in operands}

    def _now(self, operand: Operand, origin: Origin, env: Env) -> Fact:
        """An operand as it is known now, unless its names have come to mean something else."""
        if any(env.assigned_after(name, origin.clock) for name in roots_of(operand.node)):
            return operand.fact
        now = self._expressions.quietly(operand.node, env)
        # Who is below a log or a line may have told of the 0; a test that speaks of it excludes it.
        kept = operand.fact.zero if now.range.has_zero and not now.is_any(Kind.DRAWN) else now.zero
        return replace(now, zero=kept)


def asks_for_finiteness(test: bare.BaseExpression) -> bool:
    return _FINITENESS_WORDS.search(key_of(test) or "") is not None
