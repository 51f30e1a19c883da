"""Bare expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import cast

import libcst as cst

from epslint.analysis.bare import nodes
from epslint.analysis.bare.shape import UnlikeError


def expression(node: ast.expr) -> cst.BaseExpression:
    try:
        make = _EXPRESSIONS[type(node)]
    except KeyError:
        raise UnlikeError from None
    return make(node)


def optional(node: ast.expr | None) -> cst.BaseExpression | None:
    return None if node is None else expression(node)


def elements(listed: Sequence[ast.expr]) -> list[cst.BaseElement]:
    return [
        nodes.starred(expression(node.value))
        if isinstance(node, ast.Starred)
        else nodes.element(expression(node))
        for node in listed
    ]


def _constant(node: ast.Constant) -> cst.BaseExpression:
    value = node.value
    make = _CONSTANTS[type(value)]
    return make(value)


def _whole(value: int) -> cst.Integer:
    # A number of thousands of digits cannot be written out in decimals: Python forbids it.
    return nodes.integer(str(value) if value.bit_length() < 1000 else hex(value))


def _decimal(value: float) -> cst.Float:
    return nodes.float_("1e999" if value == float("inf") else repr(value))


_CONSTANTS: Mapping[type, Callable[..., cst.BaseExpression]] = MappingProxyType(
    {
        str: lambda value: nodes.string(repr(value)),
        bytes: lambda value: nodes.string(repr(value)),
        bool: lambda value: nodes.name(repr(value)),
        type(None): lambda value: nodes.name("None"),
        int: _whole,
        float: _decimal,
        complex: lambda value: nodes.imaginary(repr(value)),
        type(...): lambda value: nodes.empty(cst.Ellipsis),
    }
)


def _name(node: ast.Name) -> cst.Name:
    return nodes.name(node.id)


def _attribute(node: ast.Attribute) -> cst.Attribute:
    return nodes.attribute(expression(node.value), nodes.name(node.attr))


def _call(node: ast.Call) -> cst.Call:
    # `ast` keeps keywords apart; `f(a=1, *rest)` is read from left to right.
    arguments = positional(node.args)
    if node.keywords:
        named = [keyword(each) for each in node.keywords]
        places = [*map(_place, node.args), *map(_place, node.keywords)]
        order = sorted(range(len(places)), key=places.__getitem__)
        together = arguments + named
        arguments = [together[i] for i in order]
    return nodes.call(expression(node.func), arguments)


def positional(given: Sequence[ast.expr]) -> list[cst.Arg]:
    return [
        nodes.arg(expression(each.value), None, "*")
        if isinstance(each, ast.Starred)
        else nodes.arg(expression(each), None, "")
        for each in given
    ]


def _place(node: ast.expr | ast.keyword) -> tuple[int, int]:
    return node.lineno, node.col_offset


def keyword(node: ast.keyword) -> cst.Arg:
    if node.arg is None:
        return nodes.arg(expression(node.value), None, "**")
    return nodes.arg(expression(node.value), nodes.name(node.arg), "")


def _binary(node: ast.BinOp) -> cst.BinaryOperation:
    # A sum of a thousand terms is a thousand deep on its left: down in a loop, and up again.
    spine = [node]
    while isinstance(spine[-1].left, ast.BinOp):
        spine.append(spine[-1].left)
    made = expression(spine[-1].left)
    for each in reversed(spine):
        made = nodes.binary(made, nodes.OPERATORS[type(each.op)], expression(each.right))
    return cast(cst.BinaryOperation, made)


def _unary(node: ast.UnaryOp) -> cst.UnaryOperation:
    return nodes.unary(nodes.OPERATORS[type(node.op)], expression(node.operand))


def _boolean(node: ast.BoolOp) -> cst.BooleanOperation:
    operator = nodes.OPERATORS[type(node.op)]
    made = expression(node.values[0])
    for value in node.values[1:]:
        made = nodes.boolean(made, operator, expression(value))
    return cast(cst.BooleanOperation, made)


def _comparison(node: ast.Compare) -> cst.Comparison:
    targets = [
        nodes.comparison_target(nodes.OPERATORS[type(operator)], expression(right))
        for operator, right in zip(node.ops, node.comparators, strict=True)
    ]
    return nodes.comparison(expression(node.left), targets)


def _subscript(node: ast.Subscript) -> cst.Subscript:
    index = node.slice
    parts = _listed(index) if isinstance(index, ast.Tuple) and index.elts else [index]
    return nodes.subscript(
        expression(node.value), [nodes.subscript_element(_slice(part)) for part in parts]
    )


def _listed(node: ast.Tuple) -> list[ast.expr]:
    """The elements of `x[a, b]`.

    `x[(a, b)]` has one element, and `x[(a), (b)]` two: which it is `ast` does not say.
    """
    first, last = node.elts[0], node.elts[-1]
    begins_inside = (node.lineno, node.col_offset) != (first.lineno, first.col_offset)
    ends_inside = (node.end_lineno, node.end_col_offset) != (last.end_lineno, last.end_col_offset)
    if begins_inside and ends_inside:
        raise UnlikeError
    return node.elts


def _slice(node: ast.expr) -> cst.BaseSlice:
    if isinstance(node, ast.Slice):
        return nodes.slice_(optional(node.lower), optional(node.upper), optional(node.step))
    if isinstance(node, ast.Starred):
        return nodes.index(expression(node.value), "*")
    return nodes.index(expression(node), None)


def _formatted(node: ast.JoinedStr) -> cst.FormattedString:
    return nodes.formatted(
        [
            nodes.formatted_expression(expression(part.value))
            for part in node.values
            if isinstance(part, ast.FormattedValue)
        ]
    )


def _dict(node: ast.Dict) -> cst.Dict:
    return nodes.dict_(
        [
            nodes.starred_item(expression(value))
            if key is None
            else nodes.dict_element(expression(key), expression(value))
            for key, value in zip(node.keys, node.values, strict=True)
        ]
    )


def _for_in(generators: Sequence[ast.comprehension]) -> cst.CompFor:
    inner: cst.CompFor | None = None
    for each in reversed(generators):
        ifs = [nodes.comp_if(expression(test)) for test in each.ifs]
        inner = nodes.comp_for(expression(each.target), expression(each.iter), ifs, inner)
    assert inner is not None, "a comprehension has a for"
    return inner


def _comprehension(
    make: Callable[..., cst.BaseExpression],
) -> Callable[[ast.ListComp | ast.SetComp | ast.GeneratorExp], cst.BaseExpression]:
    def made(node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> cst.BaseExpression:
        return make(expression(node.elt), _for_in(node.generators))

    return made


def _collection(
    make: Callable[..., cst.BaseExpression],
) -> Callable[[ast.List | ast.Tuple | ast.Set], cst.BaseExpression]:
    def made(node: ast.List | ast.Tuple | ast.Set) -> cst.BaseExpression:
        return make(elements(node.elts))

    return made


def parameters(node: ast.arguments) -> cst.Parameters:
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
    star: cst.Param | cst.ParamStar | None = None
    if node.vararg is not None:
        star = _parameter(node.vararg, None)
    elif only:
        star = nodes.empty(cst.ParamStar)
    rest = None if node.kwarg is None else _parameter(node.kwarg, None)
    return nodes.parameters(named[:split], named[split:], star, only, rest)


def _parameter(node: ast.arg, default: ast.expr | None) -> cst.Param:
    return nodes.param(nodes.name(node.arg), annotated(node.annotation), optional(default))


def annotated(node: ast.expr | None) -> cst.Annotation | None:
    return None if node is None else nodes.annotation(expression(node))


_EXPRESSIONS: Mapping[type[ast.expr], Callable[..., cst.BaseExpression]] = MappingProxyType(
    {
        ast.Attribute: _attribute,
        ast.Await: lambda node: nodes.await_(expression(node.value)),
        ast.BinOp: _binary,
        ast.BoolOp: _boolean,
        ast.Call: _call,
        ast.Compare: _comparison,
        ast.Constant: _constant,
        ast.Dict: _dict,
        ast.DictComp: lambda node: nodes.dict_comp(
            expression(node.key), expression(node.value), _for_in(node.generators)
        ),
        ast.GeneratorExp: _comprehension(nodes.generator_exp),
        ast.IfExp: lambda node: nodes.if_exp(
            expression(node.test), expression(node.body), expression(node.orelse)
        ),
        ast.JoinedStr: _formatted,
        ast.Lambda: lambda node: nodes.lambda_(parameters(node.args), expression(node.body)),
        ast.List: _collection(nodes.list_),
        ast.ListComp: _comprehension(nodes.list_comp),
        ast.Name: _name,
        ast.NamedExpr: lambda node: nodes.named_expr(
            expression(node.target), expression(node.value)
        ),
        ast.Set: _collection(nodes.set_),
        ast.SetComp: _comprehension(nodes.set_comp),
        ast.Starred: lambda node: nodes.starred(expression(node.value)),
        ast.Subscript: _subscript,
        ast.Tuple: _collection(nodes.tuple_),
        ast.UnaryOp: _unary,
        ast.Yield: lambda node: nodes.yield_(optional(node.value)),
        ast.YieldFrom: lambda node: nodes.yield_(nodes.from_(expression(node.value))),
    }
)
