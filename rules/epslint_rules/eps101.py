"""EPS101: division by a sum or a count that can be 0."""

from __future__ import annotations

from collections.abc import Iterator

from epslint import stable
from epslint.analysis import bare
from epslint.analysis.fact import Form
from epslint.analysis.keys import key_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.rewrite import is_alone, rewritten
from epslint.rule import Confidence, Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._division import COUNTED, DIVISIONS, diagnosis, divisor, family
from epslint_rules._wording import because, quoted


class UnguardedCountDivision(SiteRule):
    """Division by a sum or a count that can be 0.

    ## What it does
    Flags a denominator that is a sum or a count: `mask.sum()`, `count_nonzero`, the number of
    valid tokens, a sum per group (`scatter_add_`), a trace, a degree, the length of a filtered
    list, the sum of gammas of which a Dirichlet sample is made (numpy's and jax's underflow).
    It follows the value through names, helpers of the same file and attributes, and is
    silent where a guard on the way keeps it away from 0. Under a sum or a loss a name is enough
    that says what was counted: `num_pos`, `n_valid`, `mask_count`, `total_weight`, or that it was
    chosen by others, `(loss * weights).sum() / weights.sum()`; `avg_factor` and
    `normalizer` only in a public function that reduces, because it does not know who calls it.
    A mean divides, too: `loss[mask].mean()` is flagged where a gradient is shown.

    ## Why is this bad
    A batch in which every token is masked, a group that got no member, a class without samples:
    the sum is 0, the loss is NaN, and one step later so are the weights.

    ## Example
    ```python
    def masked_mean(values, mask):
        return (values * mask).sum() / mask.sum()
    ```

    ## Use instead
    ```python
    def masked_mean(values, mask):
        return (values * mask).sum() / (mask.sum() + 1e-8)
    ```

    ## Fix
    Adds the epsilon of masked operations, 1e-8, to the denominator; an `eps`, `self.eps` or `EPS`
    in reach is used instead when its size fits. What counts as a whole number of Python gets a
    floor instead, `max(len(kept), 1)`. With `guard-style = "clamp"` it writes a clamp where it
    knows the library. The mean of a selection that has a short name becomes its sum where nothing
    is left, `kept.mean() if kept.numel() else kept.sum()`: 0, and exact elsewhere.

    ## Fix safety
    Bounded. A count is at least 1 where it is not 0, so the value changes by at most one part in
    1e8, which float32 does not resolve. A sum that is itself as small as 1e-8 changes more. The
    floor of 1 is exact.

    ## References
    ROLL and verl add 1e-8 to masked means; TRL and torchrl clamp the count to 1.
    """

    code = "EPS101"
    name = "unguarded-count-division"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    ops = DIVISIONS | {Op.MEAN}

    def check(self, site: Site) -> Iterator[Diagnosis]:
        if site.op is Op.MEAN:
            yield from _mean_of_nothing(site)
        elif (operand := divisor(site)) is not None and family(operand.fact) == COUNTED:
            yield diagnosis(site, operand)


def _mean_of_nothing(site: Site) -> Iterator[Diagnosis]:
    """`loss[mask].mean()` divides by how many there are, in a place that nobody sees."""
    operand = site.operand("x")
    if operand is None or not operand.fact.can_be_empty or not operand.fact.grad:
        return
    if site.operand("dim") is not None or Op.SUB in site.uses:
        return  # a mean that is taken from what it is of: from none of them
    if site.mended or not (shown := site.learned).evidence or shown.offered:
        return
    yield Diagnosis(
        span=site.unit.span(operand.node),
        message=f"Mean of {quoted(site, operand.node)}, of which nothing may be left: 0 / 0. "
        "Divide the sum by a guarded count, or ask first whether there are any",
        confidence=Confidence.POSSIBLE,
        why=(*chain(operand.fact), *because(shown)),
        fix=_sum_of_nothing(site, operand),
    )


def _sum_of_nothing(site: Site, operand: Operand) -> Fix | None:
    """`kept.mean() if kept.numel() else kept.sum()`: a sum of none is 0, and has its gradient."""
    kept, unit = operand.node, site.unit
    if stable.form_at(site) is not Form.TORCH or not isinstance(site.node, bare.Call):
        return None
    if key_of(kept) is None or len(site.operands) > 1 or len(unit.text(kept)) > _BRIEF:
        return None  # to be written three times it must have a name, and no effects
    text = unit.text(kept)
    content = f"{unit.text(site.node)} if {text}.numel() else {text}.sum()"
    edits = rewritten(unit, site.node, content if is_alone(unit, site.node) else f"({content})")
    return None if edits is None else Fix("Take the sum where nothing is left", Grade.EXACT, edits)


_BRIEF = 30
