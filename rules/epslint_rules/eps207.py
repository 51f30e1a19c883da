"""EPS207: log of another quantity that can be 0."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.fact import Fact, Kind
from epslint.analysis.made.indicators import is_indicator, tells_of_jacobian
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.site import Site
from epslint.analysis.uses.ends import is_decimal
from epslint.analysis.words.hints import tells_of_signal
from epslint.rule import Diagnosis, Grade, Severity, SiteRule
from epslint_rules._logarithm import guarded_log, is_harmless, maker
from epslint_rules._wording import words_behind


class LogOfZeroable(SiteRule):
    """Log of a sum, norm, variance, magnitude or ratio that can be 0.

    ## What it does
    Flags the log of a value that is seen to reach 0 and is no probability: a sum, a norm, a
    variance, an energy (a square), the `abs` of a signal, a ratio, what is called a magnitude, a
    power or a spectrum, what passes a bank of filters, and `1 - x**2`: whoever takes its log has an
    x in [-1, 1], and a tanh rounds to 1.

    Silent where -inf is meant or does no harm: the log of a comparison or of another
    indicator, of a density that is 0 outside its support, log |det|, -log of a uniform draw (unless
    a second log follows: Gumbel noise), a log that is rounded to a bucket, a 0 that is written
    among other values such as the end of a noise schedule, `math.log` of a setting, and
    `20 * log10(a / b)` unless it is seen to be learned from: the level of a ratio without noise is
    infinite.

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
        if operand.fact.constant is not None or is_harmless(site):
            return
        if not any(meant(site, operand) for meant in _MEANT):
            yield guarded_log(site, operand)


def _reaches_zero(fact: Fact) -> bool:
    """A ratio is 0 once its numerator underflows, wherever it is from."""
    return fact.zeroable or (fact.is_any(Kind.RATIO) and fact.range.has_zero)


def _is_indicator(site: Site, operand: Operand) -> bool:
    """Of a comparison there is nothing to learn but 0 and -inf: `(x == atom).float().log()`."""
    return is_indicator(operand.fact)


def _is_waiting_time(site: Site, operand: Operand) -> bool:
    """-log of a uniform draw is infinite once in ten million: only another log minds."""
    made = maker(operand.fact, through=True)
    return made is not None and made.op is Op.RAND and Op.LOG not in site.ends(_SCALING)


def _is_distance(site: Site, operand: Operand) -> bool:
    """The log of |x| of an unknown x, of a determinant, is -inf where it says so; but a signal is
    0 in silence.
    """
    made = maker(operand.fact, through=True)
    if made is None or made.op is not Op.ABS:
        return False
    if made.fact("x").zero and not tells_of_jacobian(site.scope.function):
        return False
    return not any(map(tells_of_signal, words_behind(operand, 3)))


def _is_sum_of_exp(site: Site, operand: Operand) -> bool:
    """A log of a sum of exponentials has a better repair than an epsilon."""
    total = maker(operand.fact)
    summed = maker(total.fact("x")) if total is not None and total.op is Op.SUM else None
    return summed is not None and summed.op is Op.EXP


def _is_level(site: Site, operand: Operand) -> bool:
    """A ratio in decibels is infinite where there is no signal, or no noise; but not as a loss."""
    ratio = maker(operand.fact)
    if ratio is None or ratio.op is not Op.DIV or not is_decimal(site.node):
        return False
    return not site.learned.evidence


_MEANT = (_is_indicator, _is_waiting_time, _is_distance, _is_sum_of_exp, _is_level)
_SCALING = frozenset({Op.NEG, Op.MUL, Op.WEIGH, Op.DIV, Op.ADD, Op.SUB})
