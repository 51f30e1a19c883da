"""Inside: what a test of a call's result tells of its arguments, of each element of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.fact import Fact, Kind
from epslint.analysis.guards.limits import of_extreme, of_magnitude
from epslint.analysis.keys import called, key_of
from epslint.analysis.made.rows import KEEPING_ORDER
from epslint.analysis.ops import Op
from epslint.analysis.origin import Origin
from epslint.analysis.ranges import Range

# Seen through from the outside in: what holds of `n.item()` holds of `n`.
_TRANSPARENT = frozenset(
    {
        *("item", "int", "long", "double", "bool"),
        *("round", "around", "rint"),  # what is not 0 once it is rounded was not before
        *KEEPING_ORDER,
    }
)
# The lesser, or greater, of several, and the extreme that it is.
_OF_SEVERAL: Mapping[str, str] = MappingProxyType(
    {"min": "min", "minimum": "min", "max": "max", "maximum": "max"}
)


def told_of_arguments(
    node: bare.Call, arguments: Sequence[bare.BaseExpression], limits: Range
) -> Sequence[tuple[bare.BaseExpression, Range]]:
    """What holds of arguments of a call if its result lies within `limits`."""
    name = called(node)
    if name in _TRANSPARENT:
        return [(arguments[0], limits)]
    if _takes_several(node, arguments):
        beyond = of_extreme(_OF_SEVERAL[name], limits)
        return [] if beyond is None else [(argument, beyond) for argument in arguments]
    if len(node.args) <= 1 and (beyond := of_extreme(name, limits)) is not None:
        return [(arguments[0], beyond)]
    magnitude = of_magnitude(name, limits)
    return [] if magnitude is None else [(arguments[0], magnitude)]


def _takes_several(node: bare.Call, arguments: Sequence[bare.BaseExpression]) -> bool:
    """`min(a, b)` and `torch.minimum(a, b)`; but `np.min(a, 0)` has an axis."""
    name = called(node)
    if len(arguments) < 2 or any(argument.keyword or argument.star for argument in node.args):
        return False
    return name in _OF_SEVERAL and (isinstance(node.func, bare.Name) or name.endswith("imum"))


def within_unit(node: bare.BaseExpression) -> bare.BaseExpression | None:
    """d of `abs(d) - 1`: who asks whether that is nearly 0 has a cosine, and goes on with an angle
    if it is not.
    """
    if not isinstance(node, bare.BinaryOperation) or type(node.operator) is not bare.Subtract:
        return None
    one, size = node.right, node.left
    if not isinstance(one, bare.Integer | bare.Float) or float(one.value) != 1.0:
        return None
    if not isinstance(size, bare.Call) or called(size) not in ("abs", "fabs", "absolute"):
        return None
    if len(size.args) == 1:
        return size.args[0].value
    return size.func.value if isinstance(size.func, bare.Attribute) and not size.args else None


def is_place_of_least(index: Origin, node: bare.Subscript) -> bool:
    """Whether an index says where the least of what it is used on is: `n[n.argmin()]`."""
    if index.op is not Op.ARGREDUCE or not isinstance(index.node, bare.Call):
        return False
    given = index.operands.get("x")
    same = given is not None and key_of(given.node) == key_of(node.value)
    return same and called(index.node) == "argmin" and "dim" not in index.operands


def is_quotient(fact: Fact) -> bool:
    """Whether a value is the result of a division, and not seen to be negative: where a test finds
    it below something, what it was divided by was not 0. A test that it fails tells nothing: NaN
    fails all of them.
    """
    divided = fact.origin is not None and fact.origin.op is Op.DIV
    return divided and not fact.is_any(Kind.SIGNED)
