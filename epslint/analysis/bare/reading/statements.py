"""Bare statements, of those that `ast` has read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from epslint.analysis.bare import nodes
from epslint.analysis.bare.reading.expressions import (
    annotated,
    elements,
    expression,
    keyword,
    optional,
    parameters,
    placed,
    positional,
)
from epslint.analysis.bare.reading.operators import IN_PLACE
from epslint.analysis.bare.shape import UnlikeError


def statements(body: Iterable[ast.stmt]) -> list[nodes.BaseStatement]:
    """Bare statements; raises UnlikeError where there is something that has no bare form."""
    return [_statement(node) for node in body]


def _statement(node: ast.stmt) -> nodes.BaseStatement:
    try:
        make = _STATEMENTS[type(node)]
    except KeyError:
        raise UnlikeError from None
    return placed(make(node), node)


def _suite(body: Sequence[ast.stmt]) -> nodes.IndentedBlock:
    return nodes.IndentedBlock(statements(body))


def _otherwise(body: Sequence[ast.stmt]) -> nodes.Else | None:
    return nodes.Else(_suite(body)) if body else None


def _targets(assigned: Sequence[ast.expr]) -> list[nodes.AssignTarget]:
    return [nodes.AssignTarget(expression(node)) for node in assigned]


def _deleted(node: ast.Delete) -> nodes.Del:
    if len(node.targets) == 1:
        return nodes.Del(expression(node.targets[0]))
    return nodes.Del(nodes.Tuple(elements(node.targets)))


def _if(node: ast.If) -> nodes.If:
    """An `if` with its `elif`s, from the last to the first: such chains can be long."""
    chain = [node]
    while _is_elif(chain[-1]):
        chain.append(cast(ast.If, chain[-1].orelse[0]))
    otherwise: nodes.If | nodes.Else | None = _otherwise(chain[-1].orelse)
    for each in reversed(chain):
        otherwise = placed(nodes.If(expression(each.test), _suite(each.body), otherwise), each)
    assert isinstance(otherwise, nodes.If)
    return otherwise


def _is_elif(node: ast.If) -> bool:
    """An `elif` stands where its `if` does; an `if` under an `else` is indented."""
    if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
        return False
    return node.orelse[0].col_offset == node.col_offset


def _with(node: ast.With | ast.AsyncWith) -> nodes.With:
    items = [
        nodes.WithItem(
            expression(item.context_expr),
            None if item.optional_vars is None else nodes.AsName(expression(item.optional_vars)),
        )
        for item in node.items
    ]
    return nodes.With(items, _suite(node.body))


def _try(node: ast.Try) -> nodes.Try:
    handlers = [
        nodes.ExceptHandler(
            optional(each.type),
            None if each.name is None else nodes.AsName(nodes.Name(each.name)),
            _suite(each.body),
        )
        for each in node.handlers
    ]
    final = nodes.Finally(_suite(node.finalbody)) if node.finalbody else None
    return nodes.Try(_suite(node.body), handlers, _otherwise(node.orelse), final)


def _decorators(listed: Sequence[ast.expr]) -> list[nodes.Decorator]:
    return [nodes.Decorator(expression(each)) for each in listed]


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> nodes.FunctionDef:
    return nodes.FunctionDef(
        _decorators(node.decorator_list),
        nodes.Name(node.name),
        parameters(node.args),
        annotated(node.returns),
        _suite(node.body),
    )


def _class(node: ast.ClassDef) -> nodes.ClassDef:
    return nodes.ClassDef(
        _decorators(node.decorator_list),
        nodes.Name(node.name),
        positional(node.bases),
        [keyword(each) for each in node.keywords],
        _suite(node.body),
    )


def _raise(node: ast.Raise) -> nodes.Raise:
    cause = None if node.cause is None else nodes.From(expression(node.cause))
    return nodes.Raise(optional(node.exc), cause)


def _for(node: ast.For | ast.AsyncFor) -> nodes.For:
    return nodes.For(
        expression(node.target),
        expression(node.iter),
        _suite(node.body),
        _otherwise(node.orelse),
    )


def _match(node: ast.Match) -> nodes.Match:
    cases = [
        nodes.MatchCase(_pattern(case.pattern), optional(case.guard), _suite(case.body))
        for case in node.cases
    ]
    return nodes.Match(expression(node.subject), cases)


def _pattern(node: ast.pattern) -> nodes.BasePattern:
    if isinstance(node, ast.MatchValue):
        return nodes.MatchValue(expression(node.value))
    if isinstance(node, ast.MatchAs):
        inner = None if node.pattern is None else _pattern(node.pattern)
        return nodes.MatchAs(inner, _captured(node.name))
    if isinstance(node, ast.MatchStar):
        return nodes.MatchStar(_captured(node.name))
    parts = [_pattern(part) for part in _parts(node)]
    if isinstance(node, ast.MatchMapping) and node.rest is not None:
        parts.append(nodes.MatchStar(_captured(node.rest)))
    return nodes.MatchPattern(parts)


def _captured(name: str | None) -> nodes.Name | None:
    return None if name is None else nodes.Name(name)


def _parts(node: ast.pattern) -> Sequence[ast.pattern]:
    """The patterns that a pattern consists of."""
    if isinstance(node, ast.MatchClass):
        return [*node.patterns, *node.kwd_patterns]
    if isinstance(node, ast.MatchSequence | ast.MatchMapping | ast.MatchOr):
        return node.patterns
    return []


_STATEMENTS: Mapping[type[ast.stmt], Callable[..., nodes.BaseStatement]] = MappingProxyType(
    {
        ast.AnnAssign: lambda node: nodes.AnnAssign(
            expression(node.target),
            nodes.Annotation(expression(node.annotation)),
            optional(node.value),
        ),
        ast.Assert: lambda node: nodes.Assert(expression(node.test), optional(node.msg)),
        ast.Assign: lambda node: nodes.Assign(_targets(node.targets), expression(node.value)),
        ast.AsyncFor: _for,
        ast.AsyncFunctionDef: _function,
        ast.AsyncWith: _with,
        ast.AugAssign: lambda node: nodes.AugAssign(
            expression(node.target), IN_PLACE[type(node.op)], expression(node.value)
        ),
        ast.Break: lambda node: nodes.Break(),
        ast.ClassDef: _class,
        ast.Continue: lambda node: nodes.Continue(),
        ast.Delete: _deleted,
        ast.Expr: lambda node: nodes.Expr(expression(node.value)),
        ast.For: _for,
        ast.FunctionDef: _function,
        ast.Global: lambda node: nodes.Global(),
        ast.If: _if,
        ast.Import: lambda node: nodes.Import(),
        ast.ImportFrom: lambda node: nodes.ImportFrom(),
        ast.Match: _match,
        ast.Nonlocal: lambda node: nodes.Nonlocal(),
        ast.Pass: lambda node: nodes.Pass(),
        ast.Raise: _raise,
        ast.Return: lambda node: nodes.Return(optional(node.value)),
        ast.Try: _try,
        getattr(ast, "TryStar", ast.Try): _try,
        # `type X = Y` makes no value.
        getattr(ast, "TypeAlias", ast.Pass): lambda node: nodes.Pass(),
        ast.While: lambda node: nodes.While(
            expression(node.test), _suite(node.body), _otherwise(node.orelse)
        ),
        ast.With: _with,
    }
)
