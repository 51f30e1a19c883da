from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epslint.analysis import ranges
from epslint.analysis.fact import (
    PROMISED,
    UNKNOWN,
    DType,
    Evidence,
    Fact,
    Form,
    Kind,
    number,
    weakest,
)
from epslint.analysis.ranges import INF, Range
from epslint.epsilon import PRECISIONS
from tests.analysis.strategies import FINITE, RANGES, canonical, comparable, facts

FACTS = facts()


def below(one: Fact, other: Fact) -> bool:
    """The order of the lattice: whether `other` says no more than `one`."""
    return comparable(one.join(other)) == comparable(other)


# -- lattice laws ------------------------------------------------------------------------------


@given(FACTS)
def test_join_is_idempotent(a: Fact) -> None:
    assert a.join(a) == a
    assert a.join(replace(a)) == a
    assert a.widen(a) == a


@given(FACTS, FACTS)
def test_join_commutes(a: Fact, b: Fact) -> None:
    assert comparable(a.join(b)) == comparable(b.join(a))


@given(FACTS, FACTS, FACTS)
def test_join_associates(a: Fact, b: Fact, c: Fact) -> None:
    assert comparable(a.join(b).join(c)) == comparable(a.join(b.join(c)))


@given(FACTS, FACTS)
def test_a_join_is_an_upper_bound(a: Fact, b: Fact) -> None:
    joined = a.join(b)
    assert below(a, joined)
    assert below(b, joined)


@given(FACTS, FACTS)
def test_a_join_keeps_every_possibility(a: Fact, b: Fact) -> None:
    joined = a.join(b)
    for fact in (a, b):
        assert canonical(fact.range.join(joined.range)) == joined.range
        assert canonical(fact.size.join(joined.size)) == joined.size
        assert joined.zero >= fact.zero
        assert joined.huge >= fact.huge
        assert joined.grad >= fact.grad
        assert joined.kinds & fact.kinds | PROMISED == fact.kinds | PROMISED
        assert not joined.kinds & PROMISED & ~fact.kinds
        assert joined.dtype in (fact.dtype, DType.UNKNOWN)
        assert joined.form in (fact.form, Form.UNKNOWN)


@given(FACTS, FACTS)
def test_a_join_makes_up_no_evidence(a: Fact, b: Fact) -> None:
    """Unknown is silent: what neither path can be, their join cannot be seen to be."""
    joined = a.join(b)
    assert joined.zero == max(a.zero, b.zero)
    assert joined.huge == max(a.huge, b.huge)
    assert joined.ground == max(a.ground, b.ground)


@given(FACTS, FACTS)
def test_the_order_is_antisymmetric(a: Fact, b: Fact) -> None:
    if below(a, b) and below(b, a):
        assert comparable(a) == comparable(b)


@given(FACTS, FACTS)
def test_widening_covers_the_join(a: Fact, b: Fact) -> None:
    widened = a.widen(b)
    assert below(a.join(b), widened)
    assert comparable(widened.widen(b)) == comparable(widened)


@given(FACTS, st.lists(facts(depth=0), min_size=8, max_size=8))
def test_widening_ends(start: Fact, later: list[Fact]) -> None:
    """A loop whose every turn gives something new is still over soon."""
    seen = [start]
    for fact in later * 3:
        seen.append(seen[-1].widen(fact))
    assert seen[-1] == seen[-1 - len(later)]
    assert sum(before != after for before, after in pairwise(seen)) <= 25


def test_widening_ends_inside_tuples_too() -> None:
    fact = Fact(parts=((0, Fact(range=Range(0, 0))),))
    turns = 0
    while turns < 20:
        grown = fact.part(0)
        assert grown is not None
        following = fact.widen(Fact(parts=((0, Fact(range=grown.range + Range(0, 1))),)))
        if following == fact:
            break
        fact, turns = following, turns + 1
    assert turns < 20


# -- the invariants of a fact ------------------------------------------------------------------


@given(FACTS)
def test_evidence_agrees_with_the_range(fact: Fact) -> None:
    assert not fact.zero or fact.range.has_zero
    assert not fact.huge or fact.range.hi == INF
    assert not fact.is_any(Kind.SIGNED) or fact.range.can_be_negative


@given(FACTS, RANGES)
def test_within_never_says_less(fact: Fact, limits: Range) -> None:
    narrowed = fact.within(limits)
    met = fact.range.meet(limits)
    assert narrowed.range == (limits if met.empty else met)
    assert narrowed.zero <= fact.zero
    assert narrowed.huge <= fact.huge
    assert narrowed.within(limits) == narrowed


def test_what_a_guard_excluded_does_not_come_back() -> None:
    count = Fact(ranges.NONNEGATIVE, kinds=Kind.COUNT, ground=Evidence.PROVEN, zero=Evidence.PROVEN)
    guarded = count.within(ranges.POSITIVE)
    assert not guarded.zeroable
    assert not guarded.join(UNKNOWN).zeroable
    assert guarded.join(count).zeroable


@given(FACTS)
def test_unknown_takes_ranges_and_leaves_evidence(fact: Fact) -> None:
    joined = fact.join(UNKNOWN)
    assert joined.range == ranges.TOP
    assert (joined.zero, joined.huge) == (fact.zero, fact.huge)


def test_unknown_is_silent() -> None:
    assert not UNKNOWN.zeroable
    assert not UNKNOWN.huge
    assert not UNKNOWN.can_be_empty


@given(FACTS, st.sampled_from(Kind))
def test_kinds_come_and_go(fact: Fact, kind: Kind) -> None:
    assert not fact.minus(kind).is_any(kind)
    assert fact.plus(kind).kinds | kind == fact.kinds | kind
    assert fact.plus(kind).minus(kind).kinds == fact.minus(kind).kinds


@given(FINITE)
def test_numbers(value: float) -> None:
    fact = number(value)
    assert fact.constant == value
    assert fact.zeroable is (value == 0)
    assert fact.is_any(Kind.EPSILON) is (0 < value <= 1e-3)
    assert not fact.grad
    assert fact.whole is (value == int(value))


@pytest.mark.parametrize(
    ("fact", "whole"),
    [
        (Fact(dtype=DType.INT), True),
        (Fact(dtype=DType.BOOL), True),
        (Fact(dtype=DType.FLOAT32), False),
        (Fact(kinds=Kind.COUNT), True),
        (Fact(kinds=Kind.COUNT | Kind.SUM), False),
        (number(0.5), False),
        (number(3), True),
    ],
)
def test_what_is_whole(fact: Fact, whole: bool) -> None:
    assert fact.whole is whole


@pytest.mark.parametrize("dtype", DType)
def test_every_float_has_its_precision(dtype: DType) -> None:
    assert (dtype.precision is not None) == (dtype.value in PRECISIONS)
    assert dtype.precision is None or dtype.precision.name == dtype.value
    assert not (dtype.discrete and dtype.precision)


# -- evidence ----------------------------------------------------------------------------------


def test_evidence_is_a_chain() -> None:
    """Of two paths the surer one speaks (max), on one path the weaker one (weakest)."""
    assert Evidence.NONE < Evidence.NAMED < Evidence.PROVEN
    for a, b, c in product(Evidence, repeat=3):
        assert weakest(a, b) == weakest(b, a)
        assert weakest(weakest(a, b), c) == weakest(a, b, c)
        assert weakest(a, max(a, b)) == a == max(a, weakest(a, b))
        assert max(a, weakest(b, c)) == weakest(max(a, b), max(a, c))
    assert not Evidence.NONE
    assert Evidence.NAMED
