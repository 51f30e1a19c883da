"""EPS605: a floor of 0 that is taken for a guard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import libcst as cst

from epslint.analysis.fact import DType, Evidence, weakest
from epslint.analysis.learning import NOT_SHOWN
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.reasons import chain
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.rewrite import add, epsilon_text, guard, slot_within
from epslint.rule import Diagnosis, Edit, Fix, Grade, Severity, SiteRule
from epslint_rules._guarded import NEEDY, deed, is_root, needy, order, under_root
from epslint_rules._logarithm import maker
from epslint_rules._root import learned
from epslint_rules._wording import CONFIDENCE, because, quoted

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


class ZeroFloorGuard(SiteRule):
    """A floor of 0 that is taken for a guard.

    ## What it does
    Flags `clamp(min=0)`, `relu`, `max(x, 0)` and `maximum(x, 0)` right before a log, a division
    or, where the code shows that a gradient is taken (see EPS501), a square root or a fractional
    power. Silent where the floor is only there to keep a root real, where a positive epsilon is
    added to it, and for the root of a relu, whose own gradient is 0 there.

    ## Why is this bad
    It keeps the negative out and lets 0 in, and 0 is the hazard: the log is -inf, the quotient
    inf or NaN, the slope of the root infinite. Worse than no guard: whatever was negative before
    is now exactly 0.

    ## Example
    ```python
    import torch


    def deviation(square_mean: torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
        variance = (square_mean - mean**2).clamp(min=0)
        return variance.sqrt()
    ```

    ## Use instead
    ```python
    import torch


    def deviation(square_mean: torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
        variance = (square_mean - mean**2).clamp(min=1e-8)
        return variance.sqrt()
    ```

    ## Fix
    Raises the floor to the epsilon of the place's role: 1e-8, 1e-6 for the spread of rewards, 1e-9
    in a divergence; to 1 under an integer. Where the floor cannot be raised there (a relu, a
    value that is used for something else too) the epsilon is added before the operation.

    ## Fix safety
    Bounded: only what lies below the epsilon changes, and by less than the epsilon; after a relu
    everything is moved by the epsilon. In float16, where the code shows it, that is 1e-4 at the
    least.

    ## References
    `clamp(min=0).sqrt()` has an infinite gradient at the bound in torch 2.13.
    """

    code = "EPS605"
    name = "zero-floor-guard"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    ops = NEEDY
    supersedes = frozenset(
        {"EPS101", "EPS102", "EPS103", "EPS201", "EPS207", "EPS501", "EPS502", "EPS505"}
    )

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = needy(site)
        if operand is None or not operand.fact.zeroable or operand.fact.constant is not None:
            return
        floored = _floored(site, operand)
        if floored is None:
            return
        shown = learned(site, operand) if is_root(site) else NOT_SHOWN
        if is_root(site) and not shown.evidence:
            return
        evidence = weakest(operand.fact.zero, shown.evidence or Evidence.PROVEN)
        yield Diagnosis(
            span=site.unit.span(floored.operand.node),
            message=f"{quoted(site, floored.operand.node)} lets 0 through: a floor of 0 is no "
            f"guard for the {deed(site)}",
            confidence=CONFIDENCE[evidence],
            why=(*chain(operand.fact), *because(shown)),
            fix=_raised(site, operand, floored),
            also=(site.unit.span(operand.node),),
        )


@dataclass(frozen=True, slots=True)
class _Floored:
    """An operand that a floor of 0 was put under, and the operation that it goes into."""

    operand: Operand
    by: Origin
    within: cst.CSTNode


def _floored(site: Site, operand: Operand) -> _Floored | None:
    within: cst.CSTNode = site.node
    if (root := under_root(operand)) is not None and root[1].node is operand.node:
        operand, within = root[0], root[1].node
    origin = maker(operand.fact, through=True)
    if origin is None or origin.op not in _FLOOR:
        return None
    # The gradient of a relu is 0 at 0 whatever comes back to it, so a root of it does no harm.
    at_zero = not is_root(site) if origin.op is Op.RELU else any(_zeros(origin))
    if not at_zero:
        return None
    return _Floored(operand, origin, within)


def _zeros(origin: Origin) -> Iterator[cst.BaseExpression]:
    """The floors of an operation that are 0; the 0 of `x.max(0)` is a dimension."""
    for parameter in _FLOOR[origin.op]:
        floor = origin.operands.get(parameter)
        if floor is None or floor.fact.constant != 0:
            continue
        if origin.op is not Op.MAX or floor.fact.form.tensor:
            yield floor.node


def _raised(site: Site, operand: Operand, floored: _Floored) -> Fix | None:
    fact = operand.fact
    if fact.dtype is DType.INT:
        epsilon, meant, grade = "1", "1", Grade.EXACT
    else:
        role = role_of(site, fact)
        epsilon = epsilon_text(site, role, fact, order(site, operand))
        meant, grade = f"{epsilon} ({role.value})", Grade.BOUNDED
    if (zero := _literal(site, operand, floored)) is not None:
        return Fix(f"Raise the floor to {meant}", grade, (Edit(site.unit.span(zero), epsilon),))
    if floored.operand is operand:
        return Fix(f"Add {meant}", Grade.BOUNDED, guard(site, operand, epsilon))
    slot = slot_within(floored.within, floored.operand.node)
    edits = add(site.unit, floored.operand.node, epsilon, slot)
    return Fix(f"Add {meant}", Grade.BOUNDED, edits)


def _literal(site: Site, operand: Operand, floored: _Floored) -> cst.BaseExpression | None:
    """The 0 in the code, where nothing but this place would notice that it is raised."""
    origin = floored.by
    in_place = origin.node is floored.operand.node
    if origin.unit is not site.unit or not (in_place or _serves_this_alone(site, operand)):
        return None
    literals = (node for node in _zeros(origin) if isinstance(node, cst.Integer | cst.Float))
    return next(literals, None)


def _serves_this_alone(site: Site, operand: Operand) -> bool:
    name = next(name for name, given in site.operands.items() if given is operand)
    return site.shared.get(name, frozenset()) <= {site.op, Op.RECIPROCAL}
