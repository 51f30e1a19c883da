"""EPS202: log of a softmax."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis import bare
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.rewrite import rewritten, without_wrapper
from epslint.rule import Confidence, Diagnosis, Edit, Fix, Grade, Severity, SiteRule
from epslint_rules._logarithm import (
    as_log_softmax,
    is_replaceable,
    log_softmax_for,
    maker,
    with_epsilon,
)
from epslint_rules._wording import made_elsewhere, quoted


class LogOfSoftmax(SiteRule):
    """Log of a softmax, also through a variable.

    ## What it does
    Flags `log(softmax(x))` in every spelling, and `p.log()` where p was given a softmax. Silent
    where the log only says what is drawn (`jax.random.categorical`) or which is the largest: -inf
    is never chosen.

    ## Why is this bad
    The softmax underflows to 0 for a logit about 104 below the largest (float32), and then the log
    is -inf with a NaN gradient. `log_softmax` computes the same number without the detour.

    ## Example
    ```python
    import torch


    def logprobs(logits):
        return torch.log(torch.softmax(logits, dim=-1))
    ```

    ## Use instead
    ```python
    import torch


    def logprobs(logits):
        return torch.log_softmax(logits, dim=-1)
    ```

    ## Fix
    Replaces the pair by `log_softmax` with the same arguments. Where the softmax has a name of its
    own, it is kept, and only the log is rewritten. Where the softmax is out of reach (in a helper,
    say), an epsilon is added inside the log.

    ## Fix safety
    Exact: the same value wherever the old one was finite, up to rounding.

    ## References
    torch's documentation of `log_softmax` says as much.
    """

    code = "EPS202"
    name = "log-of-softmax"
    severity = Severity.ERROR
    grade = Grade.EXACT
    ops = frozenset({Op.LOG})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        origin = maker(operand.fact) if operand is not None else None
        if operand is None or origin is None or origin.op is not Op.SOFTMAX:
            return
        if not operand.fact.zeroable or site.chosen_by:
            return
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"Log of a softmax, {quoted(site, operand.node)}: it underflows to 0, "
            "log_softmax does not",
            confidence=Confidence.POSSIBLE,  # logits are hardly ever a hundred apart
            why=made_elsewhere(operand),
            fix=_fix(site, operand, origin) or with_epsilon(site, operand),
        )


def _fix(site: Site, operand: Operand, origin: Origin) -> Fix | None:
    renamed = log_softmax_for(site, origin)
    if renamed is None or "x" not in site.repeatable or not is_replaceable(site, operand):
        return None
    if site.operands.keys() != {"x"}:
        return None  # log(p, out=buffer): not every log_softmax has one
    assert isinstance(site.node, bare.Call)
    edits: tuple[Edit, ...] | None
    if origin.node is operand.node:
        unwrapped = without_wrapper(site.unit, site.node, operand.node)
        edits = None if unwrapped is None else (*unwrapped, renamed)
    else:
        text = as_log_softmax(site, origin)
        edits = None if text is None else rewritten(site.unit, site.node, text)
    return None if edits is None else Fix("Use log_softmax", Grade.EXACT, edits)
