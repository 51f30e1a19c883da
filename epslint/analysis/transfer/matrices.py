"""Matrices that can be inverted, their roots, and what is solved with them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis import ranges
from epslint.analysis.fact import Evidence, Fact, Kind, replace
from epslint.analysis.ops import Op
from epslint.analysis.transfer.call import Call, Transfer, result


def identity(call: Call) -> Fact:
    """`eye(n)`: a 1 in every row."""
    found = result(call, ranges.UNIT, Kind.PEAKED, ground=Evidence.PROVEN)
    return replace(found, form=call.form, grad=False)


def inverted(call: Call) -> Fact:
    """What can be inverted, or has a triangular root, has no row of zeros; nor have these."""
    return result(call, ranges.TOP, Kind.DRAWN, ground=Evidence.PROVEN)


def solved(call: Call) -> Fact:
    """What solves a system is 0 where the right-hand side is; that of `eye` is an inverse."""
    whole = Kind.DRAWN if call.x.is_any(Kind.DRAWN | Kind.PEAKED) else Kind.NONE
    return result(call, ranges.TOP, whole)


def eigenvalues(call: Call) -> Fact:
    """Of a symmetric matrix: 0 if it is singular, unless something was added to its diagonal."""
    if any(map(_is_diagonal, _summands(call.x))):
        return result(call)
    found = result(call, ranges.REAL, Kind.SPECTRUM, ground=Evidence.PROVEN, zero=Evidence.NAMED)
    return replace(found, grad=call.x.grad)


def decomposed(call: Call) -> Fact:
    """Eigenvalues, and the vectors that belong to them."""
    values = eigenvalues(call)
    return replace(result(call), parts=((0, values), (1, result(call)), ("eigenvalues", values)))


def _summands(fact: Fact) -> tuple[Fact, ...]:
    origin = fact.origin
    if origin is None or origin.op is not Op.ADD:
        return ()
    return origin.fact("x"), origin.fact("y")


def _is_diagonal(fact: Fact) -> bool:
    """`eps * eye(n)`."""
    origin = fact.origin
    if origin is None:
        return False
    made = (origin, *(operand.fact.origin for operand in origin.operands.values()))
    return any(each is not None and each.op is Op.EYE for each in made)


TABLE: Mapping[Op, Transfer] = MappingProxyType(
    {
        Op.EYE: identity,
        Op.INVERSE: inverted,
        Op.SOLVE: solved,
        Op.EIGENVALUES: eigenvalues,
        Op.EIGH: decomposed,
    }
)
