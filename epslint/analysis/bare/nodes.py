"""Making single nodes: those fields and no others, and nothing is validated."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

import libcst as cst

N = TypeVar("N", bound=cst.CSTNode)


def maker(kind: type[N], *fields: str) -> Callable[..., N]:
    """Makes nodes of a kind with these fields and no others, and without validating them."""
    new = object.__new__
    setters = tuple(getattr(kind, field).__set__ for field in fields)
    if len(setters) == 1:
        (first,) = setters

        def made_of_one(value: object) -> N:
            node = new(kind)
            first(node, value)
            return node

        return made_of_one
    if len(setters) == 2:
        first, second = setters

        def made_of_two(one: object, two: object) -> N:
            node = new(kind)
            first(node, one)
            second(node, two)
            return node

        return made_of_two
    if len(setters) == 3:
        first, second, third = setters

        def made_of_three(one: object, two: object, three: object) -> N:
            node = new(kind)
            first(node, one)
            second(node, two)
            third(node, three)
            return node

        return made_of_three

    def made(*values: object) -> N:
        node = new(kind)
        for setter, value in zip(setters, values, strict=True):
            setter(node, value)
        return node

    return made


def empty(kind: type[N]) -> N:
    """A node of which nothing is ever looked at."""
    return object.__new__(kind)


ann_assign = maker(cst.AnnAssign, "target", "annotation", "value")
annotation = maker(cst.Annotation, "annotation")
arg = maker(cst.Arg, "value", "keyword", "star")
as_name = maker(cst.AsName, "name")
asserted = maker(cst.Assert, "test", "msg")
assign = maker(cst.Assign, "targets", "value")
assign_target = maker(cst.AssignTarget, "target")
attribute = maker(cst.Attribute, "value", "attr")
aug_assign = maker(cst.AugAssign, "target", "operator", "value")
await_ = maker(cst.Await, "expression")
binary = maker(cst.BinaryOperation, "left", "operator", "right")
block = maker(cst.IndentedBlock, "body")
boolean = maker(cst.BooleanOperation, "left", "operator", "right")
call = maker(cst.Call, "func", "args")
class_ = maker(cst.ClassDef, "name", "body", "bases", "keywords", "decorators")
comp_for = maker(cst.CompFor, "target", "iter", "ifs", "inner_for_in")
comp_if = maker(cst.CompIf, "test")
comparison = maker(cst.Comparison, "left", "comparisons")
comparison_target = maker(cst.ComparisonTarget, "operator", "comparator")
decorator = maker(cst.Decorator, "decorator")
del_ = maker(cst.Del, "target")
dict_ = maker(cst.Dict, "elements")
dict_comp = maker(cst.DictComp, "key", "value", "for_in")
dict_element = maker(cst.DictElement, "key", "value")
element = maker(cst.Element, "value")
else_ = maker(cst.Else, "body")
except_handler = maker(cst.ExceptHandler, "body", "type", "name")
expr = maker(cst.Expr, "value")
finally_ = maker(cst.Finally, "body")
float_ = maker(cst.Float, "value")
for_ = maker(cst.For, "target", "iter", "body", "orelse")
formatted = maker(cst.FormattedString, "parts")
formatted_expression = maker(cst.FormattedStringExpression, "expression")
from_ = maker(cst.From, "item")
function = maker(cst.FunctionDef, "name", "params", "body", "decorators", "returns")
generator_exp = maker(cst.GeneratorExp, "elt", "for_in")
if_ = maker(cst.If, "test", "body", "orelse")
if_exp = maker(cst.IfExp, "test", "body", "orelse")
imaginary = maker(cst.Imaginary, "value")
index = maker(cst.Index, "value", "star")
integer = maker(cst.Integer, "value")
lambda_ = maker(cst.Lambda, "params", "body")
list_ = maker(cst.List, "elements")
list_comp = maker(cst.ListComp, "elt", "for_in")
name = maker(cst.Name, "value")
named_expr = maker(cst.NamedExpr, "target", "value")
param = maker(cst.Param, "name", "annotation", "default")
parameters = maker(
    cst.Parameters, "posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"
)
raise_ = maker(cst.Raise, "exc", "cause")
return_ = maker(cst.Return, "value")
set_ = maker(cst.Set, "elements")
set_comp = maker(cst.SetComp, "elt", "for_in")
slice_ = maker(cst.Slice, "lower", "upper", "step")
starred = maker(cst.StarredElement, "value")
starred_item = maker(cst.StarredDictElement, "value")
string = maker(cst.SimpleString, "value")
subscript = maker(cst.Subscript, "value", "slice")
subscript_element = maker(cst.SubscriptElement, "slice")
try_ = maker(cst.Try, "body", "handlers", "orelse", "finalbody")
tuple_ = maker(cst.Tuple, "elements")
unary = maker(cst.UnaryOperation, "operator", "expression")
while_ = maker(cst.While, "test", "body", "orelse")
with_ = maker(cst.With, "items", "body")
with_item = maker(cst.WithItem, "item", "asname")
yield_ = maker(cst.Yield, "value")

# An operator is its class; one of each will do.
OPERATORS: Mapping[type[ast.AST], cst.CSTNode] = MappingProxyType(
    {
        ast.Add: cst.Add(),
        ast.Sub: cst.Subtract(),
        ast.Mult: cst.Multiply(),
        ast.MatMult: cst.MatrixMultiply(),
        ast.Div: cst.Divide(),
        ast.Mod: cst.Modulo(),
        ast.Pow: cst.Power(),
        ast.LShift: cst.LeftShift(),
        ast.RShift: cst.RightShift(),
        ast.BitOr: cst.BitOr(),
        ast.BitXor: cst.BitXor(),
        ast.BitAnd: cst.BitAnd(),
        ast.FloorDiv: cst.FloorDivide(),
        ast.Invert: cst.BitInvert(),
        ast.Not: cst.Not(),
        ast.UAdd: cst.Plus(),
        ast.USub: cst.Minus(),
        ast.And: cst.And(),
        ast.Or: cst.Or(),
        ast.Eq: cst.Equal(),
        ast.NotEq: cst.NotEqual(),
        ast.Lt: cst.LessThan(),
        ast.LtE: cst.LessThanEqual(),
        ast.Gt: cst.GreaterThan(),
        ast.GtE: cst.GreaterThanEqual(),
        ast.Is: cst.Is(),
        ast.IsNot: cst.IsNot(),
        ast.In: cst.In(),
        ast.NotIn: cst.NotIn(),
    }
)
IN_PLACE: Mapping[type[ast.operator], cst.BaseAugOp] = MappingProxyType(
    {
        ast.Add: cst.AddAssign(),
        ast.Sub: cst.SubtractAssign(),
        ast.Mult: cst.MultiplyAssign(),
        ast.MatMult: cst.MatrixMultiplyAssign(),
        ast.Div: cst.DivideAssign(),
        ast.Mod: cst.ModuloAssign(),
        ast.Pow: cst.PowerAssign(),
        ast.LShift: cst.LeftShiftAssign(),
        ast.RShift: cst.RightShiftAssign(),
        ast.BitOr: cst.BitOrAssign(),
        ast.BitXor: cst.BitXorAssign(),
        ast.BitAnd: cst.BitAndAssign(),
        ast.FloorDiv: cst.FloorDivideAssign(),
    }
)
