"""What the rules about epsilons share: the operand that has to stay away from 0, and its guard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from epslint.analysis.fact import Fact, Form, Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.epsilon import FLOAT32, FLOAT64, Precision
from epslint_rules._division import DIVISIONS, divided_by, pole
from epslint_rules._logarithm import ARRANGING, is_harmless, maker

ROOTS = frozenset({Op.SQRT, Op.POW})
NEEDY = DIVISIONS | ROOTS | {Op.LOG}


def needy(site: Site) -> Operand | None:
    """The operand that has to stay away from 0: a divisor, the argument of a log, and that of a
    root where a gradient flows.
    """
    if site.op is Op.LOG:
        return None if is_harmless(site) else site.operand("x")
    if is_root(site):
        return site.operand("x") if site.differentiated else None
    return divided_by(site) if site.op in DIVISIONS else None


def is_root(site: Site) -> bool:
    """Whether a site takes a root, also as `x ** 0.5`: at 0 its slope is infinite."""
    if site.op is not Op.POW:
        return site.op is Op.SQRT
    exponent = site.fact("y").constant
    return exponent is not None and 0 < exponent < 1


def deed(site: Site) -> str:
    """What a site does with the operand that has to stay away from 0."""
    if site.op is Op.LOG:
        return "log"
    return "gradient of the root" if is_root(site) else "division"


def order(site: Site, operand: Operand) -> float:
    """The order of the pole at 0, that of the gradient included."""
    return pole(site, operand.fact) if site.op in DIVISIONS and not is_root(site) else 1.0


def under_root(operand: Operand) -> tuple[Operand, Origin] | None:
    """What a root is taken of that an operand is, and the root: where it is 0, so is the other."""
    origin = maker(operand.fact, through=True)
    if origin is None or origin.op is not Op.SQRT or (inner := origin.operands.get("x")) is None:
        return None
    return inner, origin


_FLOAT32_BY_HABIT = frozenset({Form.TORCH, Form.JAX, Form.TENSORFLOW})


def precision_at(site: Site, fact: Fact) -> Precision | None:
    """The format that a value is in; where the code does not show it, that of its library."""
    if fact.dtype.precision is not None:
        return fact.dtype.precision
    form = fact.form if fact.form.tensor else site.result.form
    usual = FLOAT64 if site.mode.double else FLOAT32
    if form is Form.UNKNOWN:
        # In a file that knows torch and not numpy, what is unknown is torch's.
        only_torch = site.scope.alias("torch") is not None and site.scope.alias("numpy") is None
        return usual if only_torch else None
    return usual if form in _FLOAT32_BY_HABIT else FLOAT64


# Where an epsilon stands in the operations that guard with one.
_EPSILON: Mapping[Op, tuple[str, ...]] = MappingProxyType(
    {
        Op.ADD: ("y", "x"),
        Op.CLAMP: ("min",),
        Op.CLAMP_MIN: ("min",),
        Op.MAXIMUM: ("y", "x"),
    }
)


@dataclass(frozen=True, slots=True)
class Guard:
    """An epsilon that keeps a value away from 0, and what happened to the value afterwards."""

    origin: Origin
    value: Operand
    epsilon: Operand
    size: float
    later: tuple[Origin, ...]  # casts and rearrangements, the last one first


_CASTS = ARRANGING | {Op.HALF, Op.BFLOAT16}


def guard_of(fact: Fact) -> Guard | None:
    """The guard that a value has: `x + eps`, `x.clamp(min=eps)`, `max(x, eps)`."""
    origin, later = fact.origin, []
    while origin is not None and origin.op in _CASTS:
        later.append(origin)
        origin = origin.fact("x").origin
    if origin is None or origin.op not in _EPSILON:
        return None
    for name in _EPSILON[origin.op]:
        epsilon, value = origin.operands.get(name), origin.operands.get("y" if name == "x" else "x")
        if epsilon is None or value is None or not epsilon.fact.is_any(Kind.EPSILON):
            continue
        if (size := epsilon.fact.constant) is not None and size > 0:  # an `eps=0.0` is a choice
            return Guard(origin, value, epsilon, size, tuple(later))
    return None
