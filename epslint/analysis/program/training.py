"""Training: the gradient between `backward` and `step`, and whether something clips it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epslint.analysis import bare
from epslint.analysis.env import Env
from epslint.analysis.fact import Fact, Kind
from epslint.analysis.keys import called, dotted
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.program.modules import is_optimizer

if TYPE_CHECKING:
    from epslint.analysis.interpreter.expressions import Expressions

_GRADIENT = "<gradient>"  # the name of a value that has none


class Training:
    """Follows the gradient of one frame; only there when a rule asks about steps."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def note(self, node: bare.Call, env: Env) -> None:
        name = called(node.func)
        if name == "backward":
            self._filled(node, env)
        elif name == "step":
            self._stepped(node, env)
        elif env.fact(_GRADIENT) is not None and self._clips(name, node, env):
            env.assign(_GRADIENT, Fact(), self._expressions.model.tick())

    def _filled(self, node: bare.Call, env: Env) -> None:
        """`loss.backward()`, `accelerator.backward(loss)`."""
        loss = node.args[0].value if node.args else None
        if loss is None and isinstance(node.func, bare.Attribute):
            loss = node.func.value
        if loss is None:
            return
        expressions = self._expressions
        operands = {"x": Operand(loss, expressions.quietly(loss, env))}
        origin = expressions.ledger.origin(Op.BACKWARD, node, operands)
        env.assign(_GRADIENT, Fact(kinds=Kind.UNCLIPPED, origin=origin), expressions.model.tick())

    def _stepped(self, node: bare.Call, env: Env) -> None:
        """`optimizer.step()`, `scaler.step(optimizer)`; of an unknown optimizer nothing is said."""
        gradient = env.fact(_GRADIENT)
        nodes = [argument.value for argument in node.args]
        if isinstance(node.func, bare.Attribute):
            nodes.append(node.func.value)
        known = [Operand(each, self._expressions.quietly(each, env)) for each in nodes]
        optimizer = next((operand for operand in known if is_optimizer(operand.fact)), None)
        if gradient is None or optimizer is None:
            return
        operands = {"x": optimizer, "gradient": Operand(node, gradient)}
        self._expressions.ledger.conclude(Op.STEP, node, operands, Fact(), env)

    def _clips(self, name: str, node: bare.Call, env: Env) -> bool:
        """Whether a call has to do with clipping: by its name, or as a function of this file."""
        if "clip" in name or name == "unscale_":
            return True
        path = dotted(node.func)
        if path is None:
            return False
        expressions = self._expressions
        callee = expressions.model.summaries.callee(path, expressions.frame, env)
        return callee is not None and "clip" in callee[0].written
