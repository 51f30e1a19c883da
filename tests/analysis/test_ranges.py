from __future__ import annotations

import math
import operator
from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epslint.analysis import ranges
from epslint.analysis.ranges import INF, Range, next_whole
from tests.analysis.strategies import (
    FINITE,
    NUMBERS,
    RANGES,
    WITH_MEMBER,
    any_ranges,
    canonical,
    grid,
    holds,
    members_of,
)

ANY = any_ranges()
VALUES = NUMBERS | st.just(math.nan)
Binary = Callable[[Range, Range], Range]
CONSTANTS = {name: value for name, value in vars(ranges).items() if isinstance(value, Range)}


def is_normal(range_: Range) -> bool:
    """One spelling per set: a hole is strictly inside, and so an end at 0 is closed or open."""
    return not range_.holed or range_.lo < 0 < range_.hi


# -- questions ---------------------------------------------------------------------------------


@given(RANGES, VALUES)
def test_the_questions_agree_with_contains(range_: Range, value: float) -> None:
    if not range_.contains(value):
        return
    assert not range_.empty or math.isnan(value)
    assert not (range_.positive and value <= 0)
    assert not (range_.negative and value >= 0)
    assert not (range_.nonnegative and value < 0)
    assert range_.can_be_negative or not value < 0
    assert range_.has_zero or value != 0
    assert not range_.bounded or not math.isinf(value)
    assert range_.constant is None or value == range_.constant
    assert range_.infinite or not math.isinf(value)


@given(RANGES)
def test_a_range_that_is_not_empty_has_a_member(range_: Range) -> None:
    assert members_of(range_)


@given(ANY, VALUES)
def test_an_empty_range_has_none(range_: Range, value: float) -> None:
    if range_.empty and not math.isnan(value):
        assert not range_.contains(value)


@pytest.mark.parametrize("name", CONSTANTS)
def test_the_named_ranges_are_normal(name: str) -> None:
    assert is_normal(CONSTANTS[name])
    assert not CONSTANTS[name].empty


@given(FINITE, NUMBERS)
def test_the_makers(bound: float, value: float) -> None:
    assert ranges.above(bound).contains(value) == (value > bound)
    assert ranges.at_least(bound).contains(value) == (value >= bound)
    assert ranges.below(bound).contains(value) == (value < bound)
    assert ranges.at_most(bound).contains(value) == (value <= bound)
    assert ranges.point(bound).contains(value) == (value == bound)


@pytest.mark.parametrize(
    ("range_", "text"),
    [
        (ranges.NONNEGATIVE, "[0, ∞)"),
        (ranges.POSITIVE, "(0, ∞)"),
        (ranges.UNIT, "[0, 1]"),
        (ranges.REAL.without_zero(), "(-∞, ∞) without 0"),
        (Range(-1.0, 1e-8, hi_open=True), "[-1, 1e-08)"),
    ],
)
def test_how_it_reads(range_: Range, text: str) -> None:
    assert str(range_) == text


# -- the lattice -------------------------------------------------------------------------------


@given(ANY)
def test_join_and_meet_are_idempotent(a: Range) -> None:
    assert a.join(a) == a
    assert canonical(a.meet(a)) == canonical(a)
    assert a.widen(a) == a


@given(ANY, ANY)
def test_join_and_meet_commute(a: Range, b: Range) -> None:
    assert canonical(a.join(b)) == canonical(b.join(a))
    assert canonical(a.meet(b)) == canonical(b.meet(a))


@given(ANY, ANY, ANY)
def test_join_and_meet_associate(a: Range, b: Range, c: Range) -> None:
    assert canonical(a.join(b).join(c)) == canonical(a.join(b.join(c)))
    assert canonical(a.meet(b).meet(c)) == canonical(a.meet(b.meet(c)))


@given(RANGES, RANGES)
def test_absorption(a: Range, b: Range) -> None:
    assert canonical(a.join(a.meet(b))) == canonical(a)
    assert canonical(a.meet(a.join(b))) == canonical(a)


@given(ANY, ANY, VALUES)
def test_a_join_is_an_upper_bound(a: Range, b: Range, value: float) -> None:
    if a.contains(value) or b.contains(value):
        assert a.join(b).contains(value)
        assert a.widen(b).contains(value)


