"""EPS504: an inverse function at the end of its domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from epslint import stable
from epslint.analysis import bare
from epslint.analysis.fact import Evidence, Fact, Form, Kind, weakest
from epslint.analysis.keys import called, key_of
from epslint.analysis.made.terms import PRODUCTS, factors, terms
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.reasons import chain
from epslint.analysis.relations.coordinates import is_trace
from epslint.analysis.site import Site
from epslint.epsilon import BFLOAT16, FLOAT16, FLOAT32, Precision
from epslint.rewrite import changes_in_place, clamped, rewritten
from epslint.rule import Diagnosis, Edit, Fix, Grade, Severity, SiteRule
from epslint_rules._confidence import of_gradient
from epslint_rules._logarithm import maker
from epslint_rules._wording import because, quoted


@dataclass(frozen=True, slots=True)
class _Domain:
    """Where a function is defined, and whether it is finite at the ends."""

    low: int
    finite: bool


_DOMAINS: Mapping[str, _Domain] = MappingProxyType(
    {
        **dict.fromkeys(("acos", "arccos", "asin", "arcsin"), _Domain(-1, finite=True)),
        **dict.fromkeys(("atanh", "arctanh", "erfinv"), _Domain(-1, finite=False)),
        "logit": _Domain(0, finite=False),
    }
)
# A cosine that is computed: rounding takes it beyond 1.
_PRODUCTS = frozenset({Op.SUM, Op.DOT, Op.MATMUL, Op.EINSUM, Op.TRACE})
_SCALING = frozenset({Op.SUB, Op.ADD, Op.MUL, Op.DIV, Op.NEG})
# How far from 1 a bound must be to be another number than 1, and its slope a number.
_DISTANCES: Mapping[Precision, float] = MappingProxyType({FLOAT16: 1e-3, BFLOAT16: 1e-2})
_DISTANCE = 1e-6


class ArcAtBoundary(SiteRule):
    """An inverse function whose argument reaches the end of its domain.

    ## What it does
    Flags `acos`, `asin`, `atanh`, `erfinv` and `logit` whose argument is seen to reach ±1 (0 or 1
    for logit): after `clamp(-1, 1)`, after tanh, cos or a cosine similarity, a probability under
    logit, and a cosine that is computed from a trace, as a dot product, or as one that is written
    out (`x1 * x2 + y1 * y2`, the pitch of a quaternion). Silent for acos and
    asin of clamped values where no gradient is shown (see EPS501). That `1 - 1e-8` is 1
    in float32 is told by EPS602.

    ## Why is this bad
    The slope of acos at 1 is infinite: parallel vectors, a rotation by 0 and a perfect prediction
    give a NaN gradient. Without a clamp the rounded cosine is 1.0000001, and its acos NaN. atanh
    and logit are infinite at the ends themselves.

    ## Example
    ```python
    import torch


    def angle(cosine: torch.Tensor) -> torch.Tensor:
        return torch.acos(cosine.clamp(-1, 1))
    ```

    ## Use instead
    ```python
    import torch


    def angle(cosine: torch.Tensor) -> torch.Tensor:
        return torch.acos(cosine.clamp(-1 + 1e-6, 1 - 1e-6))
    ```

    ## Fix
    Clamps to 1 - 1e-6; to 1 - 1e-2 in bfloat16 and 1 - 1e-3 in float16, where the code shows them.
    A clamp that is already there gets the new bounds. Where no gradient flows acos and asin get
    the bounds ±1.

    ## Fix safety
    Bounded: the same value for every argument between the bounds; an angle beyond them moves by
    at most sqrt(2e-6) = 1.5e-3. Bfloat16 that the code does not show has no number between
    1 - 1e-6 and 1.

    ## References
    SB3's `TanhBijector` clamps by the machine's epsilon before atanh.
    """

    code = "EPS504"
    name = "arc-at-boundary"
    severity = Severity.WARNING
    grade = Grade.BOUNDED
    ops = frozenset({Op.ARC})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand, function = site.operand("x"), _function(site)
        domain = _DOMAINS.get(function)
        if operand is None or domain is None or site.fact("eps").constant:
            return
        if _is_replaced(site) and not site.learned.evidence:
            return
        evidence = _reach(site, domain, operand)
        if evidence is Evidence.NONE:
            return
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"{function} of {quoted(site, operand.node)}, {_harm(domain, operand)}",
            confidence=of_gradient(site, evidence, site.learned),
            why=(*chain(operand.fact), *because(site.learned)),
            fix=_fix(site, operand, domain),
        )


def _is_replaced(site: Site) -> bool:
    """Whether what is not finite is replaced, or chosen only where the argument is in bounds."""
    if site.chosen is None:
        return False
    return site.choice is None or site.chosen["x"].range.bounded


def _function(site: Site) -> str:
    return called(site.node) if isinstance(site.node, bare.Call) else ""


def _harm(domain: _Domain, operand: Operand) -> str:
    ends = "0 or 1" if domain.low == 0 else "±1"
    if not operand.fact.range.bounded:
        return f"which rounding takes beyond {ends}: NaN"
    slope = "its slope" if domain.finite else "it"
    return f"which reaches {ends}: {slope} is infinite there"


def _reach(site: Site, domain: _Domain, operand: Operand) -> Evidence:
    """How it is known that an argument reaches an end of the domain."""
    fact = operand.fact
    if fact.constant is not None:
        return Evidence.NONE
    if not fact.range.bounded:
        return Evidence.NAMED if domain.finite and _is_cosine(operand) else Evidence.NONE
    high = fact.range.contains(1.0)
    if domain.low == 0:
        low = fact.range.contains(0.0)
        return (
            fact.ground if (low or high) and fact.is_any(Kind.PROB) else _clamped(fact, low, high)
        )
    low = fact.range.contains(-1.0)
    if not (low or high):
        return Evidence.NONE
    reached = fact.ground or Evidence.PROVEN
    return weakest(reached, site.learned.evidence) if domain.finite else reached


def _clamped(fact: Fact, low: bool, high: bool) -> Evidence:
    origin = maker(fact, through=True)
    bounded = origin is not None and origin.op in (Op.CLAMP, Op.CLAMP_MIN, Op.CLAMP_MAX)
    return Evidence.PROVEN if bounded and (low or high) else Evidence.NONE


def _is_cosine(operand: Operand) -> bool:
    """Whether a value is a dot product, also one written out (`2 * (w * y - z * x)`), or a trace,
    less and over something.
    """
    if _is_written_out(operand) or _is_trace_written_out(operand):
        return True
    origin = maker(operand.fact, through=True)
    while origin is not None and origin.op in _SCALING:
        origin = _varying(origin)
    return origin is not None and origin.op in _PRODUCTS


def _is_written_out(operand: Operand) -> bool:
    varying = _unscaled(operand)
    if varying is None:
        return False
    parts = [term.operand for term in terms(varying)]
    return len(parts) > 1 and all(_multiplies(part) for part in parts)


def _unscaled(operand: Operand) -> Operand | None:
    """x of `2 * x`."""
    varying = [factor for factor in factors(operand, PRODUCTS) if factor.fact.constant is None]
    return varying[0] if len(varying) == 1 else None


def _is_trace_written_out(operand: Operand) -> bool:
    """`(r[0, 0] + r[1, 1] + r[2, 2] - 1) / 2`."""
    origin = operand.fact.origin
    halved = origin is not None and origin.op is Op.DIV and origin.fact("y").constant is not None
    trace = _unscaled(origin.operands["x"] if origin is not None and halved else operand)
    return trace is not None and is_trace(trace)


def _multiplies(operand: Operand) -> bool:
    """Whether two values are multiplied, and not one with itself."""
    made_of = [f for f in factors(operand, PRODUCTS) if f.fact.constant is None]
    keys = {key_of(factor.node) for factor in made_of}
    return len(made_of) > 1 and len(keys) == len(made_of)


def _varying(origin: Origin) -> Origin | None:
    x = origin.operands.get("x")
    if x is not None and x.fact.constant is None:
        return maker(x.fact, through=True)
    y = origin.operands.get("y")
    return None if y is None else maker(y.fact, through=True)


def _fix(site: Site, operand: Operand, domain: _Domain) -> Fix | None:
    if changes_in_place(site, operand):
        return None
    low, high = str(domain.low), "1"
    if site.differentiated or not domain.finite:
        epsilon = _epsilon(site, operand.fact)
        low = f"{domain.low} + {epsilon}" if domain.low else epsilon
        high = f"1 - {epsilon}"
    edits = _new_bounds(site, operand, low, high) or _clamp(site, operand, low, high)
    return None if edits is None else Fix(f"Clamp to {low} … {high}", Grade.BOUNDED, edits)


def _epsilon(site: Site, fact: Fact) -> str:
    """The distance that the dtype can tell from 1, under its name if the code has one for it."""
    precision = fact.dtype.precision or FLOAT32
    distance = _DISTANCES.get(precision, _DISTANCE)
    fitting = (e.text for e in site.scope.epsilons if precision.eps <= e.value <= 10 * distance)
    return next(fitting, f"{distance:.0e}".replace("e-0", "e-"))


def _new_bounds(site: Site, operand: Operand, low: str, high: str) -> tuple[Edit, ...] | None:
    """`x.clamp(-1, 1)` is given other bounds."""
    origin = operand.fact.origin
    if origin is None or origin.op is not Op.CLAMP or origin.node is not operand.node:
        return None
    lower, upper = origin.operands.get("min"), origin.operands.get("max")
    if lower is None or upper is None:
        return None
    unit = site.unit
    return Edit(unit.outer_span(lower.node), low), Edit(unit.outer_span(upper.node), high)


def _clamp(site: Site, operand: Operand, low: str, high: str) -> tuple[Edit, ...] | None:
    form = stable.form_at(site)
    if form in (Form.TORCH, Form.UNKNOWN):
        return clamped(site.unit, operand.node, low, high)
    text = stable.call(site, "clip", x=site.unit.text(operand.node), min=low, max=high)
    return None if text is None else rewritten(site.unit, operand.node, text)
