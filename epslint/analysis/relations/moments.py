"""Moments: averages of a quantity and of its square, whose difference is a variance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from epslint.analysis.fact import Evidence, Kind
from epslint.analysis.keys import key_of, words_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind, within
from epslint.analysis.words.hints import is_counter
from epslint.analysis.words.names import snake

_ARRANGING = frozenset(
    {Op.SAME, Op.PICK, Op.SORT, Op.TO, Op.FLOAT, Op.DOUBLE, Op.ITEM, Op.DETACH, Op.TO_NUMPY}
)
_SUMS_OF_PRODUCTS = frozenset({Op.MATMUL, Op.DOT, Op.EINSUM})
_SUMMING = _SUMS_OF_PRODUCTS | {Op.SUM}
_COUNTED = Kind.COUNT | Kind.SHAPE | Kind.LENGTH
_DEEPEST = 4  # products of products: `x = x * y`, again and again, has no end

_SQUARED = re.compile(r"sq(r|uare[sd]?)?(_|$)|(x|sum|mean|moment)_?2(_|$)|second_moment|(^|_)nu$")
_AVERAGED = re.compile(r"(^|_)(mu|nu|avg|average|e|ex|m1|expectation|first_moment)(_|\d|$)|mean")


@dataclass(frozen=True, slots=True)
class Moment:
    """The sum or the average of a product of powers: x² · w of `(x ** 2 * w).sum() / n`."""

    powers: Counter[str]  # empty where nothing is known of what is averaged
    averaged: bool
    over: str | None = None  # the count that it was divided by

    def weighs_squares_of(self, first: Moment) -> tuple[bool, bool]:
        """Whether this is the same with something squared, and whether something is not."""
        if self.powers.keys() != first.powers.keys():
            return False, False
        pairs = [(self.powers[key], power) for key, power in first.powers.items()]
        if any(mine not in (power, 2 * power) for mine, power in pairs):
            return False, False
        return any(mine > power for mine, power in pairs), any(m == power for m, power in pairs)


def of_variance(minuend: Operand, subtrahend: Operand) -> Evidence:
    """How it is known that a difference is E[x²] − E[x]²: never negative, but for rounding."""
    if (mean := base_of_square(subtrahend)) is not None:
        return _of_averages(minuend, mean)
    if (scaled := _scaled_square(subtrahend)) is not None:
        return _of_sums(minuend, scaled)
    return Evidence.NONE


def _of_averages(minuend: Operand, mean: Operand) -> Evidence:
    """`mean_of_squares - mean ** 2`."""
    second, first = _moment(minuend), _moment(mean)
    if second is not None and first is not None:
        squared, weighed = second.weighs_squares_of(first)
        # Of bare sums it is a variance only where weights make averages of them.
        if squared and (weighed or (second.averaged and first.averaged)):
            return Evidence.PROVEN
        if second.over is not None and second.over == first.over:
            return Evidence.NAMED  # a / n - (b / n) ** 2
    averaged = second.averaged if second is not None else _tells(minuend, _AVERAGED)
    named = averaged and _tells(minuend, _SQUARED) and _is_mean(mean)
    return Evidence.NAMED if named else Evidence.NONE


def _of_sums(minuend: Operand, base: Operand) -> Evidence:
    """`sum_of_squares - total ** 2 / n` and `sum_of_squares - n * mean ** 2`."""
    second, first = _moment(minuend), _moment(base)
    if second is None or first is None or second.averaged:
        return Evidence.NONE
    return Evidence.PROVEN if second.weighs_squares_of(first)[0] else Evidence.NONE


def _scaled_square(operand: Operand) -> Operand | None:
    """total of `total ** 2 / n`, mean of `n * mean ** 2`."""
    origin = behind(operand.fact, _ARRANGING)
    if origin is None or origin.op not in (Op.DIV, Op.MUL):
        return None
    for square, scale in _factored(origin):
        if scale.fact.constant is None and (base := base_of_square(square)) is not None:
            return base
    return None


def _factored(origin: Origin) -> Iterator[tuple[Operand, Operand]]:
    """A quotient or product as a value and what it is scaled by."""
    x, y = origin.operands.get("x"), origin.operands.get("y")
    if x is not None and y is not None:
        yield x, y
        if origin.op is Op.MUL:
            yield y, x


def base_of_square(operand: Operand) -> Operand | None:
    """x of `x ** 2`, `x.square()`, `x * x`."""
    origin = behind(operand.fact, _ARRANGING)
    x, y = (None, None) if origin is None else (origin.operands.get(name) for name in "xy")
    if origin is None or x is None:
        return None
    if origin.op is Op.SQUARE or (origin.op is Op.POW and origin.fact("y").constant == 2):
        return x
    if origin.op is Op.MUL and y is not None and _same(x, y):
        return x
    return None


def _same(x: Operand, y: Operand) -> bool:
    key = key_of(x.node)
    return key is not None and key == key_of(y.node)


def _moment(operand: Operand) -> Moment | None:
    origin = behind(operand.fact, _ARRANGING)
    if origin is None:
        return None
    if origin.op is Op.MEAN and "x" in origin.operands:
        weighed = [o for name, o in origin.operands.items() if name in ("x", "weights")]
        return Moment(_powers(weighed), averaged=True)
    if origin.op is Op.SUM and "x" in origin.operands:
        return Moment(_powers([origin.operands["x"]]), averaged=False)
    if origin.op in _SUMS_OF_PRODUCTS:
        factors = [o for name, o in origin.operands.items() if name in ("x", "y")]
        return Moment(_powers(factors), averaged=False)
    return _quotient(origin)


def _quotient(origin: Origin) -> Moment | None:
    """`total / n` and `total * inverse_n`."""
    if origin.op not in (Op.DIV, Op.MUL):
        return None
    for total, scale in _factored(origin):
        maker = behind(total.fact, _ARRANGING)
        inner = _moment(total) if maker is not None and maker.op in _SUMMING else None
        if inner is not None:
            return Moment(inner.powers, averaged=True, over=_count(scale))
        if origin.op is Op.DIV and _count(scale) is not None:
            return Moment(Counter(), averaged=True, over=_count(scale))
    return None


def _count(operand: Operand) -> str | None:
    """The key of what counts something."""
    key = key_of(operand.node)
    if key is None:
        return None
    counts = operand.fact.is_any(_COUNTED) or is_counter(key.rpartition(".")[2])
    return key if counts else None


def _powers(factors: list[Operand]) -> Counter[str]:
    return Counter(key for factor in factors for key in _factors(factor, _DEEPEST))


def _factors(operand: Operand, depth: int) -> Iterator[str]:
    """What is multiplied, each as often as it is: x, x, w of `x ** 2 * w`."""
    if operand.fact.constant is not None:
        return
    origin = behind(operand.fact, _ARRANGING) if depth else None
    exponent = None if origin is None or origin.op is not Op.POW else origin.fact("y").constant
    if origin is not None and exponent in (3.0, 4.0):
        yield from int(exponent) * tuple(_factors(origin.operands["x"], depth - 1))
    elif origin is not None and (base := base_of_square(operand)) is not None:
        yield from 2 * tuple(_factors(base, depth - 1))
    elif origin is not None and origin.op is Op.MUL and {"x", "y"} <= origin.operands.keys():
        yield from _factors(origin.operands["x"], depth - 1)
        yield from _factors(origin.operands["y"], depth - 1)
    else:
        yield _root(operand)


def _root(operand: Operand) -> str:
    """A name for what is not taken apart: equal where it is the same value."""
    node = within(operand, _ARRANGING).node
    return key_of(node) or f"#{id(node)}"


def _is_mean(operand: Operand) -> bool:
    return operand.fact.is_any(Kind.MEAN) or _tells(operand, _AVERAGED)


def _tells(operand: Operand, words: re.Pattern[str]) -> bool:
    """Whether a name in how it is written, or in what it was made of, says so."""
    origin = behind(operand.fact, _ARRANGING)
    nodes = [operand.node]
    if origin is not None:
        nodes += [o.node for name, o in origin.operands.items() if name in ("x", "y")]
    return any(words.search(snake(name)) for node in nodes for name in words_of(node))
