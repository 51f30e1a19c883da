"""What the rules about floors of 0 share: how one is taken for a guard, and how it is raised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.fact import DType, Evidence, Form, weakest
from epslint.analysis.learning import Shown
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.reasons import chain
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.analysis.transfer.bounds import is_never_below
from epslint.rewrite import add, epsilon_text, guard, slot_within
from epslint.rule import Confidence, Diagnosis, Edit, Fix, Grade
from epslint_rules._confidence import at_its_edge
from epslint_rules._guarded import deed, is_root, order, under_root
from epslint_rules._logarithm import maker
from epslint_rules._wording import because, quoted

# Which parameter of an operation is its floor; a relu has its own.
_FLOOR: Mapping[Op, tuple[str, ...]] = MappingProxyType(
    {
        Op.CLAMP: ("min",),
        Op.CLAMP_MIN: ("min",),
        Op.MAXIMUM: ("y", "x"),
        Op.MAX: ("dim",),  # `torch.max(x, zero)`
        Op.RELU: (),
    }
)


@dataclass(frozen=True, slots=True)
class ZeroFloor:
    """An operand that a floor of 0 was put under, and the operation that it goes into."""

    operand: Operand
    by: Origin
    within: bare.Node


def zero_floor(site: Site, operand: Operand) -> ZeroFloor | None:
    """The floor of 0 that an operand, or what it is the root of, was given right before."""
    if not operand.fact.zeroable or operand.fact.constant is not None:
        return None
    within: bare.Node = site.node
    if (root := under_root(operand)) is not None and root[1].node is operand.node:
        operand, within = root[0], root[1].node
    origin = maker(operand.fact, through=True)
    if origin is None or origin.op not in _FLOOR:
        return None
    # The gradient of a relu is 0 at 0 whatever comes back to it, so a root of it does no harm.
    at_zero = not is_root(site) if origin.op is Op.RELU else any(_zeros(origin))
    return ZeroFloor(operand, origin, within) if at_zero else None


def lets_zero_through(site: Site, operand: Operand, floor: ZeroFloor, shown: Shown) -> Diagnosis:
    """The finding about a floor of 0; of a root, with what shows that there is a gradient."""
    evidence = weakest(operand.fact.zero, shown.evidence or Evidence.PROVEN)
    return Diagnosis(
        span=site.unit.span(floor.operand.node),
        message=f"{quoted(site, floor.operand.node)} lets 0 through: a floor of 0 is no "
        f"guard for the {deed(site)}",
        confidence=at_its_edge(evidence) if shown.evidence else _reached(site, floor),
        why=(*chain(operand.fact), *because(shown)),
        fix=_raised(site, operand, floor),
        also=(site.unit.span(operand.node),),
    )


def _reached(site: Site, floor: ZeroFloor) -> Confidence:
    """Who puts a floor to something has seen it below, unless it is never below: a sum of squares
    has one for its other bound. Python would say so at once, and where nothing is learned inf may
    be the answer.
    """
    if site.result.form is Form.NUMBER:
        return Confidence.UNLIKELY
    below = floor.by.op is Op.RELU or not is_never_below(floor.by.fact("x"))
    return Confidence.NAMED if below and site.learned.evidence else Confidence.POSSIBLE


def _zeros(origin: Origin) -> Iterator[bare.BaseExpression]:
    """The floors of an operation that are 0; the 0 of `x.max(0)` is a dimension."""
    for parameter in _FLOOR[origin.op]:
        floor = origin.operands.get(parameter)
        if floor is None or floor.fact.constant != 0:
            continue
        if origin.op is not Op.MAX or floor.fact.form.tensor:
            yield floor.node


def _raised(site: Site, operand: Operand, floor: ZeroFloor) -> Fix | None:
    fact = operand.fact
    if fact.dtype is DType.INT:
        epsilon, meant, grade = "1", "1", Grade.EXACT
    else:
        role = role_of(site, fact)
        epsilon = epsilon_text(site, role, fact, order(site, operand))
        meant, grade = f"{epsilon} ({role.value})", Grade.BOUNDED
    if (zero := _literal(site, operand, floor)) is not None:
        return Fix(f"Raise the floor to {meant}", grade, (Edit(site.unit.span(zero), epsilon),))
    if floor.operand is operand:
        return Fix(f"Add {meant}", Grade.BOUNDED, guard(site, operand, epsilon))
    slot = slot_within(floor.within, floor.operand.node)
    edits = add(site.unit, floor.operand.node, epsilon, slot)
    return Fix(f"Add {meant}", Grade.BOUNDED, edits)


def _literal(site: Site, operand: Operand, floor: ZeroFloor) -> bare.BaseExpression | None:
    """The 0 in the code, where nothing but this place would notice that it is raised."""
    origin = floor.by
    in_place = origin.node is floor.operand.node
    if origin.unit is not site.unit or not (in_place or _serves_this_alone(site, operand)):
        return None
    literals = (node for node in _zeros(origin) if isinstance(node, bare.Integer | bare.Float))
    return next(literals, None)


def _serves_this_alone(site: Site, operand: Operand) -> bool:
    name = next(name for name, given in site.operands.items() if given is operand)
    return site.shared.get(name, frozenset()) <= {site.op, Op.RECIPROCAL}
