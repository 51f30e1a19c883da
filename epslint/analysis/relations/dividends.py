"""Dividends: what is divided tells of the divisor.

The same value is a hazard under one dividend and none under another: `1 / probs` weighs what was
drawn, and a reward over a propensity may meet a 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import Evidence, Fact, Kind, replace
from epslint.analysis.keys import called, key_of, label_of, words_of
from epslint.analysis.made.makers import maker
from epslint.analysis.made.terms import PRODUCTS, arranged, factors, terms
from epslint.analysis.made.totals import as_counted
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.relations.counted import is_taken_where_counted
from epslint.analysis.relations.divisors import told_by_dividend
from epslint.analysis.relations.forms import is_handed
from epslint.analysis.relations.shares import kind_of_whole
from epslint.analysis.transfer.call import LOGARITHMIC, TOPIC
from epslint.analysis.words.labels import (
    tells_of_indicator,
    tells_of_reduction,
    tells_of_term_of_loss,
    tells_of_true_value,
    tells_of_weight,
)


def divided(operands: Mapping[str, Operand], env: Env, function: str) -> Mapping[str, Operand]:
    """The operands of a division in a function, with what the dividend tells of the divisor."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None or not y.fact.range.has_zero:
        return operands
    if y.fact.zero and not (total := as_counted(y.fact, env)).zero:
        return {**operands, "y": replace(y, fact=total)}
    zero = y.fact.zero
    if not zero and (kind := told_by_dividend(x, y, function)):
        known = Fact(ranges.NONNEGATIVE, kinds=kind, ground=Evidence.NAMED, zero=Evidence.NAMED)
        return {**operands, "y": replace(y, fact=_as(known, y.fact))}
    if not zero and (_is_weighted_mean(x, y, function) or _counts_the_rest(y)):
        return {**operands, "y": _with_zero(y, Evidence.NAMED)}
    vague = not zero or _is_part_of_formula(x, y)
    if vague and (kind := kind_of_whole(x, y, env)):
        return {**operands, "y": replace(y, fact=replace(y.fact.plus(kind), zero=Evidence.NAMED))}
    if _is_own_magnitude(x, y):
        zero = zero or Evidence.NAMED
    elif any(is_weak(x, y) for is_weak in _WEAK) or is_taken_where_counted(x, y.fact, env):
        zero = Evidence.NONE
    return operands if zero is y.fact.zero else {**operands, "y": _with_zero(y, zero)}


def _as(known: Fact, fact: Fact) -> Fact:
    """What is known, of this value."""
    return replace(fact, range=known.range, kinds=known.kinds, ground=known.ground, zero=known.zero)


def _with_zero(operand: Operand, zero: Evidence) -> Operand:
    return replace(operand, fact=replace(operand.fact, zero=zero))


def _is_weighted_mean(x: Operand, y: Operand, function: str) -> bool:
    """`(loss * weights).sum() / weights.sum()`, of weights that somebody else chose: all of them 0
    is a batch that does not count. And of flags, of which none may be set.
    """
    below, above = arranged(y.fact), arranged(x.fact)
    if below is None or above is None or not above.op is below.op is Op.SUM:
        return False
    weight = below.operands["x"]
    key, label = key_of(weight.node), label_of(weight.node)
    if key is None or not is_handed(weight.fact):
        return False
    if key not in {key_of(factor.node) for factor in factors(above.operands["x"])}:
        return False
    if tells_of_indicator(label):
        return True
    lost = tells_of_reduction(function) or any(map(tells_of_term_of_loss, words_of(x.node)))
    return lost and tells_of_weight(label) and not isinstance(weight.node, bare.Attribute)


def _counts_the_rest(y: Operand) -> bool:
    """`(1 - dones).sum()`: all of them may be."""
    total = arranged(y.fact)
    rest = None if total is None or total.op is not Op.SUM else arranged(total.fact("x"))
    if rest is None or rest.op is not Op.SUB or rest.fact("x").constant != 1:
        return False
    flags = rest.operands["y"]
    return tells_of_indicator(label_of(flags.node)) and not flags.fact.zero


def _marks_masked(x: Operand, y: Operand) -> bool:
    """`loss * mask / mask`: NaN where it is masked, on purpose."""
    key = key_of(y.node)
    if key is None or not y.fact.is_any(Kind.MASK):
        return False
    return any(key_of(factor.node) == key for factor in factors(x, PRODUCTS))


