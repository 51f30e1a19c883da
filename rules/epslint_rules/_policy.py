"""What the rules about policy gradients share: how to tell one."""

from __future__ import annotations

import re

from epslint.analysis.fact import Kind
from epslint.analysis.origin import Operand
from epslint.analysis.words.names import snake
from epslint_rules._wording import words_behind

_POLICY_LOSS = re.compile(
    r"(^|_)(ppo|grpo|rloo|a2c|a3c|reinforce|trpo|pg|surr\d?|surrogate\w*|advantages?|"
    r"(policy|actor|pg|ppo)_(loss(es)?|gradients?|objective))(_|$)"
)
# Adversarial losses are called `adv` too: of a policy there are its probabilities beside it.
_WEIGHED = re.compile(r"(^|_)(log_?(probs?|ps?|pi|ratios?)|ratios?|policy|actor)(_|$)")


def is_policy_loss(loss: Operand) -> bool:
    """Whether a loss weighs log-probabilities or ratios with advantages."""
    words = [snake(word) for word in words_behind(loss, 5)]
    if any(_POLICY_LOSS.search(word) for word in words):
        return True
    return loss.fact.is_any(Kind.ADVANTAGE) and any(_WEIGHED.search(word) for word in words)
