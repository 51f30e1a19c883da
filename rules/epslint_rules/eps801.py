"""EPS801: a policy loss weighed with advantages that nothing normalises."""

from __future__ import annotations

import re
from collections.abc import Iterator

from epslint.analysis import bare
from epslint.analysis.fact import Fact, Kind
from epslint.analysis.keys import words_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.analysis.words.names import snake
from epslint.epsilon import Role
from epslint.rewrite import epsilon_text, line_after
from epslint.rule import Confidence, Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._logarithm import maker
from epslint_rules._wording import made_elsewhere, quoted

_WEIGHED = Kind.RATIO | Kind.LOGPROB | Kind.LOGRATIO
_GAINED = re.compile(r"(^|_)(rewards?|rews?|returns?|rets?|(td_|value_)?targets?|gains?|g)(_|\d|$)")
_EXPECTED = re.compile(r"(^|_)(values?|vals?|baselines?|vpreds?|v|critic)(_|\d|$)")
# Somebody in this file sees to it, whatever it is called there.
_NORMALISED = re.compile(
    r"whiten|(normali[sz]|standardi[sz])\w*\(|norm\w*_adv|adv\w*_norm|normali[sz]e_?adv|"
    r"(adv|ret|rew|target|delta)\w*\.(std|var)\(|(std|var)\(\s*(self\.)?(adv|ret|rew|target|delta)",
    re.IGNORECASE,
)


class UnnormalizedAdvantage(SiteRule):
    """A policy loss that multiplies with raw advantages, nowhere normalised.

    ## What it does
    Flags `ratio * advantage` and `log_prob * advantage` where the advantage is seen to be a reward
    or return less a value or baseline. Silent where anything in the file normalises advantages,
    returns or rewards (a `whiten`, a `normalize(…)`, a division by their std), and for advantages
    that come from outside: nobody knows what was done to them.

    ## Why is this bad
    The size of the step is then the scale of the reward. An environment that pays 1000 instead of 1
    has a thousand times the gradient, and the same learning rate is too large for one and too small
    for the other; within one run, steps grow as the policy gets better.

    ## Example
    ```python
    def policy_loss(log_probs, returns, values):
        advantages = returns - values.detach()
        return -(log_probs * advantages).mean()
    ```

    ## Use instead
    ```python
    def policy_loss(log_probs, returns, values):
        advantages = returns - values.detach()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
        return -(log_probs * advantages).mean()
    ```

    ## Fix
    Normalises the advantages on the line after they are made, with the hierarchy's epsilon for
    rewards. Over a batch: groups, masks and several devices are yours to see to.

    ## Fix safety
    Semantic: advantages have a mean of 0 and a standard deviation of 1, and the learning rate wants
    another value.

    ## References
    On by default in SB3, CleanRL and TRL's PPO.
    """

    code = "EPS801"
    name = "unnormalized-advantage"
    severity = Severity.WARNING
    grade = Grade.SEMANTIC
    default = False
    # A product alone is not worth reading a function for; with a reduction it may be a loss.
    ops = frozenset({Op.MUL, Op.MEAN, Op.SUM})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        found = _advantage(site)
        if found is None or _NORMALISED.search(site.unit.source.text):
            return
        advantage, difference = found
        yield Diagnosis(
            span=site.unit.span(advantage.node),
            message=f"{quoted(site, advantage.node)} weighs a policy loss and is as large as the "
            "rewards are: nothing in this file normalises it",
            confidence=Confidence.NAMED,
            why=made_elsewhere(advantage),
            fix=_fix(site, advantage, difference),
        )


def _advantage(site: Site) -> tuple[Operand, Origin] | None:
    """What a ratio or log-probability is multiplied with, if that is a gain less an expectation."""
    x, y = site.operand("x"), site.operand("y")
    if site.op is not Op.MUL or x is None or y is None or not site.differentiated:
        return None
    for weighed, advantage in ((x, y), (y, x)):
        difference = maker(advantage.fact, through=True)
        if weighed.fact.is_any(_WEIGHED) and difference is not None and _is_raw(difference):
            return advantage, difference
    return None


def _is_raw(difference: Origin) -> bool:
    if difference.op is not Op.SUB:
        return False
    gained, expected = difference.operands["x"], difference.operands["y"]
    return _is_called(_GAINED, gained) and _is_called(_EXPECTED, expected)


def _is_called(words: re.Pattern[str], operand: Operand) -> bool:
    """Whether the name of a value says so, seen through what only arranges it."""
    node, fact = operand.node, operand.fact
    return any(words.search(snake(name)) for name in _names(node, fact))


def _names(node: bare.BaseExpression, fact: Fact) -> Iterator[str]:
    yield from words_of(node)[-1:]
    origin = fact.origin
    while origin is not None and origin.op in (Op.SAME, Op.DETACH, Op.TO, Op.FLOAT, Op.PICK):
        inner = origin.operands.get("x")
        if inner is None:
            return
        yield from words_of(inner.node)[-1:]
        origin = inner.fact.origin


def _fix(site: Site, advantage: Operand, difference: Origin) -> Fix | None:
    name, made = advantage.node, advantage.fact.origin
    if not isinstance(name, bare.Name) or made is None or made.unit is not site.unit:
        return None
    text = name.value
    epsilon = epsilon_text(site, Role.REWARD, advantage.fact)
    statement = f"{text} = ({text} - {text}.mean()) / ({text}.std() + {epsilon})"
    span = made.unit.outer_span(made.node)
    edit = line_after(site.unit.source, span, text, statement)
    return None if edit is None else Fix("Normalise the advantages", Grade.SEMANTIC, (edit,))
