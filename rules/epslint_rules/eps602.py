"""EPS602: an epsilon that is lost beside a larger number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.fact import Fact, Form, Kind
from epslint.analysis.keys import called
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.epsilon import Precision, spelled
from epslint.rewrite import epsilon_text, guard
from epslint.rule import Confidence, Diagnosis, Edit, Fix, Grade, Reason, Severity, SiteRule
from epslint.source import Span
from epslint_rules._guarded import NEEDY, needy, order, precision_at
from epslint_rules._logarithm import maker
from epslint_rules._wording import quoted

# Which parameters of an operation bound its result from above, and from below.
_CEILING: Mapping[Op, tuple[str, ...]] = MappingProxyType(
    {Op.CLAMP: ("max",), Op.CLAMP_MAX: ("max",), Op.MINIMUM: ("y", "x")}
)
_FLOOR: Mapping[Op, tuple[str, ...]] = MappingProxyType(
    {Op.CLAMP: ("min",), Op.CLAMP_MIN: ("min",), Op.MAXIMUM: ("y", "x")}
)
# Of these the value itself is infinite at the bound; of acos and asin it is the slope.
_INFINITE = frozenset({"atanh", "arctanh", "logit", "erfinv"})


class EpsilonAbsorbed(SiteRule):
    """An epsilon that is lost beside a larger number.

    ## What it does
    Flags an epsilon that rounding takes away before it can guard: `1e-10 + 1 - p` (which is
    `(1e-10 + 1) - p`), and `clamp(max=1 - 1e-8)` before `log(1 - p)`, `x / (1 - p)`, `atanh` and
    their like. It knows the order of evaluation: `1 - p + 1e-10` is right. Silent where the epsilon
    was not needed (`n.clamp(min=1) + 1e-8`), in float64, and so for numpy and plain Python.

    ## Why is this bad
    Next to 1, float32 has steps of 6e-8 and bfloat16 of 4e-3: 1 + 1e-8 is 1, and so is 1 - 1e-8.
    The guard is there to be read and not there when it runs: log(1 - p) is -inf once p is 1.

    ## Example
    ```python
    import torch


    def binary_entropy(p, y):
        p = p.clamp(1e-8, 1 - 1e-8)
        return -(y * torch.log(p) + (1 - y) * torch.log(1 - p))
    ```

    ## Use instead
    ```python
    import torch


    def binary_entropy(p, y):
        p = p.clamp(1e-8, 1 - 1e-7)
        return -(y * torch.log(p) + (1 - y) * torch.log(1 - p))
    ```

    ## Fix
    Puts the epsilon last, `1 - p + 1e-10`; or makes the bound one that the dtype has: `1 - 1e-7`
    in float32, `1 - 1e-3` in float16, `1 - 1e-2` in bfloat16.

    ## Fix safety
    Bounded: by the epsilon that is moved, or by 2e-7 (2e-3, 2e-2) for what lies that near to the
    bound.

    ## References
    `torch.finfo(dtype).eps`: 1.2e-7 in float32, 9.8e-4 in float16, 7.8e-3 in bfloat16.
    """

    code = "EPS602"
    name = "epsilon-absorbed"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    ops = NEEDY | {Op.LOG1P, Op.ARC}
    supersedes = frozenset({"EPS103", "EPS201", "EPS204", "EPS207", "EPS501", "EPS504"})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = _bounded(site)
        precision = None if operand is None else precision_at(site, operand.fact)
        if operand is None or precision is None:
            return
        for lost in _lost(site, operand, precision):
            here = lost.origin.unit is site.unit
            yield Diagnosis(
                span=site.unit.span(lost.place if here else operand.node),
                message=_message(lost, precision, site),
                confidence=Confidence.PROVEN,
                why=(Reason(site.unit.row(site.node), f"{quoted(site, site.node)} is singular"),),
                fix=_fix(site, operand, lost, precision) if here else None,
            )


@dataclass(frozen=True, slots=True)
class _Lost:
    """A number that was meant to be a little off `left`, and the operation it is rounded in."""

    origin: Origin
    number: Operand
    left: float

    @property
    def place(self) -> bare.BaseExpression:
        """What to point at: the whole difference, or the bound alone."""
        return self.origin.node if self.origin.op is Op.SUB else self.number.node


def _bounded(site: Site) -> Operand | None:
    """The operand that has to stay off the singular point of a site."""
    if site.op is Op.ARC:
        infinite = called(site.node) in _INFINITE if isinstance(site.node, bare.Call) else False
        return site.operand("x") if infinite or site.differentiated else None
    return site.operand("x") if site.op is Op.LOG1P else needy(site)


def _lost(site: Site, operand: Operand, precision: Precision) -> Iterator[_Lost]:
    for origin, parameter in _candidates(site, operand):
        number = origin.operands.get(parameter)
        meant = None if number is None else number.fact.constant
        if number is None or meant is None:
            continue
        left = precision.rounded(meant)
        if abs(left) == 1.0 and left != meant:
            yield _Lost(origin, number, left)


def _candidates(site: Site, operand: Operand) -> Iterator[tuple[Origin, str]]:
    """The numbers that an epsilon may hide in, if the value is singular where they are 1 or -1."""
    origin = maker(operand.fact, through=True)
    if origin is None:
        return
    if site.op is Op.ARC:
        yield from _bounds(origin, _CEILING)
        yield from _bounds(origin, _FLOOR)
    elif site.op is Op.LOG1P:
        yield from _bounds(origin, _FLOOR)
        if origin.op is Op.NEG:
            yield from _bounds(_unpowered(origin.fact("x")), _CEILING)
    elif origin.op is Op.SUB:
        if _reaches_one(origin.fact("y")):
            yield origin, "x"
        if origin.fact("x").constant == 1:
            yield from _bounds(_unpowered(origin.fact("y")), _CEILING)


def _bounds(
    origin: Origin | None, parameters: Mapping[Op, tuple[str, ...]]
) -> Iterator[tuple[Origin, str]]:
    if origin is not None:
        yield from ((origin, parameter) for parameter in parameters.get(origin.op, ()))


def _unpowered(fact: Fact) -> Origin | None:
    """The operation behind a value or behind its square: 1 is 1 either way."""
    origin = maker(fact, through=True)
    if origin is not None and origin.op in (Op.SQUARE, Op.POW):
        return maker(origin.fact("x"), through=True)
    return origin


def _reaches_one(fact: Fact) -> bool:
    return fact.is_any(Kind.PROB | Kind.MASK) or (fact.range.hi == 1 and not fact.range.hi_open)


def _message(lost: _Lost, precision: Precision, site: Site) -> str:
    unit = lost.origin.unit
    rounded = f"`{unit.brief(lost.number.node)}` is {lost.left:g} in {precision.name}"
    if lost.origin.op is Op.SUB:
        taken = unit.brief(lost.origin.operands["y"].node)
        return f"{rounded}: the epsilon is lost before `{taken}` is subtracted, and 0 is possible"
    return (
        f"{rounded}: the bound lets {lost.left:g} through, where {quoted(site, site.node)} "
        "is not finite"
    )


def _fix(site: Site, operand: Operand, lost: _Lost, precision: Precision) -> Fix | None:
    if lost.origin.op is not Op.SUB:
        return _farther(site, lost, precision)
    text = epsilon_text(site, role_of(site, operand.fact), operand.fact, order(site, operand))
    terms = _with_epsilon(lost.number)
    if terms is None:
        return Fix(f"Add {text} last", Grade.BOUNDED, guard(site, operand, text))
    rest, epsilon = terms
    unit = site.unit
    if precision.rounded(epsilon.fact.range.lo) > 0:
        text = unit.text(epsilon.node)
    end = unit.outer_span(lost.origin.operands["y"].node).end
    edits = (
        Edit(unit.outer_span(lost.number.node), unit.text(rest.node)),
        Edit(Span(end, end), f" + {text}"),
    )
    return Fix(f"Add {text} last", Grade.BOUNDED, edits)


def _with_epsilon(number: Operand) -> tuple[Operand, Operand] | None:
    """The terms of a sum with an epsilon that is written out here: `1e-10 + 1`."""
    origin, node = number.fact.origin, number.node
    if origin is None or origin.node is not node or not isinstance(node, bare.BinaryOperation):
        return None
    if origin.op is not Op.ADD or "#" in origin.text:
        return None
    x, y = origin.operands["x"], origin.operands["y"]
    if y.fact.is_any(Kind.EPSILON):
        return x, y
    return (y, x) if x.fact.is_any(Kind.EPSILON) else None


def _farther(site: Site, lost: _Lost, precision: Precision) -> Fix | None:
    if lost.number.fact.form is not Form.NUMBER:
        return None  # `torch.minimum` takes no number
    step = spelled(precision.beside_one)
    bound = f"1 - {step}" if lost.left > 0 else f"-1 + {step}"
    edit = Edit(site.unit.outer_span(lost.number.node), bound)
    return Fix(f"Make the bound {bound}", Grade.BOUNDED, (edit,))