@given(RANGES, RANGES, VALUES)
def test_a_join_holds_no_more_than_it_must(a: Range, b: Range, value: float) -> None:
    """What is in neither lies between the two, and is not 0: the least that a range can say."""
    if not a.join(b).contains(value) or a.contains(value) or b.contains(value):
        return
    assert value != 0
    assert min(a.hi, b.hi) <= value <= max(a.lo, b.lo)


@given(ANY, ANY, VALUES)
def test_a_meet_is_the_intersection(a: Range, b: Range, value: float) -> None:
    assert a.meet(b).contains(value) == (a.contains(value) and b.contains(value))


@given(ANY, ANY)
def test_the_order_is_the_same_seen_from_join_and_meet(a: Range, b: Range) -> None:
    below = canonical(a.join(b)) == canonical(b)
    assert below == (canonical(a.meet(b)) == canonical(a))


@given(ANY)
def test_top_is_above_all(a: Range) -> None:
    assert canonical(a.join(ranges.TOP)) == ranges.TOP
    assert canonical(a.meet(ranges.TOP)) == canonical(a)


@given(RANGES, st.lists(RANGES, min_size=12, max_size=12))
def test_widening_ends(start: Range, later: list[Range]) -> None:
    """Each end moves over two landmarks to infinity, then opens; hole and NaN go once."""
    seen = [start]
    for range_ in later:
        seen.append(seen[-1].widen(range_))
    changes = sum(before != after for before, after in pairwise(seen))
    assert changes <= 10


@given(RANGES, RANGES)
def test_widening_reaches_a_fixed_point(a: Range, b: Range) -> None:
    widened = a.widen(b)
    assert widened.widen(b) == widened
    assert widened.widen(a) == widened


def test_widening_stops_at_landmarks() -> None:
    assert Range(0, 3).widen(Range(0, 4)) == Range(0, INF)
    assert Range(0, 0.5).widen(Range(0, 0.6)) == Range(0, 1)
    assert Range(5, 6).widen(Range(4, 6)) == Range(1, 6)
    assert Range(0, 0).widen(Range(-1, 0)) == Range(-INF, 0)


# -- normal form -------------------------------------------------------------------------------

UNARY: dict[str, Callable[[Range], Range]] = {
    "neg": operator.neg,
    "abs": Range.abs,
    "reciprocal": Range.reciprocal,
    "without_zero": Range.without_zero,
    "without_nan": Range.without_nan,
}
BINARY: dict[str, Binary] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "maximum": Range.maximum,
    "minimum": Range.minimum,
    "join": Range.join,
    "meet": Range.meet,
    "widen": Range.widen,
}


@given(RANGES, RANGES)
def test_results_are_normal(a: Range, b: Range) -> None:
    results = {name: operation(a) for name, operation in UNARY.items()}
    results |= {name: operation(a, b) for name, operation in BINARY.items()}
    assert [name for name, range_ in results.items() if not is_normal(range_)] == []


def test_one_set_has_one_spelling() -> None:
    assert Range(0, 1).without_zero() == Range(0, 1, lo_open=True)
    assert Range(-1, 0).without_zero() == Range(-1, 0, hi_open=True)
    assert Range(1, 2).without_zero() == Range(1, 2)
    assert Range(-1, 1).without_zero() == Range(-1, 0, hi_open=True).join(ranges.POSITIVE).meet(
        Range(-1, 1)
    )


# -- soundness: a in A and b in B → a op b in A op B -------------------------------------------

