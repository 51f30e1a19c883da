"""Policies: from what are the actions of a file drawn.

An action that was drawn from finitely many had a probability that float32 can tell from 0, and its
new one is at most 1: the ratio of the two stays far below an overflow. A density has no limits.
"""

from __future__ import annotations

import re

from epslint.source import Source

# Also the one that was taken: `log_softmax(policy).gather(2, actions)`.
_OF_FINITELY_MANY = re.compile(r"Categorical|log_softmax\([^\n]*\.gather\([^\n]*\bactions?\b")
# `Normal(` and `MultivariateNormalDiag`; not `Normalize` or `lecun_normal`.
_OF_A_DENSITY = re.compile(r"Normal(?!i[sz])|\bBeta\(|(?i:gaussian|log_?std|log_?sigma)")


def are_categorical(source: Source) -> bool:
    """Whether a file speaks of categorical distributions and of no density."""
    text = source.text
    return bool(_OF_FINITELY_MANY.search(text)) and not _OF_A_DENSITY.search(text)


_MADE = re.compile(r"Categorical\(([^)\n]*)")
_OF_TORCH = re.compile(r"^\s*(import|from)\s+torch\b", re.M)
_OF_LOGITS = re.compile(r"logits\s*=|Categorical|^$")  # or a class of its own is derived from one


def have_a_floor(source: Source) -> bool:
    """Whether a file makes its actions' distributions of probabilities, in torch, which takes none
    for less than its epsilon: `Categorical(probs)`. Its log-probabilities are never below -37.
    """
    if not are_categorical(source) or not _OF_TORCH.search(source.text):
        return False
    made = _MADE.findall(source.text)
    return bool(made) and not any(map(_OF_LOGITS.search, made))
