"""EPS106: an unbiased std or var over what can be a single element."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis import bare
from epslint.analysis.fact import DType, Form
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.ranges import SOME
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.analysis.words import hints
from epslint.rule import Confidence, Diagnosis, Edit, Fix, Grade, Severity, SiteRule
from epslint.source import Span
from epslint_rules._logarithm import maker
from epslint_rules._wording import quoted


class SingleElementStd(SiteRule):
    """An unbiased standard deviation or variance over what can be a single element.

    ## What it does
    Flags `std()` and `var()` with Bessel's correction over a selection, a filtered list or a group
    that can have one element (or none), also behind `if mask.any():`. Silent with `correction=0` or
    `unbiased=False`, behind a check of the size, for numpy and tensorflow (which do not correct
    unless told to), for tensors of whose size nothing is known, and where the result is only
    compared: NaN is not above 0.

    ## Why is this bad
    The unbiased estimate divides by n - 1. For one element that is 0/0: NaN, and no epsilon that
    is added afterwards helps.

    ## Example
    ```python
    import torch


    def normalize(rewards: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        kept = rewards[mask > 0]
        return (kept - kept.mean()) / (kept.std() + 1e-6)
    ```

    ## Use instead
    ```python
    import torch


    def normalize(rewards: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        kept = rewards[mask > 0]
        return (kept - kept.mean()) / (kept.std(correction=0) + 1e-6)
    ```

    ## Fix
    Adds `correction=0`, or turns a given `unbiased=True` or `ddof=1` off. The alternative, which
    is yours to write, is a check of the size.

    ## Fix safety
    Semantic: the biased estimate is smaller by sqrt((n - 1) / n).

    ## References
    torch warns "degrees of freedom is <= 0" and returns NaN.
    """

    code = "EPS106"
    name = "single-element-std"
    severity = Severity.WARNING
    grade = Grade.SEMANTIC
    ops = frozenset({Op.STD, Op.VAR, Op.STD_MEAN, Op.VAR_MEAN})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        if operand is None or not isinstance(site.node, bare.Call) or not _corrected(site):
            return
        if site.compared:
            return
        confidence = _single(site, operand)
        if confidence is None:
            return
        yield Diagnosis(
            span=site.span,
            message=f"NaN when {quoted(site, operand.node)} has one element: "
            "the unbiased estimate divides by n - 1",
            confidence=confidence,
            why=chain(operand.fact),
            fix=_uncorrected(site, site.node),
        )


def _single(site: Site, operand: Operand) -> Confidence | None:
    """How it is known that one element is possible; None: it is not.

    How many a mask leaves the data say. How large a group is, is a setting, and nobody compares
    the rewards of one answer with themselves.
    """
    size = operand.fact.size
    if not size.contains(1.0):
        return None
    if _selects(site, operand) or size != SOME:
        return Confidence.POSSIBLE
    named = hints.tells_of_group(site.unit.text(operand.node))
    return Confidence.UNLIKELY if named else None


def _selects(site: Site, operand: Operand) -> bool:
    """Whether a mask chose the elements: that there are some (`if mask.any():`) is not yet two."""
    dim = site.operand("dim")
    along_them = dim is None or dim.fact.constant == 0
    origin = maker(operand.fact, through=True)
    masked = origin is not None and origin.op is Op.SELECT and "mask" in origin.operands
    return along_them and masked


def _corrected(site: Site) -> bool:
    """Whether the call divides by n - 1: torch's habit, and numpy's when asked."""
    for name in ("correction", "unbiased"):
        if (given := site.operand(name)) is not None:
            return given.fact.constant != 0
    dim = site.operand("dim")
    if dim is not None and dim.fact.dtype is DType.BOOL:
        return dim.fact.constant != 0  # x.std(False)
    form = site.result.form
    if form is Form.UNKNOWN:
        # A method of something unknown is torch's where torch is all there is.
        return site.scope.alias("torch") is not None and site.scope.alias("numpy") is None
    return form is Form.TORCH


def _uncorrected(site: Site, node: bare.Call) -> Fix:
    unit = site.unit
    correction, unbiased = site.operand("correction"), site.operand("unbiased")
    if correction is not None:
        edit = Edit(unit.span(correction.node), "0")
    elif unbiased is not None:
        edit = Edit(unit.span(unbiased.node), "False")
    elif node.args:
        end = unit.outer_span(node.args[-1].value).end
        edit = Edit(Span(end, end), ", correction=0")
    else:
        end = unit.span(node).end - 1
        edit = Edit(Span(end, end), "correction=0")
    return Fix("Use the biased estimate", Grade.SEMANTIC, (edit,))
