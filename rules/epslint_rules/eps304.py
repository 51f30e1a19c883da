"""EPS304: exp(x) - 1."""

from __future__ import annotations

from collections.abc import Iterator

from epslint import stable
from epslint.analysis import bare
from epslint.analysis.fact import Form, Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.rewrite import changes_in_place
from epslint.rule import Diagnosis, Fix, Grade, Severity, SiteRule
from epslint.stable import is_method, is_plain
from epslint_rules._confidence import of_digits
from epslint_rules._digits import is_coarse
from epslint_rules._exponential import exponential_behind
from epslint_rules._wording import quoted


class ExpMinusOne(SiteRule):
    """exp(x) - 1, which loses the digits of a small x.

    ## What it does
    Flags `exp(x) - 1` written in one expression, and `1 - exp(x)` where what is left is divided,
    divided by or taken the root of, which brings the lost digits to the front. The k3 estimator
    `exp(d) - 1 - d` is EPS302's, and silent once d is capped. Silent also where the result is
    rounded, as a duration in whole frames is, and for a constant or a setting, as in
    `log(exp(init_std) - 1)`.

    ## Why is this bad
    For a small x the 1 eats the digits: at x = 1e-8 the result is 0 in float32 instead of 1e-8.

    ## Example
    ```python
    import torch


    def growth(rate):
        return torch.exp(rate) - 1
    ```

    ## Use instead
    ```python
    import torch


    def growth(rate):
        return torch.expm1(rate)
    ```

    ## Fix
    `expm1(x)`.

    ## Fix safety
    Exact: the same value up to rounding, which is what improves.

    ## References
    `torch.expm1`, `numpy.expm1`, `math.expm1`.
    """

    code = "EPS304"
    name = "exp-minus-one"
    severity = Severity.WARNING
    grade = Grade.EXACT
    ops = frozenset({Op.SUB, Op.ADD})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = _less_one(site)
        if operand is None:
            return
        exponential = exponential_behind(operand)
        if exponential is None or exponential.op is not Op.EXP:
            return
        argument = exponential.operands["x"]
        written_here = exponential.node is operand.node
        if not written_here or argument.fact.is_any(Kind.LOGRATIO) or site.uses & {Op.SUB, Op.ADD}:
            return
        if site.rounded or not _can_be_small(argument):
            return
        yield Diagnosis(
            span=site.unit.span(argument.node),
            message=f"exp(x) - 1 of {quoted(site, argument.node)}: expm1 keeps the small digits",
            confidence=of_digits(site),
            fix=_fix(site, exponential, argument),
            quiet=True,
        )


def _can_be_small(argument: Operand) -> bool:
    """Not a constant such as 0.35, nor a setting: `log(exp(init) - 1)` begins a softplus."""
    fact = argument.fact
    if fact.range.lo >= _NOT_SMALL or fact.range.hi <= -_NOT_SMALL:
        return False
    return (fact.range.has_zero or fact.origin is not None) and not is_coarse(argument)


_NOT_SMALL = 0.1  # one digit of ten is lost


def _less_one(site: Site) -> Operand | None:
    """What 1 is taken from, or what is taken from 1: x of `x - 1`, of `-1 + x`, and of `1 - x`."""
    if site.op is Op.ADD:
        return site.operand("y") if site.fact("x").constant == -1 else None
    if site.fact("x").constant == 1:
        return site.operand("y") if site.uses & _ENLARGING else None
    return site.operand("x") if site.fact("y").constant == 1 else None


# What makes much of little: `(1 - exp(-x)) / x`, `x / (1 - exp(-x))`, `sqrt(1 - exp(-x))`.
_ENLARGING = frozenset({Op.DIV, Op.RECIPROCAL, Op.SQRT})


def _fix(site: Site, exponential: Origin, argument: Operand) -> Fix | None:
    if not isinstance(site.node, bare.BinaryOperation | bare.Call) or not is_plain(exponential):
        return None
    if site.fact("x").constant == 1:
        return None  # a minus sign would have to go before it, whatever stands there
    if stable.form_at(site) is Form.UNKNOWN or changes_in_place(site, site.operands["x"]):
        return None
    edits = stable.replaced(
        site,
        "expm1",
        method=is_method(exponential, argument) and "out" not in site.operands,
        x=site.unit.text(argument.node),
    )
    return None if edits is None else Fix("Use expm1", Grade.EXACT, edits)
