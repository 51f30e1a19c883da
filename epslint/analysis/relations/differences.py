"""Differences that are never negative on paper, and are so after rounding.

Asked by who takes a root: there whatever is a little less than 0 is NaN. Elsewhere the same
difference does no harm, so none of this is kept as a fact.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from epslint.analysis.keys import label_of
from epslint.analysis.made.makers import maker
from epslint.analysis.made.terms import Term, arranged, factors, terms
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.relations.moments import base_of_square
from epslint.analysis.words.labels import tells_of_variance

# Products that are added up: of vectors, of rows with rows.
_PRODUCTS_OF_ROWS = frozenset({Op.MATMUL, Op.DOT, Op.EINSUM})
_SIGNED = frozenset({Op.MUL})  # a minus sign is part of its constant
# What measures something: of what is itself a difference, a square or a multiple nobody can tell
# what is left of it (`1 - alpha - sigma**2`, `r**2 - x**2`, `2 * theta - theta**2`).
_EXPLAINED = frozenset({Op.SUM, *_PRODUCTS_OF_ROWS})
_COMPUTED = frozenset({Op.CALL, Op.DIV, Op.SUM, Op.MEAN, *_PRODUCTS_OF_ROWS})


def cancels(operand: Operand) -> bool:
    """Whether a value is a difference that rounding can make negative."""
    parts = list(terms(operand))
    told = tells_of_variance(label_of(operand.node)) and _is_remainder(parts)
    return told or _is_spread(parts) or _is_squared_distance(parts)


def _is_remainder(parts: list[Term]) -> bool:
    """`prior - explained`: what observations leave of a variance."""
    if len(parts) != 2 or [part.added for part in parts] != [True, False]:
        return False
    return all(part.operand.fact.constant is None for part in parts) and (
        maker(parts[1].operand.fact)[0] in _EXPLAINED
    )


def _is_spread(parts: list[Term]) -> bool:
    """`second - first * first` of something that was computed: whatever they are called, who takes
    the root of that means what is left of the squares without the square of the mean.
    """
    if len(parts) != 2 or [part.added for part in parts] != [True, False]:
        return False
    squared = base_of_square(parts[1].operand)
    if squared is None or squared.fact.constant is not None:
        return False
    return maker(parts[0].operand.fact)[0] in _COMPUTED


def _is_squared_distance(parts: list[Term]) -> bool:
    """`|a|² + |b|² - 2 a·b`, in whatever order."""
    return len(parts) == 3 and sum(map(_is_mixed, parts)) == 1


def _is_mixed(part: Term) -> bool:
    """`2 * (a @ b)` and `2 * a @ b`, taken away."""
    scale, rows = _scaled(factors(part.operand, _SIGNED))
    origin = arranged(rows[0].fact) if len(rows) == 1 else None
    if origin is None or origin.op not in _PRODUCTS_OF_ROWS:
        return False
    inner = [_scaled(factors(side, _SIGNED))[0] for side in origin.operands.values()]
    return scale * prod(inner) == (-2 if part.added else 2)


def _scaled(made_of: Iterable[Operand]) -> tuple[float, list[Operand]]:
    """The constants among factors, multiplied, and the others."""
    scale, rest = 1.0, []
    for factor in made_of:
        if (constant := factor.fact.constant) is not None:
            scale *= constant
        else:
            rest.append(factor)
    return scale, rest
