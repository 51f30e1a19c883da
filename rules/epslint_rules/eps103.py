"""EPS103: division by another quantity that can be 0."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.fact import Kind
from epslint.analysis.site import Site
from epslint.rule import Diagnosis, Grade, Severity, SiteRule
from epslint_rules._division import DIVISIONS, diagnosis, divisor, family


class UnguardedQuantityDivision(SiteRule):
    """Division by another quantity that can be 0.

    ## What it does
    Flags a denominator that is a mean of magnitudes, a magnitude (`abs`, a square), a product, a
    probability, an exponential, a parameter that starts at 0, a sine, or a count less a constant
    (`n - 1`), or the root of squares of what is divided that are gathered from 0, as optimizers do
    (`g / sqrt(state.v + g**2)`). `1 / x`, `reciprocal`, `rsqrt` and `x ** -p` are divisions too. An
    operand of which nothing is known is not flagged. What is divided has a say: rewards over a
    probability are flagged and not `1 / probs`, which weighs what was drawn. In
    `y / p - (1 - y) / (1 - p)` both are, whatever p is called. An average over `n - 1` is flagged
    where n is what a mask or a filter leaves, the size of a group of rewards, or a count that
    grows; not where it is a size as it comes in, nor the spacing of a grid.

    ## Why is this bad
    An inverse propensity `r / p` of an action that was never taken, a variance over the only
    element of a selection, `x / x.abs()` at 0: each is an infinity in the forward pass or a NaN in
    the backward pass.

    ## Example
    ```python
    import torch


    def inverse_propensity(logits, action):
        propensity = torch.softmax(logits, dim=-1)[action]
        return 1.0 / propensity
    ```

    ## Use instead
    ```python
    import torch


    def inverse_propensity(logits, action):
        propensity = torch.softmax(logits, dim=-1)[action]
        return 1.0 / (propensity + 1e-8)
    ```

    ## Fix
    Adds the epsilon of the place's role to the denominator: 1e-8, or 1e-9 inside a divergence. A
    count less a constant gets a floor of 1 instead: `max(n - 1, 1)`.

    ## Fix safety
    Bounded: where the denominator is d, the value changes by one part in d / 1e-8. Float16, where
    the code shows it, gets 1e-2, and 0.1 for powers beyond -1: the gradient of 1 / d overflows
    there for every d below 4e-3.

    ## References
    The hierarchy of epsilons is in `docs/configuration.md`.
    """

    code = "EPS103"
    name = "unguarded-quantity-division"
    severity = Severity.WARNING
    grade = Grade.BOUNDED
    ops = DIVISIONS

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = divisor(site)
        if operand is not None and family(operand.fact) == Kind.NONE and not _is_ratio(site):
            yield diagnosis(site, operand)


def _is_ratio(site: Site) -> bool:
    """A probability over a probability is a ratio, which is another rule's business."""
    return all(site.fact(name).is_any(Kind.PROB) for name in ("x", "y"))
