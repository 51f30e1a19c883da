"""Filters: masks that always leave the largest of what they filter, so that it can be normalised
again: top-k, top-p, a threshold below every maximum, and what was struck out before a softmax.
"""

from __future__ import annotations

from collections.abc import Mapping

from epslint.analysis import bare, ranges
from epslint.analysis.fact import Evidence, Fact, Kind, replace
from epslint.analysis.keys import key_of
from epslint.analysis.made.makers import AS_NUMBERS, maker, whole_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind, layers
from epslint.analysis.words.operators import BELOW, MIRRORED, OPPOSITE, Comparing, operator_of

_LARGEST_KNOWN = Kind.PEAKED | Kind.SIMPLEX


def product(operands: Mapping[str, Operand]) -> Fact | None:
    """`probs * (probs >= kth)`."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None:
        return None
    if y.fact.is_any(Kind.MASK):
        return filtered(x, y)
    return filtered(y, x) if x.fact.is_any(Kind.MASK) else None


def kept_where(test: Operand, met: Operand, unmet: Operand) -> Fact | None:
    """`where(probs >= kth, probs, 0)`."""
    if unmet.fact.constant == 0:
        return filtered(met, test)
    return filtered(unmet, test, truth=False) if met.fact.constant == 0 else None


def filtered(value: Operand, mask: Operand, *, truth: bool = True) -> Fact | None:
    """A value that is 0 where the mask is not `truth`; None if the mask may leave nothing of it."""
    fact = value.fact
    if not fact.range.nonnegative:
        return None
    test, truth = _bare(mask, truth)
    if not (_leaves_largest(value, test, truth) or _was_struck(fact, test, truth)):
        return None
    # By meaning: who keeps the most probable of what is called probabilities has a distribution.
    kinds = fact.kinds | (Kind.SIMPLEX if fact.is_any(Kind.PROB) else Kind.NONE)
    zero = Evidence.PROVEN if kinds & _LARGEST_KNOWN else fact.zero
    return replace(fact, range=fact.range.join(ranges.point(0.0)), kinds=kinds, zero=zero)


# -- which test is it ------------------------------------------------------------------------


def is_absence(mask: Operand) -> bool:
    """Whether it is what a mask does not let through: `~mask`, `mask == 0`. A count is no mask."""
    test, holds = _bare(mask, truth=True)
    return not holds and test.fact.is_any(Kind.MASK) and not test.fact.is_any(Kind.COUNT)


def _bare(mask: Operand, truth: bool) -> tuple[Operand, bool]:
    """The test behind `(~test).float()`, `1 - test`, `test == 0`, and whether it is to hold."""
    while (origin := mask.fact.origin) is not None:
        inner, turned = _inside(origin)
        if inner is None:
            break
        mask, truth = inner, truth != turned
    return mask, truth


def _inside(origin: Origin) -> tuple[Operand | None, bool]:
    x, y = origin.operands.get("x"), origin.operands.get("y")
    if x is None or origin.op in AS_NUMBERS:
        return x, False
    if origin.op is Op.LOGICAL and y is None:
        return x, True
    if origin.op is Op.SUB and x.fact.constant == 1:
        return y, True
    if origin.op is Op.COMPARE and y is not None and x.fact.is_any(Kind.MASK):
        equal = operator_of(origin.node) in (bare.Equal, bare.NotEqual)
        if equal and y.fact.constant in (0.0, 1.0):
            return x, (operator_of(origin.node) is bare.Equal) == (y.fact.constant == 0)
    return None, False


# -- tests that hold of the largest ----------------------------------------------------------


def _leaves_largest(copy: Operand, test: Operand, truth: bool) -> bool:
    """Whether a test of a value, or of what it is a copy of, holds of its largest element."""
    return any(_holds_there(value, test, truth) for value in layers(copy, _COPYING))


_COPYING = frozenset({Op.SAME, Op.DETACH})


def _holds_there(value: Operand, test: Operand, truth: bool) -> bool:
    origin, key = test.fact.origin, key_of(value.node)
    if origin is None or origin.op is not Op.COMPARE or key is None:
        return False
    left, right, operator = (
        origin.operands.get("x"),
        origin.operands.get("y"),
        operator_of(origin.node),
    )
    if left is None or right is None or operator is None:
        return False
    holding = operator if truth else OPPOSITE[operator]
    return _holds_of_largest(value, key, left, holding, right) or _holds_of_largest(
        value, key, right, MIRRORED[holding], left
    )


def _holds_of_largest(
    value: Operand, key: str, left: Operand, operator: Comparing, right: Operand
) -> bool:
    if operator in BELOW:
        return _is_mass_before(left, key)
    if key_of(left.node) != key or not _is_same(left, value):
        return False
    if operator is bare.GreaterThanEqual and (whole := whole_of(right, key)) is not None:
        return _is_same(whole, value)  # not less than the k-th largest; more than it may be none
    above = operator in (bare.GreaterThan, bare.GreaterThanEqual)
    return above and right.fact.range.hi < _least_maximum(value.fact)


def _is_same(earlier: Operand, value: Operand) -> bool:
    """Whether a name meant the same value then as it does now."""
    return earlier.fact.origin is value.fact.origin


def _is_mass_before(left: Operand, key: str) -> bool:
    """`probs.cumsum(-1) - probs`: before the first of them there is none, whatever p is."""
    origin = left.fact.origin
    if origin is None or origin.op is not Op.SUB:
        return False
    own = key_of(origin.operands["y"].node) == key
    return own and maker(origin.operands["x"].fact) == (Op.CUMSUM, key)


def _least_maximum(fact: Fact) -> float:
    """Below this the largest element is not: of a million probabilities one is a millionth."""
    if fact.is_any(Kind.PEAKED):
        return 1.0
    return 1e-6 if fact.is_any(Kind.SIMPLEX | Kind.PROB) else 0.0


def prunes(node: bare.BaseExpression, mask: Operand, *, truth: bool) -> bool:
    """Whether a mask that is `truth` leaves all of a value but what is next to nothing: `w > 1e-8`.

    More than 0 may be nothing of it; who prunes by a threshold knows what he has.
    """
    test, truth = _bare(mask, truth)
    origin, key = test.fact.origin, key_of(node)
    operator = None if origin is None or origin.op is not Op.COMPARE else operator_of(origin.node)
    if origin is None or operator is None or key is None or "y" not in origin.operands:
        return False
    holding, bound = operator if truth else OPPOSITE[operator], origin.fact("y")
    above = holding in (bare.GreaterThan, bare.GreaterThanEqual)
    tiny = bound.is_any(Kind.EPSILON) and bound.range.lo >= 0
    return above and tiny and key_of(origin.operands["x"].node) == key


# -- what was nothing already ----------------------------------------------------------------

_NORMALISING = frozenset({Op.SOFTMAX, Op.LOG_SOFTMAX, Op.EXP, Op.EXP2, Op.SUB})
_SEEN_THROUGH = _NORMALISING | AS_NUMBERS | {Op.MUL, Op.DIV}


def _was_struck(fact: Fact, test: Operand, truth: bool) -> bool:
    """Whether the mask makes 0 what was −∞ before a softmax, and so is 0 anyway. Where nothing was
    left the softmax is NaN, not 0. (A large negative number in place of −∞ would be another thing.)
    """
    origin = behind(fact, _SEEN_THROUGH) if fact.is_any(_LARGEST_KNOWN) else None
    striking = None if origin is None else _struck_by(origin)
    if striking is None:
        return False
    (mask, kept), key = _bare(*striking), key_of(test.node)
    return kept == truth and key is not None and key_of(mask.node) == key


def _struck_by(origin: Origin) -> tuple[Operand, bool] | None:
    """The mask whose elements, where it is not so, were given −∞."""
    given = origin.operands
    if origin.op is Op.WHERE:
        mask, truth, filling = given.get("cond"), True, given.get("y")
        if filling is not None and filling.fact.constant != -ranges.INF:
            truth, filling = False, given.get("x")
    elif origin.op is Op.MASKED_FILL:
        mask, truth, filling = given.get("mask"), False, given.get("value")
    elif origin.op is Op.LOAD:
        mask, truth, filling = given.get("mask"), True, given.get("other")
    else:
        return None
    struck = filling is not None and filling.fact.constant == -ranges.INF
    return (mask, truth) if mask is not None and struck else None
