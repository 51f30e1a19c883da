"""EPS206: log of one plus or minus something."""

from __future__ import annotations

import math
from collections.abc import Iterator

from epslint import stable
from epslint.analysis import bare
from epslint.analysis.fact import Fact, Form, Kind
from epslint.analysis.keys import called
from epslint.analysis.made.wholes import is_whole
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.rule import Diagnosis, Fix, Grade, Severity, SiteRule
from epslint.stable import is_method, is_plain
from epslint_rules._confidence import of_digits, of_overflow
from epslint_rules._digits import is_coarse
from epslint_rules._exponential import is_chosen_small
from epslint_rules._logarithm import maker, split_sum
from epslint_rules._wording import made_elsewhere, quoted

_SUMS = (Op.ADD, Op.SUB)
# One minus these is 0 at times, which is worse than a lost digit, and has rules of its own.
_TOLD_BY_OTHERS = Kind.PROB | Kind.EXP | Kind.RATIO


class LogOfOnePlus(SiteRule):
    """Log of one plus or minus a value that can be small, or plus an exponential.

    ## What it does
    Flags `log(1 + exp(x))`, which is softplus, and `log(1 + x)` and `log(1 - x)` of tensors, which
    are log1p. Silent for whole numbers, of whatever type, for settings, also as tensors, where the
    result is rounded or only says what is drawn, and where another rule says more: `log(1 - p)` of
    a probability is EPS204.

    ## Why is this bad
    `log(1 + exp(x))` overflows at 88.7, and so does `log1p(exp(x))`. `log(1 + x)` loses all digits
    of an x below 6e-8 and half of them at 1e-4; so does `log(1 - x)`.

    ## Example
    ```python
    import torch


    def softplus_loss(margin):
        return torch.log(1 + torch.exp(-margin)).mean()
    ```

    ## Use instead
    ```python
    import torch
    import torch.nn.functional as F


    def softplus_loss(margin):
        return F.softplus(-margin).mean()
    ```

    ## Fix
    `softplus(x)`, `log1p(x)` or `log1p(-x)`; for numpy `logaddexp(0, x)`.

    ## Fix safety
    Exact: the same value up to rounding, which is what improves. In float64 torch's softplus
    is x itself above 20, less than log(1 + exp(x)) by up to 2e-9.

    ## References
    `torch.nn.functional.softplus` switches to the identity above a threshold of 20.
    """

    code = "EPS206"
    name = "log-of-one-plus"
    severity = Severity.WARNING
    grade = Grade.EXACT
    ops = frozenset({Op.LOG, Op.LOG1P})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        found = _inside(site, operand) if operand is not None else None
        if operand is None or found is None:
            return
        function, argument = found
        quiet = function == "log1p"
        facts = () if argument is None else (argument.fact,)
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"Log of one {_sign(operand)} something, {quoted(site, operand.node)}: "
            f"{_WHY[function]}",
            confidence=of_digits(site) if quiet else of_overflow(site, *facts),
            why=made_elsewhere(operand),
            fix=_fix(site, operand, function, argument) if argument is not None else None,
            quiet=quiet,
            formula=not quiet,
        )


def _sign(operand: Operand) -> str:
    origin = maker(operand.fact)
    return "minus" if origin is not None and origin.op is Op.SUB else "plus"


_WHY = {"softplus": "exp overflows, softplus does not", "log1p": "log1p keeps the small digits"}


