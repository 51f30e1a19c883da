"""EPS203: log of a sigmoid."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from epslint import stable
from epslint.analysis import bare
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.rule import Diagnosis, Fix, Grade, Severity, SiteRule
from epslint.stable import is_plain
from epslint_rules._confidence import of_saturation, of_underflow
from epslint_rules._logarithm import is_replaceable, maker, split_sum, with_epsilon
from epslint_rules._wording import made_elsewhere, quoted


class LogOfSigmoid(SiteRule):
    """Log of a sigmoid, or of one minus a sigmoid.

    ## What it does
    Flags `log(sigmoid(x))` and `log(1 - sigmoid(x))`, also through variables.

    ## Why is this bad
    `log(1 - sigmoid(20))` is -inf in float32 already, `log(sigmoid(-200))` is -inf with a NaN
    gradient. A reward model that is sure of itself gets there.

    ## Example
    ```python
    import torch


    def preference_loss(chosen, rejected):
        return -torch.log(torch.sigmoid(chosen - rejected)).mean()
    ```

    ## Use instead
    ```python
    import torch
    import torch.nn.functional as F


    def preference_loss(chosen, rejected):
        return -F.logsigmoid(chosen - rejected).mean()
    ```

    ## Fix
    `logsigmoid(x)`, or `logsigmoid(-x)` for the complement, under whatever name the file can
    reach `torch.nn.functional`, which is imported where it cannot; for numpy `-logaddexp(0, -x)`.
    Where x is out of reach (the sigmoid is in a helper, say), an epsilon is added inside the log.

    ## Fix safety
    Exact: the same value wherever the old one was finite, up to rounding.

    ## References
    `torch.nn.functional.logsigmoid`, `jax.nn.log_sigmoid`, `tf.math.log_sigmoid`.
    """

    code = "EPS203"
    name = "log-of-sigmoid"
    severity = Severity.ERROR
    grade = Grade.EXACT
    ops = frozenset({Op.LOG})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        if operand is None or not operand.fact.zeroable:
            return
        found = _sigmoid(operand)
        if found is None:
            return
        sigmoid, function = found
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"Log of {quoted(site, operand.node)}: a sigmoid saturates at 0 and 1, "
            "logsigmoid does not",
            confidence=_CONFIDENCE[function](site),
            why=made_elsewhere(operand),
            fix=_fix(site, operand, sigmoid, function) or with_epsilon(site, operand),
        )


_CONFIDENCE = MappingProxyType({"logsigmoid": of_underflow, "logsigmoid_of_minus": of_saturation})


def _sigmoid(operand: Operand) -> tuple[Origin, str] | None:
    """The sigmoid inside, and the function that stands for its log or its complement's."""
    origin = maker(operand.fact)
    if origin is None:
        return None
    if origin.op is Op.SIGMOID:
        return origin, "logsigmoid"
    if origin.op is not Op.SUB or not is_plain(origin):
        return None
    if (term := split_sum(origin, 1.0)) is None:
        return None
    inner = maker(term.fact)
    if inner is None or inner.op is not Op.SIGMOID:
        return None
    return inner, "logsigmoid_of_minus"


def _fix(site: Site, operand: Operand, sigmoid: Origin, function: str) -> Fix | None:
    argument = sigmoid.operands.get("x")
    if argument is None or "x" not in site.repeatable or not is_replaceable(site, operand):
        return None
    if operand.fact.origin is not sigmoid and operand.fact.origin is not None:
        inner = operand.fact.origin.operands["y"]
        if inner.node is not sigmoid.node:
            return None  # the sigmoid has a name of its own, whose argument may have changed
    text = sigmoid.unit.source.slice(sigmoid.unit.span(argument.node))
    primary = isinstance(argument.node, bare.Name | bare.Attribute | bare.Call | bare.Subscript)
    minus = f"-{text}" if primary else f"-({text})"
    edits = stable.replaced(site, function, x=text, minus=minus) if is_plain(sigmoid) else None
    return None if edits is None else Fix("Use logsigmoid", Grade.EXACT, edits)
