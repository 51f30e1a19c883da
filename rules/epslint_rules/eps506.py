"""EPS506: a mask that is multiplied in after what it should keep out."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis import bare
from epslint.analysis.fact import Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.rewrite import masked_out
from epslint.rule import Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._choice import SINGULAR, guarded_input, is_chosen_away, is_singular
from epslint_rules._confidence import CONFIDENCE
from epslint_rules._wording import quoted

_FINITE_AT_ZERO = frozenset({Op.SQRT, Op.POW})  # of these only the gradient is not


class MaskAfterOperation(SiteRule):
    """A mask that is multiplied with what is already infinite.

    ## What it does
    Flags `log(x) * (x > 0)`, `(total / n) * (n > 0)` and `exp(d) * (d < 5)`: the mask is 0 exactly
    where the operation is not finite. And `logprobs * mask` where entries of the log-probabilities
    were struck out with -inf.

    ## Why is this bad
    inf * 0 is NaN, and so is NaN * 0. A product does not leave anything out: the sum over all
    tokens is NaN because of a token that does not count.

    ## Example
    ```python
    import torch


    def log_of_positive(x):
        return torch.log(x) * (x > 0)
    ```

    ## Use instead
    ```python
    import torch


    def log_of_positive(x):
        return torch.log(torch.where(x > 0, x, 1.0)) * (x > 0)
    ```

    ## Fix
    Puts the test around the operand, so that the operation is finite everywhere and the mask has
    only numbers to leave out. What was struck out is filled with 0 before the product:
    `logprobs.masked_fill(mask == 0, 0.0) * mask`.

    ## Fix safety
    Exact: where the mask is not 0 everything stays the same.

    ## References
    IEEE 754: 0 * inf is an invalid operation.
    """

    code = "EPS506"
    name = "mask-after-operation"
    severity = Severity.ERROR
    grade = Grade.EXACT
    ops = frozenset({*SINGULAR, Op.MUL})
    supersedes = frozenset(
        {
            *("EPS101", "EPS102", "EPS103", "EPS201", "EPS207", "EPS301", "EPS306", "EPS401"),
            *("EPS501", "EPS502", "EPS505"),
        }
    )

    def check(self, site: Site) -> Iterator[Diagnosis]:
        if site.op is Op.MUL:
            yield from _struck(site)
        elif site.masked is not None:
            yield from _masked(site)


def _masked(site: Site) -> Iterator[Diagnosis]:
    parameter = SINGULAR[site.op][0]
    operand, masked = site.operand(parameter), site.masked
    if operand is None or masked is None or site.mask is None or not is_singular(site):
        return
    if parameter not in masked:
        return
    if site.op in _FINITE_AT_ZERO and not site.learned.evidence:
        return
    if is_chosen_away(site, operand, masked[parameter], site.mask):
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"The operation on {quoted(site, operand.node)} is not finite where "
            f"{quoted(site, site.mask.test.node)} is 0: inf * 0 is NaN",
            confidence=CONFIDENCE[max(operand.fact.zero, operand.fact.huge)],
            why=chain(operand.fact),
            fix=guarded_input(site, operand, site.mask),
        )


def _struck(site: Site) -> Iterator[Diagnosis]:
    x, y = site.operand("x"), site.operand("y")
    for value, mask in ((x, y), (y, x)):
        if value is None or mask is None or not _is_struck(value) or not _is_mask(mask):
            continue
        yield Diagnosis(
            span=site.unit.span(value.node),
            message=f"{quoted(site, value.node)} is -inf where it was struck out, and "
            f"{quoted(site, mask.node)} is 0 there: -inf * 0 is NaN",
            confidence=CONFIDENCE[mask.fact.ground],
            why=chain(value.fact),
            fix=_filled(site, value, mask),
        )


def _is_struck(operand: Operand) -> bool:
    """What is picked from struck-out values is most often what was not struck out."""
    origin = operand.fact.origin
    picked = origin is not None and origin.op is Op.PICK
    return operand.fact.is_any(Kind.STRUCK) and not picked


def _is_mask(operand: Operand) -> bool:
    return operand.fact.is_any(Kind.MASK) and not operand.fact.is_any(Kind.PROB | Kind.STRUCK)


def _filled(site: Site, value: Operand, mask: Operand) -> Fix | None:
    if not isinstance(site.node, bare.BinaryOperation):
        return None
    edits = masked_out(site.unit, value.node, mask.node)
    return None if edits is None else Fix("Fill with 0 first", Grade.EXACT, edits)
