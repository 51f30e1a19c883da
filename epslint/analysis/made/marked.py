"""Marked zeros: a value and a mask of where it is 0, which together are not."""

from __future__ import annotations

from epslint.analysis import bare
from epslint.analysis.fact import Fact, replace
from epslint.analysis.keys import key_of
from epslint.analysis.made.makers import AS_NUMBERS, is_one
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.words.operators import BELOW, MIRRORED, operator_of

_AS_NUMBERS = AS_NUMBERS | {Op.DETACH}


def with_marked_zeros(value: Operand, mask: Operand) -> Fact | None:
    """`n + (n == 0)` is n where n is not 0, and 1 where it is; so is `n + (n < 1e-6)` of what is
    not negative, and with something else than 1 `n + eps * (n == 0)`.
    """
    if not _marks_zeros(*_unscaled(mask), value):
        return None
    return replace(value.fact, range=value.fact.range.without_zero())


def _unscaled(mask: Operand) -> tuple[Operand, bool]:
    """`n == 0` of `1e-6 * (n == 0)` and of `(n == 0).float()`; whether it is written here."""
    inline = True
    while (origin := mask.fact.origin) is not None:
        inline = inline and origin.node is mask.node
        if origin.op in _AS_NUMBERS and "x" in origin.operands:
            mask = origin.operands["x"]
            continue
        factors = [o for o in origin.operands.values() if not o.fact.range.positive]
        if origin.op is not Op.MUL or len(factors) != 1:
            break
        (mask,) = factors
    return mask, inline


def _marks_zeros(mask: Operand, inline: bool, value: Operand) -> bool:
    origin = mask.fact.origin
    if origin is None:
        return False
    x, y = origin.operands.get("x"), origin.operands.get("y")
    if origin.op is Op.LOGICAL and x is not None and y is None:  # `~d.bool()`, `logical_not(d)`
        behind = x.fact.origin
        if behind is not None and behind.op is Op.BOOL:
            x = behind.operands["x"]
        return _is_same(x, value, inline)
    operator = operator_of(origin.node)
    if x is None or y is None or operator is None:
        return False
    if _is_same(y, value, inline):
        x, y, operator = y, x, MIRRORED[operator]
    if not _is_same(x, value, inline) or (bound := y.fact.constant) is None:
        return False
    if operator is bare.Equal:
        return bound == 0
    reaches = bound > 0 or (bound == 0 and operator is bare.LessThanEqual)
    return operator in BELOW and reaches and value.fact.range.nonnegative


def _is_same(x: Operand, y: Operand, inline: bool) -> bool:
    """Whether two operands are one value: made by one operation, or called the same at once; or,
    where nobody knows what made it, called the same and known as the same.
    """
    if is_one(x.fact, y.fact):
        return True
    key = key_of(x.node)
    same = inline or (x.fact is y.fact and x.fact.origin is None)
    return same and key is not None and key == key_of(y.node)
