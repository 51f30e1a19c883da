"""EPS502: a fractional power of what can be 0."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.learning import NOT_SHOWN, Shown
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.reasons import chain, noun, zero_when
from epslint.analysis.site import Site
from epslint.rule import Diagnosis, Grade, Severity, SiteRule
from epslint_rules._confidence import of_gradient
from epslint_rules._floors import lets_zero_through, zero_floor
from epslint_rules._root import (
    is_chosen_away,
    is_divided_by,
    learned,
    reaches_zero,
    with_epsilon,
    with_floor,
)
from epslint_rules._wording import because, quoted


class FractionalPowerAtZero(SiteRule):
    """A power between 0 and 1 of what can be 0.

    ## What it does
    Flags `x ** a` and `pow(x, a)` with 0 < a < 1 where x is seen to reach 0 and the code
    shows that a gradient is taken: `x.abs() ** 0.3`, `energy.pow(1 / 3)`. The square root has a
    rule of its own (EPS501), and so has a negative power (EPS103).

    ## Why is this bad
    The value at 0 is 0, the slope a * x ** (a - 1) is infinite. Compressed spectra, gamma
    correction and generalised means are finite in the forward pass and NaN in the backward pass.

    ## Example
    ```python
    import torch


    def compressed(spectrum: torch.Tensor) -> torch.Tensor:
        return torch.abs(spectrum) ** 0.3
    ```

    ## Use instead
    ```python
    import torch


    def compressed(spectrum: torch.Tensor) -> torch.Tensor:
        return torch.abs(spectrum).clamp(min=1e-8) ** 0.3
    ```

    ## Fix
    Clamps the base to the epsilon of the place, 1e-8; in float16, where the code shows it, to 1e-4.
    A floor of 0 that is there is raised to it. An epsilon is added where the library of the base is
    not known.

    ## Fix safety
    Bounded: the same value for every base above the epsilon; below it, the power of the epsilon.

    ## References
    Generalised-mean pooling clamps its input to 1e-6 for this reason.
    """

    code = "EPS502"
    name = "fractional-power-at-zero"
    severity = Severity.WARNING
    grade = Grade.BOUNDED
    ops = frozenset({Op.POW})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand, exponent = site.operand("x"), site.fact("y").constant
        if operand is None or exponent is None or not 0 < exponent < 1 or exponent == 0.5:
            return
        if is_chosen_away(site) or is_divided_by(site) or operand.fact.constant is not None:
            return
        shown = learned(site, operand) if operand.fact.zeroable else NOT_SHOWN
        if not shown.evidence:
            return
        if (floor := zero_floor(site, operand)) is not None:
            yield lets_zero_through(site, operand, floor, shown)
        elif reaches_zero(operand.fact):
            yield _infinite_slope(site, operand, exponent, shown)


def _infinite_slope(site: Site, operand: Operand, exponent: float, shown: Shown) -> Diagnosis:
    fact = operand.fact
    return Diagnosis(
        span=site.unit.span(operand.node),
        message=f"Power {exponent:.3g} of {quoted(site, operand.node)}, {noun(fact)} "
        f"in {fact.range}: {zero_when(fact)}, and the slope is infinite there",
        confidence=of_gradient(site, fact.zero, shown),
        why=(*chain(fact), *because(shown)),
        fix=with_floor(site, operand) or with_epsilon(site, operand),
    )
