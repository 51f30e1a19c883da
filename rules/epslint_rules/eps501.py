"""EPS501: the square root of what can be 0 or slightly negative."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.reasons import chain, noun, zero_when
from epslint.analysis.site import Site
from epslint.rule import Diagnosis, Grade, Severity, SiteRule
from epslint_rules._root import (
    can_be_negative,
    is_chosen_away,
    is_divided_by,
    is_learned,
    reaches_zero,
    root_of,
    with_epsilon,
    with_floor,
)
from epslint_rules._wording import CONFIDENCE, quoted


class SqrtAtZero(SiteRule):
    """Square root of what can be 0, or slightly negative.

    ## What it does
    Flags the square root, also as `x ** 0.5`, of a value that is seen to reach 0 where a gradient
    flows: a variance, a mean of squares, a probability. And, gradient or not, the root of a
    difference that is never negative on paper and is so after rounding: `E[x²] - E[x]²`, a
    discriminant `b ** 2 - c`, `exp(d) - 1 - d`.

    Silent where nothing is differentiated (`no_grad`, `detach`, numpy), for counts, and for
    `std()` and `norm()`, whose gradient at 0 is 0 in torch. A root that is divided by is a
    finding of the division (EPS102, EPS103), and the same epsilon repairs both.

    ## Why is this bad
    The root of 0 is 0, so nothing shows in the forward pass. Its slope is infinite: whatever comes
    back is multiplied by inf, and where that is 0 the gradient is NaN. The root of -1e-9 is NaN
    at once.

    ## Example
    ```python
    def spread(x):
        return x.var(dim=-1).sqrt().mean()
    ```

    ## Use instead
    ```python
    def spread(x):
        return (x.var(dim=-1) + 1e-8).sqrt().mean()
    ```

    ## Fix
    Adds the epsilon of the place to a variance or a sum of squares: 1e-8, or 1e-6 for rewards and
    advantages; an epsilon in reach is used instead when its size fits. Anything else is clamped to
    that epsilon, which changes no value above it; so is a difference that can be negative, and to
    0 where no gradient flows.

    ## Fix safety
    Bounded: sqrt(x + eps) - sqrt(x) is at most eps / (2 sqrt(x)), and sqrt(eps) at 0; a clamp
    changes nothing above eps. Float16, where the code shows it, gets 1e-4.

    ## References
    Measured on torch 2.13: `var().sqrt()` of a constant has a NaN gradient, `std()` has 0.
    """

    code = "EPS501"
    name = "sqrt-at-zero"
    severity = Severity.WARNING
    grade = Grade.BOUNDED
    ops = frozenset({Op.SQRT, Op.POW})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = root_of(site)
        if operand is None or is_chosen_away(site):
            return
        if can_be_negative(site, operand.fact):
            yield _negative(site, operand)
        elif reaches_zero(operand.fact) and is_learned(site, operand) and not is_divided_by(site):
            yield _infinite_slope(site, operand)


def _infinite_slope(site: Site, operand: Operand) -> Diagnosis:
    fact = operand.fact
    return Diagnosis(
        span=site.unit.span(operand.node),
        message=f"Root of {quoted(site, operand.node)}, {noun(fact)} in {fact.range}: "
        f"{zero_when(fact)}, and the slope of a root is infinite there",
        confidence=CONFIDENCE[fact.zero],
        why=chain(fact),
        fix=with_epsilon(site, operand),
    )


def _negative(site: Site, operand: Operand) -> Diagnosis:
    return Diagnosis(
        span=site.unit.span(operand.node),
        message=f"Root of {quoted(site, operand.node)}, a difference that rounding can make "
        "negative: NaN",
        confidence=CONFIDENCE[operand.fact.zero],
        why=chain(operand.fact),
        fix=with_floor(site, operand),
    )
