"""Glances at `ast`: quick walks, and the names that things are called by."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Sequence

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

# Fields that hold no nodes, or none that anybody looks into: names, operators, contexts.
_PLAIN = frozenset(
    {
        "arg",
        "asname",
        "attr",
        "conversion",
        "ctx",
        "id",
        "is_async",
        "kind",
        "kwd_attrs",
        "level",
        "module",
        "name",
        "names",
        "op",
        "ops",
        "rest",
        "simple",
        "str",
        "tag",
        "type_comment",
        "type_ignores",
    }
)
_INSIDE: dict[type, tuple[str, ...]] = {
    kind: tuple(field for field in kind._fields if field not in _PLAIN)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
} | dict.fromkeys((ast.Constant, ast.MatchSingleton, type(None)), ())  # None: what is left out


def descend(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all that is in it: `ast.walk` without names, operators and contexts."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        _enter(current, waiting)


def _enter(node: ast.AST, waiting: list[ast.AST]) -> None:
    for field in _INSIDE[type(node)]:
        inner = getattr(node, field)
        if type(inner) is list:
            waiting += inner
        else:
            waiting.append(inner)


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements and those nested in them, in breadth: what is outside comes first."""
    waiting: deque[ast.AST] = deque(body)
    while waiting:
        node = waiting.popleft()
        if isinstance(node, ast.stmt):
            yield node
        for field in _NESTING:
            waiting.extend(getattr(node, field, ()))


_NESTING = ("body", "orelse", "handlers", "finalbody", "cases")  # the fields that hold statements


def called_by(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def root_of(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def last_name(node: ast.expr) -> str:
    """`log` of `torch.log` and of `log`."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""
