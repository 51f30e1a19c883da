"""Policies: from what are the actions of a file drawn.

An action that was drawn from finitely many had a probability that float32 can tell from 0, and its
new one is at most 1: the ratio of the two stays far below an overflow. A density has no limits.
"""

from __future__ import annotations

import re

from epslint.source import Source

# Also the one that was taken: `log_softmax(policy).gather(2, actions)`; not a sum of many.
_OF_FINITELY_MANY = re.compile(
    r"Categorical|log_softmax\([^\n]*\.gather\([^\n]*\bactions?\b(?![^\n]*\.sum\()"
)
# `Normal(` and `MultivariateNormalDiag`; not `Normalize` or `lecun_normal`.
_OF_A_DENSITY = re.compile(r"Normal(?!i[sz])|\bBeta\(|(?i:gaussian|log_?std|log_?sigma)")


def are_categorical(source: Source) -> bool:
    """Whether a file speaks of categorical distributions and of no density."""
    text = source.text
    return bool(_OF_FINITELY_MANY.search(text)) and not _OF_A_DENSITY.search(text)


# Categorical of torch's, and not one that is derived from it, relaxed or made of several.
_TORCHS = re.compile(
    r"^from torch\.distributions(\.categorical)? import [^\n]*\bCategorical\b"
    r"|\btorch\.distributions\.Categorical\(",
    re.M,
)
# Log-probabilities without a floor, or of several actions at once.
_FLOORLESS = re.compile(
    r"[(,]\s*logits=|log_softmax|\w+Categorical\b|class \w*Categorical|log_prob\([^\n]*\)\.sum\("
)


def have_a_floor(source: Source) -> bool:
    """Whether a file makes its actions' distributions of probabilities, in torch, which takes none
    for less than its epsilon: `Categorical(probs)`. In float32 that is a log-probability of -16.
    """
    text = source.text
    return are_categorical(source) and bool(_TORCHS.search(text)) and not _FLOORLESS.search(text)
