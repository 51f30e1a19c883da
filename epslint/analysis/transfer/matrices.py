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


TABLE: Mapping[Op, Transfer] = MappingProxyType(
    {Op.EYE: identity, Op.INVERSE: inverted, Op.SOLVE: solved}
)
