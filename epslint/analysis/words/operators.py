"""Operators: which operation each of them is, and how comparisons turn into one another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.keys import called
from epslint.analysis.ops import Op

BINARY: Mapping[type[bare.Node], Op] = MappingProxyType(
    {
        bare.Add: Op.ADD,
        bare.Subtract: Op.SUB,
        bare.Multiply: Op.MUL,
        bare.Divide: Op.DIV,
        bare.FloorDivide: Op.FLOORDIV,
        bare.Modulo: Op.MOD,
        bare.Power: Op.POW,
        bare.MatrixMultiply: Op.MATMUL,
        bare.BitAnd: Op.LOGICAL,
        bare.BitOr: Op.LOGICAL,
        bare.BitXor: Op.LOGICAL,
        bare.AddAssign: Op.ADD,
        bare.SubtractAssign: Op.SUB,
        bare.MultiplyAssign: Op.MUL,
        bare.DivideAssign: Op.DIV,
        bare.FloorDivideAssign: Op.FLOORDIV,
        bare.ModuloAssign: Op.MOD,
        bare.PowerAssign: Op.POW,
        bare.MatrixMultiplyAssign: Op.MATMUL,
        bare.BitAndAssign: Op.LOGICAL,
        bare.BitOrAssign: Op.LOGICAL,
    }
)

# Operations that make something of nothing but a shape, or have names of their own for what they
# are of; every other one is of x.
_NOT_OF_X = frozenset(
    {
        *(Op.ZEROS, Op.ONES, Op.FULL, Op.ARANGE, Op.LINSPACE, Op.EYE, Op.RAND, Op.RANDN, Op.GAMMA),
        *(Op.EINSUM, Op.ADDCDIV, Op.WHERE, Op.FINFO_EPS, Op.TIME, Op.SOLVE),
    }
)
_OF_TWO = frozenset(BINARY.values()) - {Op.LOGICAL} | {Op.MAXIMUM, Op.MINIMUM, Op.COMPARE}


def is_complete(op: Op, given: Collection[str]) -> bool:
    """Whether what an operation is of is at hand: not of `tuple()`, nor of `torch.add(*terms)`."""
    return (op in _NOT_OF_X or "x" in given) and (op not in _OF_TWO or "y" in given)


def chained(node: bare.BooleanOperation) -> list[bare.BaseExpression]:
    """The operands of `a and b and c`, or of `a or b or c`."""
    operands: list[bare.BaseExpression] = []
    current: bare.BaseExpression = node
    while isinstance(current, bare.BooleanOperation) and (
        type(current.operator) is type(node.operator)
    ):
        operands.append(current.right)
        current = current.left
    return [current, *reversed(operands)]


Comparing = type[bare.BaseCompOp]

# The same seen from the other side: `a < b` is `b > a`.
MIRRORED: Mapping[Comparing, Comparing] = MappingProxyType(
    {
        bare.GreaterThan: bare.LessThan,
        bare.GreaterThanEqual: bare.LessThanEqual,
        bare.LessThan: bare.GreaterThan,
        bare.LessThanEqual: bare.GreaterThanEqual,
        bare.Equal: bare.Equal,
        bare.NotEqual: bare.NotEqual,
    }
)

# Functional comparisons, `torch.gt(n, 0)` and `n.gt(0)`, as the operators they are.
COMPARING: Mapping[str, Comparing] = MappingProxyType(
    {
        "eq": bare.Equal,
        "equal": bare.Equal,
        "ne": bare.NotEqual,
        "not_equal": bare.NotEqual,
        "gt": bare.GreaterThan,
        "greater": bare.GreaterThan,
        "ge": bare.GreaterThanEqual,
        "greater_equal": bare.GreaterThanEqual,
        "lt": bare.LessThan,
        "less": bare.LessThan,
        "le": bare.LessThanEqual,
        "less_equal": bare.LessThanEqual,
    }
)

# What holds where a comparison does not.
OPPOSITE: Mapping[Comparing, Comparing] = MappingProxyType(
    {
        bare.GreaterThan: bare.LessThanEqual,
        bare.GreaterThanEqual: bare.LessThan,
        bare.LessThan: bare.GreaterThanEqual,
        bare.LessThanEqual: bare.GreaterThan,
        bare.Equal: bare.NotEqual,
        bare.NotEqual: bare.Equal,
    }
)


def operator_of(node: bare.Node) -> Comparing | None:
    """Which comparison of two values an expression is."""
    if isinstance(node, bare.Call):
        return COMPARING.get(called(node))
    if not isinstance(node, bare.Comparison) or len(node.comparisons) != 1:
        return None
    operator = type(node.comparisons[0].operator)
    return operator if operator in MIRRORED else None


BELOW = frozenset({bare.LessThan, bare.LessThanEqual})

_CONNECTING: Mapping[str, type[bare.Node]] = MappingProxyType(
    {"logical_and": bare.BitAnd, "logical_or": bare.BitOr, "logical_not": bare.BitInvert}
)


def connective_of(node: bare.Node) -> type[bare.Node] | None:
    """How conditions on elements are connected: `a & b`, `torch.logical_or(a, b)`, `~a`."""
    if isinstance(node, bare.Call):
        return _CONNECTING.get(called(node))
    if isinstance(node, bare.UnaryOperation):
        return bare.BitInvert  # `not a` of one condition is the same
    operator = type(node.operator) if isinstance(node, bare.BinaryOperation) else None
    return operator if operator in (bare.BitAnd, bare.BitOr) else None
