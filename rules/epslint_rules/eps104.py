"""EPS104: an epsilon that is added after the operation it should guard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.fact import Fact, Kind
from epslint.analysis.learning import NOT_SHOWN, Shown
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.reasons import chain, noun
from epslint.analysis.site import Site
from epslint.rewrite import add, slot_within
from epslint.rule import Confidence, Diagnosis, Edit, Fix, Grade, Severity, SiteRule
from epslint.source import Span
from epslint_rules._confidence import if_data_allow, of_gradient
from epslint_rules._wording import because, quoted

# The operations with a singular point, and the operand that reaches it.
_SINGULAR: Mapping[Op, str] = MappingProxyType(
    {
        Op.DIV: "y",
        Op.RECIPROCAL: "x",
        Op.LOG: "x",
        Op.SQRT: "x",
        Op.RSQRT: "x",
        Op.POW: "x",
    }
)
# A sum or mean over a singular operation is no better than the operation.
_REDUCING = frozenset({Op.SUM, Op.MEAN, Op.SAME, Op.NEG})
# Into these an epsilon is added for their own sake.
_NEEDING_EPSILON = frozenset({Op.LOG, Op.DIV, Op.SQRT, Op.RSQRT, Op.RECIPROCAL, Op.POW})


class MisplacedEpsilon(SiteRule):
    """An epsilon that is added after the operation it should guard.

    ## What it does
    Flags `a / b + eps`, `(a / b).sum() + eps`, `log(x) + eps`, `x.rsqrt().add_(eps)` and, where the
    code shows that a gradient is taken (see EPS501), `sqrt(x) + eps`: the operand that can be 0 is
    still 0, and the epsilon is added to a result that is already infinite, or whose gradient is.

    Silent where the sum goes into another operation that needs an epsilon itself, as in
    `log(p / q + eps)`.

    ## Why is this bad
    It looks guarded, so it survives every review. `0 / 0 + 1e-8` is NaN; the slope of
    `sqrt(x) + 1e-8` at 0 is infinite.

    ## Example
    ```python
    def masked_mean(values, mask):
        return (values * mask).sum() / mask.sum() + 1e-8
    ```

    ## Use instead
    ```python
    def masked_mean(values, mask):
        return (values * mask).sum() / (mask.sum() + 1e-8)
    ```

    ## Fix
    Moves the epsilon inside, to the operand that can be 0.

    ## Fix safety
    Bounded by the size of the epsilon.

    ## References
    Adam's `sqrt(v) + eps` is right where it stands: nothing is differentiated in an optimizer's
    step.
    """

    code = "EPS104"
    name = "misplaced-epsilon"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    ops = frozenset({Op.ADD})
    supersedes = frozenset({"EPS101", "EPS102", "EPS103", "EPS201", "EPS207", "EPS501", "EPS505"})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        split = _split(site)
        if split is None:
            return
        value, epsilon = split
        origin = _singular(value.node, value.fact)
        if origin is None:
            return
        guarded = origin.operands.get(_SINGULAR[origin.op])
        if guarded is None or not (_is_hurt(guarded.fact) or _is_doubted(origin.op, guarded.fact)):
            return
        shown = site.learned if origin.op in (Op.SQRT, Op.POW) else NOT_SHOWN
        if not shown.evidence and _is_harmless(site, origin):
            return
        yield Diagnosis(
            span=site.unit.span(guarded.node),
            message=_message(site, guarded, epsilon),
            confidence=_confidence(site, guarded, shown),
            why=(*chain(guarded.fact), *because(shown)),
            fix=_moved(site, origin, guarded, value, epsilon),
        )


def _confidence(site: Site, guarded: Operand, shown: Shown) -> Confidence:
    """How sure it is that what was not guarded is ever 0: whoever has written an epsilon, even if
    in the wrong place, has thought of it.
    """
    if shown.evidence:
        return of_gradient(site, guarded.fact.zero, shown)
    told = if_data_allow(site, guarded.fact)
    return Confidence.POSSIBLE if told is Confidence.UNLIKELY else told


def _split(site: Site) -> tuple[Operand, Operand] | None:
    """The value and the epsilon of a sum that has one."""
    x, y = site.operand("x"), site.operand("y")
    if x is None or y is None or not isinstance(site.node, bare.BinaryOperation | bare.Call):
        return None
    if x.fact.is_any(Kind.EPSILON) == y.fact.is_any(Kind.EPSILON):
        return None
    return (x, y) if y.fact.is_any(Kind.EPSILON) else (y, x)


def _singular(node: bare.BaseExpression, fact: Fact) -> Origin | None:
    """The singular operation whose result this is, when it is written in the same expression."""
    origin = fact.origin
    while origin is not None and origin.node is node:
        if origin.op in _SINGULAR and (origin.op is not Op.POW or _exponent(origin) == 0.5):
            return origin
        inner = origin.operands.get("x") if origin.op in _REDUCING else None
        if inner is None:
            return None
        node, origin = inner.node, inner.fact.origin
    return None


def _is_hurt(fact: Fact) -> bool:
    """Whether it can be 0, with something to lose there: a feature that is dead has nothing."""
    return fact.zeroable and not fact.is_any(Kind.DRAWN)


def _is_doubted(op: Op, fact: Fact) -> bool:
    """Whoever adds an epsilon to the inverse of a root has thought of its being 0."""
    return op is Op.RSQRT and fact.range.has_zero and fact.constant is None


def _exponent(origin: Origin) -> float | None:
    exponent = origin.operands.get("y")
    return None if exponent is None else exponent.fact.constant


def _is_harmless(site: Site, origin: Origin) -> bool:
    """A root has its epsilon outside for the value's sake; so has what goes into a log."""
    return origin.op in (Op.SQRT, Op.POW) or bool(site.uses & _NEEDING_EPSILON)


def _message(site: Site, guarded: Operand, epsilon: Operand) -> str:
    return (
        f"`{site.unit.text(epsilon.node)}` is added after the operation that it should guard: "
        f"{quoted(site, guarded.node)} is {noun(guarded.fact)} and can still be 0 inside it"
    )


def _moved(
    site: Site, origin: Origin, guarded: Operand, value: Operand, epsilon: Operand
) -> Fix | None:
    if isinstance(site.node, bare.Call):  # `x.rsqrt().add_(eps)`: how it is written is the author's
        return None
    unit = site.unit
    text = unit.text(epsilon.node)
    slot = slot_within(origin.node, guarded.node)
    edits = (*add(unit, guarded.node, text, slot), Edit(_dropped(site, value, epsilon), ""))
    return Fix(f"Move {text} to where it guards", Grade.BOUNDED, edits)


def _dropped(site: Site, value: Operand, epsilon: Operand) -> Span:
    """Where the epsilon and its operator stand; a comment between them and the value stays."""
    unit = site.unit
    kept, gone = unit.outer_span(value.node), unit.outer_span(epsilon.node)
    if gone < kept:
        return Span(gone.start, kept.start)
    gap = unit.source.slice(Span(kept.end, gone.start))
    code_ends = max(gap.rfind("\n", 0, gap.rfind("+")), 0) if "#" in gap else 0
    return Span(kept.end + code_ends, gone.end)
