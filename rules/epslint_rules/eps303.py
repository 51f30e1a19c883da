"""EPS303: a clamp that comes after the exp."""

from __future__ import annotations

import math
from collections.abc import Iterator

from epslint import stable
from epslint.analysis import bare
from epslint.analysis.fact import Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.epsilon import Clamp
from epslint.rewrite import rewritten
from epslint.rule import Confidence, Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._confidence import of_learned_overflow
from epslint_rules._exponential import cannot_overflow, capped, exponential_behind
from epslint_rules._wording import made_elsewhere, quoted

_CLAMPS = frozenset({Op.CLAMP, Op.CLAMP_MAX, Op.MINIMUM})


class ClampAfterExp(SiteRule):
    """A clamp that bounds the result of an exp instead of its argument.

    ## What it does
    Flags `exp(x).clamp(max=c)` where x can overflow and a gradient flows, and the clamped value is
    all that the exp is for. PPO's `clamp(ratio, 1 - ε, 1 + ε)` beside the ratio itself is not this
    mistake (and does not guard the exp either: see EPS301).

    ## Why is this bad
    The value is fine: inf becomes c. The gradient is not: the clamp passes 0 back, the exp
    multiplies it by inf, and 0 * inf is NaN.

    ## Example
    ```python
    import torch


    def importance_weight(logp, behaviour_logp):
        return torch.exp(logp - behaviour_logp).clamp(max=10.0)
    ```

    ## Use instead
    ```python
    import torch


    def importance_weight(logp, behaviour_logp):
        return torch.exp((logp - behaviour_logp).clamp(max=2.3025))
    ```

    ## Fix
    Moves the clamp inside, with log(c) for c. Where c is not a number that is written out, or the
    exp stands elsewhere, its argument is clamped to ±20 and the clamp outside stays.

    ## Fix safety
    Exact: the same value wherever it was finite, up to rounding of log(c); with ±20 bounded, for a
    c below 4e8 exact too.

    ## References
    Measured on torch 2.13: `exp(x).clamp(max=c)` has a NaN gradient after overflow.
    """

    code = "EPS303"
    name = "clamp-after-exp"
    severity = Severity.ERROR
    grade = Grade.EXACT
    ops = _CLAMPS
    supersedes = frozenset({"EPS301", "EPS306"})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        exponential = exponential_behind(operand) if operand is not None else None
        if operand is None or exponential is None or not site.differentiated:
            return
        if exponential.unit is not site.unit:
            return  # in a helper, where it is found by itself
        argument = exponential.operands["x"]
        if cannot_overflow(exponential) or not argument.fact.huge or _stops_itself(argument):
            return
        if exponential.op is not Op.EXP or site.shared.get("x", _CLAMPS) - _CLAMPS:
            return
        yield Diagnosis(
            span=site.unit.span(argument.node),
            message=f"The exp of {quoted(site, argument.node)} is clamped after it overflowed: "
            "the value is bounded, its gradient is NaN",
            confidence=_confidence(site, argument),
            why=made_elsewhere(operand),
            fix=_moved(site, operand, exponential, argument)
            or capped(site, argument, Clamp.POLICY),
        )


def _confidence(site: Site, argument: Operand) -> Confidence:
    """The value is bounded; it is the gradient that is not, if there is one. What weighs the policy
    by an advantage is a constant to it.
    """
    weight = argument.fact.is_any(Kind.ADVANTAGE) and not argument.fact.is_any(Kind.LOGRATIO)
    if weight or not site.learned.evidence:
        return Confidence.POSSIBLE
    return of_learned_overflow(site)


def _stops_itself(argument: Operand) -> bool:
    """A parameter that is clamped through its exp is not pushed any further by its gradient: beyond
    the bound that is 0. What a network gives is pushed by other inputs, too.
    """
    alone = isinstance(argument.node, bare.Name | bare.Attribute)
    return alone and argument.fact.is_any(Kind.PARAMETER)


def _moved(site: Site, operand: Operand, exponential: Origin, argument: Operand) -> Fix | None:
    """`exp(x).clamp(a, c)` as `exp(x.clamp(log a, log c))`, where a and c are written out."""
    upper = site.operand("max") or site.operand("y")
    lower = site.operand("min")
    if (
        exponential.node is not operand.node
        or upper is None
        or not isinstance(site.node, bare.Call)
    ):
        return None
    if lower is not None and lower.fact.constant is not None and lower.fact.constant <= 0:
        lower = None  # an exp is never below
    bounds = [_log(upper), _log(lower) if lower is not None else "None"]
    if None in bounds or stable.form_at(site).value not in ("torch", "unknown"):
        return None
    inner = site.unit.source.slice(site.unit.outer_span(argument.node))
    if not isinstance(argument.node, bare.Name | bare.Attribute | bare.Call | bare.Subscript):
        inner = inner if site.unit.parenthesised(argument.node) else f"({inner})"
    low = f"min={bounds[1]}, " if lower is not None else ""
    text = stable.call(site, "exp", x=f"{inner}.clamp({low}max={bounds[0]})")
    if text is None or (edits := rewritten(site.unit, site.node, text)) is None:
        return None
    return Fix("Clamp before the exp", Grade.EXACT, edits)


def _log(bound: Operand) -> str | None:
    value = bound.fact.constant
    return None if value is None or value <= 0 else f"{math.log(value):.9g}"
