"""Bare statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import cast

import libcst as cst

from epslint.analysis.bare import nodes
from epslint.analysis.bare.expressions import (
    annotated,
    elements,
    expression,
    keyword,
    optional,
    parameters,
    positional,
)
from epslint.analysis.bare.shape import UnlikeError

Statement = cst.BaseStatement | cst.BaseSmallStatement


def statements(body: Iterable[ast.stmt]) -> list[Statement]:
    """Bare statements; raises UnlikeError where there is something that has no bare form."""
    return [_statement(node) for node in body]


def _statement(node: ast.stmt) -> Statement:
    try:
        make = _STATEMENTS[type(node)]
    except KeyError:
        raise UnlikeError from None
    return make(node)


def _suite(body: Sequence[ast.stmt]) -> cst.IndentedBlock:
    return nodes.block(statements(body))


def _otherwise(body: Sequence[ast.stmt]) -> cst.Else | None:
    return nodes.else_(_suite(body)) if body else None


def _targets(assigned: Sequence[ast.expr]) -> list[cst.AssignTarget]:
    return [nodes.assign_target(expression(node)) for node in assigned]


def _deleted(node: ast.Delete) -> cst.Del:
    if len(node.targets) == 1:
        return nodes.del_(expression(node.targets[0]))
    return nodes.del_(nodes.tuple_(elements(node.targets)))


def _if(node: ast.If) -> cst.If:
    """An `if` with its `elif`s, from the last to the first: such chains can be long."""
    chain = [node]
    while _is_elif(chain[-1]):
        chain.append(cast(ast.If, chain[-1].orelse[0]))
    otherwise: cst.If | cst.Else | None = _otherwise(chain[-1].orelse)
    for each in reversed(chain):
        otherwise = nodes.if_(expression(each.test), _suite(each.body), otherwise)
    return cast(cst.If, otherwise)


def _is_elif(node: ast.If) -> bool:
    """An `elif` stands where its `if` does; an `if` under an `else` is indented."""
    if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
        return False
    return node.orelse[0].col_offset == node.col_offset


def _with(node: ast.With | ast.AsyncWith) -> cst.With:
    items = [
        nodes.with_item(
            expression(item.context_expr),
            None if item.optional_vars is None else nodes.as_name(expression(item.optional_vars)),
        )
        for item in node.items
    ]
    return nodes.with_(items, _suite(node.body))


def _try(node: ast.Try) -> cst.Try:
    handlers = [
        nodes.except_handler(
            _suite(each.body),
            optional(each.type),
            None if each.name is None else nodes.as_name(nodes.name(each.name)),
        )
        for each in node.handlers
    ]
    final = nodes.finally_(_suite(node.finalbody)) if node.finalbody else None
    return nodes.try_(_suite(node.body), handlers, _otherwise(node.orelse), final)


def _decorators(listed: Sequence[ast.expr]) -> list[cst.Decorator]:
    return [nodes.decorator(expression(each)) for each in listed]


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> cst.FunctionDef:
    return nodes.function(
        nodes.name(node.name),
        parameters(node.args),
        _suite(node.body),
        _decorators(node.decorator_list),
        annotated(node.returns),
    )


def _class(node: ast.ClassDef) -> cst.ClassDef:
    return nodes.class_(
        nodes.name(node.name),
        _suite(node.body),
        positional(node.bases),
        [keyword(each) for each in node.keywords],
        _decorators(node.decorator_list),
    )


def _raise(node: ast.Raise) -> cst.Raise:
    cause = None if node.cause is None else nodes.from_(expression(node.cause))
    return nodes.raise_(optional(node.exc), cause)


def _for(node: ast.For | ast.AsyncFor) -> cst.For:
    return nodes.for_(
        expression(node.target),
        expression(node.iter),
        _suite(node.body),
        _otherwise(node.orelse),
    )


_STATEMENTS: Mapping[type[ast.stmt], Callable[..., Statement]] = MappingProxyType(
    {
        ast.AnnAssign: lambda node: nodes.ann_assign(
            expression(node.target), annotated(node.annotation), optional(node.value)
        ),
        ast.Assert: lambda node: nodes.asserted(expression(node.test), optional(node.msg)),
        ast.Assign: lambda node: nodes.assign(_targets(node.targets), expression(node.value)),
        ast.AsyncFor: _for,
        ast.AsyncFunctionDef: _function,
        ast.AsyncWith: _with,
        ast.AugAssign: lambda node: nodes.aug_assign(
            expression(node.target), nodes.IN_PLACE[type(node.op)], expression(node.value)
        ),
        ast.Break: lambda node: nodes.empty(cst.Break),
        ast.ClassDef: _class,
        ast.Continue: lambda node: nodes.empty(cst.Continue),
        ast.Delete: _deleted,
        ast.Expr: lambda node: nodes.expr(expression(node.value)),
        ast.For: _for,
        ast.FunctionDef: _function,
        ast.Global: lambda node: nodes.empty(cst.Global),
        ast.If: _if,
        ast.Import: lambda node: nodes.empty(cst.Import),
        ast.ImportFrom: lambda node: nodes.empty(cst.ImportFrom),
        ast.Nonlocal: lambda node: nodes.empty(cst.Nonlocal),
        ast.Pass: lambda node: nodes.empty(cst.Pass),
        ast.Raise: _raise,
        ast.Return: lambda node: nodes.return_(optional(node.value)),
        ast.Try: _try,
        ast.While: lambda node: nodes.while_(
            expression(node.test), _suite(node.body), _otherwise(node.orelse)
        ),
        ast.With: _with,
    }
)
