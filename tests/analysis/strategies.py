"""What the property tests draw: ranges, members of ranges, facts.

Magnitudes are 0, infinite, or between 1e-60 and 1e60, so that neither a product nor a quotient of
two of them underflows or overflows: a range speaks of real arithmetic, where a product of positive
numbers is positive. The ops that underflow in ordinary use (exp, softmax) say so in their ranges
and are tested far outside these bounds in test_transfer.py. −0.0 is not drawn: its reciprocal is
−∞, at a point that is singular anyway.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

from hypothesis import strategies as st

from epslint.analysis.fact import DType, Evidence, Fact, Form, Kind, Part
from epslint.analysis.ranges import INF, Range

LANDMARKS = (-INF, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, INF)
MAGNITUDES = st.floats(1e-60, 1e60) | st.floats(1e-3, 1e3)
NUMBERS = st.one_of(st.sampled_from(LANDMARKS), MAGNITUDES, MAGNITUDES.map(lambda v: -v))
FINITE = NUMBERS.filter(math.isfinite)
EVIDENCE = st.sampled_from(Evidence)


@st.composite
def any_ranges(draw: st.DrawFn) -> Range:
    """Ranges in their normal form, empty ones too."""
    lo = draw(NUMBERS)
    hi = draw(NUMBERS | st.just(-lo))
    lo_open, hi_open, holed, nan, ordered = draw(st.tuples(*[st.booleans()] * 5))
    if lo > hi and ordered:
        lo, hi = hi, lo
    range_ = Range(lo, hi, lo_open, hi_open, nan=nan)
    return range_.without_zero() if holed else range_


RANGES = any_ranges().filter(lambda r: not r.empty)


def members_of(range_: Range) -> list[float]:
    """Values of a range: its ends, what is next to them and to 0, what is far out, NaN."""
    lo, hi = range_.lo, range_.hi
    near = [lo + abs(lo) * 1e-9, hi - abs(hi) * 1e-9] if range_.bounded else []
    middle = [(lo + hi) / 2] if range_.bounded else []
    far = [lo + 1, hi - 1, lo * 7, hi * 7, 1e-60, -1e-60, 1e60, -1e60]
    candidates = {*LANDMARKS, lo, hi, *near, *middle, *far}
    inside = [v + 0.0 for v in candidates if range_.contains(v)]
    return [*inside, math.nan] if range_.nan else inside


WITH_MEMBER = RANGES.flatmap(
    lambda range_: st.tuples(st.just(range_), st.sampled_from(members_of(range_)))
)


def grid(*ends: float) -> list[Range]:
    """All ranges between these ends, each with both of them open and closed, holed and not."""
    flags = list(product([False, True], repeat=3))
    found = {
        Range(lo, hi, lo_open, hi_open).without_zero() if holed else Range(lo, hi, lo_open, hi_open)
        for lo in ends
        for hi in ends
        for lo_open, hi_open, holed in flags
    }
    return [range_ for range_ in found if not range_.empty]


def facts(*, depth: int = 1) -> st.SearchStrategy[Fact]:
    parts: st.SearchStrategy[tuple[Part, ...]] = st.just(())
    if depth:
        keys: list[int | str] = [0, 1, "values"]
        keyed = st.dictionaries(st.sampled_from(keys), facts(depth=0), max_size=2)
        parts = keyed.map(lambda d: tuple(sorted(d.items(), key=lambda item: str(item[0]))))
    return st.builds(
        Fact,
        range=RANGES,
        kinds=st.sampled_from([Kind.NONE, *Kind, Kind.SUM | Kind.MASK, Kind.STD | Kind.REWARD]),
        ground=EVIDENCE,
        zero=EVIDENCE,
        huge=EVIDENCE,
        dtype=st.sampled_from(DType),
        form=st.sampled_from(Form),
        grad=st.booleans(),
        size=st.sampled_from([Range(1, INF), Range(0, INF), Range(3, 3), Range(2, INF)]),
        parts=parts,
    )


def holds(range_: Range, value: float) -> bool:
    """Whether a computed value lies in a computed range, up to rounding.

    Rounding is monotone, so a closed end holds exactly. An open one can be reached by rounding
    (1e-20 + 1 is 1), and what is computed in two steps (a times 1 / b) is off by an ulp or two. So
    a value may miss a finite end by one part in 1e12; it may never be 0, infinite or NaN where the
    range says that it is not.
    """
    if range_.contains(value):
        return True
    ends = [end for end in (range_.lo, range_.hi) if end != 0 and math.isfinite(end)]
    return value != 0 and any(math.isclose(value, end, rel_tol=1e-12) for end in ends)


def canonical(range_: Range) -> Range:
    """All spellings of the empty range as one, so that laws can be stated with `==`."""
    return Range(1.0, 0.0, nan=range_.nan) if range_.empty else range_


def comparable(fact: Fact) -> Fact:
    """A fact whose parts are in one order: they are a mapping, written as a tuple."""
    return replace(fact, parts=tuple(sorted(fact.parts, key=lambda part: str(part[0]))))
