"""What the exponential rules share: log-ratios, and the clamp that bounds them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from epslint import stable
from epslint.analysis import bare, ranges
from epslint.analysis.fact import Fact, Form, Kind
from epslint.analysis.keys import key_of, words_of
from epslint.analysis.made.makers import is_ceiling, undoes_log
from epslint.analysis.made.terms import arranged, factors, terms
from epslint.analysis.ops import FINITENESS, Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.analysis.uses.ends import CAPPING
from epslint.analysis.words.hints import (
    tells_of_fading,
    tells_of_perplexity,
    tells_of_trust_region,
)
from epslint.analysis.words.purpose import tries_its_steps
from epslint.epsilon import FLOAT32, Clamp, Role
from epslint.rewrite import changes_in_place, clamped, rewritten
from epslint.rule import Confidence, Edit, Fix, Grade, Reason
from epslint_rules._confidence import of_learned_overflow
from epslint_rules._logarithm import maker

# What a log-ratio goes into when only its exponential is wanted.
_ONLY_EXP = frozenset({Op.EXP})


def is_uncapped(operand: Operand) -> bool:
    """Whether a log-ratio is seen to exceed what exp can take."""
    fact = operand.fact
    limit = (fact.dtype.precision or FLOAT32).exp_limit
    too_high = limit < fact.range.hi < ranges.INF  # a clamp to ±100 is none
    return fact.is_any(Kind.LOGRATIO | Kind.ADVANTAGE) and (bool(fact.huge) or too_high)


def confidence(site: Site, log_ratio: Fact) -> Confidence:
    """How sure the overflow of a log-ratio's exp is: not very, where there is a doubt, and hardly
    where what is probable has a floor.
    """
    if log_ratio.is_any(Kind.LOGRATIO) and site.of_the_probable:
        return Confidence.UNLIKELY
    doubted = any(True for _ in doubts(site, log_ratio))
    return Confidence.POSSIBLE if doubted else of_learned_overflow(site)


def doubts(site: Site, log_ratio: Fact) -> Iterator[Reason]:
    """What speaks against an overflow, and why it is only possible."""
    return (Reason(None, words) for holds, words in _DOUBTS if holds(site, log_ratio))


def _is_of_finitely_many(site: Site, log_ratio: Fact) -> bool:
    return log_ratio.is_any(Kind.LOGRATIO) and site.of_finitely_many


def _is_left_when_far(site: Site, log_ratio: Fact) -> bool:
    return log_ratio.is_any(Kind.LOGRATIO) and site.mode.near


def _is_asked_for(site: Site, log_ratio: Fact) -> bool:
    return bool(site.uses & FINITENESS)


def _is_capped_somewhere(site: Site, log_ratio: Fact) -> bool:
    """`if limit is not None: d = d.clamp(-limit, limit)`."""
    return any(map(is_ceiling, (log_ratio.origin, *log_ratio.rivals)))


_DOUBTS: tuple[tuple[Callable[[Site, Fact], bool], str], ...] = (
    (
        _is_of_finitely_many,
        "only possible: of finitely many actions none that is improbable is drawn",
    ),
    (_is_left_when_far, "only possible: the code stops where the policies are far apart"),
    (_is_asked_for, "only possible: the code asks whether the result is finite"),
    (_is_capped_somewhere, "only possible: on another path there is a cap"),
)


def is_chosen_small(site: Site) -> bool:
    """`where(x < 20, log(1 + exp(x)), x)`: what overflows is left out of the value."""
    chosen = None if site.chosen is None else site.chosen.get("x")
    return chosen is not None and chosen.range.hi < ranges.INF


def cannot_overflow(exponential: Origin) -> bool:
    """Whether the argument of an exp is known to stay below where it overflows."""
    argument = exponential.fact("x")
    if undoes_log(exponential):
        return True
    return argument.range.hi <= (argument.dtype.precision or FLOAT32).exp_limit


def is_clipped(operand: Operand) -> bool:
    """Whether somebody has put a bound to it, whatever the bound is: that of an action space."""
    return is_ceiling(maker(operand.fact, through=True))


def only_capped(site: Site) -> bool:
    """Whether a result is capped before anything else, and no gradient is seen to notice."""
    return site.capped and not site.learned.firm


def is_no_ratio(site: Site, operand: Operand) -> bool:
    """Whether it is a perplexity, which is only read, a step of a schedule, along which a signal
    only fades, or the ratio of a trust region, which is differentiated where it is 1 and whose
    line search takes no step that is not finite.
    """
    words = tuple(words_of(operand.node))
    if any(map(tells_of_perplexity, words)) or any(map(tells_of_fading, words)):
        return True
    path = Path(site.unit.source.filename)
    place = (site.scope.function, site.scope.owner, path.stem, path.parent.name)
    if any(map(tells_of_trust_region, place)):
        return True
    # Beside a trust region there may be a ratio that is clipped, which is of another sort.
    return tries_its_steps(site.unit.source.text) and site.uses.isdisjoint(CAPPING)


def clamp_of(site: Site, operand: Operand) -> Clamp:
    """Which bound belongs to a log-ratio that is exponentiated here.

    A ratio to the policy that sampled is the policy's, also in a function called `loss_with_kl`.
    """
    origin = operand.fact.origin
    sampled = origin is not None and _SAMPLED.search(origin.text) is not None
    divergence = role_of(site, operand.fact) is Role.DIVERGENCE
    return Clamp.KL if divergence and not sampled else Clamp.POLICY


_SAMPLED = re.compile(r"(\b|_)(old|behaviou?r)(_|\b)")


def capped(
    site: Site, operand: Operand, clamp: Clamp, *, twins: tuple[Operand, ...] = ()
) -> Fix | None:
    """A clamp on a log-ratio: where it is defined if it is used elsewhere too, else right here.

    `twins` are other places of the same expression that write the log-ratio out once more.
    """
    precision = operand.fact.dtype.precision
    bound = f"{site.hierarchy.bound(clamp, precision, weighed=clamp is Clamp.KL):.1f}"
    definition = _definition(site, _unsigned(operand) if twins else operand)
    targets = [operand.node, *(twin.node for twin in twins)] if definition is None else [definition]
    in_place = definition is None and changes_in_place(site, operand)
    groups = [_clamp(site, target, bound, in_place=in_place) for target in targets]
    edits = tuple(edit for group in groups if group is not None for edit in group)
    if None in groups:
        return None
    return Fix(f"Clamp to ±{bound} before the exp ({clamp.value})", Grade.BOUNDED, edits)


def _unsigned(operand: Operand) -> Operand:
    """d of `-d`: a clamp that is symmetric serves both."""
    origin = operand.fact.origin
    if origin is None or origin.op is not Op.NEG or origin.node is not operand.node:
        return operand
    return origin.operands["x"]


def _definition(site: Site, operand: Operand) -> bare.BaseExpression | None:
    """The expression a named log-ratio was given, when its name serves more than this exp, and was
    given nothing else on another path.
    """
    origin = operand.fact.origin
    if operand.fact.rivals or operand.fact.elsewhere:
        return None
    if not isinstance(operand.node, bare.Name | bare.Attribute) or origin is None:
        return None
    if origin.node is operand.node or not origin.whole:
        return None
    if origin.unit is not site.unit or origin.op is Op.CALL:
        return None
    if operand.fact.is_any(Kind.PARAMETER):
        return None  # the optimizer wants the parameter itself, not what is clamped of it
    alone = site.op is Op.EXP and site.shared.get("x", _ONLY_EXP) <= _ONLY_EXP
    return None if alone else origin.node


def _clamp(
    site: Site, node: bare.BaseExpression, bound: str, *, in_place: bool
) -> tuple[Edit, ...] | None:
    form = stable.form_at(site)
    if form in (Form.TORCH, Form.UNKNOWN):
        return clamped(site.unit, node, f"-{bound}", bound, in_place=in_place)
    text = stable.call(site, "clip", x=site.unit.text(node), min=f"-{bound}", max=bound)
    return None if text is None else rewritten(site.unit, node, text)


def same_value(a: Operand, b: Operand) -> bool:
    """Whether two operands are the same expression or were made by the same one."""
    if a.fact.origin is not None and a.fact.origin is b.fact.origin:
        return True
    key = key_of(a.node)
    return key is not None and key == key_of(b.node)


def terms_of(origin: Origin) -> tuple[Operand, ...]:
    """The terms of a sum that is written out: a, b and c of `a + b + c`."""
    terms: list[Operand] = []
    waiting = list(origin.operands.values()) if origin.op is Op.ADD else []
    while waiting:
        term = waiting.pop()
        made = term.fact.origin
        if made is not None and made.op is Op.ADD:
            waiting.extend(made.operands.values())
        else:
            terms.append(term)
    return tuple(terms)


def weighed_exponential(operand: Operand) -> Origin | None:
    """The exponential behind `exp(x)`, `weight * exp(x) * mask` and `a * exp(x) + b * exp(x)`."""
    weighed = list(terms(operand))
    made = [_exponential_among(term.operand) for term in weighed]
    first = made[0]
    if first is None or not all(term.added for term in weighed):
        return None
    alike = all(each is not None and is_of_same(each, first) for each in made)
    return first if alike else None


def _exponential_among(product: Operand) -> Origin | None:
    """The only exponential of a product, if none of its elements is known to be the largest:
    `exp(x - peak) * exp(peak)` is of those who have thought of it.
    """
    made = [(factor.fact, arranged(factor.fact)) for factor in factors(product, _MULTIPLIED)]
    exponentials = [(fact, each) for fact, each in made if each is not None and each.op is Op.EXP]
    if len(exponentials) != 1 or exponentials[0][0].is_any(Kind.PEAKED):
        return None
    return exponentials[0][1]


_MULTIPLIED = frozenset({Op.MUL})


def is_of_same(a: Origin, b: Origin) -> bool:
    """Whether two exponentials are of the same."""
    return a is b or same_value(a.operands["x"], b.operands["x"])


def total_behind(operand: Operand) -> Origin | None:
    """The sum that somebody has kept from 0: `total + eps`, `total.clamp(min=eps)`."""
    origin = maker(operand.fact)
    if origin is None or origin.op in _KEEPING:
        return None if origin is None else maker(origin.fact("x"))
    if origin.op is not Op.ADD:
        return origin
    others = [each for each in origin.operands.values() if not each.fact.is_any(Kind.EPSILON)]
    total = maker(others[0].fact) if len(others) == 1 else None
    return origin if total is None or total.op is not Op.SUM else total


_KEEPING = frozenset({Op.CLAMP_MIN, Op.CLAMP, Op.MAXIMUM})


def exponential_behind(operand: Operand) -> Origin | None:
    origin = operand.fact.origin
    return origin if origin is not None and origin.op in (Op.EXP, Op.EXPM1) else None
