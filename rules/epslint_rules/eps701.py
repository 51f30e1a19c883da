"""EPS701: binary cross-entropy of a sigmoid."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis import bare
from epslint.analysis.keys import evaluated
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.rule import Confidence, Diagnosis, Edit, Fix, Grade, Severity, SiteRule
from epslint_rules._losses import activation, argument_text, closing, fed_with, renamed
from epslint_rules._wording import made_elsewhere, quoted

_SIGMOID = frozenset({Op.SIGMOID})
_WITH_LOGITS = "binary_cross_entropy_with_logits"


class BceOnSigmoid(SiteRule):
    """Binary cross-entropy of a sigmoid.

    ## What it does
    Flags `binary_cross_entropy(sigmoid(x), y)` and `BCELoss` applied to a sigmoid: inline, through
    variables and reshapes, as a module (`self.sigmoid = nn.Sigmoid()`), at the end of an
    `nn.Sequential`, and behind the `forward` of a class in the same file. Silent where the
    probability is clamped first, where it is not seen to come from a sigmoid, and where nothing is
    differentiated.

    ## Why is this bad
    A sigmoid is exactly 1 from 17 on in float32, from 8.4 on in float16. There its slope is 0, so
    a sample that is wrong and sure of it teaches nothing, and its loss is whatever the log is cut
    off at (100 in torch). In float16 the gradient is NaN, and under autocast torch refuses to run
    it at all.

    ## Example
    ```python
    import torch
    import torch.nn.functional as F


    def discriminator_loss(scores, labels):
        return F.binary_cross_entropy(torch.sigmoid(scores), labels)
    ```

    ## Use instead
    ```python
    import torch
    import torch.nn.functional as F


    def discriminator_loss(scores, labels):
        return F.binary_cross_entropy_with_logits(scores, labels)
    ```

    ## Fix
    `binary_cross_entropy_with_logits` of what went into the sigmoid, which stays where it has a
    name of its own. A `BCELoss` without settings, or with a `reduction` alone, becomes the
    function. Where the sigmoid is the last of an `nn.Sequential` or in another function, there is
    no fix: drop it there, and use `BCEWithLogitsLoss`.

    ## Fix safety
    Exact: the same value up to rounding wherever the sigmoid is not saturated. Where it is, the old
    loss was cut off and its gradient was 0.

    ## References
    `torch.nn.BCEWithLogitsLoss`, whose documentation recommends it over the pair for this reason.
    """

    code = "EPS701"
    name = "bce-on-sigmoid"
    severity = Severity.WARNING
    grade = Grade.EXACT
    ops = frozenset({Op.BCE})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        sigmoid = activation(operand, _SIGMOID) if operand is not None else None
        if operand is None or sigmoid is None or not site.differentiated:
            return
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"Binary cross-entropy of a sigmoid, {quoted(site, operand.node)}: where it "
            "saturates, nothing is learned; the loss with logits has no such place",
            confidence=Confidence.PROVEN,
            why=made_elsewhere(operand),
            fix=_fix(site, operand, sigmoid),
        )


def _fix(site: Site, operand: Operand, sigmoid: Origin) -> Fix | None:
    logits = argument_text(sigmoid)
    fed = None if logits is None else fed_with(site, operand, sigmoid, logits)
    called = _of_module(site) if "module" in site.operands else _of_function(site)
    if fed is None or called is None:
        return None
    return Fix("Use the loss with logits", Grade.EXACT, (*called, *fed))


def _of_function(site: Site) -> tuple[Edit, ...] | None:
    edit = renamed(site, "binary_cross_entropy", _WITH_LOGITS)
    return None if edit is None else (edit,)


def _of_module(site: Site) -> tuple[Edit, ...] | None:
    """The function in place of the module, with the module's settings."""
    made = site.fact("module").origin
    library = site.scope.alias("torch.nn.functional")
    if made is None or library is None or not isinstance(site.node, bare.Call):
        return None
    if not made.operands.keys() <= {"reduction"}:
        return None
    edits = [Edit(site.unit.span(site.node.func), f"{library}.{_WITH_LOGITS}")]
    if (reduction := made.operands.get("reduction")) is not None:
        if not isinstance(reduction.node, bare.SimpleString):
            return None
        edits.append(Edit(closing(site), f', reduction="{evaluated(reduction.node.value)}"'))
    return tuple(edits)
