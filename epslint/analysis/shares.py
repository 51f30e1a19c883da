"""Shares: quotients whose dividend is a part of the divisor, so that both are 0 at once.

`inter / (a + b - inter)` of two empty boxes, `2 * p * r / (p + r)` where nothing was found,
`2 * (x * y).sum() / (x.sum() + y.sum())` of two empty masks, `image / image.max()` of a black one.
Of the divisor alone nothing may be known; what it has in common with the dividend says what the
quotient is for, and that 0 / 0 is what it gives for nothing. The square of a length needs no such
help: `g / (dx**2 + dy**2)` is for slopes, and somewhere it is flat.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from epslint.analysis.env import Env
from epslint.analysis.fact import Fact, Kind
from epslint.analysis.keys import key_of, words_of
from epslint.analysis.makers import is_one
from epslint.analysis.names import tells_of_picture
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind, within
from epslint.analysis.relations import is_squared_length

# The same values in another shape, place or type.
_ARRANGING = frozenset(
    {Op.SAME, Op.TO, Op.FLOAT, Op.DOUBLE, Op.ITEM, Op.TO_NUMPY, Op.AS_TENSOR, Op.DETACH}
)
_TOTALS = frozenset({Op.SUM, Op.MEAN})
_PRODUCTS = frozenset({Op.MUL, Op.NEG})
_POWERS = _PRODUCTS | {Op.SQUARE, Op.POW}
_DEEP = 6  # terms and factors are looked for no further down than this


@dataclass(frozen=True, slots=True)
class _Term:
    """One of what a sum is made of."""

    operand: Operand
    added: bool


def kind_of_whole(x: Operand, y: Operand, env: Env) -> Kind:
    """What the divisor is if the dividend is a part of it, and NONE if it is not."""
    kind = _kind_of_whole(x, y, env)
    return kind if kind and not _is_kept_away(y, env) else Kind.NONE


def _kind_of_whole(x: Operand, y: Operand, env: Env) -> Kind:
    if _is_largest(x, y):
        return Kind.SPAN
    if is_squared_length(y.fact):
        return Kind.NORM
    terms = list(_terms(y))
    if len(terms) < 2 or any(_is_kept_away(term.operand, env) for term in terms):
        return Kind.NONE
    parts = [factor for factor in _factors(x) if factor.fact.constant is None]
    shared = _is_union([x, *parts], terms) or _is_harmonic(parts, terms) or _is_dice(parts, terms)
    return Kind.SUM if shared else Kind.NONE


def _is_kept_away(term: Operand, env: Env) -> bool:
    """Whether a value is not 0, now: a constant, something positive, an epsilon, what a condition
    says so of (`where(a > 0, inter / union, 0)`), a quotient of something that is kept away.
    """
    if not term.fact.range.has_zero or term.fact.is_any(Kind.EPSILON):
        return True
    now = env.fact(key_of(term.node) or "")
    if now is not None and not now.range.has_zero:
        return True
    origin = _arranged(term.fact)
    if origin is None or origin.op is not Op.DIV:
        return False
    return any(_is_kept_away(each.operand, env) for each in _terms(origin.operands["x"]))


def _is_union(parts: list[Operand], terms: list[_Term]) -> bool:
    """`inter / (a + b - inter)`: nothing, of nothing in all."""
    taken = [term.operand for term in terms if not term.added]
    return len(terms) == 3 and len(taken) == 1 and any(_is_same(p, taken[0]) for p in parts)


def _is_harmonic(parts: list[Operand], terms: list[_Term]) -> bool:
    """`2 * p * r / (p + r)`, the terms weighted or not: both are 0 when neither finds anything."""
    keys = {_key(part) for part in parts} - {None}
    weighed = [_factors(term.operand, _PRODUCTS) for term in terms]
    summed = [{_key(factor) for factor in factors} & keys for factors in weighed]
    paired = len(terms) == 2 and all(term.added for term in terms)
    return paired and all(len(each) == 1 for each in summed) and summed[0] != summed[1]


def _is_dice(parts: list[Operand], terms: list[_Term]) -> bool:
    """`2 * (x * y).sum() / (x.sum() + y.sum())`, or of their squares."""
    overlap = _arranged(parts[0].fact) if len(parts) == 1 else None
    if overlap is None or overlap.op not in _TOTALS or len(terms) != 2:
        return False
    both = {_key(factor) for factor in _factors(overlap.operands["x"])} - {None}
    summed = {_key_of_total(term.operand, overlap.op) for term in terms if term.added}
    return len(both) == 2 and summed == both


def _key_of_total(operand: Operand, op: Op) -> str | None:
    """What a sum is over; of squares, what was squared."""
    origin = _arranged(operand.fact)
    if origin is None or origin.op is not op:
        return None
    keys = {_key(factor) for factor in _factors(origin.operands["x"])}
    return keys.pop() if len(keys) == 1 else None


def _is_largest(x: Operand, y: Operand) -> bool:
    """`image / image.max()`, and `(high - low) / high`: black is 0 everywhere."""
    origin = _arranged(y.fact)
    if origin is None or origin.op is not Op.MAX:
        return False
    key = _key(origin.operands["x"])
    if key is not None and key == _key(x):
        return any(map(tells_of_picture, words_of(x.node)))
    difference = _arranged(x.fact)
    if difference is None or difference.op is not Op.SUB:
        return False
    return _is_same(difference.operands["x"], y)


def _terms(operand: Operand, *, added: bool = True, deep: int = _DEEP) -> Iterator[_Term]:
    origin = _arranged(operand.fact)
    if origin is None or origin.op not in (Op.ADD, Op.SUB) or not deep:
        yield _Term(operand, added)
        return
    yield from _terms(origin.operands["x"], added=added, deep=deep - 1)
    if (second := origin.operands.get("y")) is not None:
        same = added if origin.op is Op.ADD else not added
        yield from _terms(second, added=same, deep=deep - 1)


def _factors(
    operand: Operand, through: frozenset[Op] = _POWERS, deep: int = _DEEP
) -> Iterator[Operand]:
    """What a product is made of; `x ** 2` is made of x."""
    origin = _arranged(operand.fact)
    if origin is None or origin.op not in through or not deep:
        yield operand
        return
    yield from _factors(origin.operands["x"], through, deep - 1)
    if origin.op is Op.MUL and (second := origin.operands.get("y")) is not None:
        yield from _factors(second, through, deep - 1)


def _arranged(fact: Fact) -> Origin | None:
    """The operation behind mere rearrangements, where it is told what it is done to."""
    origin = behind(fact, _ARRANGING)
    return origin if origin is not None and "x" in origin.operands else None


def _key(operand: Operand) -> str | None:
    """The key of what is rearranged."""
    return key_of(within(operand, _ARRANGING).node)


def _is_same(one: Operand, other: Operand) -> bool:
    """Whether two operands are one value: made by the same operation, or written alike."""
    if is_one(one.fact, other.fact, _ARRANGING):
        return True
    key = _key(one)
    return key is not None and key == _key(other)
