"""How findings read: the words that rules of several families share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.fact import DType, Evidence, Fact, Form, Kind, weakest
from epslint.analysis.keys import words_of
from epslint.analysis.learning import Shown
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.rule import Confidence, Reason

CONFIDENCE: Mapping[Evidence, Confidence] = MappingProxyType(
    {
        Evidence.NONE: Confidence.NAMED,
        Evidence.NAMED: Confidence.NAMED,
        Evidence.PROVEN: Confidence.PROVEN,
    }
)

_SPREAD, _OF_ROLLOUTS = Kind.STD | Kind.VAR, Kind.REWARD | Kind.ADVANTAGE
_AT_REST = (Form.NUMPY, Form.NUMBER)  # data and measurements; what is trained is in tensors


def if_data_allow(site: Site, fact: Fact) -> Confidence:
    """How sure a 0 is that it takes certain data to reach: all of it 0, or masked, or equal.

    Equal rewards in a group are ordinary; whole tables, pictures and sequences are not equal. That
    something improbable underflows to 0 takes nothing but time.
    """
    if _is_chosen(fact):
        return Confidence.UNLIKELY
    ordinary = fact.is_any(_SPREAD) and fact.is_any(_OF_ROLLOUTS)
    underflows = site.op is Op.LOG and fact.is_any(Kind.PROB) and not _is_double(site)
    return CONFIDENCE[fact.zero] if ordinary or underflows else Confidence.POSSIBLE


def _is_chosen(fact: Fact) -> bool:
    """Whether somebody sees to it, or at once that nobody did: a vector of numpy's that is made of
    length 1 is a direction that somebody chose, or weights; Python's division by a length of 0
    raises an error; and of random numbers hardly one is exactly 0.
    """
    if fact.is_any(Kind.NORM) and fact.form is Form.NUMPY:
        return True
    drawn = fact.origin is not None and fact.origin.op is Op.RAND
    return drawn or (fact.is_any(Kind.LENGTH) and fact.form is Form.NUMBER)


def of_digits(site: Site) -> Confidence:
    """How sure it is that digits are lost that somebody misses: that depends on how small the
    numbers are; who takes a step of a schedule does not miss them, and numpy has twice as many.
    """
    lost = not (_is_double(site) or site.unlearned)
    return Confidence.POSSIBLE if lost else Confidence.UNLIKELY


def of_gradient(reached: Evidence, shown: Shown) -> Confidence:
    """How sure a gradient is that is not finite: the value gets there, and somebody takes it."""
    return Confidence.POSSIBLE if shown.offered else at_its_edge(weakest(reached, shown.evidence))


def at_its_edge(evidence: Evidence) -> Confidence:
    """A name tells what something is, and not how near it comes to the edge of that."""
    return Confidence.PROVEN if evidence is Evidence.PROVEN else Confidence.POSSIBLE


def of_overflow(site: Site, *arguments: Fact) -> Confidence:
    """How sure it is that an exp overflows unseen: that of anything may, and mostly somebody keeps
    it small; Python's raises an error, and in float64 it takes 709.
    """
    if site.result.form is Form.NUMBER:
        return Confidence.UNLIKELY
    huge = max((argument.huge for argument in arguments), default=Evidence.NONE)
    return Confidence.POSSIBLE if _is_double(site) or not huge else CONFIDENCE[huge]


def _is_double(site: Site) -> bool:
    return site.result.form in _AT_REST and site.result.dtype in _DOUBLE


_DOUBLE = (DType.UNKNOWN, DType.FLOAT64)


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
    for each in origin.operands.values():
        yield from words_behind(each, depth - 1)
