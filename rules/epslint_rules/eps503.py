"""EPS503: a `where` that hides a singularity in the value and not in the gradient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from epslint import stable
from epslint.analysis.fact import DType, Fact, Form, Kind
from epslint.analysis.keys import key_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.reasons import chain
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.epsilon import FLOAT32
from epslint.rewrite import changes_in_place, clamped_below, epsilon_text, guard, rewritten
from epslint.rule import Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._division import is_learned
from epslint_rules._logarithm import maker
from epslint_rules._wording import CONFIDENCE, quoted

# The operand that reaches the singular point, and a value at which nothing happens.
_SINGULAR: Mapping[Op, tuple[str, str]] = MappingProxyType(
    {
        Op.DIV: ("y", "1.0"),
        Op.RECIPROCAL: ("x", "1.0"),
        Op.RSQRT: ("x", "1.0"),
        Op.SQRT: ("x", "1.0"),
        Op.LOG: ("x", "1.0"),
        Op.POW: ("x", "1.0"),
        Op.EXP: ("x", "0.0"),
        Op.EXPM1: ("x", "0.0"),
    }
)
_EXPONENTIALS = frozenset({Op.EXP, Op.EXPM1})
# What gives each element something of its own: a test of it is one of what it was made of.
_ELEMENTWISE = frozenset(
    {
        *(Op.ABS, Op.NEG, Op.SQUARE, Op.SQRT, Op.POW, Op.EXP, Op.LOG, Op.SIN_COS),
        *(Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.CLAMP, Op.CLAMP_MIN, Op.CLAMP_MAX, Op.FLOAT, Op.TO),
    }
)


class WhereTrap(SiteRule):
    """A `where` that keeps a NaN out of the value and lets it into the gradient.

    ## What it does
    Flags a division, log, root, power or exp in a branch of `where`, or under a `masked_fill` or a
    masked assignment, whose operand reaches the singular point exactly where the branch is not
    chosen, and through which a gradient flows. Silent for the double `where`, whose inner one
    keeps the operand away from that point, and where nothing is differentiated.

    ## Why is this bad
    Both branches are computed everywhere. Where the branch is not chosen its gradient is 0, and it
    still goes back through the operation: 0 * inf is NaN. The loss is right, the weights are NaN
    one step later, and every print of the value shows that the guard works.

    ## Example
    ```python
    import torch


    def mean_or_zero(total, count):
        return torch.where(count > 0, total / count, 0.0)
    ```

    ## Use instead
    ```python
    import torch


    def mean_or_zero(total, count):
        return torch.where(count > 0, total / torch.where(count > 0, count, 1.0), 0.0)
    ```

    ## Fix
    Puts the same test around the operand: where the branch is not chosen it becomes 1 (0 before an
    exp), and the gradient there is 0. A whole count is clamped to 1 instead. Where the test is not
    one of the operand itself, the epsilon of the place is added to it.

    ## Fix safety
    Exact: where the branch is chosen the operand is the same. Bounded for the epsilon.

    ## References
    The JAX documentation, "Gradients contain NaN where using where"; torch behaves the same.
    """

    code = "EPS503"
    name = "where-trap"
    severity = Severity.ERROR
    grade = Grade.EXACT
    ops = frozenset(_SINGULAR)
    supersedes = frozenset(
        {
            *("EPS101", "EPS102", "EPS103", "EPS201", "EPS207", "EPS301", "EPS306", "EPS401"),
            *("EPS501", "EPS502", "EPS505"),
        }
    )

    def check(self, site: Site) -> Iterator[Diagnosis]:
        parameter = _SINGULAR[site.op][0]
        operand, chosen = site.operand(parameter), site.chosen
        if operand is None or chosen is None or parameter not in chosen:
            return
        if not is_learned(site) or not _is_singular(site):
            return
        if not _is_chosen_away(site, operand, chosen[parameter]):
            return
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=_message(site, operand),
            confidence=CONFIDENCE[max(operand.fact.zero, operand.fact.huge)],
            why=chain(operand.fact),
            fix=_fix(site, operand),
        )


def _is_singular(site: Site) -> bool:
    """Whole powers have no singular point; roots and inverses do."""
    if site.op is not Op.POW:
        return True
    exponent = site.fact("y").constant
    return exponent is not None and (exponent < 0 or exponent % 1 != 0)


def _is_chosen_away(site: Site, operand: Operand, chosen: Fact) -> bool:
    """Whether an operand reaches the singular point, and does not where the branch is chosen."""
    fact = operand.fact
    if site.op in _EXPONENTIALS:
        limit = (fact.dtype.precision or FLOAT32).exp_limit
        return bool(fact.huge) and chosen.range.hi <= limit
    if fact.zeroable:
        return not chosen.zeroable
    if not fact.range.has_zero or chosen.range.has_zero or fact.constant is not None:
        return False
    # That somebody compares it with 0 says that it is 0 at times.
    bound = _compared_with(site, operand)
    return bound is not None and (bound.constant is not None or bound.is_any(Kind.EPSILON))


def _message(site: Site, operand: Operand) -> str:
    harm = "overflows" if site.op in _EXPONENTIALS else "is singular"
    where = "where it is replaced afterwards"
    if site.choice is not None:
        where = f"where {quoted(site, site.choice.test.node)} is {not site.choice.truth}"
    return (
        f"The operation on {quoted(site, operand.node)} {harm} {where}: the value is left out "
        "there, but its gradient is NaN"
    )


def _fix(site: Site, operand: Operand) -> Fix | None:
    if changes_in_place(site, operand):
        return None
    fact, form = operand.fact, stable.form_at(site)
    if fact.dtype is DType.INT and fact.range.nonnegative and form is Form.TORCH:
        return Fix("Clamp to 1", Grade.EXACT, clamped_below(site.unit, operand.node, "1"))
    return _double_where(site, operand) or _epsilon(site, operand)


def _double_where(site: Site, operand: Operand) -> Fix | None:
    test = _own_test(site, operand)
    if site.choice is None or test is None:
        return None
    safe, value = _SINGULAR[site.op][1], site.unit.text(operand.node)
    if stable.form_at(site) is Form.TENSORFLOW:
        maker_ = "zeros" if site.op in _EXPONENTIALS else "ones"
        safe = f"{site.scope.alias('tensorflow')}.{maker_}_like({value})"
    met, unmet = (value, safe) if site.choice.truth else (safe, value)
    text = stable.call(site, "where", test=test, met=met, unmet=unmet)
    edits = None if text is None else rewritten(site.unit, operand.node, text)
    return None if edits is None else Fix("Guard the input, too", Grade.EXACT, edits)


def _own_test(site: Site, operand: Operand) -> str | None:
    """The test as it can be asked of the operand: one of the operand itself, so that it has its
    shape and is known wherever the operand is.
    """
    choice, condition = site.choice, _condition(site)
    bound = _compared_with(site, operand)
    if choice is None or condition is None or bound is None:
        return None
    if choice.inline:
        return site.unit.text(choice.test.node)
    return site.unit.text(condition.node) if bound.constant is not None else None


def _compared_with(site: Site, operand: Operand) -> Fact | None:
    """What the operand, or what it is made of, is compared with where its branch is chosen."""
    condition, root = _condition(site), _root(operand)
    if condition is None or root is None or condition.op is not Op.COMPARE:
        return None
    sides = [side for name, side in condition.operands.items() if name in ("x", "y")]
    others = [side.fact for side in sides if _root(side) != root]
    return others[0] if len(others) == 1 else None


def _condition(site: Site) -> Origin | None:
    """The comparison that chooses the branch, if it is written in the same function."""
    origin = maker(site.choice.test.fact, through=True) if site.choice is not None else None
    return origin if origin is not None and origin.unit is site.unit else None


def _root(operand: Operand) -> str | None:
    """What an operand is made of element by element: x of `2 * x.abs()`."""
    origin = operand.fact.origin
    while origin is not None and origin.op in _ELEMENTWISE and "x" in origin.operands:
        rest = [o for name, o in origin.operands.items() if name != "x"]
        if any(o.fact.constant is None for o in rest if origin.op is not Op.TO):
            break
        operand = origin.operands["x"]
        origin = operand.fact.origin
    return key_of(operand.node)


def _epsilon(site: Site, operand: Operand) -> Fix | None:
    if site.op in _EXPONENTIALS or not operand.fact.range.nonnegative:
        return None  # to what can be negative an epsilon only moves the pole
    role = role_of(site, operand.fact)
    epsilon = epsilon_text(site, role, operand.fact)
    return Fix(f"Add {epsilon} ({role.value})", Grade.BOUNDED, guard(site, operand, epsilon))
