"""Indicators: values that say whether something holds, as 0 and 1, and what they pick out.

Of an indicator there is nothing to learn but 0 and -inf: its log is a support, not an accident.
"""

from __future__ import annotations

import re

from epslint.analysis.fact import Fact
from epslint.analysis.made.makers import AS_NUMBERS
from epslint.analysis.ops import Op
from epslint.analysis.origin import Origin, behind
from epslint.analysis.words.names import snake

_ARRANGING = AS_NUMBERS | {Op.PICK, Op.SORT, Op.DETACH, Op.SELECT}
_ASKING = frozenset({Op.COMPARE, Op.LOGICAL, Op.ISNAN, Op.ISINF, Op.ISFINITE})
# What is made of answers is an answer: whether all of them hold, or any.
_CONNECTING = frozenset({Op.ALL, Op.ANY, Op.MIN, Op.MAX, Op.PROD})
_FAR = 6  # connectives deep is far enough


def is_indicator(fact: Fact, far: int = _FAR) -> bool:
    """`x == atom`, `inside.all(-1).float()`, `where(inside, 1.0, 0.0)`, and products of such."""
    origin = behind(fact, _ARRANGING)
    if origin is None or not far:
        return False
    if origin.op in _ASKING:
        return True
    if origin.op is Op.WHERE:
        return {origin.fact("x").constant, origin.fact("y").constant} == {0.0, 1.0}
    if origin.op in _CONNECTING:
        return is_indicator(origin.fact("x"), far - 1)
    both = (origin.fact("x"), origin.fact("y"))
    return origin.op is Op.MUL and all(is_indicator(each, far - 1) for each in both)


def is_picked_out(fact: Fact) -> bool:
    """Whether a value is 0 where an indicator says so: `where(outside, 0.0, density)`,
    `(probs * (samples == value)).sum()`.
    """
    origin = behind(fact, _ARRANGING | {Op.SUM})
    if origin is None:
        return False
    if origin.op is Op.WHERE:
        return 0.0 in (origin.fact("x").constant, origin.fact("y").constant)
    return origin.op is Op.MUL and _has_indicator(origin)


def _has_indicator(product: Origin) -> bool:
    return any(is_indicator(factor.fact) for factor in product.operands.values())


_LOG_DENSITY = re.compile(
    r"^_*(unnormali[sz]ed_)?(log_(prob|prob_fn|density|pdf|pmf)|logp|logpdf)$"
)


def tells_of_log_density(function: str) -> bool:
    """Whether a method of this name gives log-probabilities of any value it is asked about."""
    return _LOG_DENSITY.search(function) is not None


_JACOBIAN = re.compile(r"(^|_)(jacobian|ladj|log_(abs_)?det(_jac)?|logdet)(_|$)")


def tells_of_jacobian(function: str) -> bool:
    """Whether it is by how much a change of variables stretches: not at all, where it ends."""
    return _JACOBIAN.search(snake(function)) is not None
