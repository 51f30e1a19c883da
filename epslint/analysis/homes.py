"""Homes: the smallest run of lines that holds a node and can be read alone.

To say where one division stands, LibCST need not read the function of three hundred lines around
it, only the statement. What stands in the header of an `if` or `for` is at home in all of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from epslint.analysis.bare import Statement, children
from epslint.scout import Rows, Stretch, rows_of
from epslint.source import Source

_Suites = Iterator[tuple[Sequence[ast.stmt], Sequence[cst.CSTNode]]]


@dataclass(frozen=True, slots=True, eq=False)
class Home:
    """Lines that are read together, and the bare statements on them."""

    rows: Rows
    body: Sequence[Statement]
    around: Home | None  # the next larger one, for lines that turn out not to be readable alone


def homes(source: Source, stretch: Stretch, body: Sequence[Statement]) -> dict[cst.CSTNode, Home]:
    """The home of every node in the bare statements of a stretch."""
    found: dict[cst.CSTNode, Home] = {}
    _settle(source, stretch.statements, body, Home(stretch.rows, body, None), found)
    return found


def _settle(
    source: Source,
    statements: Sequence[ast.stmt],
    body: Sequence[cst.CSTNode],
    around: Home,
    found: dict[cst.CSTNode, Home],
) -> None:
    for statement, node in zip(statements, body, strict=True):
        home = _home(source, statement, node, around)
        suites = list(_suites(statement, node))
        inside = {id(each) for _, suite in suites for each in suite}
        _claim(node, home, inside, found)
        for inner, suite in suites:
            _settle(source, inner, suite, home, found)


def _claim(node: cst.CSTNode, home: Home, others: set[int], found: dict[cst.CSTNode, Home]) -> None:
    """All that is in a statement is at home there, but for the statements in it."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        found[current] = home
        waiting += (child for child in children(current) if id(child) not in others)


def _home(source: Source, statement: ast.stmt, node: cst.CSTNode, around: Home) -> Home:
    if not _stands_alone(source, statement):
        return around
    assert isinstance(node, cst.BaseStatement | cst.BaseSmallStatement)
    return Home(rows_of(statement), [node], around)


def _stands_alone(source: Source, statement: ast.stmt) -> bool:
    """Whether nothing else is on its lines, and it is no `elif`, which needs its `if`."""
    assert statement.end_lineno is not None
    first = source.line(statement.lineno).encode()
    last = source.line(statement.end_lineno).encode()
    before, after = first[: statement.col_offset], last[statement.end_col_offset :]
    is_elif = first[statement.col_offset :].startswith(b"elif")
    return not before.strip() and not is_elif and after.strip()[:1] in (b"", b"#")


def _suites(statement: ast.stmt, node: cst.CSTNode) -> _Suites:
    """The statements under the headers of a statement, as both trees have them."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        assert isinstance(node, cst.FunctionDef | cst.ClassDef)
        yield statement.body, node.body.body
    elif isinstance(statement, ast.With | ast.AsyncWith):
        assert isinstance(node, cst.With)
        yield statement.body, node.body.body
    elif isinstance(statement, ast.If | ast.For | ast.AsyncFor | ast.While):
        assert isinstance(node, cst.If | cst.For | cst.While)
        yield statement.body, node.body.body
        if isinstance(node.orelse, cst.If):
            yield statement.orelse, [node.orelse]
        elif node.orelse is not None:
            yield statement.orelse, node.orelse.body.body
    elif isinstance(statement, ast.Try) and isinstance(node, cst.Try):
        yield statement.body, node.body.body
        for handler, clause in zip(statement.handlers, node.handlers, strict=True):
            yield handler.body, clause.body.body
        if node.orelse is not None:
            yield statement.orelse, node.orelse.body.body
        if node.finalbody is not None:
            yield statement.finalbody, node.finalbody.body.body
