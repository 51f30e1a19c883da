"""Logic: `and` and `or`, comparisons, and the choice between two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epslint.analysis import bare
from epslint.analysis.env import Env
from epslint.analysis.fact import Fact, Form
from epslint.analysis.guards.questions import doubt
from epslint.analysis.keys import is_about_identity
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.program.lessons import decided
from epslint.analysis.transfer import Call, transfer
from epslint.analysis.words.operators import chained

if TYPE_CHECKING:
    from epslint.analysis.interpreter.expressions import Expressions

_TRUTH = transfer(Call(Op.COMPARE, {}))  # true or false, and of what does not matter


class Logic:
    """Evaluates what is true or false in one frame, and each side of it under that."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def boolean(self, node: bare.BooleanOperation, env: Env) -> Fact:
        """`a and b and c` operand by operand: pair by pair the first would be read each time."""
        conjunction = isinstance(node.operator, bare.And)
        first, *rest = chained(node)
        fact, branch, last = self._expressions.eval(first, env), env.child(), first
        if not conjunction:
            fact = self._if_true(first, branch)
        for operand in rest:
            self._expressions.guards.assume(last, conjunction, branch)
            right = self._expressions.eval(operand, branch)
            if not conjunction and operand is not rest[-1]:
                right = self._if_true(operand, branch)
            fact = right if conjunction and right.form is Form.UNKNOWN else fact.join(right)
            last = operand
        return fact

    def _if_true(self, node: bare.BaseExpression, env: Env) -> Fact:
        """What `node` is where `node or …` gives it back."""
        chosen = env.child()
        self._expressions.guards.assume(node, True, chosen)
        return self._expressions.quietly(node, chosen)

    def comparison(self, node: bare.Comparison, env: Env) -> Fact:
        if is_about_identity(node):
            return _TRUTH
        left = self._expressions.eval(node.left, env)
        operands = {"x": Operand(node.left, left)}
        for target in node.comparisons:
            right = self._expressions.eval(target.comparator, env)
            operands.setdefault("y", Operand(target.comparator, right))
        return self._expressions.apply(Op.COMPARE, node, operands, env)

    def conditional(self, node: bare.IfExp, env: Env) -> Fact:
        expressions = self._expressions
        expressions.eval(node.test, env)
        doubt(node.test, env)
        met, unmet = env.child(), env.child()
        expressions.guards.assume(node.test, True, met)
        expressions.guards.assume(node.test, False, unmet)
        truth = decided(node.test, env) if expressions.frame.taught else None
        if truth is not None:
            return (
                expressions.eval(node.body, met) if truth else expressions.eval(node.orelse, unmet)
            )
        return expressions.eval(node.body, met).join(expressions.eval(node.orelse, unmet))
