"""Overwritten: results that nobody reads, because their name is given another value at once, or
because they are given no name.

Read off the text, statement by statement: `x = log(p)` and then, in the same block, with no x in
between, `x = log(p + z)`. Asked only of what would be a finding.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from epslint.glance import suites
from epslint.scout import Stretch


def is_overwritten(stretch: Stretch, row: int) -> bool:
    """Whether the statement on a line gives a name a value that is replaced unread, or computes one
    and keeps it nowhere.
    """
    for block, place in _around(stretch.statements, row):
        if _is_dropped(block[place]):
            return True
        name = _assigned(block[place])
        if name is not None and _is_replaced(name, islice(block, place + 1, None)):
            return True
    return False


def _around(statements: Sequence[ast.stmt], row: int) -> Iterator[tuple[Sequence[ast.stmt], int]]:
    """The statements on a line and around it, each by its block and its place there."""
    waiting = [statements]
    while waiting:
        block = waiting.pop()
        place = bisect_right(block, row, key=lambda statement: statement.lineno) - 1
        while place >= 0 and (block[place].end_lineno or row) >= row:
            yield block, place
            waiting += suites(block[place])
            place -= 1


def _is_dropped(statement: ast.stmt) -> bool:
    """`x / x.std()`, as a statement. A call may do something beside what it gives."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.BinOp)


def _assigned(statement: ast.stmt) -> str | None:
    """x of `x = …`, and of nothing more."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    (target,) = statement.targets
    return target.id if isinstance(target, ast.Name) else None


def _is_replaced(name: str, rest: Iterable[ast.stmt]) -> bool:
    for statement in rest:
        if any(isinstance(n, ast.Name) and n.id == name for n in _reads(statement)):
            return False
        if _assigned(statement) == name:
            return True
        if not isinstance(statement, ast.Assign | ast.Expr):
            return False  # a branch, a loop or a return: it may be needed elsewhere
    return False


def _reads(statement: ast.stmt) -> Iterator[ast.AST]:
    """What a statement looks at before it gives a name its value."""
    if isinstance(statement, ast.Assign) and _assigned(statement) is not None:
        return ast.walk(statement.value)
    return ast.walk(statement)
