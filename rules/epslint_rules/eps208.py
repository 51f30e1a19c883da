"""EPS208: an entropy term at a probability of 0."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.fact import Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.rewrite import clamped_below
from epslint.rule import Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._exponential import exponential_behind, same_value
from epslint_rules._wording import CONFIDENCE, quoted

# Far below any log-probability that float32 can tell from 0, and finite in every precision.
_FLOOR = "-1e4"


class EntropyOfZero(SiteRule):
    """An entropy term `exp(lp) * lp` whose log-probability can be -inf.

    ## What it does
    Flags `lp.exp() * lp` and `probs * logprobs` where entries of the log-probabilities were struck
    out with -inf before the log_softmax. The other half of this mistake, `p * log(p)` with a p that
    can be 0, is found at its log (EPS201, EPS202).

    ## Why is this bad
    The masked action has probability 0 and log-probability -inf, and 0 * -inf is NaN.

    ## Example
    ```python
    import torch


    def entropy(logits, legal):
        logprobs = torch.log_softmax(logits.masked_fill(legal == 0, float("-inf")), dim=-1)
        return -(logprobs.exp() * logprobs).sum(-1)
    ```

    ## Use instead
    ```python
    import torch


    def entropy(logits, legal):
        logprobs = torch.log_softmax(logits.masked_fill(legal == 0, float("-inf")), dim=-1)
        return -(logprobs.exp() * logprobs.clamp(min=-1e4)).sum(-1)
    ```

    ## Fix
    Clamps the factor to -1e4: 0 times that is 0, and its gradient is 0 too.

    ## Fix safety
    Exact: no finite log-probability of a token that matters is below -1e4.

    ## References
    `torch.distributions.Categorical.entropy` clamps in the same place.
    """

    code = "EPS208"
    name = "entropy-of-zero"
    severity = Severity.ERROR
    grade = Grade.EXACT
    ops = frozenset({Op.MUL})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        x, y = site.operand("x"), site.operand("y")
        if x is None or y is None:
            return
        log = _struck_log(x, y) or _struck_log(y, x)
        if log is None:
            return
        yield Diagnosis(
            span=site.unit.span(log.node),
            message=f"0 * -inf: {quoted(site, log.node)} is -inf where it was masked out, and its "
            "probability is 0 there",
            confidence=CONFIDENCE[log.fact.ground],
            why=chain(log.fact),
            fix=Fix(
                f"Clamp to {_FLOOR}",
                Grade.EXACT,
                clamped_below(site.unit, log.node, _FLOOR),
            ),
        )


def _struck_log(log: Operand, probability: Operand) -> Operand | None:
    if not (log.fact.is_any(Kind.LOGPROB) and log.fact.is_any(Kind.STRUCK)):
        return None
    exponential = exponential_behind(probability)
    paired = exponential is not None and same_value(exponential.operands["x"], log)
    return log if paired or probability.fact.is_any(Kind.PROB) else None
