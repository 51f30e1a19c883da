"""Intervals with open and closed ends: what value a number can have.

Three things make these ranges fit for floating-point code. "> 0" and "≥ 0" differ, because one
may be divided by. A signed range can have a hole at 0 (`if x != 0:`). And NaN is tracked beside
the interval, because no bound says anything about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

INF = math.inf

# A value of this size is taken for a real bound by widening; beyond it a growing end goes to ±∞.
_LANDMARKS = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from `lo` to `hi`, without 0 if `holed`, with NaN if `nan`."""

    lo: float = -INF
    hi: float = INF
    lo_open: bool = False
    hi_open: bool = False
    holed: bool = False
    nan: bool = False

    # -- questions ---------------------------------------------------------------------------

    def contains(self, value: float) -> bool:
        if math.isnan(value):
            return self.nan
        if value == 0 and self.holed:
            return False
        above = value > self.lo or (value == self.lo and not self.lo_open)
        below = value < self.hi or (value == self.hi and not self.hi_open)
        return above and below

    @property
    def has_zero(self) -> bool:
        return self.contains(0.0)

    @property
    def positive(self) -> bool:
        return self.lo > 0 or (self.lo == 0 and (self.lo_open or self.holed))

    @property
    def nonnegative(self) -> bool:
        return self.lo >= 0

    @property
    def negative(self) -> bool:
        return self.hi < 0 or (self.hi == 0 and (self.hi_open or self.holed))

    @property
    def can_be_negative(self) -> bool:
        return self.lo < 0

    @property
    def empty(self) -> bool:
        if self.lo > self.hi:
            return True
        return self.lo == self.hi and (self.lo_open or self.hi_open or (self.holed and not self.lo))

    @property
    def constant(self) -> float | None:
        """The one value, if there is only one."""
        return self.lo if self.lo == self.hi and not self.empty and not self.nan else None

    @property
    def bounded(self) -> bool:
        return self.lo > -INF and self.hi < INF

    # -- the lattice -------------------------------------------------------------------------

    def join(self, other: Range) -> Range:
        """The smallest range that holds both."""
        if self == other:
            return self
        if self.empty:
            return replace(other, nan=self.nan or other.nan)
        if other.empty:
            return replace(self, nan=self.nan or other.nan)
        lo = min(self.lo, other.lo)
        hi = max(self.hi, other.hi)
        return _normal(
            lo,
            hi,
            # Where both end there, both must leave the end out.
            lo_open=(self.lo_open or self.lo > lo) and (other.lo_open or other.lo > lo),
            hi_open=(self.hi_open or self.hi < hi) and (other.hi_open or other.hi < hi),
            holed=not self.has_zero and not other.has_zero,
            nan=self.nan or other.nan,
        )

    def meet(self, other: Range) -> Range:
        """What is in both; possibly `empty`."""
        lo = max(self.lo, other.lo)
        hi = min(self.hi, other.hi)
        return _normal(
            lo,
            hi,
            lo_open=(self.lo_open and self.lo == lo) or (other.lo_open and other.lo == lo),
            hi_open=(self.hi_open and self.hi == hi) or (other.hi_open and other.hi == hi),
            holed=self.holed or other.holed,
            nan=self.nan and other.nan,
        )

    def widen(self, later: Range) -> Range:
        """`later` with every end that moved pushed out to the next landmark."""
        joined = self.join(later)
        lo, lo_open = joined.lo, joined.lo_open
        if joined.lo < self.lo:
            lo = max((x for x in _LANDMARKS if x <= joined.lo), default=-INF)
            lo_open = lo_open and lo == joined.lo
        hi, hi_open = joined.hi, joined.hi_open
        if joined.hi > self.hi:
            hi = min((x for x in _LANDMARKS if x >= joined.hi), default=INF)
            hi_open = hi_open and hi == joined.hi
        return _normal(lo, hi, lo_open, hi_open, joined.holed, joined.nan)

    def without_zero(self) -> Range:
        return _normal(self.lo, self.hi, self.lo_open, self.hi_open, holed=True, nan=self.nan)

    def without_nan(self) -> Range:
        return replace(self, nan=False) if self.nan else self

    # -- arithmetic --------------------------------------------------------------------------

    def __neg__(self) -> Range:
        return Range(-self.hi, -self.lo, self.hi_open, self.lo_open, self.holed, self.nan)

    def __add__(self, other: Range) -> Range:
        opposite = (self.lo == -INF and other.hi == INF) or (self.hi == INF and other.lo == -INF)
        lo, hi = _added(self.lo, other.lo, -INF), _added(self.hi, other.hi, INF)
        return _normal(
            lo,
            hi,
            (self.lo_open or other.lo_open) and math.isfinite(lo),
            (self.hi_open or other.hi_open) and math.isfinite(hi),
            nan=self.nan or other.nan or (opposite and self.infinite and other.infinite),
        )

    def __sub__(self, other: Range) -> Range:
        return self + -other

    def __mul__(self, other: Range) -> Range:
        ends = [
            (end, math.isfinite(end) and ((a_open and b != 0) or (b_open and a != 0)))
            for a, a_open in self._ends
            for b, b_open in other._ends
            for end in (_times(a, b),)
        ]
        nan = self.nan or other.nan
        nan = nan or (self.has_zero and other.infinite) or (other.has_zero and self.infinite)
        holed = not self.has_zero and not other.has_zero
        return _spanning(ends, holed=holed, nan=nan)

    def reciprocal(self) -> Range:
        if math.isinf(self.lo) and self.lo == self.hi:
            return replace(self, lo=0.0, hi=0.0)
        if self.has_zero or (self.lo < 0 < self.hi):
            return self._reciprocal_over_zero()
        ends = [(_inverse(v, self.hi <= 0), v_open) for v, v_open in self._ends]
        return _spanning(ends, holed=True, nan=self.nan)

    def _reciprocal_over_zero(self) -> Range:
        if self.lo == 0 and self.hi > 0:
            return Range(_inverse(self.hi, negative=False), INF, self.hi_open, nan=self.nan)
        return Range(nan=self.nan)  # below 0 too: 1 / 0 is +∞ whichever side 0 is reached from

    def __truediv__(self, other: Range) -> Range:
        quotient = self * other.reciprocal()
        undefined = self.has_zero and other.has_zero
        return replace(quotient, nan=quotient.nan or undefined)

    def abs(self) -> Range:
        if self.lo >= 0:
            return self
        if self.hi <= 0:
            return -self
        far = max(-self.lo, self.hi)
        far_open = not self.contains(far) and not self.contains(-far)
        return _normal(0.0, far, self.holed, far_open, nan=self.nan)

    def monotone(self, function: Callable[[float], float], *, exact: bool = True) -> Range:
        """The image under a function that never falls; `exact`: it keeps open ends open."""
        return _normal(
            function(self.lo),
            function(self.hi),
            self.lo_open and exact,
            self.hi_open and exact,
            nan=self.nan,
        )

    def maximum(self, other: Range) -> Range:
        lo = max(self.lo, other.lo)
        hi = max(self.hi, other.hi)
        holed = (not self.has_zero or other.positive) and (not other.has_zero or self.positive)
        return _normal(
            lo,
            hi,
            lo_open=any(r.lo_open for r in (self, other) if r.lo == lo),
            hi_open=all(r.hi_open for r in (self, other) if r.hi == hi),
            holed=holed,
            nan=self.nan or other.nan,
        )

    def minimum(self, other: Range) -> Range:
        return -((-self).maximum(-other))

    @property
    def infinite(self) -> bool:
        """Whether an end is an attained infinity."""
        return (self.hi == INF and not self.hi_open) or (self.lo == -INF and not self.lo_open)

    @property
    def _ends(self) -> tuple[tuple[float, bool], tuple[float, bool]]:
        return (self.lo, self.lo_open), (self.hi, self.hi_open)

    def __str__(self) -> str:
        text = f"{'(' if self._shown_open(self.lo, self.lo_open) else '['}{shown(self.lo)}, "
        text += f"{shown(self.hi)}{')' if self._shown_open(self.hi, self.hi_open) else ']'}"
        return text + (" without 0" if self.holed else "")

    @staticmethod
    def _shown_open(end: float, is_open: bool) -> bool:
        return is_open or math.isinf(end)


