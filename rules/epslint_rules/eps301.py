"""EPS301: exp of a log-probability difference without a cap."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.fact import Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.rule import Diagnosis, Grade, Severity, SiteRule
from epslint_rules._exponential import (
    capped,
    clamp_of,
    confidence,
    doubts,
    is_no_ratio,
    is_uncapped,
    only_capped,
)
from epslint_rules._wording import quoted


class UncappedLogprobExp(SiteRule):
    """Exp of a difference of log-probabilities without a cap.

    ## What it does
    Flags `exp(new_logp - old_logp)` and its relatives: summed, averaged, masked or scaled
    differences, differences of log-likelihoods and of negative ones, a log-probability less what is
    detached or called a reference, values called `log_ratio`, and the weights of
    advantage-weighted regression, `exp(beta * (q - v))`. Silent where the argument is bounded by
    its nature: one log-probability alone, `x - x.max()`, `x - x.logsumexp()`, minus a square or a
    magnitude, `logp - logp.detach()`. Silent also where infinity would be the truth or is caught:
    what is only logged or compared, a perplexity, a weight that is capped and not differentiated,
    the ratio of a trust region with its line search, tests and benchmarks.

    ## Why is this bad
    A policy that has drifted by 89 nats from the one that sampled overflows exp in float32 (by 11
    in float16). `inf * 0` of a masked token is NaN, and PPO's own `clamp(ratio, 1 - ε, 1 + ε)`
    comes too late: the gradient of the exp is infinite already.

    ## Example
    ```python
    import torch


    def surrogate(new_logp, old_logp, advantages):
        ratio = torch.exp(new_logp - old_logp)
        return -(ratio * advantages).mean()
    ```

    ## Use instead
    ```python
    import torch


    def surrogate(new_logp, old_logp, advantages):
        ratio = torch.exp((new_logp - old_logp).clamp(-20.0, 20.0))
        return -(ratio * advantages).mean()
    ```

    ## Fix
    Clamps the difference to ±20 before the exp, to ±40 where it feeds a divergence. A named
    log-ratio that is used elsewhere as well (logged beside the ratio, say) is clamped once, where
    it is defined, so that both still agree.

    ## Fix safety
    Bounded: nothing changes while the ratio is between 2e-9 and 5e8. Beyond, the clamp stops the
    gradient, which is its purpose.

    ## References
    ±20 in verl and OpenRLHF, max 10 in GSPO, ±40 for the KL to the reference in open-instruct.
    """

    code = "EPS301"
    name = "uncapped-logprob-exp"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    ops = frozenset({Op.EXP, Op.EXPM1})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        if operand is None or not is_uncapped(operand) or is_no_ratio(site, operand):
            return
        if site.read_out or only_capped(site):
            return
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"Exp of {quoted(site, operand.node)}, {_without_cap(operand)}",
            confidence=confidence(site, operand.fact),
            why=(*chain(operand.fact), *doubts(site, operand.fact)),
            fix=capped(site, operand, clamp_of(site, operand)),
        )


def _without_cap(operand: Operand) -> str:
    if operand.fact.is_any(Kind.LOGRATIO):
        return "a log-ratio without a cap: it overflows once the policies have drifted apart"
    return "an advantage without a cap: it overflows once a value is far off"
