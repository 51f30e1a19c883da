"""Operations that make one number of many: sums, counts, spreads, extremes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis import ranges
from epslint.analysis.fact import DType, Evidence, Fact, Form, Kind, replace
from epslint.analysis.ops import Op
from epslint.analysis.origin import Origin, behind
from epslint.analysis.ranges import Range
from epslint.analysis.transfer.bounds import larger, smaller
from epslint.analysis.transfer.call import LOGARITHMIC, TOPIC, WHOLE, Call, Transfer, result

_SUMMED = TOPIC | LOGARITHMIC | Kind.MASK | Kind.PROB | Kind.SIGNED | Kind.MAGNITUDE
_SUMMED |= Kind.VAR | Kind.CANCELLED | Kind.DRAWN | Kind.PADS
_UNITARY = Kind.PEAKED | Kind.SIMPLEX  # a sum of these is 1 at the least


def sum_(call: Call) -> Fact:
    x = call.x
    kinds = (x.kinds & _SUMMED) | (Kind.COUNT if _counts(x) else Kind.SUM)
    if x.is_any(Kind.SHAPE | Kind.LENGTH) and not x.zero:
        kinds |= Kind.SHAPE
    # Along a dimension there are fewer terms than elements.
    terms = x if call.get("dim") is None else replace(x, size=x.size.join(ranges.SOME))
    range_ = _range_of_sum(terms)
    if x.range.nonnegative and _along_rows(call):
        range_ = range_.meet(ranges.POSITIVE)
    if (start := call.get("start")) is not None:
        range_ += start.range
    return result(
        call,
        range_,
        kinds,
        ground=max(x.ground, Evidence.NAMED),
        zero=_unless_drawn(_zero_of_sum(_in_total(call), call.form, many=_are_many(call)), x),
        huge=x.huge,
        dtype=DType.INT if x.dtype.discrete else x.dtype,
    )


def _counts(x: Fact) -> bool:
    """Whether a sum says how many there are: of truths, or of a 1 for each."""
    each = x.dtype is DType.INT and x.constant == 1.0
    return each or x.dtype is DType.BOOL or x.is_any(Kind.MASK)


def _range_of_sum(x: Fact) -> Range:
    if x.is_any(_UNITARY):
        return ranges.at_least(1.0) if x.is_any(Kind.PEAKED) else ranges.POSITIVE
    if x.range.nonnegative:
        if x.can_be_empty:
            return ranges.NONNEGATIVE
        # Partial sums only grow: a sum is at least its least element times the least size.
        return Range(x.range.lo * max(x.size.lo, 1.0), ranges.INF, x.range.lo_open)
    if x.range.hi <= 0:
        hi = 0.0 if x.can_be_empty else x.range.hi
        return Range(-ranges.INF, hi, hi_open=x.range.hi_open and not x.can_be_empty)
    return replace(ranges.REAL, nan=x.range.nan)


def _are_many(call: Call) -> bool:
    """Whether there is one result for each row."""
    return call.get("dim") is not None


def _in_total(call: Call) -> Fact:
    """Sums of which the sum or the mean is taken are 0 when all of them are: one is not enough."""
    x, made = call.x, behind(call.x, (Op.SAME,))
    if _are_many(call) or made is None or not _is_of_parts(x, made):
        return x
    inner = made.fact("x")
    return replace(x, zero=_zero_of_sum(inner, inner.form, many=False))


def _is_of_parts(x: Fact, made: Origin) -> bool:
    """Whether it was summed by rows or by groups: one of them may well be empty, but not all."""
    if made.op is Op.SCATTER_SUM:
        return "x" in made.operands
    return made.op is Op.SUM and "dim" in made.operands and x.zero is Evidence.NAMED


def _unless_drawn(zero: Evidence, x: Fact) -> Evidence:
    """What is drawn from a continuous distribution adds up to 0 with probability 0."""
    return Evidence.NONE if x.is_any(Kind.DRAWN) and not x.can_be_empty else zero


def _along_rows(call: Call) -> bool:
    """Whether each row gives a number of its own, and in each something is not 0."""
    x = call.x
    if not x.is_any(Kind.NONZERO) or call.get("y") is not None:  # cdist, hypot
        return False
    return call.get("dim") is not None or not x.can_be_empty


def _zero_of_sum(x: Fact, form: Form, *, many: bool) -> Evidence:
    if x.can_be_empty:
        return Evidence.PROVEN
    if x.zero or form is Form.NUMBER or x.form is Form.LIST or x.is_any(Kind.PARAMETER):
        return x.zero  # numbers gathered over a loop are taken to be some, and so are weights
    if x.range.nonnegative and not x.is_any(Kind.MAGNITUDE):
        return Evidence.NONE  # exps, say: for a sum of 0 every one of them must underflow
    # Of a total of unknown things nothing is known. But where there are many sums, over the rows of
    # an adjacency or a confusion matrix, one of them is soon 0.
    known = x.kinds or x.range.nonnegative
    return Evidence.NAMED if known or many else Evidence.NONE


def mean(call: Call) -> Fact:
    x = call.x
    kinds = (x.kinds & (_SUMMED | Kind.SHAPE)) | Kind.MEAN
    range_ = replace(x.range, holed=False, nan=x.range.nan or x.can_be_empty)
    if x.is_any(Kind.PEAKED):  # one of them is 1
        range_ = range_.meet(ranges.POSITIVE)
    # Of the mean of unknown things nothing is known: weights and sizes have means too.
    unclear = x.is_any(Kind.MAGNITUDE | Kind.SIGNED | TOPIC)
    shown = _in_total(call).zero or (Evidence.NAMED if unclear else Evidence.NONE)
    zero = Evidence.NONE if _is_of_sizes(call) else _unless_drawn(shown, x)
    if _are_many(call) and _is_square_of_features(x):
        zero = Evidence.NAMED
    return result(call, range_, kinds, ground=max(x.ground, Evidence.NAMED), zero=zero, huge=x.huge)


def _is_square_of_features(x: Fact) -> bool:
    """`x.pow(2)` of what a network gives, of which a row of padding is 0: who takes the mean of it
    normalises by hand.
    """
    made = behind(x, (Op.SAME,))
    squared = made is not None and made.op in (Op.POW, Op.SQUARE, Op.MUL)
    return squared and x.is_any(Kind.MAGNITUDE) and x.is_any(Kind.DRAWN) and not x.is_random


def _is_of_sizes(call: Call) -> bool:
    """`x.abs().mean()` over all of an x that nothing is known of: how large its elements are is not
    asked of what is 0 everywhere.
    """
    made = call.x.origin
    if _are_many(call) or made is None or made.op is not Op.ABS:
        return False
    measured = made.fact("x")
    return measured.origin is None and not measured.kinds and not measured.ground


def median(call: Call) -> Fact:
    x = call.x
    range_ = replace(x.range, holed=False)  # of an even number it is between two elements
    return result(call, range_, x.kinds & ~WHOLE, ground=x.ground, zero=x.zero)


def spread(kind: Kind) -> Transfer:
    """A statistic that is 0 when all elements are equal."""

    def transfer(call: Call) -> Fact:
        x = call.x
        equal = _are_many(call) or not x.is_any(Kind.UNEVEN)
        nan = x.range.nan or x.size.contains(1.0) or x.can_be_empty
        return result(
            call,
            replace(ranges.NONNEGATIVE, nan=nan),
            kind | (x.kinds & (TOPIC | Kind.DRAWN)),
            ground=Evidence.PROVEN,
            zero=_zero_of_spread(call) if equal else Evidence.NONE,
        )

    return transfer


def _zero_of_spread(call: Call) -> Evidence:
    """What a network gives is not the same everywhere; but of its features one may be dead, and of
    its errors all may be equal. Who normalises those by hand adds an epsilon.
    """
    x = call.x
    dead = x.is_any(Kind.DRAWN) and not x.is_random and (_are_many(call) or x.is_any(TOPIC))
    return Evidence.NAMED if dead else _unless_drawn(Evidence.PROVEN, x)


def spread_with_mean(kind: Kind) -> Transfer:
    """`std_mean`, `var_mean`: a pair; tensorflow's `moments` gives the mean first."""
    of_spread = spread(kind)

    def transfer(call: Call) -> Fact:
        first, second = of_spread(call), mean(call)
        if call.form in (Form.TENSORFLOW, Form.JAX):
            first, second = second, first
        return replace(result(call), parts=((0, first), (1, second)))

    return transfer


