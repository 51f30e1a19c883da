"""EPS105: an epsilon on a denominator that can be negative."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.fact import Fact, Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.rewrite import apart
from epslint.rule import Confidence, Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._wording import quoted


class CancellingEpsilon(SiteRule):
    """An epsilon on a denominator that can be negative, so that it can cancel.

    ## What it does
    Flags `x / (d + eps)` where d is seen to take both signs: centred values, log-ratios,
    advantages, sines, gaussian noise, and their sums and means.

    ## Why is this bad
    `d + eps` moves the pole from 0 to -eps; it does not remove it. A d of -1e-8 gives the division
    by zero that the epsilon was to prevent.

    ## Example
    ```python
    def relative(x, advantages):
        return x / (advantages.mean() + 1e-8)
    ```

    ## Use instead
    ```python
    import torch


    def relative(x, advantages):
        scale = advantages.mean()
        return x / torch.where(scale < 0, scale - 1e-8, scale + 1e-8)
    ```

    ## Fix
    Moves away from 0 on both sides, `torch.where(d < 0, d - eps, d + eps)`, where torch, numpy or
    jax is imported.

    ## Fix safety
    Semantic: it changes the value for every negative d, by 2 eps in the denominator.

    ## References
    None is in wide use: most code means `d.abs() + eps` or a norm, which is worth a thought first.
    """

    code = "EPS105"
    name = "cancelling-epsilon"
    severity = Severity.WARNING
    grade = Grade.SEMANTIC
    ops = frozenset({Op.DIV})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("y")
        origin = operand.fact.origin if operand is not None else None
        if operand is None or origin is None or origin.op is not Op.ADD:
            return
        value, epsilon = origin.operands.get("x"), origin.operands.get("y")
        if value is None or epsilon is None:
            return  # `torch.add(*terms)`
        if not epsilon.fact.is_any(Kind.EPSILON):
            value, epsilon = epsilon, value
        if not epsilon.fact.is_any(Kind.EPSILON) or not _cancels(operand.fact, value.fact):
            return
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=(
                f"{quoted(site, operand.node)} can still be 0: what the epsilon is added to takes "
                "both signs, so a small negative value cancels it"
            ),
            confidence=Confidence.POSSIBLE,
            why=chain(value.fact),
            fix=_away_from_zero(site, origin, value, epsilon),
        )


def _cancels(total: Fact, value: Fact) -> bool:
    signed = value.is_any(Kind.SIGNED) and bool(value.ground)
    return signed and value.range.can_be_negative and total.range.has_zero


def _away_from_zero(site: Site, origin: Origin, value: Operand, epsilon: Operand) -> Fix | None:
    if origin.unit is not site.unit:
        return None
    edit = apart(site, site.unit.outer_span(origin.node), value, site.unit.text(epsilon.node))
    return Fix("Move away from 0 on both sides", Grade.SEMANTIC, (edit,)) if edit else None
