"""What the rules about choices and masks share: which operand of what is chosen is singular where
it is not, and the same test asked of that operand.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from epslint import stable
from epslint.analysis.fact import DType, Fact, Form, Kind
from epslint.analysis.keys import key_of, roots_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.role import role_of
from epslint.analysis.site import Choice, Site
from epslint.epsilon import FLOAT32
from epslint.rewrite import changes_in_place, clamped_below, epsilon_text, guard, rewritten
from epslint.rule import Fix, Grade
from epslint_rules._logarithm import maker

# The operand that reaches the singular point, and a value at which nothing happens.
SINGULAR: Mapping[Op, tuple[str, str]] = MappingProxyType(
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
EXPONENTIALS = frozenset({Op.EXP, Op.EXPM1})
# What gives each element something of its own: a test of it is one of what it was made of.
_ELEMENTWISE = frozenset(
    {
        *(Op.ABS, Op.NEG, Op.SQUARE, Op.SQRT, Op.POW, Op.EXP, Op.LOG, Op.SIN, Op.COS),
        *(Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.CLAMP, Op.CLAMP_MIN, Op.CLAMP_MAX, Op.FLOAT, Op.TO),
    }
)


def is_singular(site: Site) -> bool:
    """Whole powers have no singular point; roots and inverses do."""
    if site.op is not Op.POW:
        return True
    exponent = site.fact("y").constant
    return exponent is not None and (exponent < 0 or exponent % 1 != 0)


def is_chosen_away(site: Site, operand: Operand, chosen: Fact, choice: Choice | None) -> bool:
    """Whether an operand reaches the singular point, and does not where the branch is chosen."""
    fact = operand.fact
    if site.op in EXPONENTIALS:
        limit = (fact.dtype.precision or FLOAT32).exp_limit
        if chosen.range.hi > limit or fact.range.hi <= limit:
            return False
        return bool(fact.huge) or _is_cut(site, operand, choice)
    if fact.zeroable:
        return not chosen.zeroable
    if not fact.range.has_zero or chosen.range.has_zero or fact.constant is not None:
        return False
    # That somebody compares it with 0 says that it is 0 at times.
    bound = _compared_with(site, operand, choice)
    return bound is not None and (bound.constant is not None or bound.is_any(Kind.EPSILON))


def _is_cut(site: Site, operand: Operand, choice: Choice | None) -> bool:
    """Who has another branch for `x > 0` has x of any size there; `x > -0.7` asks for less."""
    bound = _compared_with(site, operand, choice) if choice is site.choice else None
    return bound is not None and bound.constant is not None and bound.constant >= 0


def guarded_input(site: Site, operand: Operand, choice: Choice | None) -> Fix | None:
    """The operand with the same test around it; else with a floor, or an epsilon."""
    if changes_in_place(site, operand):
        return None
    fact, form = operand.fact, stable.form_at(site)
    if fact.dtype is DType.INT and fact.range.nonnegative and form is Form.TORCH:
        return Fix("Clamp to 1", Grade.EXACT, clamped_below(site.unit, operand.node, "1"))
    return _double_where(site, operand, choice) or _epsilon(site, operand)


def _double_where(site: Site, operand: Operand, choice: Choice | None) -> Fix | None:
    test = None if choice is None else _own_test(site, operand, choice)
    if choice is None or test is None:
        return None
    safe, value = SINGULAR[site.op][1], site.unit.text(operand.node)
    if stable.form_at(site) is Form.TENSORFLOW:  # whose where takes no number for a tensor
        filling = "zeros" if site.op in EXPONENTIALS else "ones"
        safe = f"{site.scope.alias('tensorflow')}.{filling}_like({value})"
    met, unmet = (value, safe) if choice.truth else (safe, value)
    text = stable.call(site, "where", test=test, met=met, unmet=unmet)
    edits = None if text is None else rewritten(site.unit, operand.node, text)
    return None if edits is None else Fix("Guard the input, too", Grade.EXACT, edits)


def _own_test(site: Site, operand: Operand, choice: Choice) -> str | None:
    """The test as it can be asked of the operand: one of the operand itself, so that it has its
    shape and is known wherever the operand is.
    """
    condition = _condition(site, choice)
    bound = _compared_with(site, operand, choice)
    if condition is None or bound is None:
        return None
    if choice.inline:
        return site.unit.text(choice.test.node)
    # What else the test names may not be there yet.
    known = {*roots_of(operand.node), *site.scope.imports}
    return site.unit.text(condition.node) if known.issuperset(roots_of(condition.node)) else None


def _compared_with(site: Site, operand: Operand, choice: Choice | None) -> Fact | None:
    """What the operand, or what it is made of, is compared with where its branch is chosen."""
    condition, root = _condition(site, choice), _root(operand)
    if condition is None or root is None or condition.op is not Op.COMPARE:
        return None
    sides = [side for name, side in condition.operands.items() if name in ("x", "y")]
    others = [side.fact for side in sides if _root(side) != root]
    return others[0] if len(others) == 1 else None


def _condition(site: Site, choice: Choice | None) -> Origin | None:
    """The comparison that chooses the branch, if it is written in the same function."""
    origin = maker(choice.test.fact, through=True) if choice is not None else None
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
    if site.op in EXPONENTIALS or not operand.fact.range.nonnegative:
        return None  # to what can be negative an epsilon only moves the pole
    role = role_of(site, operand.fact)
    epsilon = epsilon_text(site, role, operand.fact)
    return Fix(f"Add {epsilon} ({role.value})", Grade.BOUNDED, guard(site, operand, epsilon))