def _is_own_magnitude(x: Operand, y: Operand) -> bool:
    """`x / x.abs()` is a sign written out: somebody expects x on both sides of 0, and so at it."""
    op, key = maker(y.fact)
    return op is Op.ABS and key is not None and key in (key_of(x.node), maker(x.fact)[1])


def _is_part_of_formula(x: Operand, y: Operand) -> bool:
    """A magnitude of which nothing else is known, in some formula: a step, a width, a time.

    Not where one is divided by it, which is the weight of a distance, nor where it is a target's,
    which is a relative error.
    """
    if y.fact.zero is not Evidence.NAMED or y.fact.kinds & ~Kind.DRAWN != Kind.MAGNITUDE:
        return False
    if x.fact.constant is not None or _is_signed(y.fact) or maker(y.fact)[0] is Op.MEDIAN:
        return False
    if (sides := _compared(x)) and sides == _sizes_added(y):
        return False  # `|a - b| / (|a| + |b|)`: where both are 0, that is 0 / 0
    return not any(map(tells_of_true_value, words_of(y.node)))


def _is_signed(magnitude: Fact) -> bool:
    """Whether it was taken of what has both signs: it is seen to, or a product of vectors, which is
    0 where they are at right angles.
    """
    origin = magnitude.origin
    if origin is None:
        return False
    of = origin.fact("x")
    return of.is_any(Kind.SIGNED) or (origin.op is Op.ABS and maker(of)[0] is Op.DOT)


def _compared(x: Operand) -> frozenset[str | None]:
    """a and b of `2 * abs(a - b)`."""
    for factor in factors(x, _SCALING | {Op.ABS}):
        origin = arranged(factor.fact)
        if origin is not None and origin.op is Op.SUB:
            return frozenset(key_of(side.node) for side in origin.operands.values()) - {None}
    return frozenset()


def _sizes_added(y: Operand) -> frozenset[str | None]:
    """a and b of `(abs(a) + abs(b)) / 2`."""
    for factor in factors(y, _SCALING):
        sizes = [maker(term.operand.fact) for term in terms(factor)]
        if len(sizes) > 1 and all(op is Op.ABS for op, _ in sizes):
            return frozenset(key for _, key in sizes)
    return frozenset()


_SCALING = PRODUCTS | {Op.DIV}


def _is_inverse_weight(x: Operand, y: Operand) -> bool:
    """`1 / probs`: of what was drawn the probability was not 0. Propensities divide rewards."""
    if y.fact.ground is not Evidence.NAMED or not y.fact.is_any(Kind.PROB):
        return False
    return not x.fact.is_any(TOPIC | Kind.PROB)


_LEARNED_FROM = TOPIC | LOGARITHMIC | Kind.RATIO


def _is_pooling(x: Operand, y: Operand) -> bool:
    """A mean over what is not padding: only of a loss it may be that nothing is left."""
    if not y.fact.is_any(Kind.PADS) or x.fact.is_any(_LEARNED_FROM):
        return False
    return not any(map(tells_of_term_of_loss, words_of(x.node)))


def _is_written(x: Operand, y: Operand) -> bool:
    """Who writes `-ones / 0.0` wants what it gives."""
    return isinstance(y.node, bare.Integer | bare.Float)


def _is_significance(x: Operand, y: Operand) -> bool:
    """`r.mean() / r.std()`: what does not vary has no such ratio, and an epsilon would give it one.

    Nothing is normalised by it, as by `(r - r.mean()) / r.std()`, and it is one: of many features
    one may be constant.
    """
    (op, key), origin = maker(y.fact), y.fact.origin
    if op is not Op.STD or key is None or (origin is not None and "dim" in origin.operands):
        return False
    # What the mean was taken off or added to is no mean: `r -= r.mean(); r /= r.std()`.
    is_mean = x.fact.origin is not None and x.fact.origin.whole
    return is_mean and maker(x.fact) == (Op.MEAN, key)


def _is_own_share(x: Operand, y: Operand) -> bool:
    """`weights / weights.sum(-1)` of unknown weights; in a matrix of relations a row may be 0."""
    if y.fact.zero is not Evidence.NAMED:
        return False
    # A distribution that was handed over as it is: nothing of it was masked out.
    handed = y.fact.kinds == Kind.SUM | Kind.PROB and x.fact.origin is None
    if not handed and (y.fact.kinds != Kind.SUM or y.fact.range.nonnegative):
        return False
    if any(_is_mask(factor.fact) for factor in factors(x, PRODUCTS)):
        return False  # `weights * mask`: of a row nothing may be left
    key = key_of(x.node)
    return key is not None and maker(y.fact) == (Op.SUM, key) and not _RELATIONS.search(key)