CONCRETE_UNARY: dict[str, Callable[[np.float64], np.float64]] = {
    "neg": operator.neg,
    "abs": abs,
    "reciprocal": lambda a: np.float64(1) / a,
}
CONCRETE_BINARY: dict[str, Callable[[np.float64, np.float64], np.float64]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
EXACT = frozenset({"neg", "abs", "maximum", "minimum"})  # without any rounding
# An infinite end stands for arbitrarily large numbers: `1 / n` is not 0 for any count n, and
# weights made of it must not look as if they could sum to 0. So 1 / ∞ = 0 is left out on purpose.
INVERTING = frozenset({"reciprocal", "truediv"})


def lies_in(name: str, range_: Range, value: float) -> bool:
    return range_.contains(value) if name in EXACT else holds(range_, value)


def unsound(name: str, drawn: list[tuple[Range, float]], result: Range) -> bool:
    """Whether the operation on these values gives what its range excludes."""
    values = [np.float64(value) for _, value in drawn]
    if name in INVERTING and np.isinf(values[-1]):
        return False
    operation = CONCRETE_UNARY[name] if len(values) == 1 else CONCRETE_BINARY[name]
    return not lies_in(name, result, float(operation(*values)))


@given(WITH_MEMBER)
def test_unary_arithmetic_is_sound(one: tuple[Range, float]) -> None:
    with np.errstate(all="ignore"):
        wrong = [name for name in CONCRETE_UNARY if unsound(name, [one], UNARY[name](one[0]))]
    assert not wrong


@settings(max_examples=300)
@given(WITH_MEMBER, WITH_MEMBER)
def test_binary_arithmetic_is_sound(one: tuple[Range, float], other: tuple[Range, float]) -> None:
    results = {name: BINARY[name](one[0], other[0]) for name in CONCRETE_BINARY}
    with np.errstate(all="ignore"):
        wrong = [name for name in results if unsound(name, [one, other], results[name])]
    assert not wrong


GRID = [
    (a, [v for v in (-INF, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, INF) if a.contains(v)])
    for a in grid(-INF, -1.0, 0.0, 1.0, INF)
]


@pytest.mark.parametrize("name", [*CONCRETE_UNARY, *CONCRETE_BINARY])
def test_arithmetic_is_sound_on_all_small_ranges(name: str) -> None:
    """Ties between open and closed ends, holes and infinities are rare draws: take them all."""
    arity = 1 if name in CONCRETE_UNARY else 2
    wrong = []
    with np.errstate(all="ignore"):
        for operands in product(GRID, repeat=arity):
            sets = [a for a, _ in operands]
            result = UNARY[name](sets[0]) if arity == 1 else BINARY[name](*sets)
            for values in product(*(inside for _, inside in operands)):
                drawn = list(zip(sets, values, strict=True))
                if unsound(name, drawn, result):
                    wrong.append((drawn, result))
    assert not wrong[:3]


@given(WITH_MEMBER)
def test_what_is_left_out_is_only_that(drawn: tuple[Range, float]) -> None:
    a, value = drawn
    assert a.without_zero().contains(value) == (value != 0)
    assert a.without_nan().contains(value) == (not math.isnan(value))


@given(WITH_MEMBER)
def test_monotone_images_are_sound(drawn: tuple[Range, float]) -> None:
    a, value = drawn
    assert holds(a.monotone(math.atan), math.atan(value))
    assert a.monotone(np.sign, exact=False).contains(float(np.sign(value)))


@given(RANGES, st.integers(-5, 5).map(float))
def test_whole_limits_hold_all_whole_numbers(a: Range, value: float) -> None:
    assert next_whole(a).contains(value) == a.contains(value)


def test_above_nothing_is_at_least_one() -> None:
    assert next_whole(ranges.POSITIVE) == ranges.SOME


# -- precision: what the rules live on ---------------------------------------------------------


@pytest.mark.parametrize(
    ("range_", "zero"),
    [
        (ranges.NONNEGATIVE + ranges.point(1e-8), False),
        (ranges.NONNEGATIVE + ranges.POSITIVE, False),
        (ranges.NONNEGATIVE + ranges.NONNEGATIVE, True),
        (ranges.REAL + ranges.point(1e-8), True),
        (ranges.POSITIVE * ranges.POSITIVE, False),
        (ranges.POSITIVE * ranges.NONNEGATIVE, True),
        (ranges.REAL.without_zero() * ranges.POSITIVE, False),
        (ranges.NONNEGATIVE.maximum(ranges.point(1.0)), False),
        (ranges.NONNEGATIVE.maximum(ranges.point(0.0)), True),
        (ranges.REAL.maximum(ranges.POSITIVE), False),
        (ranges.REAL.without_zero().abs(), False),
        (ranges.REAL.abs(), True),
        (ranges.POSITIVE.minimum(ranges.point(1.0)), False),
        (ranges.SOME - ranges.point(1.0), True),
        (ranges.above(1.0) - ranges.point(1.0), False),
        (Range(1.0, 2.0) / Range(1.0, 2.0), False),
    ],
)
def test_zero_is_excluded_where_it_can_be(range_: Range, zero: bool) -> None:
    assert range_.has_zero is zero
