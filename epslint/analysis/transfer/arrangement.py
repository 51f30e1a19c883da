"""The same values elsewhere: casts, shapes, selections, and fresh tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis import ranges
from epslint.analysis.fact import (
    UNKNOWN,
    DType,
    Evidence,
    Fact,
    Form,
    Kind,
    joined,
    number,
    replace,
)
from epslint.analysis.ops import Op
from epslint.analysis.ranges import Range
from epslint.analysis.transfer.call import WHOLE, Call, Transfer, like, result
from epslint.epsilon import FLOAT32, Precision


def same(call: Call) -> Fact:
    return like(call, call.x)


def picked(call: Call) -> Fact:
    """Some of the elements: what holds of each still holds, what holds of all does not."""
    drawn = any(is_drawn_index(fact) for name, fact in call.facts.items() if name != "x")
    return as_drawn(like(call, call.x.minus(WHOLE)), drawn=drawn)


def is_drawn_index(fact: Fact) -> bool:
    return fact.dtype is DType.INT and fact.is_any(Kind.DRAWN)


def as_drawn(fact: Fact, *, drawn: bool) -> Fact:
    """The probabilities, or weights, of what was drawn: what has probability 0 is not."""
    weighed = drawn and fact.is_any(Kind.PROB | Kind.EXP | Kind.RATIO)
    return replace(fact, zero=Evidence.NONE) if weighed else fact


def selected(call: Call) -> Fact:
    """The elements for which a mask holds: possibly none, but for one made from lengths."""
    mask = call.get("mask")
    some = mask is not None and mask.is_any(Kind.PEAKED)
    return replace(picked(call), size=ranges.SOME if some else ranges.NONNEGATIVE)


def picked_pair(call: Call) -> Fact:
    """The largest elements and where they are: of probabilities they are not all 0."""
    if call.constant("largest") == 0:
        return _with_places(call, picked(call))
    largest = call.x.minus(Kind.SHIFTED | Kind.NORMALISED)
    if largest.is_any(Kind.PROB) and not largest.is_any(Kind.SUM):
        largest = largest.plus(Kind.SIMPLEX)
    return _with_places(call, like(call, largest))


def ordered(call: Call) -> Fact:
    """The same elements, the smallest or the largest of them first; torch says from where."""
    fact = like(call, call.x)
    return fact if fact.form not in (Form.TORCH, Form.UNKNOWN) else _with_places(call, fact)


def _with_places(call: Call, values: Fact) -> Fact:
    indices = result(call, ranges.NONNEGATIVE, dtype=DType.INT)
    pair = ((0, values), (1, indices), ("values", values), ("indices", indices))
    return replace(values, parts=pair)


def positions(call: Call) -> Fact:
    """Where something is true: possibly nowhere."""
    found = result(call, ranges.NONNEGATIVE, dtype=DType.INT)
    return replace(found, size=ranges.NONNEGATIVE)


def cast(dtype: DType) -> Transfer:
    def transfer(call: Call) -> Fact:
        return replace(like(call, call.x), dtype=dtype)

    return transfer


def to_bool(call: Call) -> Fact:
    x = call.x
    zero = x.zero or (Evidence.PROVEN if not x.range.positive else Evidence.NONE)
    range_ = ranges.point(1.0) if x.range.positive else ranges.UNIT
    return replace(
        like(call, x),
        range=range_,
        zero=zero,
        kinds=Kind.MASK | (x.kinds & (Kind.PEAKED | Kind.PADS)),
        dtype=DType.BOOL,
        grad=False,
    )


def to_int(call: Call) -> Fact:
    x = call.x
    range_ = x.range
    if not x.dtype.discrete:
        # Towards 0: int(1.9) is 1. int(0.3) is 0, but nobody has shown that the value is below 1.
        range_ = range_.join(range_.monotone(_truncated, exact=False))
        range_ = range_.join(ranges.point(0.0)) if range_.lo < 1 and range_.hi > -1 else range_
    return replace(like(call, x), range=range_, dtype=DType.INT, grad=False)


def _truncated(value: float) -> float:
    return value if math.isinf(value) else float(math.trunc(value))


def detached(call: Call) -> Fact:
    return replace(like(call, call.x), grad=False)


def item(call: Call) -> Fact:
    return replace(call.x.minus(WHOLE), form=Form.NUMBER, grad=False)


def to_numpy(call: Call) -> Fact:
    return replace(call.x, form=Form.NUMPY, grad=False)


def to_list(call: Call) -> Fact:
    return replace(call.x, form=Form.LIST, grad=False)


def loaded(call: Call) -> Fact:
    """A block of a tensor in a kernel; −∞ beyond its end is there to be left out of a softmax."""
    struck = call.constant("other") == -ranges.INF
    return Fact(kinds=Kind.STRUCK if struck else Kind.NONE, form=Form.TORCH)


def fresh(call: Call) -> Fact:
    """A new tensor of given values: no gradient flows into it."""
    fact = replace(like(call, call.x), form=call.result_form, grad=False)
    return replace(fact, size=_of_several(fact.size)) if call.x.is_nested else fact


def _of_several(pieces: Range) -> Range:
    """How many elements there are in pieces of any length: one of each at the least."""
    return ranges.at_least(pieces.lo)


def stacked(call: Call) -> Fact:
    whole = _put_together(call.x).minus(WHOLE).plus(_holed(call.x))
    fact = replace(like(call, whole), form=call.result_form)
    return replace(fact, size=_of_several(fact.size)) if call.x.form is Form.LIST else fact


def _put_together(pieces: Fact) -> Fact:
    """`cat([sigmas, zeros(1)])`, `cat([sigmas, [last]])`: what is put beside the rest as zeros or
    as one more value ends it or pads it, and the rest is what it is about.
    """
    given = [fact for _, fact in pieces.parts]
    rest = [fact for fact in given if fact.constant != 0 and fact.size.constant != 1]
    if len(rest) == len(given) or not rest:
        return pieces
    about = joined(rest)
    return replace(about, range=about.range.join(pieces.range), form=pieces.form)


def _holed(pieces: Fact) -> Kind:
    """`cat([zeros(1, n), dones[:-1]])`: at the first step nothing is done yet."""
    first = next((fact for _, fact in pieces.parts), None)
    return Kind.HOLED if first is not None and first.constant == 0 else Kind.NONE


def filled(value: float) -> Transfer:
    whole = Kind.PEAKED if value == 1 else Kind.NONE

    def transfer(call: Call) -> Fact:
        return _constant(call, number(value).plus(whole))

    return transfer


def filled_with(call: Call) -> Fact:
    return _constant(call, call.get("value") or UNKNOWN)


def _constant(call: Call, value: Fact) -> Fact:
    form = call.form if call.form is not Form.UNKNOWN else call.x.form
    return replace(value, form=form, grad=False, origin=None)


def counted_up(call: Call) -> Fact:
    """`arange(n)` begins at 0, `arange(1, n)` at 1."""
    bounds = [call.get("start"), call.get("end")]
    start = bounds[0].constant if bounds[0] and bounds[1] else 0.0
    if start is None:
        return result(call)
    if (step := call.get("step")) is not None and step.range.can_be_negative:
        return result(call)
    found = result(call, ranges.at_least(start), zero=Evidence.PROVEN, ground=Evidence.PROVEN)
    whole = step is None and start == start // 1
    dtype = DType.INT if whole and found.dtype is DType.UNKNOWN else found.dtype
    return replace(found, grad=False, form=call.form, dtype=dtype)


def uniform(call: Call) -> Fact:
    """From [0, 1) unless bounds are given: the lower one is drawn, too."""
    lower, upper = call.get("min") or number(0.0), call.get("max") or number(1.0)
    lo, hi = lower.range.lo, upper.range.hi
    drawn, proven = Kind.DRAWN, Evidence.PROVEN
    if not lo < hi:
        return result(call, kinds=drawn, ground=proven)
    zero = proven if lo == 0 and lower.constant is not None else Evidence.NONE
    found = result(call, Range(lo, hi, hi_open=True), drawn, ground=proven, zero=zero)
    return _floating(found, call)


def spaced(call: Call) -> Fact:
    """`linspace(0, 1, n)`: as a whole neither 0 nor constant, though its ends may be 0."""
    start, end = call.get("start") or UNKNOWN, call.get("end") or UNKNOWN
    found = result(call, start.range.join(end.range), Kind.DRAWN, ground=Evidence.PROVEN)
    return _floating(found, call)


def distinct(call: Call) -> Fact:
    """The values there are, and perhaps how many of each: nothing is said of either."""
    return Fact(form=call.form, grad=False)


def categorical(call: Call) -> Fact:
    """Indices drawn with given probabilities, or that of the largest."""
    found = result(call, ranges.NONNEGATIVE, Kind.DRAWN, ground=Evidence.PROVEN, dtype=DType.INT)
    return replace(found, grad=False)


def gaussian(call: Call) -> Fact:
    found = result(call, ranges.REAL, Kind.SIGNED | Kind.DRAWN, ground=Evidence.PROVEN)
    return _floating(found, call)


def _floating(fact: Fact, call: Call) -> Fact:
    """What is made of whole sizes is not whole: `randn(3, 4)`."""
    dtype = DType.UNKNOWN if fact.dtype is DType.INT else fact.dtype
    return replace(fact, grad=False, form=call.form, dtype=dtype)


def of_gamma(call: Call) -> Fact:
    """From a gamma distribution: 0 where its concentration is small, and then often."""
    concentration = call.get("concentration")
    small = concentration is None or concentration.range.lo < 1
    range_ = ranges.NONNEGATIVE if small else ranges.POSITIVE
    return replace(result(call, range_, Kind.DRAWN, ground=Evidence.PROVEN), form=call.form)


def redrawn(call: Call) -> Fact:
    """`w.normal_()`: what was there before is gone."""
    if call.constant("std") == 0:
        return result(call, ranges.REAL)  # nothing is drawn then
    return replace(gaussian(call), form=call.result_form, grad=call.x.grad)


def parameter(call: Call) -> Fact:
    """A parameter that is not learned is a place to keep something in."""
    if call.constant("requires_grad") == 0:
        return replace(call.x, grad=False)
    return learned(call.x)


def learned(start: Fact) -> Fact:
    """A parameter can be learned to be anything; but who divides by it has it start away from 0,
    and it hardly ever gets there.
    """
    return Fact(
        range=ranges.REAL,
        kinds=Kind.PARAMETER,
        ground=Evidence.PROVEN,
        zero=Evidence.NAMED if start.zero else Evidence.NONE,
        huge=Evidence.NAMED,
        form=Form.TORCH,
    )


def element_count(call: Call) -> Fact:
    """`len`, `numel`, `size(0)`: positive, unless the collection is shown to be possibly empty."""
    x = call.x
    chosen = x.origin is not None and x.origin.op is Op.SELECT  # and be it only one
    kinds = Kind.LENGTH if x.can_be_empty or chosen else Kind.SHAPE
    return Fact(
        range=x.size,
        kinds=kinds,
        ground=Evidence.PROVEN,
        zero=Evidence.PROVEN,
        dtype=DType.INT,
        form=Form.NUMBER,
        grad=False,
    )


def one_hot(call: Call) -> Fact:
    return result(
        call,
        ranges.UNIT,
        Kind.MASK,
        ground=Evidence.PROVEN,
        zero=Evidence.PROVEN,
        dtype=DType.INT,
    )


def clock(call: Call) -> Fact:
    return Fact(range=ranges.POSITIVE, kinds=Kind.TIME, form=Form.NUMBER, grad=False)


def machine_epsilon(call: Call) -> Fact:
    return Fact(range=Range(0.0, 1e-2, lo_open=True), kinds=Kind.EPSILON, grad=False)


def precision_info(call: Call) -> Fact:
    """`torch.finfo(dtype)`: of an unknown dtype the order of magnitude is known all the same."""
    precision = call.x.dtype.precision
    epsilon = machine_epsilon(call)
    largest = precision.largest if precision else FLOAT32.largest
    parts = (
        ("eps", replace(epsilon, range=_known(precision, "eps", epsilon.range))),
        ("tiny", replace(epsilon, range=_known(precision, "tiny", epsilon.range))),
        ("smallest_normal", replace(epsilon, range=_known(precision, "tiny", epsilon.range))),
        ("resolution", epsilon),
        ("max", Fact(range=ranges.at_least(min(largest, 65504.0)), grad=False)),
        ("min", Fact(range=ranges.at_most(-min(largest, 65504.0)), grad=False)),
    )
    return Fact(form=Form.OTHER, grad=False, parts=parts)


def _known(precision: Precision | None, name: str, otherwise: Range) -> Range:
    if precision is None:
        return otherwise
    return ranges.point(precision.eps if name == "eps" else precision.tiny)


TABLE: Mapping[Op, Transfer] = MappingProxyType(
    {
        Op.SAME: same,
        Op.PICK: picked,
        Op.SELECT: selected,
        Op.TOP_K: picked_pair,
        Op.SORT: ordered,
        Op.NONZERO: positions,
        Op.DETACH: detached,
        Op.HALF: cast(DType.FLOAT16),
        Op.BFLOAT16: cast(DType.BFLOAT16),
        Op.FLOAT: cast(DType.FLOAT32),
        Op.DOUBLE: cast(DType.FLOAT64),
        Op.INT: to_int,
        Op.BOOL: to_bool,
        Op.ITEM: item,
        Op.TO_NUMPY: to_numpy,
        Op.TO_LIST: to_list,
        Op.LOAD: loaded,
        Op.AS_TENSOR: fresh,
        Op.STACK: stacked,
        Op.ZEROS: filled(0.0),
        Op.ONES: filled(1.0),
        Op.FULL: filled_with,
        Op.ARANGE: counted_up,
        Op.LINSPACE: spaced,
        Op.UNIQUE: distinct,
        Op.RAND: uniform,
        Op.RANDN: gaussian,
        Op.GAMMA: of_gamma,
        Op.MULTINOMIAL: categorical,
        Op.ARGMAX: categorical,
        Op.INIT_NORMAL: redrawn,
        Op.PARAMETER: parameter,
        Op.LEN: element_count,
        Op.NUMEL: element_count,
        Op.SIZE: element_count,
        Op.ONE_HOT: one_hot,
        Op.TIME: clock,
        Op.FINFO: precision_info,
        Op.FINFO_EPS: machine_epsilon,
    }
)
