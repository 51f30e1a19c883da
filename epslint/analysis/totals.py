"""Totals: that something of a value is above 0 says that its sum is, if nothing of it is below.

`if (n > 0).sum() > 0:` guards a division by `n.sum()`, whatever the two are called, and also where
a helper made both.
"""

from __future__ import annotations

import libcst as cst

from epslint.analysis import ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import Fact, Kind
from epslint.analysis.keys import key_of, roots_of
from epslint.analysis.makers import AS_NUMBERS
from epslint.analysis.operators import operator_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind

_AS_ONE = AS_NUMBERS | {Op.ITEM, Op.DETACH, Op.TO_NUMPY}
_COUNTING = frozenset({Op.SUM, Op.ANY, Op.COUNT_NONZERO})
_ADDING = frozenset({Op.SUM, Op.MAX})
_COUNTED = Kind.COUNT | Kind.MASK | Kind.LENGTH | Kind.SUM  # not negative by meaning


def note_counted(count: Fact, env: Env) -> None:
    """A count of what is above 0 is not 0: note it of what was counted."""
    found = behind(count, _AS_ONE)
    test = None if found is None or found.op not in _COUNTING else behind(found.fact("x"), _AS_ONE)
    if test is None or test.op is not Op.COMPARE:
        return
    value = _above_zero(test)
    if value is not None and (key := _key(value)) is not None:
        env.refine(key, Fact(ranges.POSITIVE), roots_of(value.node))


def as_counted(total: Fact, env: Env) -> Fact:
    """A total, with what was noted of what it is the total of."""
    origin = behind(total, _AS_ONE)
    if origin is None or origin.op not in _ADDING or "dim" in origin.operands:
        return total
    value = origin.operands.get("x")
    key = None if value is None else _key(value)
    return total if key is None or env.fact(key) is None else total.within(ranges.POSITIVE)


def _above_zero(test: Origin) -> Operand | None:
    """x of `x > 0` and of `x != 0`, of which nothing is below."""
    x, bound = test.operands.get("x"), test.fact("y").constant
    if x is None or bound is None or bound < 0:
        return None
    operator = operator_of(test.node)
    above = operator is cst.GreaterThan or (operator is cst.NotEqual and bound == 0)
    counted = x.fact.is_any(_COUNTED) and not x.fact.is_any(Kind.SIGNED)
    return x if above and (counted or x.fact.range.nonnegative) else None


def _key(value: Operand) -> str | None:
    """What made it tells it from others, also where its name is another; else its name does."""
    if value.fact.origin is not None:
        return f"total of {id(value.fact.origin)}"
    key = key_of(value.node)
    return None if key is None else f"total of {key}"