def norm(call: Call) -> Fact:
    kinds = Kind.NORM | (call.x.kinds & TOPIC)
    zero = _unless_drawn(Evidence.PROVEN, call.x)
    # What is positive by its name is so as a number: the concentration of a von Mises is a vector.
    shown = call.x.ground is not Evidence.NAMED
    some = shown and not call.x.range.has_zero and not call.x.can_be_empty
    some = some or call.x.is_any(_UNITARY | Kind.PROB)  # each may be 0, but not all of them
    range_ = ranges.POSITIVE if some or _along_rows(call) else ranges.NONNEGATIVE
    return result(call, range_, kinds, ground=Evidence.PROVEN, zero=zero)


def extreme(call: Call) -> Fact:
    """max and min; with a dimension torch's give a pair of values and indices."""
    if call.get("dim") is not None and call.op in (Op.MAX, Op.MIN):
        second = call.facts["dim"]
        if second.form.tensor:
            return _of_two(call, second)
    fact = _of_several(call) or _extreme(call)
    if call.get("dim") is not None and fact.form in (Form.TORCH, Form.UNKNOWN):
        # Where the largest is, as `argmax` would say.
        places = Kind.DRAWN if call.op is Op.MAX else Kind.NONE
        indices = result(call, ranges.NONNEGATIVE, places, dtype=DType.INT)
        pair = ((0, fact), (1, indices), ("values", fact), ("indices", indices))
        return replace(fact, parts=pair)
    return fact


def _of_two(call: Call, second: Fact) -> Fact:
    """`torch.max(a, b)` is `torch.maximum(a, b)`."""
    twin = larger if call.op is Op.MAX else smaller
    return twin(replace(call, facts={"x": call.x, "y": second}))


