"""Sizes: how many elements a value has, by what is known now of how it was made.

`grouped = rewards.view(-1, n)` is written before `if n > 1:` is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import Fact
from epslint.analysis.keys import called
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.ranges import Range
from epslint.analysis.uses.ledger import still_means

if TYPE_CHECKING:
    from epslint.analysis.interpreter.expressions import Expressions

_SHAPING = frozenset({"view", "reshape", "unflatten"})
_KEEPING = frozenset(
    {Op.SAME, Op.AS_TENSOR, Op.TO, Op.FLOAT, Op.DOUBLE, Op.DETACH, Op.TO_NUMPY, Op.MUL, Op.SUB}
)
_SIZED = _KEEPING | {Op.PICK}  # by what they keep, or by their index
_FAR = 6


def size_now(operand: Operand, expressions: Expressions, env: Env, far: int = _FAR) -> Range:
    """How many elements an operand has, or each of its groups."""
    fact = expressions.quietly(operand.node, env) if _is_name(operand.node) else operand.fact
    origin = fact.origin
    if not far or origin is None or fact.size != ranges.SOME or not still_means(origin, env):
        return fact.size
    if (group := _group(origin, expressions, env)) is not None:
        return group
    inner = origin.operands.get("index" if origin.op is Op.PICK else "x")
    if inner is None or origin.op not in _SIZED or inner.fact.is_nested:
        return fact.size
    return size_now(inner, expressions, env, far - 1)


def is_of_many(fact: Fact) -> bool:
    """Whether zeros were made for more than one thing: `zeros(num_classes)`, not `zeros(1)`."""
    origin = fact.origin
    shape = origin.operands.get("x") if origin is not None and origin.op is Op.ZEROS else None
    if shape is None:
        return False
    if isinstance(shape.node, bare.Tuple | bare.List):
        return bool(shape.node.elements)
    return shape.fact.constant is None or shape.fact.constant > 1


def _group(origin: Origin, expressions: Expressions, env: Env) -> Range | None:
    """The size of the groups of `rewards.view(-1, n)`."""
    node = origin.node
    if origin.op is not Op.SAME or not isinstance(node, bare.Call) or called(node) not in _SHAPING:
        return None
    sizes = [expressions.quietly(argument.value, env) for argument in node.args]
    told = [fact.range for fact in sizes[1:] if _tells(fact)]
    return told[-1] if told else None


def _tells(size: Fact) -> bool:
    """Whether the code knows of a size that it is more than one."""
    return size.range.lo >= 1 and not size.range.contains(1.0)


def _is_name(node: bare.BaseExpression) -> bool:
    return isinstance(node, bare.Name | bare.Attribute)
