"""Draws: which calls choose places by their probabilities, or numbers at random.

What has probability 0 is not chosen, and what is drawn from a continuous distribution is not 0.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis import bare, ranges
from epslint.analysis.fact import Fact, Form, Kind, replace
from epslint.analysis.keys import called
from epslint.analysis.ops import Op
from epslint.analysis.ranges import Range
from epslint.analysis.transfer import Call, transfer
from epslint.analysis.words.names import snake

_WEIGHTS = Kind.PROB | Kind.LOGPROB | Kind.LOGITS | Kind.SIMPLEX
# `sample_top_p(probs)`, `utils.multinomial(probs)`, `gumbel_sample(logits)`; not `sample(batch)`.
_DRAWING = re.compile(
    r"^_*((sample|draw)(_(top_?[kp]|tokens?|next\w*|from_?\w*|categorical|gumbel|logits|probs))?|"
    r"\w*multinomial\w*|(gumbel|top_?[kp]|nucleus|categorical)_sampl(e|ing)\w*)$"
)
_CHOOSING = frozenset({"choice", "choices"})
_WEIGHING = frozenset({"p", "probs", "weights"})
# By which distributions numbers are drawn that are not 0, nor twice the same.
_CONTINUOUS = re.compile(r"(^|[a-z])(Normal|Gaussian|Laplace|Cauchy|StudentT|Gumbel)(Diag|TriL)?$")
_OVER_PLACES = re.compile(r"(^|[a-z])Categorical(Masked)?$")
# The parts by which a distribution over places is known: what it gives, and how probable that is.
_SAMPLE, _LOG_PROB = "a sample", "its log_prob"
# torch keeps given probabilities from 0 by the precision of their type: 2e-16 at the least.
_KEPT_FROM_ZERO = Range(math.log(sys.float_info.epsilon), 0.0)


def drawn() -> Fact:
    return transfer(Call(Op.MULTINOMIAL, {}))


def draws(node: bare.Call, given: Mapping[str, Fact]) -> bool:
    """Whether a call that is not known otherwise chooses places, by arguments under their names
    or positions.
    """
    name = called(node)
    if name in _CHOOSING:
        return not _WEIGHING.isdisjoint(given)  # `rng.choice(n, p=probs)`
    weighed = any(fact.is_any(_WEIGHTS) for fact in given.values())
    return weighed and _DRAWING.search(name) is not None


def as_distribution(node: bare.Call, full: str, fact: Fact) -> Fact:
    """`Categorical(probs)`, whose samples are places, and `MultivariateNormal(mean, covariance)`,
    whose samples are not 0 as a whole.
    """
    name = called(node)
    if fact.form is Form.OTHER and _CONTINUOUS.search(name) is not None:
        return replace(fact, parts=((_SAMPLE, Fact(kinds=Kind.DRAWN)),))
    if fact.form is not Form.OTHER or _OVER_PLACES.search(name) is None or "OneHot" in name:
        return fact
    given = (
        _KEPT_FROM_ZERO if full.startswith("torch.") and _has_probs(node) else ranges.NONPOSITIVE
    )
    return replace(fact, parts=((_SAMPLE, drawn()), (_LOG_PROB, Fact(given))))


def _has_probs(node: bare.Call) -> bool:
    """Whether it is given probabilities, which come first, and no logits."""
    first = node.args[0].keyword if node.args else None
    return bool(node.args) and (first is None or first.value == "probs")


def sample_of(distribution: Fact) -> Fact | None:
    return distribution.part(_SAMPLE)


def log_prob_of(distribution: Fact, density: Fact) -> Fact:
    """A log-density, with what is known of it because places have probabilities."""
    known = distribution.part(_LOG_PROB)
    return density if known is None else density.within(known.range)


# What generators of random numbers give, and the parameters by which it is known.
BY_GENERATORS: Mapping[str, tuple[Op, tuple[str, ...]]] = MappingProxyType(
    {
        "uniform": (Op.RAND, ("min", "max", "x")),
        **dict.fromkeys(("rand", "random", "random_sample"), (Op.RAND, ("x",))),
        **dict.fromkeys(("randn", "standard_normal"), (Op.RANDN, ("x",))),
        "normal": (Op.RANDN, ("mean", "std", "x")),
    }
)
_GENERATOR = re.compile(
    r"(^|_)(rng|rnd|prng|rs|r|rand|random|np_random|generator|random_?state|default_rng)$"
)


def tells_of_generator(name: str) -> bool:
    """Whether it generates random numbers: `rng`, `self.np_random`, `RandomState(0)`."""
    return _GENERATOR.search(snake(name)) is not None
