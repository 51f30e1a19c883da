"""Policies: from what are the actions of a file drawn.

An action that was drawn from finitely many had a probability that float32 can tell from 0, and its
new one is at most 1: the ratio of the two stays far below an overflow. A density has no limits.
"""

from __future__ import annotations

import re

from epslint.source import Source

_OF_FINITELY_MANY = re.compile(r"Categorical")
# `Normal(` and `MultivariateNormalDiag`; not `Normalize` or `lecun_normal`.
_OF_A_DENSITY = re.compile(r"Normal(?!i[sz])|\bBeta\(|(?i:gaussian|log_?std|log_?sigma)")


def are_categorical(source: Source) -> bool:
    """Whether a file speaks of categorical distributions and of no density."""
    text = source.text
    return bool(_OF_FINITELY_MANY.search(text)) and not _OF_A_DENSITY.search(text)
