"""Selections: `where` and `masked_fill`, and what a mask or an index takes out of a tensor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import Fact, Form, Kind, replace
from epslint.analysis.guards.comparisons import caps
from epslint.analysis.guards.places import test_of
from epslint.analysis.interpreter.elements import adds_up, replaced
from epslint.analysis.keys import key_of
from epslint.analysis.made.filters import kept_where
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.relations.counted import at_the_counted
from epslint.analysis.relations.forms import chosen_either_way
from epslint.analysis.site import Choice
from epslint.analysis.transfer.call import WHOLE

if TYPE_CHECKING:
    from epslint.analysis.interpreter.expressions import Expressions


class Selections:
    """Evaluates the selections of one frame."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def eval(
        self, op: Op, node: bare.Call, operands: Mapping[str, Operand], env: Env
    ) -> Fact | None:
        fact = self._chosen(op, operands, env)
        if fact is None:
            return None
        fact = self._expressions.ledger.conclude(op, node, operands, fact, env)
        self._note_caps(op, node, operands)
        return fact

    def _chosen(self, op: Op, operands: Mapping[str, Operand], env: Env) -> Fact | None:
        """`where(c, a, b)` is a where c holds and b where it does not."""
        test, met, unmet = _branches(op, operands)
        if test is None or met is None or unmet is None:
            return None
        first = self._where(test, True, met, env)
        second = self._where(test, False, unmet, env)
        expressions = self._expressions
        expressions.mending.repair(unmet.fact, test.node, True, env)
        expressions.mending.repair(met.fact, test.node, False, env)
        joined = (
            kept_where(test, met, unmet)
            or chosen_either_way(test, met, unmet)
            or _joined(met, unmet, first, second)
        )
        constants = {first.constant, second.constant} - {None}
        if -ranges.INF in constants:
            joined = joined.plus(Kind.STRUCK)
        elif constants:
            joined = joined.minus(Kind.STRUCK)  # what was struck out is filled again
        forms = {first.form, second.form} & {Form.TORCH, Form.NUMPY, Form.JAX, Form.TENSORFLOW}
        return replace(joined, form=forms.pop() if len(forms) == 1 else joined.form)

    def _note_caps(self, op: Op, node: bare.Call, operands: Mapping[str, Operand]) -> None:
        """`where(r <= limit, r, 0)` is used as a clamp would be."""
        test, met, unmet = _branches(op, operands)
        for value, truth in ((met, True), (unmet, False)):
            if test is not None and value is not None and caps(test.fact, truth, value.fact):
                self._expressions.ledger.note_use(Op.CLAMP_MAX, node, value.fact)

    def _where(self, test: Operand, truth: bool, branch: Operand, env: Env) -> Fact:
        expressions, frame = self._expressions, self._expressions.frame
        inner = env.child()
        expressions.guards.assume(test.node, truth, inner)
        choosing, frame.choosing = frame.choosing, Choice(test, truth, inline=True)
        try:
            return expressions.eval(branch.node, inner)
        finally:
            frame.choosing = choosing

    def taken_from(self, op: Op, operands: Mapping[str, Operand], env: Env) -> Operand | None:
        """What elements are taken from, as it is where they are taken: `masked_select(n, n > 0)`,
        `counts.gather(0, ids)`.
        """
        x = operands.get("x")
        if x is None or not x.fact.zero:
            return None
        if op is Op.PICK:
            fact = x.fact
            for name in ("at", "by"):
                if (index := operands.get(name)) is not None:
                    fact = at_the_counted(fact, index, env)
            return replace(x, fact=fact)
        mask = operands.get("mask")
        test = None if mask is None else test_of(mask, 1, env)
        if test is None:
            return None
        return replace(x, fact=self._expressions.subscripts.where_true(x, [test], env))

    def reduced_where(self, operands: Mapping[str, Operand], env: Env) -> Operand:
        """What `sum(x, where=mask)` is the sum of: x where the mask is true, possibly nothing."""
        x, mask = operands["x"], operands["where"]
        test = test_of(mask, 1, env)
        subscripts = self._expressions.subscripts
        fact = x.fact if test is None else subscripts.where_true(x, [test], env)
        some = mask.fact.is_any(Kind.PEAKED)
        size = ranges.SOME if some else subscripts.count_true(mask.node, env)
        return replace(x, fact=replace(fact.minus(WHOLE), size=size, parts=()))


def is_masked(operands: Mapping[str, Operand]) -> bool:
    """Whether a reduction is told what to leave out: `where=True` and `where=None` are not."""
    mask = operands.get("where")
    return mask is not None and mask.fact.constant is None and key_of(mask.node) != "None"


def _joined(met: Operand, unmet: Operand, first: Fact, second: Fact) -> Fact:
    """What is chosen where, put together: either may be what the other replaces."""
    if second.is_any(Kind.NONZERO) or adds_up(unmet.fact):
        return replaced(unmet.fact, second, first)
    return replaced(met.fact, first, second)


def _branches(
    op: Op, operands: Mapping[str, Operand]
) -> tuple[Operand | None, Operand | None, Operand | None]:
    """The condition, the value where it holds, the value where it does not."""
    if op is Op.WHERE:
        return operands.get("cond"), operands.get("x"), operands.get("y")
    return operands.get("mask"), operands.get("value"), operands.get("x")
