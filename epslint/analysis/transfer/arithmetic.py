"""Sums, differences, products and quotients, as operators and as functions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis import ranges
from epslint.analysis.fact import DType, Evidence, Fact, Form, Kind, replace, weakest
from epslint.analysis.ops import Op
from epslint.analysis.origin import behind
from epslint.analysis.ranges import Range
from epslint.analysis.transfer.call import (
    LOGARITHMIC,
    TOPIC,
    WHOLE,
    Call,
    Transfer,
    promoted,
    result,
)
from epslint.epsilon import FLOAT32

# A product or quotient with one of these is still about the same thing: it scales, it masks, it
# averages.
_SCALES = Kind.MASK | Kind.COUNT | Kind.SHAPE | Kind.LENGTH | Kind.SUM
_DISCRETE = Kind.COUNT | Kind.SHAPE | Kind.LENGTH
# What leaves a value what it is called.
_HANDING_ON = frozenset(
    {*(Op.SAME, Op.PICK, Op.SELECT, Op.DETACH, Op.TO, Op.FLOAT), *(Op.STACK, Op.AS_TENSOR, Op.CALL)}
)


def add(call: Call) -> Fact:
    x, y = call.x, call.y
    total = x.range + y.range
    kinds = x.kinds & y.kinds
    # With one operand fixed, the sum is the other one moved: that is how `std + eps` stays a std.
    if y.constant is not None or y.is_any(Kind.EPSILON):
        kinds = _kinds_moved(x, by=y)
    elif x.constant is not None or x.is_any(Kind.EPSILON):
        kinds = _kinds_moved(y, by=x)
    elif _are_opposite(x, y):
        kinds &= LOGARITHMIC
    elif x.zero and y.zero:
        kinds = (x.kinds | y.kinds) & ~(LOGARITHMIC | WHOLE)
    kinds |= (x.kinds | y.kinds) & (TOPIC | Kind.DRAWN) & ~Kind.EPSILON
    return result(
        call,
        _whole_numbers(total, x, y),
        kinds & ~Kind.EPSILON or kinds,  # it is one if it is nothing else
        zero=_zero_of_sum(x, y),
        huge=_huge_of_sum(x, y),
    )


def _are_opposite(x: Fact, y: Fact) -> bool:
    """`-p + q` is the difference of two probabilities, and no probability."""
    lower, upper = sorted((x.range, y.range), key=lambda limits: limits.lo)
    return lower.hi <= 0 <= upper.lo and lower.lo < 0 < upper.hi


def _kinds_moved(fact: Fact, by: Fact) -> Kind:
    """What a value still is with a fixed amount added: 0 where its input is, it is no more."""
    lost = WHOLE if by.constant == 0 else WHOLE | Kind.MAGNITUDE
    return fact.kinds & ~lost


def _zero_of_sum(x: Fact, y: Fact) -> Evidence:
    if x.constant == 0:
        return y.zero
    if y.constant == 0:
        return x.zero
    if _is_masked(x) and _is_masked(y):
        return Evidence.NONE  # `a * m + b * (1 - m)`: where one is masked out, the other is not
    if x.constant is None and y.constant is None and not _are_opposite(x, y):
        return weakest(x.zero, y.zero)
    if x.is_any(Kind.OFFSET) or y.is_any(Kind.OFFSET):
        return weakest(x.zero, Evidence.PROVEN) if y.constant is not None else Evidence.NONE
    return Evidence.PROVEN if _saturate(x, y) or _saturate(y, x) else Evidence.NONE


def _is_masked(fact: Fact) -> bool:
    """A product with a mask, element by element: no sum or count over it."""
    if fact.is_any(Kind.SUM | Kind.COUNT | Kind.MEAN):
        return False
    if fact.is_any(Kind.MASK):
        return True
    origin = fact.origin  # of a signed value times a mask the kind does not tell
    factors = origin.operands.values() if origin is not None and origin.op is Op.MUL else ()
    return any(_is_masked(factor.fact) for factor in factors)


def _huge_of_sum(x: Fact, y: Fact) -> Evidence:
    if x.huge and y.huge:
        return max(x.huge, y.huge)
    bounded = x if y.huge else y
    return max(x.huge, y.huge) if bounded.range.bounded or bounded.kinds else Evidence.NONE


def sub(call: Call) -> Fact:
    x, y = call.x, call.y
    for rule in (_log_ratio, _centred, _elapsed, _complement, _saturated, _count_less_constant):
        if fact := rule(call, x, y):
            return fact
    kinds = (x.kinds | y.kinds) & (TOPIC | Kind.DRAWN)
    zero = x.zero if y.constant == 0 else Evidence.NONE
    if _saturate(y, x) or _saturate(x, y):
        zero = Evidence.PROVEN
    return result(call, _whole_numbers(x.range - y.range, x, y), kinds, zero=zero)


def _log_ratio(call: Call, x: Fact, y: Fact) -> Fact | None:
    """The difference of two log-probabilities; of two log-ratios too."""
    if not (x.is_any(LOGARITHMIC) and y.is_any(LOGARITHMIC)):
        return None
    ground = weakest(x.ground, y.ground)
    bounded = (_floored_like(x, y) - _floored_like(y, x)).without_nan()
    return result(call, bounded, Kind.LOGRATIO | Kind.SIGNED, ground=ground, huge=ground)


def _floored_like(x: Fact, other: Fact) -> Range:
    """What is known by its name alone is made as the other one is: `log(p.clamp(min=1e-20))` here
    was so when the old ones were kept.
    """
    alike = x.ground is Evidence.NAMED and other.ground is Evidence.PROVEN
    if (
        not alike
        or behind(x, _HANDING_ON) is not None
        or not (x.kinds & other.kinds & Kind.LOGPROB)
    ):
        return x.range
    met = x.range.meet(other.range)
    return x.range if met.empty else met


def _centred(call: Call, x: Fact, y: Fact) -> Fact | None:
    """`x - x.mean()` takes both signs. One number off all of it leaves it as uneven as it was."""
    if not y.is_any(Kind.MEAN) or x.is_any(Kind.MEAN):
        return None
    kept = TOPIC | Kind.DRAWN | (Kind.UNEVEN if _is_of_all(y) else Kind.NONE)
    return result(call, x.range - y.range, Kind.SIGNED | (x.kinds & kept), ground=Evidence.PROVEN)


def _is_of_all(mean: Fact) -> bool:
    """Whether it was taken of everything, not row by row."""
    origin = behind(mean, (Op.SAME, Op.ITEM, Op.DETACH, Op.TO, Op.FLOAT))
    return origin is not None and origin.op is Op.MEAN and "dim" not in origin.operands


def _elapsed(call: Call, x: Fact, y: Fact) -> Fact | None:
    """Time passes: the difference of two clock readings is positive."""
    if not (x.is_any(Kind.TIME) or y.is_any(Kind.TIME)):
        return None
    return result(call, ranges.POSITIVE, Kind.TIME)


def _complement(call: Call, x: Fact, y: Fact) -> Fact | None:
    """`1 - p` is a probability, and 0 where p is 1."""
    if x.constant != 1 or not y.is_any(Kind.PROB | Kind.MASK | Kind.HOLED):
        return None
    kept = y.kinds & (Kind.PROB | Kind.MASK | Kind.PADS)
    if y.is_any(Kind.HOLED):
        kept |= Kind.PEAKED  # beside those that are done, some are not
    zero = Evidence.NONE if _is_joint(y) else y.ground
    return result(call, x.range - y.range, kept, ground=y.ground, zero=zero)


def _is_joint(fact: Fact) -> bool:
    """A product of probabilities is 1 only where every one of them is."""
    origin = fact.origin
    factors = origin.operands.values() if origin is not None and origin.op is Op.MUL else ()
    return bool(factors) and all(
        f.fact.is_any(Kind.PROB) and not f.fact.is_any(Kind.MASK) for f in factors
    )


def _saturated(call: Call, x: Fact, y: Fact) -> Fact | None:
    """`1 - tanh(x) ** 2` is 0 where tanh is 1, which it is from 9 on in float32."""
    reached = y.range.lo >= 0 and y.range.hi == 1 and not y.range.hi_open
    if x.constant != 1 or not reached or not y.is_any(Kind.MAGNITUDE) or not y.ground:
        return None
    return result(call, x.range - y.range, ground=y.ground, zero=y.ground)


def _saturate(moved: Fact, by: Fact) -> bool:
    """`1 + tanh(x)` and `1 + erf(x)` are 0 where those are -1; `1 - tanh(x)` where they are 1."""
    made = behind(moved, _HANDING_ON)
    return abs(by.constant or 0.0) == 1 and made is not None and made.op is Op.TANH


def _count_less_constant(call: Call, x: Fact, y: Fact) -> Fact | None:
    """`n - 1` is 0 for a count of one."""
    if y.constant is None or y.constant <= 0 or not x.is_any(_DISCRETE):
        return None
    zero = max(x.ground, x.zero)
    kinds = Kind.OFFSET | (x.kinds & Kind.SHAPE)
    return result(call, _whole_numbers(x.range - y.range, x, y), kinds, zero=zero)


def mul(call: Call) -> Fact:
    x, y = call.x, call.y
    product = (x.range * y.range).without_nan() if _finite(x) and _finite(y) else x.range * y.range
    return result(
        call,
        product,
        _kinds_of_product(x, y),
        ground=_ground_of_product(x, y),
        zero=max(_zero_scaled(x, y), _zero_scaled(y, x)),
        huge=max(_huge_scaled(x, y), _huge_scaled(y, x)),
        dtype=promoted(x, y),
    )


def _zero_scaled(x: Fact, y: Fact) -> Evidence:
    """Whether x times y can be 0 because x can: not for the square in some unknown formula."""
    if x.is_any(Kind.PEAKED) and x.is_any(Kind.EXP) and not y.zero:
        return Evidence.NONE  # a weighted softmax: its largest term is the weight
    unknown = y.constant is None and not y.kinds and y.range == ranges.TOP
    if unknown and x.zero is Evidence.NAMED and x.kinds == Kind.MAGNITUDE:
        return Evidence.NONE
    return x.zero


def _ground_of_product(x: Fact, y: Fact) -> Evidence:
    if y.constant is not None:
        return x.ground
    return y.ground if x.constant is not None else max(x.ground, y.ground)


def _finite(fact: Fact) -> bool:
    return not fact.range.nan


def _kinds_of_product(x: Fact, y: Fact) -> Kind:
    if y.constant is not None and y.constant != 0:
        return _kinds_scaled(x, by=y)
    if x.constant is not None and x.constant != 0:
        return _kinds_scaled(y, by=x)
    kinds = (x.kinds | y.kinds) & (TOPIC | Kind.LOGRATIO | Kind.SIGNED)
    if x.is_any(_SCALES):
        kinds |= y.kinds & LOGARITHMIC
    if y.is_any(_SCALES):
        kinds |= x.kinds & LOGARITHMIC
    kinds |= (x.kinds if x.zero else Kind.NONE) | (y.kinds if y.zero else Kind.NONE)
    if _leaves_some(x, y) or _leaves_some(y, x):
        return (kinds | Kind.DRAWN) & ~(WHOLE | Kind.MASK | Kind.SIGNED)
    if (x.kinds | y.kinds) & Kind.DRAWN:
        kept = all(map(_keeps_drawn, (x, y)))
        kinds = kinds | Kind.DRAWN if kept else kinds & ~Kind.DRAWN
    if not x.kinds & y.kinds & Kind.MASK:
        kinds &= ~Kind.MASK  # what is masked is no mask, and its sum is no count
    kinds &= ~(WHOLE | Kind.SIGNED if not (x.kinds & y.kinds & Kind.SIGNED) else WHOLE)
    return kinds | (_kinds_scaled(x, by=y) | _kinds_scaled(y, by=x)) & Kind.SHIFTED


def _leaves_some(x: Fact, mask: Fact) -> bool:
    """`exp(w) * eye`: in every row there is one exponential that is left."""
    return x.is_any(Kind.EXP) and not x.zero and mask.is_any(Kind.PEAKED)


def _kinds_scaled(fact: Fact, by: Fact) -> Kind:
    """What is shifted below its maximum stays so under a temperature, a positive number; so is one
    that is learned, from where it starts.
    """
    setting = by.range == ranges.TOP and not by.kinds and not by.form.tensor
    setting = setting or (by.is_any(Kind.PARAMETER) and not by.zero)
    return fact.kinds & ~(WHOLE & ~Kind.SHIFTED if by.range.positive or setting else WHOLE)


def _keeps_drawn(factor: Fact) -> bool:
    """Whether what is drawn is as a whole no more 0 with this factor than without."""
    scales = factor.form is Form.NUMBER or not factor.range.has_zero
    return factor.is_any(Kind.DRAWN) or (scales and not factor.zero)


def _huge_scaled(x: Fact, y: Fact) -> Evidence:
    """Whether x times y can be huge because x can."""
    if y.constant is not None and y.constant < 0:
        return _huge_below(x)
    # A mask or a positive scale leaves it huge; so does an unknown one, of a log-ratio at least.
    return (x.huge or _capped_too_high(x)) if y.range.hi > 0 else Evidence.NONE


def _capped_too_high(x: Fact) -> Evidence:
    """`advantage.clamp(max=100)` is more than an exp can take, and more so times a temperature."""
    limit = (x.dtype.precision or FLOAT32).exp_limit
    too_high = x.is_any(Kind.LOGRATIO | Kind.ADVANTAGE) and limit < x.range.hi < ranges.INF
    return x.ground if too_high else Evidence.NONE


def _huge_below(x: Fact) -> Evidence:
    """Whether minus x can be huge: a policy drifts either way, and a scale that is learned shrinks
    as well as it grows.
    """
    if x.range.lo > -ranges.INF:
        return Evidence.NONE
    if x.is_any(Kind.LOGRATIO | Kind.LOGSCALE):
        return x.huge or x.ground
    return x.huge if x.is_any(Kind.PARAMETER) else Evidence.NONE


def div(call: Call) -> Fact:
    x, y = call.x, call.y
    if x.is_any(Kind.PROB) and y.is_any(Kind.PROB):
        ground = weakest(x.ground, y.ground)
        limits = ranges.NONNEGATIVE if x.range.has_zero else ranges.POSITIVE
        return result(call, limits, Kind.RATIO, ground=ground, zero=x.zero, huge=ground)
    kinds = x.kinds & (TOPIC | Kind.LOGRATIO | Kind.SIGNED)
    if y.constant is not None or y.is_any(_SCALES):
        kinds = x.kinds & ~WHOLE
    kinds |= _kinds_scaled(x, by=y) & Kind.SHIFTED
    if x.is_any(Kind.SUM | Kind.COUNT) and y.is_any(_DISCRETE):
        kinds = (kinds & ~(Kind.SUM | Kind.COUNT)) | Kind.MEAN
    # A log-ratio over a temperature of which nothing is known is as huge as before.
    tempered = x.is_any(Kind.LOGRATIO | Kind.ADVANTAGE) and not y.kinds
    scaled = y.range.positive or y.is_any(_SCALES) or tempered
    huge = _huge_scaled(x, y) if scaled else Evidence.NONE
    # That a total starts at 0 is said where it divides; an average of it is asked for later.
    zero = Evidence.NONE if x.is_any(Kind.RUNNING) else x.zero
    fact = result(call, x.range / y.range, kinds, ground=x.ground, zero=zero, huge=huge)
    if fact.dtype.discrete:
        fact = replace(fact, dtype=DType.UNKNOWN)
    return fact


def floor_div(call: Call) -> Fact:
    quotient = call.x.range / call.y.range
    floored = quotient.monotone(_floor, exact=False)
    return result(call, floored, call.x.kinds & Kind.SHAPE, zero=call.x.zero, dtype=DType.INT)


def _floor(value: float) -> float:
    return value if math.isinf(value) else float(math.floor(value))


def mod(call: Call) -> Fact:
    largest = call.y.range.hi
    if not call.y.range.positive or math.isinf(largest):
        return result(call)
    # `%` takes the sign of the divisor, `fmod` that of the dividend.
    if call.x.range.nonnegative:
        return result(call, Range(0.0, largest, hi_open=True))
    return result(call, Range(-largest, largest, lo_open=True, hi_open=True))


def neg(call: Call) -> Fact:
    x = call.x
    kept, huge = x.kinds & ~WHOLE, _huge_below(x)
    return result(call, -x.range, kept, ground=x.ground, zero=x.zero, huge=huge, dtype=x.dtype)


def product_of_tensors(call: Call) -> Fact:
    x, y = call.x, call.y
    if x.range.nonnegative and y.range.nonnegative:
        # Sums of squares and magnitudes are 0 where those are: see `reductions.sum_`.
        weights = all(f.is_any(Kind.MAGNITUDE) or not f.range.has_zero for f in (x, y))
        magnitude = (x.kinds | y.kinds) & Kind.MAGNITUDE if weights else Kind.NONE
        zero = max(x.zero, y.zero, Evidence.NAMED if magnitude else Evidence.NONE)
        return result(call, ranges.NONNEGATIVE, Kind.SUM | magnitude, zero=zero)
    if x.is_any(Kind.UNIT) and y.is_any(Kind.UNIT):
        return result(call, ranges.COSINE)
    return result(call, kinds=(x.kinds & y.kinds) & TOPIC)


def einsum(call: Call) -> Fact:
    """Sums of products; of one tensor alone sums, or the tensor rearranged."""
    x = call.x
    if call.get("y") is None and x.range.nonnegative:
        summed = Kind.COUNT if x.is_any(Kind.MASK) else Kind.SUM
        return result(call, ranges.NONNEGATIVE, (x.kinds & TOPIC) | summed, zero=x.zero)
    return product_of_tensors(call)


def divide_no_nan(call: Call) -> Fact:
    return result(call, (call.x.range / call.y.range).without_nan().join(ranges.point(0.0)))


def _whole_numbers(range_: Range, *facts: Fact) -> Range:
    """The range of an integer result: `> 0` means `≥ 1`."""
    return ranges.next_whole(range_) if all(fact.whole for fact in facts) else range_


TABLE: Mapping[Op, Transfer] = MappingProxyType(
    {
        Op.ADD: add,
        Op.SUB: sub,
        Op.MUL: mul,
        Op.DIV: div,
        Op.FLOORDIV: floor_div,
        Op.MOD: mod,
        Op.NEG: neg,
        Op.MATMUL: product_of_tensors,
        Op.DOT: product_of_tensors,
        Op.EINSUM: einsum,
        Op.DIVIDE_NO_NAN: divide_no_nan,
    }
)
