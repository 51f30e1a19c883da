"""Totals: that something of a value is above 0 says that its sum is, if nothing of it is below.

`if (n > 0).sum() > 0:` guards a division by `n.sum()`, whatever the two are called, and also where
a helper made both. And there is something at the places where n is above 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import Fact, Kind
from epslint.analysis.keys import key_of, roots_of
from epslint.analysis.made.makers import AS_NUMBERS
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind, within
from epslint.analysis.uses.ledger import still_means
from epslint.analysis.words.operators import operator_of

_AS_ONE = AS_NUMBERS | {Op.ITEM, Op.DETACH, Op.TO_NUMPY}
_COUNTING = frozenset({Op.SUM, Op.ANY, Op.COUNT_NONZERO})
_ADDING = frozenset({Op.SUM, Op.MAX})
_COUNTED = Kind.COUNT | Kind.MASK | Kind.LENGTH | Kind.SUM  # not negative by meaning


def note_counted(count: Fact, env: Env) -> None:
    """A count of what is above 0 is not 0: note it of what was counted."""
    found = _made_at_once(count, _AS_ONE)
    if found is None or found.op not in _COUNTING or "x" not in found.operands:
        return
    counted = within(found.operands["x"], _AS_ONE)
    for value in (counted, *_above(counted, 0.0)):
        if value is counted and not _is_nonnegative(value.fact):
            continue
        if (key := _key(value)) is not None:
            env.refine(key, Fact(ranges.POSITIVE), roots_of(value.node))


def note_some(value: Operand, env: Env) -> None:
    """An element is not 0: note it of what it is an element of, for its total."""
    if _is_nonnegative(value.fact) and (key := _key(value)) is not None:
        env.refine(key, Fact(ranges.POSITIVE), roots_of(value.node))


def as_counted(total: Fact, env: Env) -> Fact:
    """A total, with what was noted of what it is the total of."""
    origin = _made_at_once(total, _AS_ONE)
    if origin is None or origin.op not in _ADDING or "dim" in origin.operands:
        return total
    value = within(origin.operands["x"], _AS_ONE) if "x" in origin.operands else None
    if value is None or not _is_nonnegative(value.fact) or not _is_noted(value, env):
        return total
    return total.within(ranges.POSITIVE)


def is_of_positives(total: Origin, env: Env) -> bool:
    """Whether a test since then has found all of what was summed above 0: `n = x.sum(1)`, then
    `if x.min() <= 0: return`. Or what a root was taken of.
    """
    terms = total.operands.get("x") if total.op in (Op.SUM, Op.SQRT) else None
    key = None if terms is None else key_of(terms.node)
    now = None if key is None else env.fact(key)
    if now is None or not now.range.positive or now.can_be_empty:
        return False
    return still_means(total, env)


def are_some(places: Fact, env: Env) -> bool:
    """Whether there are places where something holds: `np.where(n > 0)[0]`."""
    origin = _made_at_once(places, _AS_ONE | {Op.PICK})
    if origin is None or origin.op is not Op.NONZERO:
        return False
    asked = within(origin.operands["x"], _AS_ONE)
    return any(_is_noted(value, env) for value in (asked, *_above(asked, ranges.INF)))


def _made_at_once(fact: Fact, through: frozenset[Op]) -> Origin | None:
    """What made a value, all of it: not the last that was added to a running total."""
    origin = behind(fact, through) if fact.origin is not None and fact.origin.whole else None
    return origin if origin is not None and origin.whole else None


def _above(asked: Operand, least: float) -> Iterator[Operand]:
    """x of `x > 0` and of `x != 0`; of `x > 3` too, where more than is asked for is as well."""
    test = asked.fact.origin
    if test is None or test.op is not Op.COMPARE or "x" not in test.operands:
        return
    bound, operator = test.fact("y").constant, operator_of(test.node)
    above = bound is not None and bound > least and operator is bare.GreaterThan
    if above or (bound == 0 and operator in (bare.GreaterThan, bare.NotEqual)):
        yield within(test.operands["x"], _AS_ONE)


def _is_nonnegative(fact: Fact) -> bool:
    return fact.range.nonnegative or (fact.is_any(_COUNTED) and not fact.is_any(Kind.SIGNED))


def _is_noted(value: Operand, env: Env) -> bool:
    key = _key(value)
    return key is not None and env.fact(key) is not None


def _key(value: Operand) -> str | None:
    """What made it tells it from others, also where its name is another; else its name does."""
    if (origin := value.fact.origin) is not None:
        return f"total of {origin.frame}:{id(origin.node)}"
    key = key_of(value.node)
    return None if key is None else f"total of {key}"
