"""EPS704: a variance as the difference of two averages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from epslint import stable
from epslint.analysis import bare
from epslint.analysis.fact import Form, Kind
from epslint.analysis.keys import key_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.relations.moments import base_of_square
from epslint.analysis.site import Site
from epslint.analysis.uses.ends import ARRANGING
from epslint.rewrite import Slot, floor, rewritten
from epslint.rule import Confidence, Diagnosis, Edit, Fix, Grade, Severity, SiteRule
from epslint_rules._confidence import CONFIDENCE, of_rounding
from epslint_rules._wording import made_elsewhere, quoted

# What takes away the sign that rounding gives it, or looks at it.
_MENDING = frozenset({Op.CLAMP, Op.CLAMP_MIN, Op.MAXIMUM, Op.RELU, Op.ABS, Op.COMPARE, Op.WHERE})
# Seen through on the way there: `np.maximum(difference / n, eps)`, `max(float(var), 0)`.
_THROUGH = ARRANGING | {Op.ITEM, Op.DIV, Op.MUL}
_ROOTS = frozenset({Op.SQRT, Op.RSQRT, Op.POW, Op.LOG})


class CancellingVariance(SiteRule):
    """A variance computed as E[x²] - E[x]².

    ## What it does
    Flags the difference of an average of squares and the square of an average, written in one
    expression, through variables, or from running sums (`sum_sq / n - mean ** 2`). Silent where
    the difference is clamped, or its sign is looked at.

    ## Why is this bad
    The two averages are nearly equal when the spread is small beside the mean, and their difference
    is then rounding noise of either sign. The square root of a little less than 0 is NaN: a batch
    of equal values is enough, and an epsilon of 1e-8 can be less than the noise.

    ## Example
    ```python
    import torch


    def spread(x):
        return torch.sqrt((x**2).mean(dim=-1) - x.mean(dim=-1) ** 2 + 1e-8)
    ```

    ## Use instead
    ```python
    import torch


    def spread(x):
        return torch.sqrt(x.var(dim=-1, correction=0) + 1e-8)
    ```

    ## Fix
    `var` with `correction=0` where both averages are plain means over the same dimensions, written
    here. Elsewhere (running sums, masks, weights) a floor of 0: `.clamp(min=0)`.

    ## Fix safety
    Exact: the same value up to rounding, which is what improves; what was negative becomes 0. Under
    a square root that is differentiated, 0 still has an infinite slope: EPS501 adds the epsilon.

    ## References
    Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983. For running
    statistics, Welford's update has no such difference.
    """

    code = "EPS704"
    name = "cancelling-variance"
    severity = Severity.WARNING
    grade = Grade.EXACT
    ops = frozenset({Op.SUB})
    supersedes = frozenset({"EPS501"})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        if (
            not (site.result.is_any(Kind.CANCELLED) and site.result.is_any(Kind.VAR))
            or site.ends(_THROUGH) & _MENDING
            or site.chosen is not None
        ):
            return
        squares, mean = site.operands["x"], site.operands["y"]
        yield Diagnosis(
            span=site.span,
            message=f"A variance as the difference of {quoted(site, squares.node)} and "
            f"{quoted(site, mean.node)}: where they are nearly equal, rounding makes it negative",
            confidence=_confidence(site),
            why=(*made_elsewhere(squares), *made_elsewhere(mean)),
            fix=_fix(site),
        )


def _confidence(site: Site) -> Confidence:
    if not _is_rooted(site):
        return Confidence.POSSIBLE
    return of_rounding(site, CONFIDENCE[site.result.zero])


def _is_rooted(site: Site) -> bool:
    """Whether a root is seen to be taken of it: there a little less than 0 is NaN."""
    return bool(site.ends(_THROUGH) & _ROOTS)


def _fix(site: Site) -> Fix | None:
    if not isinstance(site.node, bare.BaseExpression):
        return None
    text = _as_var(site)
    edits = None if text is None else rewritten(site.unit, site.node, text)
    if edits is not None:
        return Fix("Use var", Grade.EXACT, edits)
    edits = _floored(site, site.node)
    return None if edits is None else Fix("Let it not be negative", Grade.EXACT, edits)


def _floored(site: Site, node: bare.BaseExpression) -> tuple[Edit, ...] | None:
    form = stable.form_at(site)
    if site.result.form is Form.UNKNOWN and site.scope.alias("numpy") is not None:
        return None  # an array has no clamp
    if site.scope.imported("triton.language") is not None:
        return None  # nor has what a kernel computes with
    if form is Form.TENSORFLOW:
        text = stable.call(site, "maximum", x=site.unit.text(node), y="0.0")
        return None if text is None else rewritten(site.unit, node, text)
    if form not in (Form.TORCH, Form.NUMPY, Form.JAX, Form.NUMBER):
        return None
    return floor(site.unit, node, "0", form, Slot.TIGHT)


def _as_var(site: Site) -> str | None:
    """`x.var(…)`: the mean that is squared, with another name and no correction."""
    root = base_of_square(site.operands["y"])
    first = None if root is None else _mean_of(root, site.operands["y"])
    second = _mean_of(site.operands["x"], site.operands["x"])
    if first is None or second is None or _dimensions(first) != _dimensions(second):
        return None
    square = base_of_square(second.operands["x"])
    if square is None or key_of(square.node) != key_of(first.operands["x"].node):
        return None
    return _renamed(site, first)


def _mean_of(operand: Operand, whole: Operand) -> Origin | None:
    """The call of `mean` that is written inside `whole`, which stands here."""
    origin, outer = operand.fact.origin, whole.fact.origin
    if origin is None or outer is None or outer.node is not whole.node:
        return None
    inline = origin.node is operand.node and origin.op is Op.MEAN
    return origin if inline and key_of(origin.operands["x"].node) is not None else None


def _dimensions(mean: Origin) -> list[tuple[str, str | None]]:
    return sorted((name, key_of(o.node)) for name, o in mean.operands.items() if name != "x")


# What `mean` is called by, what `var` is, and what keeps it from dividing by n - 1.
_NAMES: Mapping[Form, tuple[str, str, str]] = MappingProxyType(
    {
        Form.TORCH: ("mean", "var", "correction=0"),
        Form.NUMPY: ("mean", "var", ""),
        Form.JAX: ("mean", "var", ""),
        Form.TENSORFLOW: ("reduce_mean", "math.reduce_variance", ""),
    }
)


def _renamed(site: Site, mean: Origin) -> str | None:
    names, node = _NAMES.get(stable.form_at(site)), mean.node
    if (
        names is None
        or not isinstance(node, bare.Call)
        or not isinstance(node.func, bare.Attribute)
    ):
        return None
    old, new, correction = names
    positional = sum(1 for argument in node.args if argument.keyword is None)
    receiver = mean.operands["x"].node is node.func.value
    # After the dimension, `var` takes other things than `mean` does.
    if node.func.attr.value != old or positional > (1 if receiver else 2):
        return None
    if not {"x", "dim", "keepdim"} >= mean.operands.keys():
        return None
    unit, whole = mean.unit, mean.unit.span(node)
    name = unit.span(node.func.attr)
    before = unit.source.text[whole.start : name.start]
    arguments = unit.source.text[name.end : whole.end - 1].rstrip().rstrip(",")
    if correction:
        arguments += f", {correction}" if node.args else correction
    return f"{before}{new}{arguments})"
