"""The analysis: an abstract interpreter for tensor code.

`analyse` gives the operations of a file with what is known of their operands; `facts` gives what
is known line by line. Neither knows a rule.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from epslint.analysis.model import Model
from epslint.analysis.ops import Op
from epslint.analysis.reasons import described
from epslint.analysis.site import Site
from epslint.analysis.spellings import BUILTINS, EXACT, SPELLINGS
from epslint.epsilon import DEFAULT, Hierarchy
from epslint.scout import Sinks, scout
from epslint.source import Source, SourceError

_OPERATORS: dict[Op, tuple[type[ast.operator], ...]] = {
    Op.ADD: (ast.Add,),
    Op.SUB: (ast.Sub,),
    Op.MUL: (ast.Mult,),
    Op.DIV: (ast.Div,),
    Op.FLOORDIV: (ast.FloorDiv,),
    Op.MOD: (ast.Mod,),
    Op.POW: (ast.Pow,),
}

# Deep enough for real expressions, shallow enough for the stack of a thread.
_RECURSION_LIMIT = 5_000

EVERYTHING = frozenset(Op)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a value on a line."""

    row: int
    subject: str
    description: str


def analyse(
    source: Source, hierarchy: Hierarchy = DEFAULT, listening: frozenset[Op] = EVERYTHING
) -> tuple[Site, ...]:
    """The operations of a file that somebody listens to; raises SourceError for bad input."""
    with _deep_recursion(source):
        model = Model(source, scout(source, _sinks(listening)), hierarchy, listening)
        return tuple(model.sites())


def facts(source: Source) -> tuple[Known, ...]:
    """What each assignment of a file makes known, in the order of its lines."""
    with _deep_recursion(source):
        outline = scout(source, _sinks(EVERYTHING))
        model = Model(source, outline, DEFAULT, EVERYTHING, tracing=True)
        known = {
            (row, subject): described(fact)
            for frame in model.frames()
            for (row, subject), fact in frame.known.items()
        }
    return tuple(Known(row, subject, text) for (row, subject), text in sorted(known.items()))


def _sinks(listening: frozenset[Op]) -> Sinks:
    operators = tuple(node for op in listening for node in _OPERATORS.get(op, ()))
    spelled = {
        name.rpartition(".")[2]
        for table in (SPELLINGS, EXACT, BUILTINS)
        for name, spelling in table.items()
        if spelling.op in listening
    }
    return Sinks(operators, frozenset(spelled | {f"{name}_" for name in spelled}))


@contextmanager
def _deep_recursion(source: Source) -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        yield
    except RecursionError:
        raise SourceError(
            "is nested too deeply to be checked: split its longest expression"
        ) from None
    finally:
        sys.setrecursionlimit(limit)
