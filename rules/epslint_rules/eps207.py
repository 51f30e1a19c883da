"""EPS207: log of another quantity that can be 0."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.fact import Fact, Kind
from epslint.analysis.ops import Op
from epslint.analysis.site import Site
from epslint.rule import Diagnosis, Grade, Severity, SiteRule
from epslint_rules._logarithm import guarded_log, maker, repaired_afterwards


class LogOfZeroable(SiteRule):
    """Log of a sum, norm, variance, magnitude or ratio that can be 0.

    ## What it does
    Flags the log of a value that is seen to reach 0 and is no probability: a sum, a norm, a
    variance, an `abs`, an energy (a square), a ratio.

    ## Why is this bad
    The log-energy of a silent frame, the log-norm of a padding vector, the log of a probability
    ratio whose numerator underflowed: -inf, with an infinite gradient.

    ## Example
    ```python
    def log_energy(frames):
        return (frames**2).sum(-1).log()
    ```

    ## Use instead
    ```python
    def log_energy(frames):
        return ((frames**2).sum(-1) + 1e-8).log()
    ```

    ## Fix
    Adds the epsilon of the place's role inside the log: 1e-8, 1e-9 in a divergence.

    ## Fix safety
    Bounded: log(x + eps) - log(x) is below eps / x. Energies far below 1e-8 want a smaller
    epsilon: set `[tool.epslint.epsilon] general`.

    ## References
    ROLL adds 1e-8 to a ratio before its log.
    """

    code = "EPS207"
    name = "log-of-zeroable"
    severity = Severity.WARNING
    grade = Grade.BOUNDED
    ops = frozenset({Op.LOG})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        if operand is None or operand.fact.is_any(Kind.PROB) or not _reaches_zero(operand.fact):
            return
        if operand.fact.constant is not None or repaired_afterwards(site):
            return
        if not _is_sum_of_exp(operand.fact):
            yield guarded_log(site, operand)


def _reaches_zero(fact: Fact) -> bool:
    """A ratio is 0 once its numerator underflows, a magnitude in silence: wherever it is from."""
    return fact.zeroable or (fact.is_any(Kind.RATIO | Kind.MAGNITUDE) and fact.range.has_zero)


def _is_sum_of_exp(fact: Fact) -> bool:
    """A log of a sum of exponentials has a better repair than an epsilon."""
    total = maker(fact)
    summed = maker(total.fact("x")) if total is not None and total.op is Op.SUM else None
    return summed is not None and summed.op is Op.EXP
