"""One operator of each kind, by what `ast` calls them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis.bare import nodes

BINARY: Mapping[type[ast.operator], nodes.BaseBinaryOp] = MappingProxyType(
    {
        ast.Add: nodes.Add(),
        ast.Sub: nodes.Subtract(),
        ast.Mult: nodes.Multiply(),
        ast.MatMult: nodes.MatrixMultiply(),
        ast.Div: nodes.Divide(),
        ast.Mod: nodes.Modulo(),
        ast.Pow: nodes.Power(),
        ast.LShift: nodes.LeftShift(),
        ast.RShift: nodes.RightShift(),
        ast.BitOr: nodes.BitOr(),
        ast.BitXor: nodes.BitXor(),
        ast.BitAnd: nodes.BitAnd(),
        ast.FloorDiv: nodes.FloorDivide(),
    }
)
UNARY: Mapping[type[ast.unaryop], nodes.BaseUnaryOp] = MappingProxyType(
    {
        ast.Invert: nodes.BitInvert(),
        ast.Not: nodes.Not(),
        ast.UAdd: nodes.Plus(),
        ast.USub: nodes.Minus(),
    }
)
BOOLEAN: Mapping[type[ast.boolop], nodes.BaseBooleanOp] = MappingProxyType(
    {
        ast.And: nodes.And(),
        ast.Or: nodes.Or(),
    }
)
COMPARING: Mapping[type[ast.cmpop], nodes.BaseCompOp] = MappingProxyType(
    {
        ast.Eq: nodes.Equal(),
        ast.NotEq: nodes.NotEqual(),
        ast.Lt: nodes.LessThan(),
        ast.LtE: nodes.LessThanEqual(),
        ast.Gt: nodes.GreaterThan(),
        ast.GtE: nodes.GreaterThanEqual(),
        ast.Is: nodes.Is(),
        ast.IsNot: nodes.IsNot(),
        ast.In: nodes.In(),
        ast.NotIn: nodes.NotIn(),
    }
)
IN_PLACE: Mapping[type[ast.operator], nodes.BaseAugOp] = MappingProxyType(
    {
        ast.Add: nodes.AddAssign(),
        ast.Sub: nodes.SubtractAssign(),
        ast.Mult: nodes.MultiplyAssign(),
        ast.MatMult: nodes.MatrixMultiplyAssign(),
        ast.Div: nodes.DivideAssign(),
        ast.Mod: nodes.ModuloAssign(),
        ast.Pow: nodes.PowerAssign(),
        ast.LShift: nodes.LeftShiftAssign(),
        ast.RShift: nodes.RightShiftAssign(),
        ast.BitOr: nodes.BitOrAssign(),
        ast.BitXor: nodes.BitXorAssign(),
        ast.BitAnd: nodes.BitAndAssign(),
        ast.FloorDiv: nodes.FloorDivideAssign(),
    }
)