def _is_mask(fact: Fact) -> bool:
    """Whether it may leave nothing of a row: of padding something is left."""
    return fact.is_any(Kind.MASK) and not fact.is_any(Kind.PEAKED | Kind.PADS)


_RELATIONS = re.compile(
    r"(^|_)(adj\w*|affinit\w+|similarit\w+|conf(usion)?(_?(mat|matrix))?|cm|contingency|"
    r"matrix|mat|graph|hist\w*|densit\w+|counts?|heat_?maps?|saliency|visits?|visitation)$"
)


def _is_coordinate(x: Operand, y: Operand) -> bool:
    """`sigmoid(boxes)[..., 2]` is a width, and as small as 0 no box is."""
    fact, node = y.fact, y.node
    if not fact.is_any(Kind.PROB) or not fact.is_any(Kind.DRAWN) or fact.is_any(Kind.SIMPLEX):
        return False
    if not isinstance(node, bare.Subscript):
        return False
    last = node.slice[-1].slice
    return isinstance(last, bare.Index) and isinstance(last.value, bare.Integer)


_AVERAGED = Kind.SUM | Kind.VAR | Kind.STD | Kind.MAGNITUDE | TOPIC


def _is_spacing(x: Operand, y: Operand) -> bool:
    """`width / (n - 1)`: a grid has two points. An average over n - 1 may have one, unless n is the
    size of what came in: nobody correlates one channel, or trains on a batch of one.

    Of groups of rewards that is not so sure, and not of a count that grows.
    """
    if not y.fact.is_any(Kind.OFFSET) or not y.fact.is_any(Kind.SHAPE):
        return False
    if y.fact.is_any(Kind.COUNT):
        return False  # where there is a mask, n is what it leaves
    if not x.fact.is_any(TOPIC) and all(map(_is_dimension, _lessened(y))):
        return True
    averages = x.fact.is_any(_AVERAGED) or maker(x.fact)[0] in _AVERAGING
    return not (averages or "sum" in words_of(x.node) or _corrects(x, y))


def _lessened(operand: Operand) -> Iterator[Operand]:
    """n of `n - 1`, and of `n * (n - 1)`."""
    origin = operand.fact.origin
    if origin is None or not operand.fact.is_any(Kind.OFFSET):
        return
    if origin.op is Op.SUB:
        yield origin.operands["x"]
    else:
        for factor in origin.operands.values():
            yield from _lessened(factor)


def _is_dimension(count: Operand) -> bool:
    """Whether it is a size as it was read, not one that is added up from call to call."""
    own = isinstance(count.node, bare.Attribute) or count.fact.is_any(Kind.RUNNING)
    return not own and maker(count.fact)[0] is not Op.ADD


def _corrects(x: Operand, y: Operand) -> bool:
    """`var * n / (n - 1)`."""
    if not isinstance(x.node, bare.BinaryOperation):
        return False
    counts = {key_of(count.node) for count in _lessened(y)} - {None}
    return not counts.isdisjoint({key_of(side) for side in (x.node.left, x.node.right)})


def _is_parallel(x: Operand, y: Operand) -> bool:
    """`hidden / tp`: the degree of tensor parallelism. Hits stand beside misses, `tp + fn`."""
    return y.fact.zero is Evidence.NAMED and called(y.node) in ("tp", "fp", "fn", "tn")


def _is_conjugate(x: Operand, y: Operand) -> bool:
    """`rest / p.dot(z)` where the rest was tested: p is 0 where that is, and nowhere else."""
    if maker(y.fact)[0] is not Op.DOT or y.fact.range.nonnegative:
        return False
    return x.fact.is_any(Kind.NORM) and not x.fact.zero


_AVERAGING = frozenset({Op.MATMUL, Op.DOT, Op.EINSUM, Op.SUM})
_WEAK = (
    _is_part_of_formula,
    _is_inverse_weight,
    _is_pooling,
    _is_own_share,
    _is_coordinate,
    _is_spacing,
    _is_written,
    _is_significance,
    _is_parallel,
    _is_conjugate,
    _marks_masked,
)
