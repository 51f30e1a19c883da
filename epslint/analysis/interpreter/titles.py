"""Titles: what the name that a value is given adds to what is known of it."""

from __future__ import annotations

import re

from epslint.analysis import ranges
from epslint.analysis.fact import UNKNOWN, Evidence, Fact, Form, Kind, replace
from epslint.analysis.made.makers import is_ceiling
from epslint.analysis.ops import Op
from epslint.analysis.words import names

_DIVISORS = re.compile(r"(^|_)(den|denom|denominator|divisor|dof|ddof|df|correction|m1|minus)(_|$)")
_NAMED = Evidence.NAMED
_LOGARITHMS = Kind.LOGPROB | Kind.LOGRATIO


def titled(path: str, fact: Fact) -> Fact:
    """A value under a name."""
    return _as_size(path, _named_if_unknown(path, fact))


def was_guarded(before: Fact, now: Fact) -> bool:
    """Whether what went by a name had a floor, and was of the sort that the name says it is now."""
    floored = before.range.lo > 0 and before.constant is None
    return floored and bool(before.kinds & now.kinds)


def _as_size(path: str, fact: Fact) -> Fact:
    """`length = x.shape[1] - 1`: with a name of its own it is a size again, not a correction."""
    origin = fact.origin
    if not fact.is_any(Kind.OFFSET) or origin is None or origin.op is not Op.SUB:
        return fact
    whole = origin.operands["x"].fact
    if not whole.is_any(Kind.SHAPE) or whole.zero or _DIVISORS.search(path):
        return fact
    return replace(fact, kinds=(fact.kinds & ~Kind.OFFSET) | Kind.SHAPE, zero=Evidence.NONE)


def _is_anything(fact: Fact) -> bool:
    """Whether a value was made by operations that leave nothing to be known of it."""
    silent = fact.origin is not None and not fact.kinds & ~Kind.DRAWN
    return silent and fact.range.lo == -ranges.INF and fact.range.hi == ranges.INF


def _named_if_unknown(path: str, fact: Fact) -> Fact:
    """A name speaks only where nothing else does, and before the name of a function."""
    told = names.named(path.rpartition(".")[2])
    if fact.ground is Evidence.NAMED and fact.origin is None and _is_log_of(told, fact):
        return told  # `lprobs = model.get_normalized_probs(x)`
    if fact.grad and not told.grad and fact.is_any(Kind.LOGPROB) and told.is_any(Kind.LOGPROB):
        return replace(fact, grad=False)  # `old_logps = torch.cat(logps)`: they are held fixed
    if fact.ground or fact.kinds & ~Kind.DRAWN or fact.range != ranges.TOP:
        # `log_probs = self._log_prob(actions, mu, var)`: a density by hand, of either sign.
        by_hand = told.is_any(_LOGARITHMS) and _is_anything(fact)
        return replace(fact, kinds=told.kinds, ground=_NAMED, huge=told.huge) if by_hand else fact
    if told is UNKNOWN or fact.form is Form.OTHER:
        return fact
    if told.is_any(Kind.PROB) and _has_epsilon(fact):
        told = replace(told, zero=Evidence.NONE)  # `prob = outputs[0] + eps`
    return replace(
        told,
        huge=Evidence.NONE
        if is_ceiling(fact.origin)
        else told.huge,  # `log_std = clip(x, *limits)`
        dtype=fact.dtype,
        form=fact.form,
        grad=fact.grad and told.grad,
        size=fact.size,
        parts=fact.parts,
        origin=fact.origin,
        elsewhere=fact.elsewhere,
    )


def _has_epsilon(fact: Fact) -> bool:
    origin = fact.origin
    added = () if origin is None or origin.op is not Op.ADD else origin.operands.values()
    return any(operand.fact.is_any(Kind.EPSILON) for operand in added)


def _is_log_of(told: Fact, fact: Fact) -> bool:
    return told.is_any(Kind.LOGPROB) and fact.is_any(Kind.PROB)
