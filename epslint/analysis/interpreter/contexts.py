"""Contexts: `with` and `try`, and what they say of the code inside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from epslint.analysis import bare
from epslint.analysis.env import Env, Mode
from epslint.analysis.fact import DType, replace
from epslint.analysis.interpreter.expressions import Expressions
from epslint.analysis.keys import called, dotted, evaluated
from epslint.analysis.words import names

_SWITCHING_GRADIENTS = names.UNDIFFERENTIATED | {"set_grad_enabled"}
_ABOUT_DIVISION = frozenset({"divide", "invalid", "all"})  # of the settings of np.errstate
_HANDLING = frozenset({"ZeroDivisionError", "ArithmeticError", "FloatingPointError", "Exception"})


class Contexts:
    """Executes the `with` and `try` statements of one frame; `suite` executes a body."""

    def __init__(
        self, expressions: Expressions, suite: Callable[[bare.IndentedBlock, Env], bool]
    ) -> None:
        self._expressions = expressions
        self._suite = suite

    def with_(self, node: bare.With, env: Env) -> bool:
        mode = env.mode
        for item in node.items:
            mode = self._entered(item, mode, env)
        with _in_mode(env, mode):
            return self._suite(node.body, env)

    def _entered(self, item: bare.WithItem, mode: Mode, env: Env) -> Mode:
        fact = self._expressions.eval(item.item, env)
        if item.asname is not None:
            self._expressions.bindings.bind(item.asname.name, fact, env)
        name = called(item.item)
        if name in _SWITCHING_GRADIENTS and not _enables_gradients(item.item):
            return replace(mode, grad=False)
        if name == "enable_grad":
            return replace(mode, grad=True)
        given = item.item.args if isinstance(item.item, bare.Call) else ()
        if name == "autocast" and isinstance(item.item, bare.Call):
            return replace(mode, autocast=self._autocast(item.item, env))
        if name == "suppress" and any(_handles_division(argument.value) for argument in given):
            return replace(mode, division_errors_handled=True)
        silenced = {a.keyword.value for a in given if a.keyword is not None} & _ABOUT_DIVISION
        return (
            replace(mode, numpy_errors_silenced=True) if name == "errstate" and silenced else mode
        )

    def _autocast(self, node: bare.Call, env: Env) -> DType:
        """`torch.autocast("cuda", dtype=torch.float16)`; float16 is what cuda's does untold."""
        given = {a.keyword.value: a.value for a in node.args if a.keyword is not None}
        if "enabled" in given and not _is_true(given["enabled"]):
            return DType.UNKNOWN
        if "dtype" in given:
            return self._expressions.quietly(given["dtype"], env).dtype
        device = given.get("device_type", node.args[0].value if node.args else None)
        on_cuda = isinstance(device, bare.SimpleString) and evaluated(device.value) == "cuda"
        untold = on_cuda or "cuda.amp" in (dotted(node.func) or "")
        return DType.FLOAT16 if untold else DType.UNKNOWN

    def try_(self, node: bare.Try, env: Env) -> bool:
        handled = any(_handles_division(handler.type) for handler in node.handlers)
        before, body = env.child(), env.child()
        mode = replace(body.mode, division_errors_handled=True) if handled else body.mode
        with _in_mode(body, mode):
            reached = self._suite(node.body, body)
        living: list[Env] = []
        if reached and (node.orelse is None or self._suite(node.orelse.body, body)):
            living.append(body)
        for handler in node.handlers:
            branch = before.child().turn()
            if self._suite(handler.body, branch):
                living.append(branch.down_to(env))
        env.absorb(living)
        finished = node.finalbody is None or self._suite(node.finalbody.body, env)
        return finished and bool(living)


@contextmanager
def _in_mode(env: Env, mode: Mode) -> Iterator[None]:
    before, env.mode = env.mode, mode
    try:
        yield
    finally:
        env.mode = replace(before, turned=env.mode.turned)  # a loop inside leaves no way back


def _enables_gradients(node: bare.BaseExpression) -> bool:
    if not isinstance(node, bare.Call) or called(node) != "set_grad_enabled" or not node.args:
        return False
    value = node.args[0].value
    return not (isinstance(value, bare.Name) and value.value == "False")


def _is_true(node: bare.BaseExpression) -> bool:
    return isinstance(node, bare.Name) and node.value == "True"


def _handles_division(node: bare.BaseExpression | None) -> bool:
    if node is None:
        return True
    caught = [e.value for e in node.elements] if isinstance(node, bare.Tuple) else [node]
    return any((dotted(exception) or "").rpartition(".")[2] in _HANDLING for exception in caught)
