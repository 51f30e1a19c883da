"""What the rules about roots share: when the argument of a root is a hazard, and its guards."""

from __future__ import annotations

from epslint import stable
from epslint.analysis import bare
from epslint.analysis.fact import Evidence, Fact, Form, Kind
from epslint.analysis.learning import NOT_SHOWN, Shown
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.relations.differences import cancels
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.rewrite import changes_in_place, epsilon_text, floor, guard, rewritten, slot_of
from epslint.rule import Edit, Fix, Grade
from epslint_rules._logarithm import maker

# Through a count or a mask no gradient flows, whatever is done to it; rewards are data.
_NEVER_LEARNED = Kind.COUNT | Kind.MASK | Kind.LENGTH | Kind.SHAPE | Kind.TIME | Kind.RUNNING
_NEVER_LEARNED |= Kind.REWARD | Kind.ADVANTAGE
# Whoever writes a floor of 0 knows of the 0, and it is another rule that says what it leaves.
_FLOORS = frozenset({Op.CLAMP, Op.CLAMP_MIN, Op.MAXIMUM, Op.RELU})
# Where a value goes that nobody differentiates.
_READ_OUT = frozenset(
    {Op.COMPARE, Op.LOGICAL, Op.ITEM, Op.TO_NUMPY, Op.TO_LIST, Op.ROUND, Op.INT, Op.ARGREDUCE}
)


def root_of(site: Site) -> Operand | None:
    """What a site takes the square root of; `x ** 0.5` is one too."""
    if site.op is Op.POW and site.fact("y").constant != 0.5:
        return None
    operand = site.operand("x")
    return None if operand is None or operand.fact.constant is not None else operand


def learned(site: Site, operand: Operand) -> Shown:
    """How it is shown that a gradient flows through a site to its operand."""
    return site.learned if _can_be_learned(site, operand.fact) else NOT_SHOWN


def _can_be_learned(site: Site, fact: Fact) -> bool:
    if not site.differentiated or not fact.grad or fact.is_any(_NEVER_LEARNED):
        return False
    return not site.read_out and not (site.uses and site.uses <= _READ_OUT)


def is_divided_by(site: Site) -> bool:
    """Whether a root is a divisor that can be 0: a finding of the division, with one repair."""
    return Op.RECIPROCAL in site.uses and site.result.zeroable


def is_chosen_away(site: Site) -> bool:
    """Whether a `where` chooses the root only where it is not taken of 0."""
    return site.chosen is not None and not site.chosen["x"].zeroable


def reaches_zero(fact: Fact) -> bool:
    """Whether a value that is never negative is seen to be 0; that of either sign is by chance."""
    origin = maker(fact, through=True)
    if origin is None and fact.is_any(Kind.VAR) and fact.ground is Evidence.NAMED:
        return False  # what is handed on as a variance was made to be one: nobody keeps a 0 there
    if fact.is_any(Kind.DRAWN) and fact.is_any(Kind.STD | Kind.VAR | Kind.MEAN):
        return False  # a feature that is dead has no gradient to lose
    return fact.zeroable and fact.range.nonnegative and (origin is None or origin.op not in _FLOORS)


def can_be_negative(site: Site, operand: Operand) -> bool:
    """Whether rounding makes a value negative that should not be: a mean of squares less a squared
    mean, a squared distance of three products, what a posterior leaves of a variance, the
    eigenvalues of a covariance, a discriminant `b ** 2 - c`.
    """
    fact = operand.fact
    if fact.range.nonnegative:
        return False
    if fact.is_any(Kind.SPECTRUM):
        return not is_divided_by(site)
    origin = maker(fact)
    if fact.is_any(Kind.CANCELLED) and (origin is None or origin.op is not Op.ADD):
        return fact.ground is Evidence.PROVEN or _is_told_negative(site, operand)
    if not fact.is_any(Kind.CANCELLED) and cancels(operand):
        return True
    # Most discriminants are positive for a reason that is not in the code. Where a gradient is
    # taken it is infinite on the way to where they are not.
    return is_discriminant(fact) and bool(site.learned.evidence)


def is_discriminant(fact: Fact) -> bool:
    """`b ** 2 - c`: 0 by chance, or where two solutions become one."""
    origin = maker(fact)
    if origin is None or origin.op is not Op.SUB or origin.fact("y").constant is not None:
        return False
    minuend = origin.fact("x")
    made = maker(minuend)
    return minuend.is_any(Kind.MAGNITUDE) and made is not None and made.op in (Op.SQUARE, Op.POW)


def _is_told_negative(site: Site, operand: Operand) -> bool:
    """Whether names are enough to tell of a difference: of `posterior.variance` as it comes. Given
    a name of its own that is a variance like others; a floor after the root is as good as before.
    """
    if not site.mode.grad or (site.uses and site.uses <= _FLOORS):
        return False
    seen = maker(operand.fact, through=True) is not None
    return seen or isinstance(operand.node, bare.Attribute)


def _is_smoothed(fact: Fact) -> bool:
    """Whether a small addition is customary: for variances, and squares that are added up."""
    origin = maker(fact)
    return fact.is_any(Kind.VAR | Kind.SUM | Kind.MEAN) or (
        origin is not None and origin.op is Op.ADD
    )


def with_epsilon(site: Site, operand: Operand) -> Fix:
    """`sqrt(x + eps)` of a variance; of anything else a floor, which changes no other value."""
    role = role_of(site, operand.fact)
    epsilon = epsilon_text(site, role, operand.fact)
    if not _is_smoothed(operand.fact) and (edits := _floored(site, operand, epsilon)):
        return Fix(f"Clamp to {epsilon} first ({role.value})", Grade.BOUNDED, edits)
    message = f"Add {epsilon} inside the root ({role.value})"
    return Fix(message, Grade.BOUNDED, guard(site, operand, epsilon))


def with_floor(site: Site, operand: Operand) -> Fix | None:
    """`sqrt(x.clamp(min=eps))` of what can be negative; 0 will do where no gradient can flow."""
    steep = _can_be_learned(site, operand.fact)
    bound = epsilon_text(site, role_of(site, operand.fact), operand.fact) if steep else "0.0"
    edits = _floored(site, _defined(site, operand), bound)
    return None if edits is None else Fix(f"Clamp to {bound} first", Grade.BOUNDED, edits)


def _defined(site: Site, operand: Operand) -> Operand:
    """Where a difference is written, if it has a name: one floor there serves all who use it."""
    origin = operand.fact.origin
    if origin is None or origin.op is not Op.SUB or origin.unit is not site.unit:
        return operand
    return Operand(origin.node, operand.fact)


def _floored(site: Site, operand: Operand, bound: str) -> tuple[Edit, ...] | None:
    if changes_in_place(site, operand):
        return None
    form = operand.fact.form if operand.fact.form is Form.NUMBER else stable.form_at(site)
    if form in (Form.TORCH, Form.NUMBER):
        return floor(site.unit, operand.node, bound, form, slot_of(site, operand))
    text = stable.call(site, "maximum", x=site.unit.text(operand.node), y=bound)
    return None if text is None else rewritten(site.unit, operand.node, text)
