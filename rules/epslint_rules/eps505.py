"""EPS505: a norm written out by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from epslint import stable
from epslint.analysis import bare
from epslint.analysis.fact import Fact, Form
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.rewrite import rewritten
from epslint.rule import Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._confidence import of_gradient
from epslint_rules._exponential import same_value
from epslint_rules._logarithm import maker
from epslint_rules._root import (
    is_chosen_away,
    is_divided_by,
    learned,
    root_of,
    with_epsilon,
)
from epslint_rules._wording import because, made_elsewhere, quoted

# What a sum and a root say besides what they are taken of, as vector_norm calls it.
_KEPT = ("dim", "keepdim", "dtype", "out")


class HandRolledNorm(SiteRule):
    """A Euclidean norm written out by hand.

    ## What it does
    Flags `(x ** 2).sum().sqrt()` and `sqrt(dx * dx + dy * dy)` in all their spellings where the
    code shows that a gradient is taken (see EPS501) and no epsilon stands under the root. Silent
    everywhere else, for the value is right. A norm that is divided by is a finding of EPS102.

    ## Why is this bad
    At the zero vector (two equal points, a padding row, a silent frame) the root has an infinite
    slope and its argument a slope of 0: the gradient is 0 * inf = NaN. `torch.linalg.vector_norm`
    has the same value and a gradient of 0 there.

    ## Example
    ```python
    import torch


    def distance(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return ((a - b) ** 2).sum(dim=-1).sqrt()
    ```

    ## Use instead
    ```python
    import torch


    def distance(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.linalg.vector_norm(a - b, dim=-1)
    ```

    ## Fix
    `torch.linalg.vector_norm` with the sum's dim, keepdim and dtype, where the sum is written at
    the place. Else, and in jax and tensorflow, whose norms have the same gradient as the formula,
    an epsilon inside the root: `hypot`, too, has a NaN gradient at 0.

    ## Fix safety
    Exact for vector_norm, up to rounding; it does not overflow where the squares do. Bounded for
    the epsilon: sqrt(s + eps) - sqrt(s) is at most eps / (2 sqrt(s)).

    ## References
    Measured on torch 2.13: `vector_norm` has gradient 0 at 0, `hypot` NaN. `jnp.linalg.norm` has
    NaN.
    """

    code = "EPS505"
    name = "hand-rolled-norm"
    severity = Severity.WARNING
    grade = Grade.EXACT
    ops = frozenset({Op.SQRT, Op.POW})
    supersedes = frozenset({"EPS501"})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = root_of(site)
        if operand is None or not operand.fact.range.has_zero or is_divided_by(site):
            return
        if is_chosen_away(site) or not _is_sum_of_squares(operand.fact):
            return
        shown = learned(site, operand)
        if not shown.evidence:
            return
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"A norm by hand, the root of {quoted(site, operand.node)}: "
            "its gradient is NaN where everything is 0",
            confidence=of_gradient(site, operand.fact.zero, shown),
            why=(*made_elsewhere(operand), *because(shown)),
            fix=_vector_norm(site, operand) or with_epsilon(site, operand),
        )


def _is_sum_of_squares(fact: Fact) -> bool:
    origin = maker(fact, through=True)
    if origin is None:
        return False
    if origin.op is Op.ADD:
        return all(_is_square_or_more(operand.fact) for operand in origin.operands.values())
    # What is neither 0 nor constant has squares that add up to something.
    return origin.op is Op.SUM and fact.zeroable and _squared(origin.fact("x")) is not None


def _is_square_or_more(fact: Fact) -> bool:
    """Not the square of a setting: `sqrt(x ** 2 + c ** 2)` is never of 0."""
    squared = _squared(fact)
    if squared is None:
        return _is_sum_of_squares(fact)
    return not _is_setting(squared.fact("x"))


def _is_setting(fact: Fact) -> bool:
    """A number of Python's that was not taken out of a tensor, and is no difference."""
    made = fact.origin
    measured = made is not None and made.op in (Op.SUB, Op.ADD, Op.ITEM)
    return fact.form is Form.NUMBER and not fact.zeroable and fact.constant != 0 and not measured


def _squared(fact: Fact) -> Origin | None:
    """The operation that squares: `x ** 2`, `x.square()`, `x * x`."""
    origin = maker(fact, through=True)
    if origin is None or origin.op is Op.SQUARE:
        return origin
    if origin.op is Op.POW:
        return origin if origin.fact("y").constant == 2 else None
    if origin.op is not Op.MUL:
        return None
    return origin if same_value(origin.operands["x"], origin.operands["y"]) else None


def _vector_norm(site: Site, operand: Operand) -> Fix | None:
    total = operand.fact.origin
    if stable.form_at(site) is not Form.TORCH or total is None or total.op is not Op.SUM:
        return None
    summed = total.operands["x"]
    squared = _squared(summed.fact)
    if squared is None or total.node is not operand.node or squared.node is not summed.node:
        return None
    given = {**total.operands, **site.operands}
    if not (_is_told_by(total.node, total.operands) and _is_told_by(site.node, site.operands)):
        return None
    unit = site.unit
    kept = "".join(
        f", {name}={unit.source.slice(unit.outer_span(given[name].node))}"
        for name in _KEPT
        if name in given
    )
    text = stable.call(site, "vector_norm", x=unit.text(squared.operands["x"].node), arguments=kept)
    if text is None or not isinstance(site.node, bare.BaseExpression):
        return None
    edits = rewritten(unit, site.node, text)
    return None if edits is None else Fix("Use vector_norm", Grade.EXACT, edits)


def _is_told_by(node: bare.Node, operands: Mapping[str, Operand]) -> bool:
    """Whether all that a call says is in its operands, and vector_norm can be told it."""
    if not isinstance(node, bare.Call):
        return set(operands) <= {"x", "y"}
    return len(operands) >= len(node.args) and set(operands) <= {"x", *_KEPT}
