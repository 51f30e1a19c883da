"""What the division rules share: which operand divides, and how a finding about it reads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.fact import DType, Fact, Form, Kind
from epslint.analysis.keys import key_of, label_of
from epslint.analysis.learning import NOT_SHOWN, Shown
from epslint.analysis.made.makers import is_made_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, behind
from epslint.analysis.reasons import chain, noun, told_by_name, zero_when
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.analysis.uses.ends import ARRANGING, CAPPING, PASSING
from epslint.analysis.words.hints import tells_of_noise_level
from epslint.epsilon import Style
from epslint.rewrite import (
    Slot,
    add,
    apart,
    epsilon_text,
    floor,
    guard,
    is_alone,
    is_floored,
    slot_of,
    slot_within,
)
from epslint.rule import Confidence, Diagnosis, Fix, Grade, Reason
from epslint_rules._confidence import if_data_allow
from epslint_rules._wording import quoted

SPREAD = Kind.STD | Kind.VAR | Kind.NORM | Kind.SPAN
COUNTED = Kind.COUNT | Kind.SUM | Kind.LENGTH

_NEVER_LEARNED = Kind.COUNT | Kind.MASK | Kind.LENGTH

# Which parameter of an operation is divided by. Not `//` and `%`: they are for whole numbers, and
# there 0 raises an error at once instead of training on.
_DIVISOR: Mapping[Op, str] = MappingProxyType(
    {
        Op.DIV: "y",
        Op.ADDCDIV: "y",
        Op.RECIPROCAL: "x",
        Op.RSQRT: "x",
        Op.POW: "x",
    }
)
DIVISIONS = frozenset(_DIVISOR)
_CAPPED = CAPPING | {Op.COMPARE}


def divided_by(site: Site) -> Operand | None:
    """The operand that a site divides by, unless a 0 there does no harm."""
    operand = _below(site)
    return None if operand is None or _handled(site, operand) else operand


def divisor(site: Site) -> Operand | None:
    """The operand that a site divides by, if it is seen to reach 0 there."""
    operand = _below(site)
    if operand is None or not operand.fact.zeroable:
        return None
    # A running count that starts at 0 is repaired where it starts, by a rule of its own.
    if operand.fact.is_any(Kind.RUNNING):
        return None
    return None if _handled(site, operand) else operand


def _below(site: Site) -> Operand | None:
    """What is below the line."""
    if site.op is Op.POW:
        exponent = site.fact("y").constant
        if exponent is None or exponent >= 0:
            return None
    return site.operand(_DIVISOR[site.op])


def _handled(site: Site, operand: Operand) -> bool:
    """Whether a 0 that is reached does no harm: caught, silenced, or repaired afterwards."""
    if _is_seen(site, operand.fact.form):
        return True
    if site.only(CAPPING, PASSING) and not _hands_gradient_on(site):
        # `minimum(1, limit / norm)`: an infinite quotient is what is asked for. Of 0 / 0 no cap
        # makes a number: `(x / x.abs().max()).clamp(-1, 1)`.
        return not _is_of_dividend(site, operand)
    if (_is_array(site.fact("x")) or _is_array(site.fact("y"))) and _ends_well(site):
        return True
    if site.chosen is None:
        return False
    chosen = site.chosen.get(_DIVISOR[site.op])
    return chosen is not None and not chosen.zeroable and not learned(site).evidence


def _is_of_dividend(site: Site, operand: Operand) -> bool:
    """Whether a divisor was made of the dividend, and is 0 where all of that is."""
    above = site.operand("x")
    key = None if above is None or site.op is not Op.DIV else key_of(above.node)
    return key is not None and is_made_of(operand.fact, key)


def _hands_gradient_on(site: Site) -> bool:
    """Whether a gradient may go through a quotient that is infinite; 0 / 0 is NaN at once."""
    above = site.fact("x")
    if not site.differentiated:
        return False
    number = above.form is Form.NUMBER or above.dtype is DType.INT
    constant = above.range.positive or (number and not above.zeroable)
    return not constant or learned(site).firm


def _is_seen(site: Site, form: Form) -> bool:
    """Whether somebody waits for a division by 0: an `except`, an `errstate`."""
    mode = site.mode
    if mode.division_errors_handled and not form.tensor:
        return True
    return mode.numpy_errors_silenced and form not in (Form.TORCH, Form.JAX, Form.TENSORFLOW)


def _ends_well(site: Site) -> bool:
    """Whether a quotient that is not finite does no harm, wherever it goes."""
    if site.compared:
        return True  # no gradient flows through a comparison
    if not site.differentiated and (site.only(_CAPPED, PASSING) or _is_inverted_again(site)):
        return True
    # A ratio in decibels may be infinite; over a count of nothing it is NaN.
    counted = site.fact(_DIVISOR[site.op]).is_any(_NEVER_LEARNED)
    if site.levelled and not counted and not learned(site).evidence:
        return True
    return site.mended and (site.read_out or not learned(site).firm)


def _is_inverted_again(site: Site) -> bool:
    """`y / (weight / x)` is 0 where x is, unless the weight is 0 there too."""
    return site.op is Op.DIV and site.inverted and not site.fact("x").zeroable


def _is_array(fact: Fact) -> bool:
    """Whether a division of this, or by it, raises no error: that of Python's numbers does."""
    if fact.form is not Form.UNKNOWN:
        return fact.form.tensor
    origin = fact.origin
    made = None if origin is None or origin.op in _LEAVING else origin.node
    # A number has no `x.sum()`; a library's function says itself what it gives.
    return isinstance(made, bare.Call) and isinstance(made.func, bare.Attribute)


