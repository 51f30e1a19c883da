"""EPS201: log of a probability that can be 0."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.fact import Kind
from epslint.analysis.ops import Op
from epslint.analysis.site import Site
from epslint.rewrite import changes_in_place
from epslint.rule import Diagnosis, Grade, Severity, SiteRule
from epslint_rules._logarithm import guarded_log, is_harmless, maker


class LogOfProbability(SiteRule):
    """Log of a probability that can be 0.

    ## What it does
    Flags the log of a probability without an epsilon: a mixture of softmaxes, a gathered
    probability, `dist.probs`, a parameter called `probs`, and whatever is logged as p and as 1 - p
    in one sum, made by `where(y == 1, p, 1 - p)`, weighed by a target or handed to `kl_div` or
    `nll_loss` as a log; predictions and overlaps by their names. The log of a softmax or of a
    sigmoid itself has a better repair and is EPS202 and EPS203; the log of `1 - p` is EPS204.
    Silent for the probability of what was drawn from the same distribution, and for
    `probs.log_()`: what is overwritten is a score that nothing learns from.

    ## Why is this bad
    Probabilities underflow to exactly 0. The log is -inf, its gradient is infinite, and
    `0 * -inf` one line later is NaN.

    ## Example
    ```python
    def nll(probs, index):
        return -probs.gather(-1, index).log()
    ```

    ## Use instead
    ```python
    def nll(probs, index):
        return -(probs.gather(-1, index) + 1e-8).log()
    ```

    ## Fix
    Adds 1e-8 inside the log, 1e-9 in a divergence (a function or name that says kl, js,
    divergence, entropy).

    ## Fix safety
    Bounded: log(p + eps) - log(p) is below eps / p.

    ## References
    In use: 1e-8 … 1e-5 for logs of probabilities, 1e-9 in ROLL's divergences.
    """

    code = "EPS201"
    name = "log-of-probability"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    ops = frozenset({Op.LOG})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        if operand is None or not operand.fact.zeroable or is_harmless(site):
            return
        if not operand.fact.is_any(Kind.PROB) or changes_in_place(site, operand):
            return  # what is overwritten is a score, and -inf is the score of what cannot be
        made, root = maker(operand.fact), maker(operand.fact, through=True)
        if made is not None and made.op in (Op.SOFTMAX, Op.SIGMOID):
            return
        if root is None or root.op is not Op.SUB:
            yield guarded_log(site, operand)