def _of_several(call: Call) -> Fact | None:
    """`np.max([n, 1])` is `max(n, 1)`: what a literal holds is known one by one."""
    along = call.get("dim")
    if call.x.form is not Form.LIST or len(call.x.parts) < 2:
        return None
    if along is not None and along.constant != 0:
        return None  # within each of them, not among them
    found, *others = (fact for _, fact in call.x.parts)
    for other in others:
        found = _of_two(replace(call, facts={"x": found}), other)
    return found


def _extreme(call: Call) -> Fact:
    x = call.x
    largest = call.op is Op.MAX
    kinds = x.kinds & ~(WHOLE | Kind.MAGNITUDE)
    if x.is_any(Kind.MAGNITUDE):
        kinds |= Kind.SPAN
    range_ = x.range
    if largest and (x.is_any(_UNITARY) or (x.range.nonnegative and _along_rows(call))):
        range_ = ranges.POSITIVE.meet(x.range)
        kinds |= x.kinds & Kind.SIMPLEX  # what is left of it, with its largest
    # The largest magnitude is 0 for a tensor of zeros: padding, a block that was never written.
    whole = Evidence.NAMED if largest and x.is_any(Kind.MAGNITUDE) else Evidence.NONE
    zero = _unless_drawn(x.zero or whole, x)
    return result(call, range_, kinds, ground=x.ground, zero=zero, huge=x.huge, dtype=x.dtype)


def count(call: Call) -> Fact:
    weights = call.get("weights")
    found = result(
        call,
        ranges.NONNEGATIVE if weights is None or weights.range.nonnegative else ranges.REAL,
        Kind.COUNT,
        ground=Evidence.PROVEN,
        zero=Evidence.PROVEN,
        dtype=DType.INT,
    )
    return replace(found, grad=False)


def scattered(call: Call) -> Fact:
    """A sum per group: a group that nothing is added to stays 0."""
    x = call.x
    range_ = ranges.NONNEGATIVE if x.range.nonnegative else ranges.REAL
    return result(call, range_, Kind.SUM, ground=Evidence.PROVEN, zero=Evidence.PROVEN)


def trace(call: Call) -> Fact:
    return result(call, ranges.REAL, Kind.SUM, ground=Evidence.NAMED, zero=Evidence.NAMED)


def product(call: Call) -> Fact:
    x = call.x
    range_ = ranges.TOP
    if x.range.nonnegative:
        range_ = ranges.POSITIVE if x.range.positive else ranges.NONNEGATIVE
    if x.range.lo >= 1:
        range_ = ranges.SOME
    kinds = Kind.PRODUCT | (x.kinds & (Kind.PROB | Kind.RATIO | Kind.SHAPE))
    return result(call, range_, kinds, zero=x.zero)


def truth(call: Call) -> Fact:
    found = result(
        call,
        ranges.UNIT,
        Kind.MASK,
        ground=Evidence.PROVEN,
        zero=Evidence.PROVEN,
        dtype=DType.BOOL,
    )
    return replace(found, grad=False)


def finiteness(call: Call) -> Fact:
    """isnan, isfinite: where nothing is left, that it is not a number is what one wants to know."""
    return truth(call).plus(Kind.PADS)


def logical(call: Call) -> Fact:
    """`a & b` of masks is a mask; `flags & 7` is arithmetic."""
    facts = tuple(call.facts.values())
    if any(fact.constant not in (None, 0.0, 1.0) for fact in facts):
        return result(call, dtype=DType.INT)
    found = truth(call)
    if any(fact.ground is Evidence.NAMED for fact in facts):
        found = replace(found, ground=Evidence.NAMED, zero=Evidence.NAMED)
    # Padding is marked with either sign, and by either name: what is left is not nothing.
    return found.plus(call.x.kinds & (Kind.PEAKED | Kind.PADS)) if len(facts) == 1 else found


def cumulative_sum(call: Call) -> Fact:
    # The first partial sum is the first element: a cumulated mask can be 0, a cumulated size not.
    x = replace(call.x.minus(WHOLE), size=call.x.size.join(ranges.SOME))
    return replace(sum_(replace(call, facts={**call.facts, "x": x})), zero=x.zero)


TABLE: Mapping[Op, Transfer] = MappingProxyType(
    {
        Op.SUM: sum_,
        Op.CUMSUM: cumulative_sum,
        Op.MEAN: mean,
        Op.MEDIAN: median,
        Op.STD: spread(Kind.STD),
        Op.VAR: spread(Kind.VAR),
        Op.STD_MEAN: spread_with_mean(Kind.STD),
        Op.VAR_MEAN: spread_with_mean(Kind.VAR),
        Op.PEAK_TO_PEAK: spread(Kind.SPAN),
        Op.NORM: norm,
        Op.HYPOT: norm,
        Op.MAX: extreme,
        Op.MIN: extreme,
        Op.COUNT_NONZERO: count,
        Op.BINCOUNT: count,
        Op.SCATTER_SUM: scattered,
        Op.TRACE: trace,
        Op.PROD: product,
        Op.CUMPROD: product,
        Op.ANY: truth,
        Op.ALL: truth,
    }
)
