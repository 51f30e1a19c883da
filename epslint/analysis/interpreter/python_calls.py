"""Calls of Python's own functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import NOT_A_NUMBER, UNKNOWN, DType, Fact, Form, Part, number, replace
from epslint.analysis.interpreter.scopes import is_set_up
from epslint.analysis.keys import evaluated
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.program.signature import parameters
from epslint.analysis.transfer.bounds import lowered, raised
from epslint.analysis.transfer.call import WHOLE
from epslint.analysis.words.full_names import BUILTINS

if TYPE_CHECKING:
    from epslint.analysis.interpreter.calls import Calls
    from epslint.analysis.interpreter.expressions import Expressions


class PythonCalls:
    """Evaluates `max`, `len`, `sum`, `float` and their like."""

    def __init__(self, calls: Calls, expressions: Expressions) -> None:
        self._calls = calls
        self._expressions = expressions

    def eval(self, node: bare.Call, env: Env) -> Fact | None:
        if type(node.func) is not bare.Name or env.fact(node.func.value) is not None:
            return None
        name, model = node.func.value, self._expressions.model
        if name in model.imports or name in model.outline.functions:
            return None  # the file has a `sum` of its own
        special = _SPECIAL.get(name)
        if special is not None and (fact := special(self, node, env)) is not None:
            return fact
        spelling = BUILTINS.get(name)
        if spelling is None or not self._calls.fits(spelling, node, 0):
            return None
        operands = self._calls.bound(spelling, node, {}, env)
        # `list(xs)` and `sorted(xs)` are lists still; what else takes a list makes a number of it.
        form = Form.UNKNOWN if spelling.op is Op.SAME else _scalar_form(operands)
        return self._calls.applied(spelling.op, node, operands, env, form)

    def _extreme(self, node: bare.Call, env: Env) -> Fact:
        """max(n, 1): the larger of its arguments, or of the elements of the only one."""
        largest = isinstance(node.func, bare.Name) and node.func.value == "max"
        positional = [a for a in node.args if a.keyword is None]
        operands = [Operand(a.value, self._expressions.eval(a.value, env)) for a in positional]
        op = Op.MAXIMUM if largest else Op.MINIMUM
        if len(operands) != 2:
            named = {"x": operands[0]} if operands else {}
            if len(operands) > 2:
                return self._folded(op, node, operands, env)
            return self._calls.applied(
                Op.MAX if largest else Op.MIN, node, named, env, Form.UNKNOWN
            )
        both = {"x": operands[0], "y": operands[1]}
        return self._calls.applied(op, node, both, env, Form.UNKNOWN)

    def _folded(self, op: Op, node: bare.Call, operands: list[Operand], env: Env) -> Fact:
        combine = raised if op is Op.MAXIMUM else lowered
        fact = operands[0].fact
        for operand in operands[1:]:
            fact = combine(fact, operand.fact)
        return self._expressions.ledger.conclude(op, node, {"x": operands[0]}, fact, env)

    def _counting(self, node: bare.Call, env: Env) -> Fact:
        facts = [self._expressions.eval(argument.value, env) for argument in node.args]
        start = facts[0].range.lo if len(facts) > 1 else 0.0
        if len(facts) > 2:
            return Fact(form=Form.LIST, dtype=DType.INT, grad=False)
        counted = ranges.at_least(start) if start > -ranges.INF else ranges.TOP
        # A loop variable starts at 0 on purpose; what is divided by it is rarely meant to be.
        return Fact(range=counted, form=Form.LIST, dtype=DType.INT, grad=False)

    def _number(self, node: bare.Call, env: Env) -> Fact | None:
        """`float("-inf")`."""
        text = node.args[0].value if node.args else None
        if not isinstance(text, bare.SimpleString):
            return None
        try:
            value = float(str(evaluated(text.value)))
        except ValueError:
            return UNKNOWN
        # No bound says anything about NaN: it is beside every range, as `torch.nan` is.
        return UNKNOWN if math.isnan(value) else number(value)

    def _mapping(self, node: bare.Call, env: Env) -> Fact | None:
        """`dict(total=x.sum(), count=n)`, which is `{"total": x.sum(), "count": n}`."""
        if any(argument.keyword is None for argument in node.args):
            return None
        parts: list[Part] = []
        for argument in node.args:
            value = self._expressions.eval(argument.value, env)
            self._expressions.ledger.note_use(Op.NAME, node, value)
            if argument.keyword is not None:
                parts.append((argument.keyword.value, value))
        return replace(NOT_A_NUMBER, parts=tuple(parts))

    def _paired(self, node: bare.Call, env: Env) -> Fact:
        """enumerate and zip: tuples, which the loop over them takes apart."""
        for argument in node.args:
            fact = self._expressions.eval(argument.value, env)
            self._expressions.ledger.note_use(Op.CALL, node, fact)
        return UNKNOWN

    def _filtered(self, node: bare.Call, env: Env) -> Fact | None:
        """`filter(lambda x: …, xs)`: what is left of it, if anything is."""
        if len(node.args) != 2:
            return None
        self._expressions.eval(node.args[0].value, env)
        source = self._expressions.eval(node.args[1].value, env)
        left = Fact(source.range, kinds=source.kinds & ~WHOLE, ground=source.ground)
        size = source.size if is_set_up(node.args[1].value) else ranges.NONNEGATIVE
        return replace(left, form=Form.LIST, size=size)

    def _mapped(self, node: bare.Call, env: Env) -> Fact | None:
        """`map(lambda x: …, (a, b))`."""
        if len(node.args) != 2 or not isinstance(function := node.args[0].value, bare.Lambda):
            return None
        if len(parameters(function.params)) != 1:
            return None
        source = self._expressions.eval(node.args[1].value, env)
        return self._expressions.scopes.mapped(function, source, env)


_SPECIAL: Mapping[str, Callable[[PythonCalls, bare.Call, Env], Fact | None]] = MappingProxyType(
    {
        "max": PythonCalls._extreme,
        "min": PythonCalls._extreme,
        "float": PythonCalls._number,
        "range": PythonCalls._counting,
        "dict": PythonCalls._mapping,
        "enumerate": PythonCalls._paired,
        "zip": PythonCalls._paired,
        "map": PythonCalls._mapped,
        "filter": PythonCalls._filtered,
    }
)


def _scalar_form(operands: Mapping[str, Operand]) -> Form:
    x = operands.get("x")
    if x is None or x.fact.form.tensor or x.fact.form is Form.UNKNOWN:
        return Form.UNKNOWN
    return Form.NUMBER
