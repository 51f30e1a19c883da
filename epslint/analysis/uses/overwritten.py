"""Overwritten: results that nobody reads, because their name is given another value at once, or is
read nowhere, or because they are given no name.

Read off the text, statement by statement: `x = log(p)` and then, in the same block, with no x in
between, `x = log(p + z)`. Asked only of what would be a finding.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from epslint.glance import given, suites
from epslint.outline import Stretch


def is_overwritten(stretch: Stretch, row: int) -> bool:
    """Whether the statement on a line gives a name a value that is replaced unread, or computes one
    and keeps it nowhere.
    """
    for block, place in _around(stretch.statements, row):
        if _is_dropped(block[place]):
            return True
        name = given(block[place])
        if name is None:
            continue
        if _is_replaced(name, islice(block, place + 1, None)) or _is_unread(name, stretch):
            return True
    return False


def _around(statements: Sequence[ast.stmt], row: int) -> Iterator[tuple[Sequence[ast.stmt], int]]:
    """The statements on a line and around it, each by its block and its place there."""
    waiting = [statements]
    while waiting:
        block = waiting.pop()
        place = bisect_right(block, row, key=lambda statement: statement.lineno) - 1
        first = place
        while first >= 0 and (block[first].end_lineno or row) >= row:
            waiting += suites(block[first])
            first -= 1
        if place - first == 1:  # of several on a line nobody knows which one is meant
            yield block, place


def _is_dropped(statement: ast.stmt) -> bool:
    """`x / x.std()`, as a statement. A call may do something beside what it gives."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.BinOp)


def _is_replaced(name: str, rest: Iterable[ast.stmt]) -> bool:
    for statement in rest:
        if any(isinstance(n, ast.Name) and n.id == name for n in _reads(statement)):
            return False
        if given(statement) == name:
            return True
        if not isinstance(statement, ast.Assign | ast.Expr):
            return False  # a branch, a loop or a return: it may be needed elsewhere
    return False


def _is_unread(name: str, stretch: Stretch) -> bool:
    """Whether a function has a name of its own that is only ever given values, if need be of what
    it was before: `scaled = -scaled`. What a module or class calls something others may read.
    """
    if not all(isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef) for s in stretch.statements):
        return False
    return name not in stretch.read and stretch.read.isdisjoint(_READING_ALL)


_READING_ALL = frozenset({"locals", "vars", "eval", "exec"})


def _reads(statement: ast.stmt) -> Iterator[ast.AST]:
    """What a statement looks at before it gives a name its value."""
    if isinstance(statement, ast.Assign) and given(statement) is not None:
        return ast.walk(statement.value)
    return ast.walk(statement)
