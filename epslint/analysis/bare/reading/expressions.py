"""Bare expressions, of those that `ast` has read."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from epslint.analysis.bare import nodes
from epslint.analysis.bare.reading.operators import BINARY, BOOLEAN, COMPARING, UNARY
from epslint.analysis.bare.shape import UnlikeError, descendants

N = TypeVar("N", bound=nodes.Node)

# `{x}` in a text, and in the templates of Python 3.14.
_BRACES = (ast.FormattedValue, getattr(ast, "Interpolation", ast.FormattedValue))


def expression(node: ast.expr) -> nodes.BaseExpression:
    try:
        make = _EXPRESSIONS[type(node)]
    except KeyError:
        raise UnlikeError from None
    return placed(make(node), node)


def optional(node: ast.expr | None) -> nodes.BaseExpression | None:
    return None if node is None else expression(node)


def elements(listed: Sequence[ast.expr]) -> list[nodes.BaseElement]:
    return [
        nodes.StarredElement(expression(node.value))
        if isinstance(node, ast.Starred)
        else nodes.Element(expression(node))
        for node in listed
    ]


def _constant(node: ast.Constant) -> nodes.BaseExpression:
    value = node.value
    make = _CONSTANTS[type(value)]
    return make(value)


def _whole(value: int) -> nodes.Integer:
    # A number of thousands of digits cannot be written out in decimals: Python forbids it.
    return nodes.Integer(str(value) if value.bit_length() < 1000 else hex(value))


def _decimal(value: float) -> nodes.Float:
    return nodes.Float("1e999" if value == float("inf") else repr(value))


_CONSTANTS: Mapping[type, Callable[..., nodes.BaseExpression]] = MappingProxyType(
    {
        str: lambda value: nodes.SimpleString(repr(value)),
        bytes: lambda value: nodes.SimpleString(repr(value)),
        bool: lambda value: nodes.Name(repr(value)),
        type(None): lambda value: nodes.Name("None"),
        int: _whole,
        float: _decimal,
        complex: lambda value: nodes.Imaginary(repr(value)),
        type(...): lambda value: nodes.Ellipsis(),
    }
)


def _name(node: ast.Name) -> nodes.Name:
    return nodes.Name(node.id)


def _attribute(node: ast.Attribute) -> nodes.Attribute:
    return nodes.Attribute(expression(node.value), placed(nodes.Name(node.attr), node))


def placed(made: N, node: ast.expr | ast.stmt) -> N:
    """A node that was made of what `ast` has read there."""
    made.at = node
    return made


def _call(node: ast.Call) -> nodes.Call:
    # `ast` keeps keywords apart; `f(a=1, *rest)` is read from left to right.
    arguments = positional(node.args)
    if node.keywords:
        named = [keyword(each) for each in node.keywords]
        places = [*map(_place, node.args), *map(_place, node.keywords)]
        order = sorted(range(len(places)), key=places.__getitem__)
        together = arguments + named
        arguments = [together[i] for i in order]
    return nodes.Call(expression(node.func), arguments)


def positional(given: Sequence[ast.expr]) -> list[nodes.Arg]:
    return [
        nodes.Arg("*", None, expression(each.value))
        if isinstance(each, ast.Starred)
        else nodes.Arg("", None, expression(each))
        for each in given
    ]


def _place(node: ast.expr | ast.keyword) -> tuple[int, int]:
    return node.lineno, node.col_offset


def keyword(node: ast.keyword) -> nodes.Arg:
    if node.arg is None:
        return nodes.Arg("**", None, expression(node.value))
    return nodes.Arg("", nodes.Name(node.arg), expression(node.value))


def _binary(node: ast.BinOp) -> nodes.BaseExpression:
    # A sum of a thousand terms is a thousand deep on its left: down in a loop, and up again.
    spine = [node]
    while isinstance(spine[-1].left, ast.BinOp):
        spine.append(spine[-1].left)
    left = expression(spine[-1].left)
    for each in reversed(spine):
        made = nodes.BinaryOperation(left, BINARY[type(each.op)], expression(each.right))
        left = placed(made, each)
    return left


def _unary(node: ast.UnaryOp) -> nodes.UnaryOperation:
    return nodes.UnaryOperation(UNARY[type(node.op)], expression(node.operand))


def _boolean(node: ast.BoolOp) -> nodes.BaseExpression:
    operator = BOOLEAN[type(node.op)]
    made = expression(node.values[0])
    for value in node.values[1:]:
        made = placed(nodes.BooleanOperation(made, operator, expression(value)), node)
    return made


def _comparison(node: ast.Compare) -> nodes.Comparison:
    targets = [
        nodes.ComparisonTarget(COMPARING[type(operator)], expression(right))
        for operator, right in zip(node.ops, node.comparators, strict=True)
    ]
    return nodes.Comparison(expression(node.left), targets)


def _subscript(node: ast.Subscript) -> nodes.Subscript:
    index = node.slice
    parts = index.elts if isinstance(index, ast.Tuple) and index.elts else [index]
    slices = [nodes.SubscriptElement(_slice(part)) for part in parts]
    return nodes.Subscript(expression(node.value), slices)


def _slice(node: ast.expr) -> nodes.BaseSlice:
    if isinstance(node, ast.Slice):
        return nodes.Slice(optional(node.lower), optional(node.upper), optional(node.step))
    if isinstance(node, ast.Starred):
        return nodes.Index("*", expression(node.value))
    return nodes.Index(None, expression(node))


def _formatted(node: ast.JoinedStr) -> nodes.FormattedString:
    parts = [part for part in node.values if isinstance(part, _BRACES)]
    return nodes.FormattedString([_in_braces(part.value) for part in parts])


def _in_braces(node: ast.expr) -> nodes.FormattedStringExpression:
    made = nodes.FormattedStringExpression(expression(node))
    if sys.version_info < (3, 12):  # which does not know places inside of texts
        for inner in descendants(made):
            inner.at = None
    return made


def _dict(node: ast.Dict) -> nodes.Dict:
    return nodes.Dict(
        [
            nodes.StarredDictElement(expression(value))
            if key is None
            else nodes.DictElement(expression(key), expression(value))
            for key, value in zip(node.keys, node.values, strict=True)
        ]
    )


def _for_in(generators: Sequence[ast.comprehension]) -> nodes.CompFor:
    inner: nodes.CompFor | None = None
    for each in reversed(generators):
        ifs = [nodes.CompIf(expression(test)) for test in each.ifs]
        inner = nodes.CompFor(expression(each.target), expression(each.iter), ifs, inner)
    assert inner is not None, "a comprehension has a for"
    return inner


def _comprehension(
    make: Callable[..., nodes.BaseExpression],
) -> Callable[[ast.ListComp | ast.SetComp | ast.GeneratorExp], nodes.BaseExpression]:
    def made(node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> nodes.BaseExpression:
        return make(expression(node.elt), _for_in(node.generators))

    return made


def _collection(
    make: Callable[..., nodes.BaseExpression],
) -> Callable[[ast.List | ast.Tuple | ast.Set], nodes.BaseExpression]:
    def made(node: ast.List | ast.Tuple | ast.Set) -> nodes.BaseExpression:
        return make(elements(node.elts))

    return made


def parameters(node: ast.arguments) -> nodes.Parameters:
    positional = [*node.posonlyargs, *node.args]
    bare: list[ast.expr | None] = [None] * (len(positional) - len(node.defaults))
    named = [
        _parameter(arg, default)
        for arg, default in zip(positional, [*bare, *node.defaults], strict=True)
    ]
    only = [
        _parameter(arg, default)
        for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
    ]
    split = len(node.posonlyargs)
    star: nodes.Param | nodes.ParamStar | None = None
    if node.vararg is not None:
        star = _parameter(node.vararg, None)
    elif only:
        star = nodes.ParamStar()
    rest = None if node.kwarg is None else _parameter(node.kwarg, None)
    return nodes.Parameters(named[:split], named[split:], star, only, rest)


def _parameter(node: ast.arg, default: ast.expr | None) -> nodes.Param:
    return nodes.Param(nodes.Name(node.arg), annotated(node.annotation), optional(default))


def annotated(node: ast.expr | None) -> nodes.Annotation | None:
    if node is None:
        return None
    # `*args: *Ts`
    return nodes.Annotation(expression(node.value if isinstance(node, ast.Starred) else node))


_EXPRESSIONS: Mapping[type[ast.expr], Callable[..., nodes.BaseExpression]] = MappingProxyType(
    {
        ast.Attribute: _attribute,
        ast.Await: lambda node: nodes.Await(expression(node.value)),
        ast.BinOp: _binary,
        ast.BoolOp: _boolean,
        ast.Call: _call,
        ast.Compare: _comparison,
        ast.Constant: _constant,
        ast.Dict: _dict,
        ast.DictComp: lambda node: nodes.DictComp(
            expression(node.key), expression(node.value), _for_in(node.generators)
        ),
        ast.GeneratorExp: _comprehension(nodes.GeneratorExp),
        ast.IfExp: lambda node: nodes.IfExp(
            expression(node.body), expression(node.test), expression(node.orelse)
        ),
        ast.JoinedStr: _formatted,
        ast.Lambda: lambda node: nodes.Lambda(parameters(node.args), expression(node.body)),
        ast.List: _collection(nodes.List),
        ast.ListComp: _comprehension(nodes.ListComp),
        ast.Name: _name,
        ast.NamedExpr: lambda node: nodes.NamedExpr(
            expression(node.target), expression(node.value)
        ),
        ast.Set: _collection(nodes.Set),
        ast.SetComp: _comprehension(nodes.SetComp),
        ast.Subscript: _subscript,
        getattr(ast, "TemplateStr", ast.JoinedStr): _formatted,
        ast.Tuple: _collection(nodes.Tuple),
        ast.UnaryOp: _unary,
        ast.Yield: lambda node: nodes.Yield(optional(node.value)),
        ast.YieldFrom: lambda node: nodes.Yield(nodes.From(expression(node.value))),
    }
)
