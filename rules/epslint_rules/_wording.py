"""How findings read: the words that rules of several families share."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis import bare
from epslint.analysis.keys import asked_for, words_of
from epslint.analysis.learning import Shown
from epslint.analysis.origin import Operand
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.rule import Reason


def quoted(site: Site, node: bare.Node) -> str:
    """A piece of the program on one line, in backticks."""
    return f"`{site.unit.brief(node)}`"


def made_elsewhere(operand: Operand) -> tuple[Reason, ...]:
    """How an operand came to be, where that is not written at the place itself."""
    origin = operand.fact.origin
    return () if origin is None or origin.node is operand.node else chain(operand.fact)


def because(shown: Shown) -> tuple[Reason, ...]:
    """What shows that a gradient is taken."""
    return (Reason(shown.row, shown.text),) if shown.evidence else ()


def words_behind(operand: Operand, depth: int) -> Iterator[str]:
    """The names in how a value is written, and in what it was made of."""
    yield from words_of(operand.node)
    origin = operand.fact.origin
    if origin is None or not depth:
        return
    yield from words_of(origin.node)
    if (title := asked_for(origin.node)) is not None:
        yield title
    for each in origin.operands.values():
        yield from words_behind(each, depth - 1)
