"""Operators: which operation each of them is, and how comparisons turn into one another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

import libcst as cst

from epslint.analysis.keys import called
from epslint.analysis.ops import Op

BINARY: Mapping[type[cst.CSTNode], Op] = MappingProxyType(
    {
        cst.Add: Op.ADD,
        cst.Subtract: Op.SUB,
        cst.Multiply: Op.MUL,
        cst.Divide: Op.DIV,
        cst.FloorDivide: Op.FLOORDIV,
        cst.Modulo: Op.MOD,
        cst.Power: Op.POW,
        cst.MatrixMultiply: Op.MATMUL,
        cst.BitAnd: Op.LOGICAL,
        cst.BitOr: Op.LOGICAL,
        cst.BitXor: Op.LOGICAL,
        cst.AddAssign: Op.ADD,
        cst.SubtractAssign: Op.SUB,
        cst.MultiplyAssign: Op.MUL,
        cst.DivideAssign: Op.DIV,
        cst.FloorDivideAssign: Op.FLOORDIV,
        cst.ModuloAssign: Op.MOD,
        cst.PowerAssign: Op.POW,
        cst.MatrixMultiplyAssign: Op.MATMUL,
        cst.BitAndAssign: Op.LOGICAL,
        cst.BitOrAssign: Op.LOGICAL,
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


def chained(node: cst.BooleanOperation) -> list[cst.BaseExpression]:
    """The operands of `a and b and c`, or of `a or b or c`."""
    operands: list[cst.BaseExpression] = []
    current: cst.BaseExpression = node
    while isinstance(current, cst.BooleanOperation) and (
        type(current.operator) is type(node.operator)
    ):
        operands.append(current.right)
        current = current.left
    return [current, *reversed(operands)]


Comparing = type[cst.BaseCompOp]

# The same seen from the other side: `a < b` is `b > a`.
MIRRORED: Mapping[Comparing, Comparing] = MappingProxyType(
    {
        cst.GreaterThan: cst.LessThan,
        cst.GreaterThanEqual: cst.LessThanEqual,
        cst.LessThan: cst.GreaterThan,
        cst.LessThanEqual: cst.GreaterThanEqual,
        cst.Equal: cst.Equal,
        cst.NotEqual: cst.NotEqual,
    }
)

# Functional comparisons, `torch.gt(n, 0)` and `n.gt(0)`, as the operators they are.
COMPARING: Mapping[str, Comparing] = MappingProxyType(
    {
        "eq": cst.Equal,
        "equal": cst.Equal,
        "ne": cst.NotEqual,
        "not_equal": cst.NotEqual,
        "gt": cst.GreaterThan,
        "greater": cst.GreaterThan,
        "ge": cst.GreaterThanEqual,
        "greater_equal": cst.GreaterThanEqual,
        "lt": cst.LessThan,
        "less": cst.LessThan,
        "le": cst.LessThanEqual,
        "less_equal": cst.LessThanEqual,
    }
)

# What holds where a comparison does not.
OPPOSITE: Mapping[Comparing, Comparing] = MappingProxyType(
    {
        cst.GreaterThan: cst.LessThanEqual,
        cst.GreaterThanEqual: cst.LessThan,
        cst.LessThan: cst.GreaterThanEqual,
        cst.LessThanEqual: cst.GreaterThan,
        cst.Equal: cst.NotEqual,
        cst.NotEqual: cst.Equal,
    }
)


def operator_of(node: cst.CSTNode) -> Comparing | None:
    """Which comparison of two values an expression is."""
    if isinstance(node, cst.Call):
        return COMPARING.get(called(node))
    if not isinstance(node, cst.Comparison) or len(node.comparisons) != 1:
        return None
    operator = type(node.comparisons[0].operator)
    return operator if operator in MIRRORED else None


BELOW = frozenset({cst.LessThan, cst.LessThanEqual})

_CONNECTING: Mapping[str, type[cst.CSTNode]] = MappingProxyType(
    {"logical_and": cst.BitAnd, "logical_or": cst.BitOr, "logical_not": cst.BitInvert}
)


def connective_of(node: cst.CSTNode) -> type[cst.CSTNode] | None:
    """How conditions on elements are connected: `a & b`, `torch.logical_or(a, b)`, `~a`."""
    if isinstance(node, cst.Call):
        return _CONNECTING.get(called(node))
    if isinstance(node, cst.UnaryOperation):
        return cst.BitInvert  # `not a` of one condition is the same
    operator = type(node.operator) if isinstance(node, cst.BinaryOperation) else None
    return operator if operator in (cst.BitAnd, cst.BitOr) else None