_LEAVING = frozenset({Op.ITEM, Op.TO_LIST, Op.CALL})


def learned(site: Site) -> Shown:
    """How it is shown that a gradient flows through a site: none does through an inverse count."""
    counted = site.fact("y").is_any(_NEVER_LEARNED)
    if site.op is Op.DIV and site.fact("x").constant is not None and counted:
        return NOT_SHOWN
    return NOT_SHOWN if _is_cut_above(site) else site.learned


def _is_cut_above(site: Site) -> bool:
    """Whether the numerator was replaced under the same test, and the divisor is a count: the NaN
    comes back to nothing.
    """
    if site.op is not Op.DIV or site.choice is None or not site.fact("y").is_any(COUNTED):
        return False
    top = site.fact("x").origin
    test = None if top is None else top.operands.get("cond") or top.operands.get("mask")
    return test is not None and key_of(test.node) == key_of(site.choice.test.node)


def family(fact: Fact) -> Kind:
    """The kinds that decide which rule speaks: a spread before a count before the rest."""
    if fact.is_any(SPREAD):
        return SPREAD
    return COUNTED if fact.is_any(COUNTED) else Kind.NONE


def diagnosis(site: Site, operand: Operand) -> Diagnosis:
    """The finding that all division rules make of a divisor that can be 0."""
    fact = operand.fact
    return Diagnosis(
        span=site.unit.span(operand.node),
        message=f"Division by {quoted(site, operand.node)}, {noun(fact)} in {fact.range}: "
        f"{zero_when(fact)}",
        confidence=_confidence(site, operand),
        why=_why(fact),
        fix=_fix(site, operand),
    )


def _why(fact: Fact) -> tuple[Reason, ...]:
    """The chain, and of a spread the name on which it depends how sure it is."""
    told = told_by_name(fact, Kind.REWARD | Kind.ADVANTAGE) if fact.is_any(SPREAD) else ()
    return tuple(dict.fromkeys((*chain(fact), *told)))


def _confidence(site: Site, operand: Operand) -> Confidence:
    """Who makes shares of something has something: `x / x.sum()`. Masks and counts may be empty,
    and probabilities filtered away. And who divides by `sigmas[i]` has laid out how they fall.
    """
    if tells_of_noise_level(label_of(operand.node)) and not operand.fact.is_any(SPREAD):
        return Confidence.UNLIKELY
    few = operand.fact.is_any(_FEW) or _is_rectified(operand.fact)
    if not few and _is_total_of_dividend(site, operand):
        return Confidence.UNLIKELY
    return if_data_allow(site, operand.fact)


def _is_rectified(total: Fact) -> bool:
    """`w / w.sum()` of `w = relu(self.w)`: all of them may have become negative."""
    origin = behind(total, ARRANGING)
    made = None if origin is None else behind(origin.fact("x"), ARRANGING)
    if made is None or made.op is not Op.RELU:
        return False
    return isinstance(made.operands["x"].node, bare.Attribute)


