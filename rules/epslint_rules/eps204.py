"""EPS204: log of the complement of a probability."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.fact import Evidence, Kind, replace
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.rule import Diagnosis, Grade, Severity, SiteRule
from epslint_rules._confidence import at_its_edge
from epslint_rules._logarithm import guarded_log, is_harmless, maker, split_sum
from epslint_rules._wording import quoted


class LogOfComplement(SiteRule):
    """Log of one minus a probability that can be 1.

    ## What it does
    Flags `log(1 - p)` and `log1p(-p)` where p reaches 1, as a probability and the square of a tanh
    do, and `log(1 - exp(x))` unless x is known to stay below 0: who takes that log takes exp(x) for
    a probability. The complement of a sigmoid has a better repair and is EPS203.

    ## Why is this bad
    A confident model gives probabilities of exactly 1: everything above 1 - 6e-8 is 1 in float32,
    above 0.996 in bfloat16. The log is then -inf.

    ## Example
    ```python
    def log_survival(probs):
        return (1 - probs).log()
    ```

    ## Use instead
    ```python
    def log_survival(probs):
        return (1 - probs + 1e-8).log()
    ```

    ## Fix
    Adds the epsilon after the subtraction, where it is not absorbed. `log1p(-p)` alone does not
    help: it is -inf at p = 1 too, and `log1p(-p + 1e-8)` is as well, because -1 + 1e-8 is -1 in
    float32. Use `log1p(-p)` when p is known to stay below 1; there is no fix for it where p is not,
    because the right bound of p is a matter of its dtype.

    ## Fix safety
    Bounded: by eps / (1 - p).

    ## References
    RULES: `1e-10 + 1 - p` is absorbed, `1 - p + 1e-10` is not.
    """

    code = "EPS204"
    name = "log-of-complement"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    ops = frozenset({Op.LOG, Op.LOG1P})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        if operand is None or is_harmless(site):
            return
        if site.op is Op.LOG1P:
            if _reaches_minus_one(operand):
                yield _of_log1p(site, operand)
            return
        origin = maker(operand.fact, through=True)
        if origin is None or origin.op is not Op.SUB:
            return
        term = split_sum(origin, 1.0)
        inner = maker(term.fact) if term is not None else None
        if term is None or (inner and inner.op is Op.SIGMOID):
            return
        if operand.fact.zeroable and term.fact.is_any(Kind.PROB):
            yield guarded_log(site, operand, when="0 where the probability is 1")
        elif inner is not None and inner.op is Op.EXP and operand.fact.range.has_zero:
            taken = replace(operand, fact=replace(operand.fact, zero=Evidence.NAMED))
            yield guarded_log(site, taken, when="0 where the exponent is 0")


def _reaches_minus_one(operand: Operand) -> bool:
    """Whether it is minus a probability, or a saturated square, that nothing keeps from 1."""
    origin = maker(operand.fact)
    if origin is None or origin.op is not Op.NEG:
        return False
    reached = operand.fact.range
    if origin.fact("x").is_any(Kind.PROB):
        return reached.contains(-1.0)
    square = origin.fact("x").is_any(Kind.MAGNITUDE) and bool(origin.fact("x").ground)
    return square and reached.lo == -1.0 and not reached.lo_open


def _of_log1p(site: Site, operand: Operand) -> Diagnosis:
    return Diagnosis(
        span=site.unit.span(operand.node),
        message=f"log1p of {quoted(site, operand.node)}, which reaches -1: the log is -inf there",
        confidence=at_its_edge(operand.fact.ground),
        why=chain(operand.fact),
    )
