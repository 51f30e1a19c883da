"""EPS507: nan_to_num over a differentiated operation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from epslint.analysis.fact import Fact, Kind
from epslint.analysis.learning import Shown
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.reasons import chain
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.rewrite import changes_in_place, epsilon_text, guard
from epslint.rule import Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._choice import EXPONENTIALS, SINGULAR
from epslint_rules._confidence import of_gradient
from epslint_rules._logarithm import maker
from epslint_rules._wording import because, quoted

# What hands on a NaN that it did not make.
_CARRYING = frozenset(
    {
        *(Op.SAME, Op.PICK, Op.TO, Op.FLOAT, Op.NEG, Op.ADD, Op.SUB, Op.MUL, Op.DIV),
        *(Op.SUM, Op.MEAN, Op.SQRT, Op.ABS),
    }
)
_FAR = 16  # operations back is where nobody looks any more
_OF_POSITIVE = frozenset({Op.LOG, Op.RSQRT})  # an argument is meant not to be negative


class NanToNumAfter(SiteRule):
    """`nan_to_num` after the operation that makes the NaN.

    ## What it does
    Flags a division, log, root or inverse power whose result goes into `nan_to_num` where the
    code shows that a gradient is taken (see EPS501), and whose operand is not kept from 0.
    Somebody has met that NaN, or there would be no `nan_to_num`. Silent under `no_grad`, for numpy,
    and where the operand is guarded.

    ## Why is this bad
    The value is mended, the gradient is not: it goes back through the operation, where 0 * inf is
    NaN. The loss looks healthy and the weights are gone.

    ## Example
    ```python
    import torch


    def masked_mean(values, mask):
        return torch.nan_to_num((values * mask).sum(-1) / mask.sum(-1))
    ```

    ## Use instead
    ```python
    import torch


    def masked_mean(values, mask):
        return torch.nan_to_num((values * mask).sum(-1) / (mask.sum(-1) + 1e-8))
    ```

    ## Fix
    Adds the epsilon of the place to the operand; `nan_to_num` stays, and has nothing left to do.
    No fix for a divisor that can be negative, which an epsilon does not keep from 0.

    ## Fix safety
    Bounded: where the operand is d, the value changes by one part in d / epsilon. Where it was
    not finite it becomes what the guarded operation gives instead of what `nan_to_num` put there.

    ## References
    Measured on torch 2.13: `nan_to_num` passes a gradient of 0 on, and 0 * inf is NaN.
    """

    code = "EPS507"
    name = "nan-to-num-after"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    ops = frozenset({Op.NAN_TO_NUM})
    supersedes = frozenset(
        {
            *("EPS101", "EPS102", "EPS103", "EPS201", "EPS207", "EPS401"),
            *("EPS501", "EPS502", "EPS503", "EPS505", "EPS506"),
        }
    )

    def check(self, site: Site) -> Iterator[Diagnosis]:
        value = site.operand("x")
        if value is None or not site.differentiated:
            return
        for origin in _makers(value.fact, site):
            operand = origin.operands.get(SINGULAR[origin.op][0])
            if operand is None or not _reaches_zero(operand.fact) or not _is_inverse(origin):
                continue
            shown = site.learned
            if shown.evidence:
                yield _diagnosis(site, origin, operand, shown)


def _makers(fact: Fact, site: Site) -> Iterator[Origin]:
    """The singular operations behind a value, in the same function."""
    seen: set[Origin] = set()
    waiting = [fact.origin]
    while waiting and len(seen) < _FAR:
        origin = waiting.pop()
        if origin is None or origin in seen or origin.unit is not site.unit:
            continue
        seen.add(origin)
        if origin.op in SINGULAR and origin.op not in EXPONENTIALS:
            yield origin
        if origin.op in _CARRYING:
            waiting.extend(operand.fact.origin for operand in origin.operands.values())


def _is_inverse(origin: Origin) -> bool:
    exponent = origin.fact("y").constant if origin.op is Op.POW else -1.0
    return exponent is not None and exponent < 0


def _reaches_zero(fact: Fact) -> bool:
    """Seen to be 0, or not seen not to be: then `nan_to_num` itself is the witness."""
    if fact.zeroable:
        return True
    if fact.constant is not None or not fact.range.has_zero:
        return False
    origin = maker(fact, through=True)
    guarded = origin is not None and any(
        operand.fact.is_any(Kind.EPSILON) for operand in origin.operands.values()
    )
    return not guarded


def _diagnosis(site: Site, origin: Origin, operand: Operand, shown: Shown) -> Diagnosis:
    return Diagnosis(
        span=site.unit.span(operand.node),
        message=f"nan_to_num mends the value where {quoted(site, operand.node)} is 0, not the "
        "gradient: that is NaN",
        confidence=of_gradient(site, operand.fact.zero, shown),
        why=(*chain(operand.fact), *because(shown)),
        fix=_fix(replace(site, op=origin.op, node=origin.node, operands=origin.operands), operand),
    )


def _fix(within: Site, operand: Operand) -> Fix | None:
    positive = operand.fact.range.nonnegative or within.op in _OF_POSITIVE
    if not positive or changes_in_place(within, operand):
        return None
    role = role_of(within, operand.fact)
    epsilon = epsilon_text(within, role, operand.fact)
    return Fix(f"Add {epsilon} ({role.value})", Grade.BOUNDED, guard(within, operand, epsilon))
