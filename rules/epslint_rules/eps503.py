"""EPS503: a `where` that hides a singularity in the value and not in the gradient."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.origin import Operand
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.rule import Diagnosis, Grade, Severity, SiteRule
from epslint_rules._choice import (
    EXPONENTIALS,
    SINGULAR,
    guarded_input,
    is_chosen_away,
    is_singular,
)
from epslint_rules._confidence import of_gradient
from epslint_rules._division import learned
from epslint_rules._wording import because, quoted


class WhereTrap(SiteRule):
    """A `where` that keeps a NaN out of the value and lets it into the gradient.

    ## What it does
    Flags a division, log, root, power or exp in a branch of `where`, or under a `masked_fill` or a
    masked assignment, whose operand reaches the singular point exactly where the branch is not
    chosen, and through which the code shows a gradient to flow (see EPS501). Silent for the double
    `where`, whose inner one keeps the operand away from that point, and where nothing is
    differentiated.

    ## Why is this bad
    Both branches are computed everywhere. Where the branch is not chosen its gradient is 0, and it
    still goes back through the operation: 0 * inf is NaN. The loss is right, the weights are NaN
    one step later, and every print of the value shows that the guard works.

    ## Example
    ```python
    import torch


    def mean_or_zero(total: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        return torch.where(count > 0, total / count, 0.0)
    ```

    ## Use instead
    ```python
    import torch


    def mean_or_zero(total: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        return torch.where(count > 0, total / torch.where(count > 0, count, 1.0), 0.0)
    ```

    ## Fix
    Puts the same test around the operand: where the branch is not chosen it becomes 1 (0 before an
    exp), and the gradient there is 0. A whole count is clamped to 1 instead. Where the test is not
    one of the operand itself, the epsilon of the place is added to it.

    ## Fix safety
    Exact: where the branch is chosen the operand is the same. Bounded for the epsilon.

    ## References
    The JAX documentation, "Gradients contain NaN where using where"; torch behaves the same.
    """

    code = "EPS503"
    name = "where-trap"
    severity = Severity.ERROR
    grade = Grade.EXACT
    ops = frozenset(SINGULAR)
    supersedes = frozenset(
        {
            *("EPS101", "EPS102", "EPS103", "EPS201", "EPS207", "EPS301", "EPS306", "EPS401"),
            *("EPS501", "EPS502", "EPS505"),
        }
    )

    def check(self, site: Site) -> Iterator[Diagnosis]:
        parameter = SINGULAR[site.op][0]
        operand, chosen = site.operand(parameter), site.chosen
        if operand is None or chosen is None or parameter not in chosen:
            return
        if not is_singular(site):
            return
        if not is_chosen_away(site, operand, chosen[parameter], site.choice):
            return
        shown = learned(site)
        if not shown.evidence:
            return
        reached = max(operand.fact.zero, operand.fact.huge)
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=_message(site, operand),
            confidence=of_gradient(site, reached, shown),
            why=(*chain(operand.fact), *because(shown)),
            fix=guarded_input(site, operand, site.choice),
        )


def _message(site: Site, operand: Operand) -> str:
    harm = "overflows" if site.op in EXPONENTIALS else "is singular"
    where = "where it is replaced afterwards"
    if site.choice is not None:
        where = f"where {quoted(site, site.choice.test.node)} is {not site.choice.truth}"
    return (
        f"The operation on {quoted(site, operand.node)} {harm} {where}: the value is left out "
        "there, but its gradient is NaN"
    )
