"""EPS306: exp of an unbounded learned quantity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from epslint.analysis import bare, ranges
from epslint.analysis.fact import DType, Kind
from epslint.analysis.keys import label_of, roots_of
from epslint.analysis.made.makers import is_ceiling, is_held_fixed, is_of_layer, is_squashed
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, within
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.analysis.words import hints
from epslint.epsilon import Clamp
from epslint.rule import Confidence, Diagnosis, Grade, Severity, SiteRule
from epslint_rules._confidence import of_learned_overflow
from epslint_rules._exponential import capped
from epslint_rules._wording import quoted, words_behind

_LEARNED = Kind.LOGSCALE | Kind.PARAMETER


class UncappedExp(SiteRule):
    """Exp of a learned quantity that nothing bounds.

    ## What it does
    Flags `exp(log_std)` and `exp(log_alpha)` of a policy where nothing is seen to bound them, exps
    of what a linear layer gives, whatever it is called (`torch.exp(self.fc(x))`), and
    `exp(logvar)` of an autoencoder where a gradient is seen to flow as well. With `--confidence
    unlikely` also exps of any learned parameter.

    ## Why is this bad
    A log-scale that runs away takes few steps to overflow. Soft actor-critic clamps its log_std to
    [-20, 2] for that reason.

    ## Example
    ```python
    def standard_deviation(log_std):
        return log_std.exp()
    ```

    ## Use instead
    ```python
    def standard_deviation(log_std):
        return log_std.clamp(-20.0, 20.0).exp()
    ```

    ## Fix
    Clamps the argument to ±20.

    ## Fix safety
    Semantic: the clamp stops the gradient beyond its bounds, and the right bounds are the model's.

    ## References
    [-20, 2] in SAC and most of its descendants; [-5, 2] in CleanRL.
    """

    code = "EPS306"
    name = "uncapped-exp"
    severity = Severity.ADVICE
    grade = Grade.SEMANTIC
    ops = frozenset({Op.EXP})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        if operand is None or not _is_unbounded(operand):
            return
        if not site.differentiated and not _is_trained(operand):
            return
        if (
            site.constructing
            or _is_fresh(site, operand)
            or site.reported
            or (site.capped and not site.read_out)
        ):
            return
        if site.rounded:
            return  # durations, which are predicted: nothing is learned from what is rounded
        by_name = _is_of_policy(operand) and not _is_out_of_sight(operand)
        shown = by_name or is_of_layer(operand.fact)
        if not shown and not site.learned.evidence:
            return
        fix = capped(site, operand, Clamp.POLICY)
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"Exp of {quoted(site, operand.node)}, a learned quantity that nothing bounds",
            confidence=_confidence(site, operand),
            why=chain(operand.fact),
            fix=None if fix is None else replace(fix, grade=Grade.SEMANTIC),
        )


def _confidence(site: Site, operand: Operand) -> Confidence:
    """The log of a scale is learned to be one; what a layer gives may be held by its loss, and its
    weights are, and nobody clamps theirs. What a test trains it trains for a few steps.
    """
    if site.mode.rehearsal:
        return Confidence.UNLIKELY
    if not operand.fact.is_any(Kind.LOGSCALE) and not _is_of_policy(operand):
        held = is_of_layer(operand.fact) or _is_called_variance(operand)
        return Confidence.POSSIBLE if held else Confidence.UNLIKELY
    if _has_bounds(site, operand, hints.LOG_VARIANCE, _BOTH) or site.result.dtype is DType.FLOAT64:
        return Confidence.UNLIKELY  # in float64 an exp takes 709
    if _is_out_of_sight(operand) or _is_handed_over(operand) or _is_floored(site, operand):
        return Confidence.POSSIBLE
    return of_learned_overflow(site)


def _is_of_policy(operand: Operand) -> bool:
    """How widely it draws is learned, wherever it is drawn from."""
    words = tuple(words_behind(operand, 2))
    if any(map(hints.tells_of_action_scale, words)):
        return True
    return operand.fact.is_any(Kind.PARAMETER) and any(map(hints.tells_of_spread, words))


def _is_fresh(site: Site, operand: Operand) -> bool:
    """`log_alpha = torch.zeros(1, requires_grad=True)`, and the exp of it before a loop has begun:
    nothing has been learned yet.
    """
    made, here = _source(operand).fact.origin, site.result.origin
    if made is None or here is None or site.mode.turned or not _is_start(made):
        return False
    return made.frame == here.frame


def _is_start(made: Origin) -> bool:
    """Zeros, ones, or a number that is written: what comes out of a checkpoint has been learned."""
    if made.op in _FILLED:
        return True
    given = made.operands.get("value") if made.op is Op.FULL else made.operands.get("x")
    if given is None or made.op not in (Op.FULL, Op.AS_TENSOR, Op.PARAMETER):
        return False
    inner = given.fact.origin
    return given.fact.constant is not None or (inner is not None and _is_start(inner))


_FILLED = frozenset({Op.ZEROS, Op.ONES})


def _is_called_variance(operand: Operand) -> bool:
    """A parameter that weighs losses or widens a policy: its own loss brings it to where it should
    be, as long as there is one.
    """
    words = words_behind(operand, 2)
    return any(hints.spelled(hints.LOG_VARIANCE, word) for word in words)


def _is_trained(operand: Operand) -> bool:
    """The weight of an entropy grows by a loss of its own, also where it is used detached."""
    kept = operand.fact.is_any(Kind.PARAMETER) or _is_attribute(operand)
    return kept and _is_of_policy(operand)


def _is_attribute(operand: Operand) -> bool:
    """`self.log_alpha.detach()`: what an object keeps of the kind it keeps to be learned."""
    origin, node = operand.fact.origin, operand.node
    if origin is not None and origin.op is Op.DETACH:
        node = origin.operands["x"].node
    return isinstance(node, bare.Attribute)


def _is_out_of_sight(operand: Operand) -> bool:
    """`mean, log_std = self.model.policy(x)`: bounds may be there, where both are made."""
    return operand.fact.elsewhere and operand.fact.origin is None


def _is_handed_over(operand: Operand) -> bool:
    """Whether only its name tells what it is: an argument, an entry of a batch, an attribute of
    somebody else. Who made it may have bounded it.
    """
    source = _source(operand)
    if source.fact.origin is not None or source.fact.is_any(Kind.PARAMETER):
        return False
    return "self" not in roots_of(source.node) or _is_of_part(source.node)


def _is_of_part(node: bare.BaseExpression) -> bool:
    """`self.model.log_std`: the model has made it and may have bounded it, or frozen it. The weight
    of an entropy is learned by who uses it, wherever it is kept: `self.agent.log_alpha`.
    """
    if not isinstance(node, bare.Attribute) or not isinstance(node.value, bare.Attribute):
        return False
    return any(
        hints.spelled(what, label_of(node)) for what in (hints.LOG_DEVIATION, hints.LOG_VARIANCE)
    )


def _is_floored(site: Site, operand: Operand) -> bool:
    """A parameter that is kept from becoming too small, here or, by the name of a floor, elsewhere:
    who did that has looked at where it goes, and it is the same for all states, so that it moves
    slowly.
    """
    origin = within(operand, _MOVING).fact.origin
    here = origin is not None and origin.op in _FLOORING and origin.fact("x").is_any(Kind.PARAMETER)
    return here or _has_bounds(site, operand, hints.LOG_DEVIATION, _FLOOR)


_FLOORING = frozenset({Op.CLAMP, Op.CLAMP_MIN, Op.MAXIMUM})


def _has_bounds(site: Site, operand: Operand, what: re.Pattern[str], ends: frozenset[str]) -> bool:
    """Whether a file names these bounds of it, and no others. `logvar` beside a `max_logvar` and a
    `min_logvar`: ensembles of dynamics bound it by two softplus, wherever. `log_std` beside a
    `min_log_std` alone: somebody has put a floor to it, wherever.
    """
    spellings = (hints.spelled(what, word) for word in words_behind(operand, 2))
    text = site.unit.source.text
    return any(hints.bounds_of(each, text) == ends for each in set(spellings) if each)


_FLOOR = frozenset({"min"})
_BOTH = frozenset({"min", "max"})


def _source(operand: Operand) -> Operand:
    """log_std of `-2 * log_std.detach()`."""
    while (origin := operand.fact.origin) is not None and origin.op in _MOVING:
        moved = [each for each in origin.operands.values() if each.fact.constant is None]
        if len(moved) != 1:
            break
        operand = moved[0]
    return operand


_MOVING = frozenset({Op.NEG, Op.MUL, Op.DIV, Op.SAME, Op.DETACH, Op.TO, Op.FLOAT, Op.DOUBLE})


def _is_unbounded(operand: Operand) -> bool:
    """Not where it is bounded on another path, which may well be the usual one."""
    fact = operand.fact
    if is_of_layer(fact):
        return fact.range.hi == ranges.INF
    if not fact.huge or not fact.is_any(_LEARNED) or fact.is_any(Kind.LOGRATIO):
        return False
    if is_held_fixed(_source(operand).fact):
        return False
    return not any(is_ceiling(made) or is_squashed(made) for made in (fact.origin, *fact.rivals))