def _is_total_of_dividend(site: Site, operand: Operand) -> bool:
    """Not `x / (x * x).sum()`, which is a projection."""
    above, total = site.operand("x"), behind(operand.fact, ARRANGING)
    if above is None or total is None or total.op is not Op.SUM or "x" not in total.operands:
        return False
    key = key_of(above.node)
    return key is not None and key == key_of(total.operands["x"].node)


_FEW = Kind.COUNT | Kind.MASK | Kind.PADS | Kind.PROB | Kind.LENGTH


def _fix(site: Site, operand: Operand) -> Fix | None:
    fact = operand.fact
    if fact.is_any(Kind.OFFSET) or _is_clamped_count(site, fact):
        return _whole_fix(site, operand)
    role = role_of(site, fact)
    epsilon = epsilon_text(site, role, fact, pole(site, fact))
    if fact.is_any(Kind.SIGNED):
        # An addition would only move the pole to where the value is -epsilon.
        edit = apart(site, site.unit.outer_span(operand.node), operand, epsilon)
        return Fix("Move away from 0 on both sides", Grade.BOUNDED, (edit,)) if edit else None
    message = f"Add {epsilon} to the divisor ({role.value})"
    operand = _where_named(site, operand)
    if (root := _under_root(site, operand)) is not None:
        return Fix(message, Grade.BOUNDED, add(site.unit, root[0], epsilon, root[1]))
    if is_floored(site, operand):
        message = f"Divide by {epsilon} at the least ({role.value})"
    return Fix(message, Grade.BOUNDED, guard(site, operand, epsilon))


def _where_named(site: Site, operand: Operand) -> Operand:
    """A divisor where it got its name, if its name is there to be divided by, and more than once:
    one epsilon instead of one for each. Else where it is.
    """
    origin = operand.fact.origin
    if origin is None or origin.unit is not site.unit or not isinstance(operand.node, bare.Name):
        return operand
    uses = site.flow.get(origin.node, {}).values()
    named = origin.op is not Op.CALL and is_alone(site.unit, origin.node)
    often = len(uses) > 1 and set(uses) == {Op.RECIPROCAL}
    return Operand(origin.node, operand.fact) if named and often else operand


def pole(site: Site, divisor: Fact) -> float:
    """The order of the pole at 0: one more for a gradient, unless the numerator is 0 there too."""
    exponent = site.fact("y").constant if site.op is Op.POW else None
    order = 0.5 if site.op is Op.RSQRT else abs(exponent or 1.0)
    steep = site.differentiated and divisor.grad and not divisor.is_any(_NEVER_LEARNED)
    vanishing = site.op is Op.DIV and family(divisor) != Kind.NONE
    return order + 1.0 if steep and not vanishing else order


def _under_root(site: Site, operand: Operand) -> tuple[bare.BaseExpression, Slot] | None:
    """What a root in the divisor is taken of, here or where the divisor got its name: an epsilon
    there guards the gradient too.
    """
    origin = operand.fact.origin
    if origin is None or origin.op is not Op.SQRT or origin.unit is not site.unit:
        return None
    if isinstance(operand.node, bare.BooleanOperation | bare.IfExp):
        return None  # one of several, and the others need the epsilon too
    node = origin.operands["x"].node
    return node, slot_within(origin.node, node)


def _is_clamped_count(site: Site, fact: Fact) -> bool:
    """Whether 1 is the least that the count can be but for 0, and a floor is what one writes there:
    `max(n, 1)` for Python's whole numbers, and a clamp where clamps are asked for.
    """
    if fact.dtype is not DType.INT or not fact.range.nonnegative:
        return False
    if fact.form is Form.NUMBER:
        return True
    clamps = site.hierarchy.style is Style.CLAMP and fact.form is Form.TORCH
    return clamps and fact.is_any(Kind.COUNT | Kind.LENGTH)


def _whole_fix(site: Site, operand: Operand) -> Fix | None:
    """A floor of 1: `a // n` must stay whole, and `a / (n - 1 + 1e-8)` would be huge."""
    fact = operand.fact
    whole = fact.dtype is DType.INT or fact.is_any(Kind.OFFSET)
    if not whole or fact.form not in (Form.TORCH, Form.NUMBER):
        return None
    return Fix(
        message="Divide by 1 at the least",
        grade=Grade.EXACT,
        edits=floor(site.unit, operand.node, "1", fact.form, slot_of(site, operand)),
    )
