"""Ends: what becomes of a value, followed from use to use until it is something else.

A value that is not finite does harm where something is made of it. Where it is only compared,
written down for people, capped or replaced it does none, provided that this holds of every use. So
the ledger notes each of them, also those by which a value leaves the function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from epslint.analysis import bare
from epslint.analysis.keys import called
from epslint.analysis.ops import Op

Uses = Mapping[bare.Node, Mapping[bare.Node, Op]]  # value → what it goes into, and how

# Operations that hand each element on as it is.
ARRANGING = frozenset(
    {
        *(Op.SAME, Op.PICK, Op.SORT, Op.SELECT, Op.STACK, Op.AS_TENSOR),
        *(Op.TO, Op.FLOAT, Op.DOUBLE, Op.DETACH),
    }
)
# The same, and those that average: what matters is where the value goes from there.
PASSING = ARRANGING | {Op.MEAN, Op.SUM}
# Operations that leave a number one number more or less.
SCALING = frozenset(
    {
        *(Op.ADD, Op.SUB, Op.MUL, Op.WEIGH, Op.DIV, Op.NEG),
        *(Op.CLAMP, Op.CLAMP_MIN, Op.CLAMP_MAX, Op.MAXIMUM, Op.MINIMUM, Op.MAX, Op.MIN),
    }
)
ROUNDING = frozenset({Op.ROUND, Op.INT})
# Operations on each element for itself: one that is not finite does not reach the others.
ELEMENTWISE = frozenset(
    {
        *(Op.ADD, Op.SUB, Op.MUL, Op.WEIGH, Op.DIV, Op.NEG),
        *(Op.ABS, Op.SQUARE, Op.EXP),
    }
)
# Operations of summaries, and what becomes of those that people read. What a function gives is what
# it was called for: where that is only read, so is what it was given.
SUMMARISING = ELEMENTWISE | {
    *(Op.MAX, Op.MIN, Op.MEDIAN, Op.STD, Op.VAR, Op.NAN_TO_NUM, Op.CALL),
}
_ASKING = frozenset({Op.ISNAN, Op.ISINF, Op.ISFINITE})
READING = _ASKING | {Op.COMPARE, Op.LOGICAL, Op.ITEM, Op.TO_NUMPY, Op.REPORT}
# What infinity is caught by.
CAPPING = frozenset({Op.CLAMP, Op.CLAMP_MAX, Op.MINIMUM})
# Who looks for NaN, or leaves it out, reckons with it.
MENDING = _ASKING | {Op.NAN_TO_NUM}

# What only chooses: the larger is the more probable, and -inf is never chosen.
CHOOSING = frozenset({Op.MULTINOMIAL, Op.ARGMAX})
# What leaves -inf at -inf, at a temperature and with noise added.
SCORING = ARRANGING | {Op.ADD, Op.DIV}

_FAR = 64  # uses on is too far to tell what a value was for

# Operations that look at the shape alone: `zeros_like(x)`.
_MEASURING = frozenset({Op.ZEROS, Op.ONES, Op.FULL, Op.RAND, Op.RANDN, Op.SIZE, Op.NUMEL, Op.LEN})


def ends(flow: Uses, value: bare.Node, through: frozenset[Op]) -> frozenset[Op]:
    """The operations in which a value ends, seen through others."""
    return frozenset(op for _, op in _last_uses(flow, value, through))


def ends_only(flow: Uses, value: bare.Node, through: frozenset[Op], wanted: frozenset[Op]) -> bool:
    """Whether a value is used, and in no other way: of what is not used nothing is known."""
    used = False
    for _, op in _last_uses(flow, value, through):
        if op not in wanted:
            return False  # mostly the first: nobody need look at the rest
        used = True
    return used


def is_read(flow: Uses, value: bare.Node) -> bool:
    """Whether all that is made of a value is logged or compared."""
    return ends_only(flow, value, _SUMMARISED, READING)


def is_reported(flow: Uses, value: bare.Node) -> bool:
    """The same, where `x.item()` is a number that something may be made of."""
    return ends_only(flow, value, _SUMMARISED | _AS_NUMBER, READING)


def is_capped(flow: Uses, value: bare.Node) -> bool:
    """Whether a positive value is capped before anything but reading is done with it.

    `minimum(ratio * advantage, …)` caps nothing where the advantage is negative.
    """
    used = False
    for user, op in _last_uses(flow, value, _WEIGHED):
        used = True
        if op in CAPPING or op in READING:
            continue
        if op not in SUMMARISING or not is_read(flow, user):
            return False
    return used


def is_levelled(flow: Uses, value: bare.Node) -> bool:
    """Whether a ratio is only measured in decibels: without noise its level is infinite, and who
    asks for it is to be told so.
    """
    uses = flow.get(value, {})
    return bool(uses) and all(op is Op.LOG and is_decimal(user) for user, op in uses.items())


def is_decimal(log: bare.Node) -> bool:
    return isinstance(log, bare.Call) and called(log) == "log10"


def is_cut_off(flow: Uses, value: bare.Node, far: int = 8) -> bool:
    """Whether a value is only used detached: `torch.exp(x).clamp(max=c).detach()`."""
    uses = flow.get(value)
    if not uses or not far:
        return False
    return all(op is Op.DETACH or is_cut_off(flow, user, far - 1) for user, op in uses.items())


_AS_NUMBER = frozenset({Op.ITEM, Op.TO_NUMPY})
_SUMMARISED, _WEIGHED = PASSING | SUMMARISING, PASSING | {Op.WEIGH}


def _last_uses(
    flow: Uses, value: bare.Node, through: frozenset[Op]
) -> Iterator[tuple[bare.Node, Op]]:
    seen: set[bare.Node] = set()
    waiting: list[bare.Node] = [value]
    while waiting:
        if len(seen) > _FAR:
            yield value, Op.NAME
            return
        for user, op in flow.get(waiting.pop(), {}).items():
            if op in _MEASURING or _comes_back(flow, user, op):
                continue
            if user not in flow or op not in through:
                yield user, op
            elif user not in seen:
                seen.add(user)
                waiting.append(user)


def _comes_back(flow: Uses, user: bare.Node, op: Op) -> bool:
    """Whether a value is returned by an inner function that is only called: then what becomes of
    it is noted where it is called.
    """
    return op is Op.RETURN and isinstance(user, bare.FunctionDef) and user not in flow
