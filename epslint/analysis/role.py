"""Roles: which tier of the hierarchy a place belongs to, read off its kinds and names."""

from __future__ import annotations

import re

from epslint.analysis.fact import Fact, Kind
from epslint.analysis.ops import Op
from epslint.analysis.site import Site
from epslint.analysis.words.names import snake
from epslint.epsilon import Role

_SPREAD = Kind.STD | Kind.VAR | Kind.SPAN
_REWARD = re.compile(
    r"(^|_)(adv|advs|advantages?|rewards?|returns?|(?<!z_)scores?|grpo|rloo|gae|whiten)(_|$)"
)
_DIVERGENCE = re.compile(
    # PPO's `approx_kl` is the log-ratio of its policies; a cross-entropy is a likelihood.
    r"(^|_)((?<!approx_)kl|kld|js|jsd|jeffreys|divergences?|(?<!cross_)entrop(y|ies)|renyi|"
    r"alpha_div)(_|$)"
)


def role_of(site: Site, guarded: Fact) -> Role:
    """The role of a guard for `guarded` at this site."""
    kinds = guarded.kinds
    for operand in site.operands.values():
        kinds |= operand.fact.kinds & (Kind.REWARD | Kind.ADVANTAGE | Kind.KL)
    words = _words(site)
    if kinds & Kind.KL or any(_DIVERGENCE.search(word) for word in words):
        return Role.DIVERGENCE
    if site.op is Op.LOG and guarded.is_any(Kind.RATIO):
        return Role.LOG_RATIO
    if site.op is Op.DIV and guarded.is_any(Kind.PROB) and site.fact("x").is_any(Kind.PROB):
        return Role.RATIO
    if guarded.is_any(_SPREAD):
        about_rewards = bool(kinds & (Kind.REWARD | Kind.ADVANTAGE))
        about_rewards = about_rewards or any(_REWARD.search(word) for word in words)
        return Role.REWARD if about_rewards else Role.GENERAL
    if guarded.is_any(Kind.COUNT | Kind.SUM | Kind.MASK | Kind.LENGTH | Kind.MEAN):
        return Role.MASKED
    return Role.PROBABILITY if guarded.is_any(Kind.PROB) else Role.GENERAL


def _words(site: Site) -> list[str]:
    """The names that tell what is being computed: the function, the class, the operands."""
    found = [site.scope.function, site.scope.owner]
    found += re.findall(r"[A-Za-z_]\w*", site.unit.text(site.node))
    return [snake(name) for name in found]
