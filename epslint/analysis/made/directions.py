"""Directions: vectors made of length 1, how similar they are, and at which temperature.

A product of two of them is a cosine. Divided by a temperature it stays so small that no softmax of
it underflows and no exp overflows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from epslint.analysis import ranges
from epslint.analysis.fact import Evidence, Fact, Kind, replace
from epslint.analysis.keys import key_of, label_of
from epslint.analysis.made.makers import is_one
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind
from epslint.analysis.ranges import Range
from epslint.analysis.transfer import Call, transfer
from epslint.analysis.words.names import snake

_TEMPERATURE = re.compile(r"(^|_)(temp|temperature|tau|t)(_(s|t|student|teacher))?$", re.IGNORECASE)
_COLDEST = 0.03  # that people choose; at 0.01 a cosine of 1 is a logit of 100


def summed_similarity(operands: Mapping[str, Operand]) -> Fact | None:
    """`(normalize(a) * normalize(b)).sum(-1)`."""
    x = operands.get("x")
    product = None if x is None else x.fact.origin
    if product is None or product.op is not Op.MUL:
        return None
    factors = {name: operand.fact for name, operand in product.operands.items()}
    if not all(factor.is_any(Kind.UNIT) for factor in factors.values()):
        return None
    return transfer(Call(Op.DOT, factors))


def direction(operands: Mapping[str, Operand]) -> Fact | None:
    """`x / (x.norm(dim=-1, keepdim=True) + eps)`, which is `normalize(x)`."""
    x, y = operands.get("x"), operands.get("y")
    length = None if y is None else _length(y.fact)
    if x is None or y is None or length is None:
        return None
    measured = length.operands.get("x")
    if measured is None or not _are_same(x, measured):
        return None
    fact = transfer(Call(Op.DIV, {"x": x.fact, "y": y.fact}))
    bounded = replace(fact, range=replace(ranges.SIGNED_UNIT, nan=fact.range.nan))
    return replace(bounded, huge=Evidence.NONE).plus(Kind.UNIT)


def _length(fact: Fact) -> Origin | None:
    """The norm that a divisor is, with an epsilon or a floor."""
    made = behind(fact, _ARRANGING)
    if made is not None and made.op is Op.ADD:
        terms = made.operands.values()
        others = [term for term in terms if not term.fact.is_any(Kind.EPSILON)]
        made = behind(others[0].fact, _ARRANGING) if len(others) == 1 else None
    elif made is not None and made.op in _FLOORS and "x" in made.operands:
        made = behind(made.fact("x"), _ARRANGING)
    return made if made is not None and made.op is Op.NORM else None


_ARRANGING = frozenset({Op.SAME, Op.DETACH, Op.FLOAT, Op.TO})
_FLOORS = frozenset({Op.CLAMP, Op.CLAMP_MIN, Op.MAXIMUM})


def _are_same(x: Operand, other: Operand) -> bool:
    """Whether one value goes by one name, which has not been given another since."""
    alike = key_of(x.node) == key_of(other.node) is not None
    handed_over = alike and x.fact.origin is other.fact.origin is None
    return handed_over or is_one(x.fact, other.fact)


def tempered(operands: Mapping[str, Operand]) -> Fact | None:
    """A cosine at a temperature, which somebody chose."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None or y.fact.constant is not None:
        return None
    if x.fact.range.meet(ranges.COSINE) != x.fact.range or y.fact.is_any(Kind.PARAMETER):
        return None
    if _TEMPERATURE.search(snake(label_of(y.node))) is None:
        return None
    fact = transfer(Call(Op.DIV, {"x": x.fact, "y": y.fact}))
    widest = ranges.COSINE.hi / _COLDEST
    return replace(fact, range=fact.range.meet(Range(-widest, widest)), huge=Evidence.NONE)