def _inside(site: Site, operand: Operand) -> tuple[str, Operand | None] | None:
    """The stable function for this log, and what it is to be applied to, if that is at hand."""
    inverse = _inverted(operand) if site.op is Op.LOG else None
    if inverse is not None:  # `log(1 / (1 + exp(-x)))`
        below = _beside_one(inverse)
        return ("softplus", None) if below is not None and _exponential(below) else None
    term = _beside_one(operand) if site.op is Op.LOG else operand
    if term is None:  # `y = 1 + exp(x)`, and later `log(y)`: it overflows there as well
        return ("softplus", None) if _is_one_more_than_exponential(operand) else None
    exponential = _exponential(term)
    if exponential is not None:
        if is_chosen_small(site) and not site.learned.evidence:
            return None  # but for its gradient
        # The argument of an exp that has a name of its own may have changed since.
        written_here = exponential.node is term.node and is_plain(exponential)
        return "softplus", exponential.operands["x"] if written_here else None
    if site.op is Op.LOG1P or not _is_natural(site) or not _can_be_small(site, term):
        return None
    return None if site.rounded or site.chosen_by else ("log1p", term)


def _beside_one(operand: Operand) -> Operand | None:
    """x of `1 + x` and `1 - x`, as they are written in the log."""
    origin = maker(operand.fact)
    if origin is None or origin.op not in _SUMS or origin.node is not operand.node:
        return None
    term = split_sum(origin, 1.0) if is_plain(origin) else None  # add(1, x, alpha=2) is not
    if term is None or origin.op is Op.ADD:
        return term
    told = operand.fact.zeroable or term.fact.is_any(_TOLD_BY_OTHERS)
    # Who has bounded x away from 1 has thought about what is left of it.
    return None if told or term.fact.range.hi < math.inf else term


def _is_one_more_than_exponential(operand: Operand) -> bool:
    origin = maker(operand.fact)
    if origin is None or origin.op is not Op.ADD or not is_plain(origin):
        return False
    term = split_sum(origin, 1.0)
    return term is not None and _exponential(term) is not None


def _inverted(operand: Operand) -> Operand | None:
    """y of `1 / y`."""
    origin = maker(operand.fact)
    if origin is None or origin.op is not Op.DIV or origin.fact("x").constant != 1:
        return None
    return origin.operands["y"]


def _exponential(term: Operand) -> Origin | None:
    origin = maker(term.fact)
    if origin is None or origin.op is not Op.EXP:
        return None
    return None if origin.fact("x").range.hi <= 0 else origin


def _is_natural(site: Site) -> bool:
    """There is no log1p to the base of 10."""
    return isinstance(site.node, bare.Call) and called(site.node).rstrip("_") == "log"


def _can_be_small(site: Site, term: Operand) -> bool:
    tensor = site.result.form.tensor or term.fact.form.tensor
    return tensor and not is_whole(term) and not is_coarse(term) and not _is_weight(term.fact)


def _is_weight(fact: Fact) -> bool:
    """Whether it is a number that somebody gives, `torch.tensor(beta)` of `beta: float` or of
    `beta=0.5`, which is positive. Beside 1 it is the weight of a mixture.
    """
    origin = fact.origin
    if origin is None or origin.op is not Op.AS_TENSOR:
        return False
    number = origin.fact("x")
    return number.origin is None and (number.form is Form.NUMBER or number.range.positive)


def _fix(site: Site, operand: Operand, function: str, argument: Operand) -> Fix | None:
    if not isinstance(site.node, bare.Call) or site.operand("base") is not None:
        return None
    name = site.node.func.attr if isinstance(site.node.func, bare.Attribute) else site.node.func
    if not isinstance(name, bare.Name) or name.value not in ("log", "log1p"):
        return None
    if site.result.form is Form.NUMBER and function == "softplus":
        return None
    edits = stable.replaced(
        site,
        function,
        method=function == "log1p" and is_method(site, site.operands["x"]),
        x=_signed(site, operand, argument),
    )
    return None if edits is None else Fix(f"Use {function}", Grade.EXACT, edits)


def _signed(site: Site, operand: Operand, argument: Operand) -> str:
    text = site.unit.text(argument.node)
    if _sign(operand) == "plus":
        return text
    return f"-({text})" if isinstance(argument.node, _LOOSER_THAN_MINUS) else f"-{text}"


_LOOSER_THAN_MINUS = (bare.BinaryOperation, bare.UnaryOperation, bare.IfExp, bare.Lambda)
