"""The analysis: an abstract interpreter for tensor code.

`analyse` gives the operations of a file with what is known of their operands; `facts` gives what
is known line by line. Neither knows a rule.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from epslint.analysis.fact import Fact
from epslint.analysis.frame import Frame
from epslint.analysis.model import Model
from epslint.analysis.ops import Op
from epslint.analysis.program.modules import makers
from epslint.analysis.reasons import described
from epslint.analysis.site import Site
from epslint.analysis.words.full_names import BUILTINS, EXACT
from epslint.analysis.words.libraries import function
from epslint.analysis.words.names import is_setting
from epslint.analysis.words.spellings import SPELLINGS
from epslint.depth import with_room
from epslint.epsilon import DEFAULT, Hierarchy
from epslint.scout import scout
from epslint.sinks import Hearsay, Sinks
from epslint.source import Source

_OPERATORS: dict[Op, tuple[type[ast.operator], ...]] = {
    Op.DIV: (ast.Div,),
    Op.FLOORDIV: (ast.FloorDiv,),
    Op.MOD: (ast.Mod,),
    Op.POW: (ast.Pow,),
}

EVERYTHING = frozenset(Op)

# Operations that no rule objects to unless there is a singular one beside them: a function that has
# nothing else need not be read.
_STRIKING = frozenset({"masked_fill", "masked_fill_"})  # puts -inf where a product may meet it
_HARMLESS_ALONE = frozenset(
    {
        Op.ADD,
        Op.SUB,
        Op.MUL,
        Op.NEG,
        Op.CLAMP,
        Op.CLAMP_MIN,
        Op.CLAMP_MAX,
        Op.MAXIMUM,
        Op.MINIMUM,
        Op.COMPARE,
    }
)
# What they are objected to beside, whether or not a rule listens to that too: `--select EPS302`.
_BESIDE = frozenset(
    {Op.EXP, Op.EXPM1, Op.LOG, Op.LOG_SOFTMAX, Op.DIV, Op.SQRT, Op.RSQRT, Op.POW, Op.SQUARE}
)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a value on a line."""

    row: int
    subject: str
    description: str


def analyse(
    source: Source,
    hierarchy: Hierarchy = DEFAULT,
    listening: frozenset[Op] = EVERYTHING,
    *,
    whole: bool = False,
) -> Iterator[Site]:
    """The operations of a file that somebody listens to; raises SourceError for bad input.

    What a site can be asked about its callers it can be asked until the sites are through. `whole`
    takes no short cut: every function, in the tree that LibCST makes of it. It is there to show
    that the short cuts lose nothing.
    """

    def work() -> tuple[Model, tuple[Site, ...]]:
        outline = scout(source, _sinks(listening))
        model = Model(source, outline, hierarchy, listening, whole=whole)
        return model, tuple(model.sites())

    model, sites = with_room(work)
    try:
        yield from sites
    finally:
        model.dismantle()


def facts(source: Source) -> tuple[Known, ...]:
    """What is known of assigned names and of operands, in the order of the lines."""
    known = with_room(lambda: _known(source))
    return tuple(Known(row, subject, text) for (row, subject), text in sorted(known.items()))


def _known(source: Source) -> dict[tuple[int, str], str]:
    outline = scout(source, _sinks(EVERYTHING))
    model = Model(source, outline, DEFAULT, EVERYTHING, tracing=True)
    known: dict[tuple[int, str], str] = {}
    for frame in model.frames():
        known.update({place: described(fact) for place, fact in _operands(frame)})
        known.update({place: described(fact) for place, fact in frame.known.items()})
    return known


def _operands(frame: Frame) -> Iterator[tuple[tuple[int, str], Fact]]:
    """The operands of the operations, as far as something is known of them."""
    for site in frame.sites.values():
        for operand in site.operands.values():
            fact = operand.fact
            if fact.constant is None and (fact.kinds or fact.zero or fact.huge):
                row = frame.unit.find_row(operand.node)
                if row is not None:
                    yield (row, frame.unit.brief(operand.node)), fact


@cache
def _sinks(listening: frozenset[Op]) -> Sinks:
    telling = listening - _HARMLESS_ALONE
    if listening & _HARMLESS_ALONE:
        telling |= _BESIDE
    operators = tuple(node for op in telling for node in _OPERATORS.get(op, ()))
    spelled = {
        name.rpartition(".")[2]
        for table in (SPELLINGS, EXACT, BUILTINS)
        for name, spelling in table.items()
        if spelling.op in telling
    }
    names = frozenset(spelled | {f"{name}_" for name in spelled} | _STRIKING)
    if Op.STEP in telling:
        names |= {"step"}
    hearsay = Hearsay(lambda full: function(full) is not None, is_setting)
    return Sinks(operators, names, frozenset(makers(telling)), hearsay)
