"""Overwritten: results that nobody reads, because their name is given another value at once.

Read off the text, statement by statement: `x = log(p)` and then, in the same block, with no x in
between, `x = log(p + z)`. Asked only of what would be a finding.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from epslint.glance import suites
from epslint.scout import Stretch


def is_overwritten(stretch: Stretch, row: int) -> bool:
    """Whether the statement on a line gives a name a value that is replaced unread."""
    for block in _blocks(stretch.statements):
        for place, statement in enumerate(block):
            if statement.lineno <= row <= (statement.end_lineno or row):
                name = _assigned(statement)
                if name is not None and _is_replaced(name, block[place + 1 :]):
                    return True
    return False


def _blocks(statements: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
    """The statements themselves, and every suite of theirs; a thousand `elif` are as deep."""
    waiting = [statements]
    while waiting:
        block = waiting.pop()
        yield block
        for statement in block:
            waiting += suites(statement)


def _assigned(statement: ast.stmt) -> str | None:
    """x of `x = …`, and of nothing more."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    (target,) = statement.targets
    return target.id if isinstance(target, ast.Name) else None


def _is_replaced(name: str, rest: Sequence[ast.stmt]) -> bool:
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
