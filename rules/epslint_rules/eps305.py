"""EPS305: a softmax written out by hand."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from epslint import stable
from epslint.analysis.fact import Form, Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.rewrite import changes_in_place
from epslint.rule import Confidence, Diagnosis, Fix, Grade, Severity, SiteRule
from epslint.stable import is_method, is_plain
from epslint_rules._exponential import cannot_overflow, exponential_behind, same_value
from epslint_rules._wording import made_elsewhere, quoted


class HandRolledSoftmax(SiteRule):
    """A softmax written out by hand, without subtracting the maximum.

    ## What it does
    Flags `exp(x) / exp(x).sum()`, also with the exponentials in a variable. Silent where the
    maximum is subtracted first: the sum is then at least 1 and nothing overflows.

    ## Why is this bad
    One logit above 88.7 makes it inf / inf = NaN in float32; in float16 11.1 is enough.

    ## Example
    ```python
    import torch


    def probabilities(logits):
        weights = torch.exp(logits)
        return weights / weights.sum(dim=-1, keepdim=True)
    ```

    ## Use instead
    ```python
    import torch


    def probabilities(logits):
        return torch.softmax(logits, dim=-1)
    ```

    ## Fix
    `softmax(x, dim=…)`, or `x.softmax(dim=…)` after `x.exp()`, where the sum names one dim and
    keeps it (or it is the first).

    ## Fix safety
    Exact: the same value wherever the old one was finite, up to rounding.

    ## References
    `torch.softmax`, `jax.nn.softmax`, `tf.nn.softmax`.
    """

    code = "EPS305"
    name = "hand-rolled-softmax"
    severity = Severity.ERROR
    grade = Grade.EXACT
    ops = frozenset({Op.DIV})
    supersedes = frozenset({"EPS101", "EPS102", "EPS103", "EPS401"})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        numerator, denominator = site.operand("x"), site.operand("y")
        if numerator is None or denominator is None:
            return
        exponential = exponential_behind(numerator)
        total = denominator.fact.origin
        if exponential is None or total is None or total.op is not Op.SUM:
            return
        if not _same_exponentials(numerator, total, exponential):
            return
        if numerator.fact.is_any(Kind.PEAKED) or cannot_overflow(exponential):
            return
        yield Diagnosis(
            span=site.unit.span(denominator.node),
            message=f"A softmax by hand, divided by {quoted(site, denominator.node)}: "
            "exp overflows, softmax does not",
            confidence=Confidence.PROVEN,
            why=made_elsewhere(numerator),
            fix=_fix(site, exponential, total),
        )


def _same_exponentials(numerator: Operand, total: Origin, exponential: Origin) -> bool:
    summed = total.operands.get("x")
    if summed is None:
        return False
    if same_value(summed, numerator):
        return True
    other = exponential_behind(summed)
    return other is not None and same_value(other.operands["x"], exponential.operands["x"])


def _fix(site: Site, exponential: Origin, total: Origin) -> Fix | None:
    dim = total.operands.get("dim")
    if dim is None or not {"x", "y"} <= site.repeatable or site.op is not Op.DIV:
        return None
    if not isinstance(site.node, cst.BinaryOperation | cst.Call) or changes_in_place(
        site, site.operands["x"]
    ):
        return None
    if not is_plain(exponential) or not is_plain(total) or not _lines_up(total, dim):
        return None
    argument = exponential.operands["x"]
    edits = stable.replaced(
        site,
        "softmax",
        method=is_method(exponential, argument),
        x=site.unit.text(argument.node),
        dim=site.unit.source.slice(site.unit.outer_span(dim.node)),
    )
    return None if edits is None else Fix("Use softmax", Grade.EXACT, edits)


def _lines_up(total: Origin, dim: Operand) -> bool:
    """Whether the sum divides its own elements: it kept its dimension, or lost the first one. And
    softmax knows one dimension only.
    """
    one = dim.fact.form is not Form.LIST
    return one and (total.fact("keepdim").constant == 1 or dim.fact.constant == 0)
