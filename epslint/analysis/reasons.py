"""Reasons: the chain that says why a value is what it is, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from epslint.analysis import ranges
from epslint.analysis.fact import DType, Evidence, Fact, Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.rule import Reason

# The first that fits names the value.
_NOUNS: Mapping[Kind, str] = MappingProxyType(
    {
        Kind.OFFSET: "a count less a constant",
        Kind.COUNT: "a count",
        Kind.LENGTH: "a length",
        Kind.STD: "a standard deviation",
        Kind.VAR: "a variance",
        Kind.NORM: "a norm",
        Kind.SPAN: "a spread",
        Kind.RATIO: "a probability ratio",
        Kind.LOGRATIO: "a log-ratio",
        Kind.LOGPROB: "a log-probability",
        Kind.SUM: "a sum",
        Kind.MEAN: "a mean",
        Kind.PRODUCT: "a product",
        Kind.EPSILON: "an epsilon",
        Kind.PROB: "a probability",
        Kind.MASK: "a mask",
        Kind.EXP: "an exponential",
        Kind.SOFTPLUS: "a softplus",
        Kind.MAGNITUDE: "a magnitude",
        Kind.PARAMETER: "a learned parameter",
        Kind.SHAPE: "a size",
        Kind.LOGITS: "logits",
        Kind.ADVANTAGE: "advantages",
        Kind.REWARD: "rewards",
        Kind.KL: "a divergence",
        Kind.TIME: "a time",
        Kind.SPECTRUM: "an eigenvalue",
        Kind.DEPTH: "a homogeneous coordinate",
    }
)

# When each of them is 0.
_ZERO_WHEN: Mapping[Kind, str] = MappingProxyType(
    {
        Kind.OFFSET: "0 for a count of one",
        Kind.COUNT: "0 when every element is masked or filtered out",
        Kind.LENGTH: "0 when nothing passes the filter",
        Kind.STD: "0 when all values are equal",
        Kind.VAR: "0 when all values are equal",
        Kind.NORM: "0 when every element is 0",
        Kind.SPAN: "0 when all values are equal or zero",
        Kind.RATIO: "0 once the probability on top underflows",
        Kind.SUM: "0 when everything summed is 0, masked out, or cancels",
        Kind.MEAN: "0 when the values are all 0 or cancel",
        Kind.PRODUCT: "0 when one factor is 0",
        Kind.PROB: "0 once it underflows",
        Kind.EXP: "0 once the exponent is below about -88",
        Kind.SOFTPLUS: "0 once its argument is below about -100",
        Kind.MAGNITUDE: "0 where its input is 0 or negative",
        Kind.MASK: "0 where it masks",
        Kind.PARAMETER: "0 if it is learned to be",
        Kind.SPECTRUM: "0 once the matrix is singular",
        Kind.DEPTH: "0 for a point that is not in front of the camera",
    }
)

_COUNTING = frozenset({Op.LEN, Op.NUMEL, Op.SIZE, Op.SUM, Op.MEAN, Op.STD, Op.VAR})
_ARRANGING = frozenset(
    {
        *(Op.SAME, Op.PICK, Op.SORT, Op.ITEM, Op.DETACH),
        *(Op.TO, Op.FLOAT, Op.DOUBLE, Op.INT),
    }
)


def noun(fact: Fact) -> str:
    """What the value is, in two or three words."""
    return next((text for kind, text in _NOUNS.items() if fact.kinds & kind), "a value")


def zero_when(fact: Fact) -> str:
    """The situation in which the value is 0."""
    if fact.constant == 0:
        return "always 0"
    return next((text for kind, text in _ZERO_WHEN.items() if fact.kinds & kind), "0 is possible")


def described(fact: Fact) -> str:
    """All that is known of a value, on one line."""
    words = []
    if fact.kinds or fact.range != ranges.TOP:
        words.append(f"{noun(fact) if fact.kinds else 'a value'} in {fact.range}")
    if fact.zero:
        words.append(f"0 is possible ({fact.zero.name.lower()})")
    if fact.huge:
        words.append(f"unbounded ({fact.huge.name.lower()})")
    if fact.can_be_empty:
        words.append(f"size in {fact.size}")
    if fact.dtype is not DType.UNKNOWN:
        words.append(fact.dtype.value)
    if not fact.grad:
        words.append("not differentiated")
    return ", ".join(words) or "unknown"


def chain(fact: Fact) -> tuple[Reason, ...]:
    """Where the possibility of 0 or of a huge value comes from: first the value, last its root."""
    return tuple(_links(fact))[:4]


def told_by_name(fact: Fact, kinds: Kind) -> Iterator[Reason]:
    """The name that says what a value was made of: `rewards` of `rewards.std()`."""
    origin = fact.origin
    while origin is not None and (operand := origin.operands.get("x")) is not None:
        of = operand.fact
        if of.is_any(kinds) and of.ground is Evidence.NAMED and of.origin is None:
            yield _by_name(origin, operand)
            return
        origin = of.origin


def _links(fact: Fact) -> Iterator[Reason]:
    seen: set[Origin] = set()
    origin = fact.origin
    current = fact
    while origin is not None and origin not in seen:
        seen.add(origin)
        if origin.op not in _ARRANGING:
            yield Reason(origin.row, _link(origin, current))
        cause = _cause_of_huge(origin) if current.huge else _cause(origin)
        if cause is None or cause.fact.kinds is Kind.LOGITS:
            return  # that something is called logits makes it no hazard
        named = cause.fact.ground is Evidence.NAMED and cause.fact.kinds
        if named and Evidence.PROVEN in (current.zero, current.huge):
            return  # what the operation is known for it is known for without the name
        if named and cause.fact.origin is None:
            yield _by_name(origin, cause)
        current, origin = cause.fact, cause.fact.origin


def _by_name(origin: Origin, operand: Operand) -> Reason:
    text = origin.unit.brief(operand.node)
    return Reason(None, f"`{text}` is taken for {noun(operand.fact)} because of its name")


def _link(origin: Origin, fact: Fact) -> str:
    if origin.op is Op.SELECT and fact.can_be_empty:
        return f"`{origin.text}` can be empty"
    return f"`{origin.text}` is {noun(fact)} in {fact.range}"


def _cause_of_huge(origin: Origin) -> Operand | None:
    """The operand that makes the result possibly huge; of two that are equally to blame the one
    of which less is known.
    """
    operands = origin.operands.values()
    huge = [operand for operand in operands if operand.fact.huge]
    logs = [operand for operand in operands if operand.fact.kinds & (Kind.LOGPROB | Kind.LOGRATIO)]
    return min(huge or logs, key=lambda operand: operand.fact.ground, default=None)


def _cause(origin: Origin) -> Operand | None:
    """The operand that makes the result possibly 0."""
    operands = origin.operands.values()
    empty = [operand for operand in operands if operand.fact.can_be_empty]
    if empty and origin.op in _COUNTING:
        return empty[0]
    zero = [operand for operand in operands if operand.fact.zero and operand.fact.constant is None]
    if zero:
        return zero[0]
    return next((operand for operand in operands if operand.fact.kinds), None)
