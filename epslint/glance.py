"""Glances at `ast`: quick walks, and the names that things are called by."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Container, Iterator, Sequence

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
_NODES = tuple(
    kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)
)
_INSIDE: dict[type, tuple[str, ...]] = {
    kind: tuple(field for field in kind._fields if field not in _PLAIN) for kind in _NODES
} | dict.fromkeys((ast.Constant, ast.MatchSingleton, type(None)), ())  # None: what is left out

_NESTING = ("body", "orelse", "handlers", "finalbody", "cases")  # the fields that hold statements
_SUITES: dict[type, tuple[str, ...]] = {
    kind: tuple(field for field in _NESTING if field in kind._fields)
    for kind in _NODES
    if issubclass(kind, ast.stmt | ast.excepthandler | ast.match_case)
}


def descend(node: ast.AST, kinds: Container[type] = _INSIDE) -> Iterator[ast.AST]:
    """A node and all that is in it, of these kinds: `ast.walk` without names, operators and
    contexts.

    Every node of every file comes by here: to ask for its kind is cheaper than to hand it out.
    """
    waiting = [node]
    while waiting:
        current = waiting.pop()
        kind = type(current)
        if kind in kinds:
            yield current
        for field in _INSIDE[kind]:
            inner = getattr(current, field)
            if type(inner) is list:
                waiting += inner
            else:
                waiting.append(inner)


def children(node: ast.AST) -> list[ast.AST]:
    """What is directly in a node: `ast.iter_child_nodes` with the same left out."""
    found: list[ast.AST] = []
    for field in _INSIDE[type(node)]:
        inner = getattr(node, field)
        if type(inner) is list:
            found += [each for each in inner if each is not None]  # None: the key of `**d`
        elif inner is not None:
            found.append(inner)
    return found


def walk(node: ast.AST) -> list[ast.AST]:
    """A node and all that is in it, in breadth as by `ast.walk`, with the same left out."""
    found = [node]
    for each in found:
        found += children(each)
    return found


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements and those nested in them, in breadth: what is outside comes first."""
    waiting: deque[ast.AST] = deque(body)
    while waiting:
        node = waiting.popleft()
        if isinstance(node, ast.stmt):
            yield node
        for field in _SUITES[type(node)]:
            waiting.extend(getattr(node, field))


def suites(statement: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """The blocks of a statement: its body, what is done else, its handlers and cases."""
    for field in ("body", "orelse", "finalbody"):
        if suite := getattr(statement, field, None):
            yield suite
    for field in ("handlers", "cases"):
        for each in getattr(statement, field, ()):
            yield each.body


def names_read(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that are looked at in statements, other than to give them another value: not x of
    `x = -x`.
    """
    waiting: list[tuple[ast.AST, str]] = [(statement, "") for statement in body]
    while waiting:
        node, own = waiting.pop()
        if isinstance(node, ast.Name):
            if node.id != own and not isinstance(node.ctx, ast.Store):
                yield node.id
            continue
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
        elif isinstance(node, ast.AugAssign):
            yield root_of(node.target)
        own = given(node) or ("" if isinstance(node, ast.stmt) else own)
        waiting += [(child, own) for child in children(node)]


def given(node: ast.AST) -> str | None:
    """x of `x = …`, and of nothing more."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    (target,) = node.targets
    return target.id if isinstance(target, ast.Name) else None


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
