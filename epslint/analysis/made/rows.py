"""Rows: what only changes the shape of values, and which numbers tell of a whole row of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.keys import called

# Methods and functions that leave every element at its place, if not in its shape: what is selected
# by what they give of a mask is what the mask selects. `flip` and `transpose` are none of them.
KEEPING_ORDER = frozenset(
    {
        *("squeeze", "unsqueeze", "ravel", "flatten", "view", "reshape", "expand_dims"),
        *("to", "astype", "type", "float", "numpy", "cpu", "cuda", "detach", "clone", "copy"),
        *("contiguous", "asarray", "array"),
    }
)
_ZERO_WITH = frozenset({"abs", "absolute", "fabs", "square", "pow", "sqrt", *KEEPING_ORDER})
# How many arguments reductions have with an axis among them: `np.sum(x, 1)`, `x.norm(2, -1)`.
_WITH_AXIS: Mapping[str, int] = MappingProxyType(
    {"sum": 2, "mean": 2, "max": 2, "amax": 2, "norm": 3, "vector_norm": 3}
)


def keeps_order(node: bare.BaseExpression) -> bool:
    return isinstance(node, bare.Call) and called(node) in KEEPING_ORDER


def tells_of_rows(node: bare.Call, given: Sequence[bare.BaseExpression]) -> bool:
    """Whether a call gives for each row a number that is 0 if the row is: `x.norm(dim=-1)`."""
    if (needed := _WITH_AXIS.get(called(node))) is None:
        return False
    named = any(a.keyword is not None and a.keyword.value in ("dim", "axis") for a in node.args)
    return named or len(given) >= needed


def has_same_zeros(node: bare.Call) -> bool:
    """Whether a call gives something that is 0 only where its argument is: `x.abs()`."""
    return called(node) in _ZERO_WITH
