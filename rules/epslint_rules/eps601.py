"""EPS601: an epsilon that is 0 in the dtype it is used in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from epslint.analysis import bare
from epslint.analysis.fact import DType
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.epsilon import FLOAT16, Precision, spelled
from epslint.rule import Confidence, Diagnosis, Edit, Fix, Grade, Reason, Severity, SiteRule
from epslint_rules._guarded import NEEDY, Guard, deed, guard_of, needy, order, precision_at
from epslint_rules._wording import quoted


class EpsilonUnderflowsDtype(SiteRule):
    """An epsilon that is 0 in the dtype it is used in.

    ## What it does
    Flags a guard whose epsilon is too small for the dtype: 1e-8 after `.half()` or
    `.to(torch.float16)`, beside what `torch.autocast` computes in float16, and before a later cast,
    `x.clamp(min=1e-8).half().log()`. A cast to a dtype that the code does not show,
    `x.clamp(min=1e-8).to(logits.dtype)`, is advice: it is right until somebody trains in float16.

    Silent where the value is known to stay away from 0 without the epsilon, and in bfloat16, which
    is coarse and still holds 1e-38.

    ## Why is this bad
    The smallest number of float16 is 6e-8. An epsilon of 1e-8 is 0 there: x + 0 is no guard, and
    log(0) and 1 / 0 are what it was to prevent. It works on your float32 machine, and the loss of
    the mixed-precision run is NaN.

    ## Example
    ```python
    import torch


    def log_norm(x):
        x = x.half()
        return torch.log(x.norm(dim=-1) + 1e-8)
    ```

    ## Use instead
    ```python
    import torch


    def log_norm(x):
        x = x.half()
        return torch.log(x.norm(dim=-1) + 1e-4)
    ```

    ## Fix
    The smallest epsilon that the dtype can take at this place: in float16 1e-4 for a log or a
    division, more where the gradient has a pole of higher order. Where the dtype is not known, the
    larger of the epsilon and `torch.finfo(….dtype).tiny`.

    ## Fix safety
    Bounded: the value changes by one part in x / epsilon. If that is too much for you, compute the
    place in float32: `x.float()`.

    ## References
    `torch.finfo(torch.float16).smallest_normal` is 6.1e-5, the smallest subnormal 6.0e-8.
    """

    code = "EPS601"
    name = "epsilon-underflows-dtype"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    ops = NEEDY
    supersedes = frozenset({"EPS603"})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = needy(site)
        guard = None if operand is None else guard_of(operand.fact)
        if operand is None or guard is None or guard.value.fact.range.lo > 0:
            return
        shown = _narrowest(operand, guard)
        precision = shown or precision_at(site, operand.fact)
        if precision is not None and precision.rounded(guard.size) == 0:
            # In a ranking or a draw -inf is the least, as it should be.
            habit = Confidence.POSSIBLE if site.unlearned else Confidence.NAMED
            sure = Confidence.PROVEN if shown is not None else habit
            yield _diagnosis(site, operand, guard, precision, sure)
        elif FLOAT16.rounded(guard.size) == 0 and (dtype := _unknown_cast(guard)) is not None:
            yield _advice(site, operand, guard, dtype)


def _narrowest(operand: Operand, guard: Guard) -> Precision | None:
    """The coarsest format that is shown between the guard and the place: there the epsilon is lost.
    Where none is, it is the one of habit, unless values come from out of sight in another.
    """
    facts = [guard.value.fact, *(cast.fact("x") for cast in guard.later), operand.fact]
    known = [fact.dtype.precision for fact in facts if fact.dtype.precision is not None]
    return max(known, key=lambda precision: precision.eps * precision.tiny, default=None)


def _unknown_cast(guard: Guard) -> bare.Attribute | None:
    """The `logits.dtype` of a cast after the guard."""
    for cast in guard.later:
        target = cast.operands.get("dtype") or cast.operands.get("y")
        if cast.op is not Op.TO or target is None or target.fact.dtype is not DType.UNKNOWN:
            continue
        if isinstance(target.node, bare.Attribute) and target.node.attr.value == "dtype":
            return target.node
    return None


def _diagnosis(
    site: Site, operand: Operand, guard: Guard, precision: Precision, sure: Confidence
) -> Diagnosis:
    here = guard.origin.unit is site.unit
    role = role_of(site, guard.value.fact)
    larger = spelled(site.hierarchy.epsilon(role, precision, order(site, operand)))
    unit = guard.origin.unit
    edit = Edit(unit.outer_span(guard.epsilon.node), larger)
    return Diagnosis(
        span=site.unit.span(guard.epsilon.node if here else operand.node),
        message=f"`{unit.brief(guard.epsilon.node)}` is 0 in {precision.name}: "
        f"it is no guard for the {deed(site)}",
        confidence=sure,
        why=(Reason(site.unit.row(site.node), f"{quoted(site, site.node)} in {precision.name}"),),
        fix=Fix(f"Use {larger}", Grade.BOUNDED, (edit,)) if here else None,
    )


def _advice(site: Site, operand: Operand, guard: Guard, dtype: bare.Attribute) -> Diagnosis:
    found = _diagnosis(site, operand, guard, FLOAT16, Confidence.NAMED)
    unit = guard.origin.unit
    torch = site.scope.alias("torch")
    fix = None
    if found.fix is not None and torch is not None:
        text = f"max({unit.text(guard.epsilon.node)}, {torch}.finfo({unit.text(dtype)}).tiny)"
        fix = Fix(
            "Use what the dtype can hold",
            Grade.BOUNDED,
            tuple(replace(edit, content=text) for edit in found.fix.edits),
        )
    return replace(
        found,
        message=f"{found.message}, should `{unit.brief(dtype)}` be that",
        severity=Severity.ADVICE,
        fix=fix,
    )