def shown(value: float) -> str:
    """A bound as people write it."""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:g}"


def _normal(
    lo: float,
    hi: float,
    lo_open: bool = False,
    hi_open: bool = False,
    holed: bool = False,
    nan: bool = False,
) -> Range:
    """A range in its one spelling: a hole at an end is an open end, a hole outside is none."""
    if holed and lo == 0:
        lo_open = True
    if holed and hi == 0:
        hi_open = True
    return Range(lo, hi, lo_open, hi_open, holed and lo < 0 < hi, nan)


def _added(a: float, b: float, when_undefined: float) -> float:
    total = a + b
    return when_undefined if math.isnan(total) else total


def _times(a: float, b: float) -> float:
    # 0 times an unbounded end is 0: the end stands for arbitrarily large, not for infinity itself.
    return 0.0 if a == 0 or b == 0 else a * b


def _inverse(value: float, negative: bool) -> float:
    if value == 0:
        return -INF if negative else INF
    return 1 / value


def _spanning(ends: Iterable[tuple[float, bool]], *, holed: bool, nan: bool) -> Range:
    ends = list(ends)
    lo = min(value for value, _ in ends)
    hi = max(value for value, _ in ends)
    return _normal(
        lo,
        hi,
        lo_open=all(is_open for value, is_open in ends if value == lo),
        hi_open=all(is_open for value, is_open in ends if value == hi),
        holed=holed,
        nan=nan,
    )


def next_whole(limits: Range) -> Range:
    """The limits of a whole number: above 0 is at least 1."""
    if not limits.lo_open or not math.isfinite(limits.lo) or limits.lo != math.floor(limits.lo):
        return limits
    return replace(limits, lo=limits.lo + 1, lo_open=False)


def point(value: float) -> Range:
    return Range(value, value)


def at_least(value: float) -> Range:
    return Range(value, INF)


def above(value: float) -> Range:
    return Range(value, INF, lo_open=True)


def at_most(value: float) -> Range:
    return Range(-INF, value)


def below(value: float) -> Range:
    return Range(-INF, value, hi_open=True)


TOP = Range(nan=True)
REAL = Range()
NONNEGATIVE = at_least(0.0)
POSITIVE = above(0.0)
UNIT = Range(0.0, 1.0)
COSINE = Range(-1.001, 1.001)  # of vectors whose length is 1 up to rounding
SIGNED_UNIT = Range(-1.0, 1.0)
NONPOSITIVE = at_most(0.0)
SOME = at_least(1.0)
