"""Policies: from what are the actions of a file drawn.

An action that was drawn from finitely many had a probability that float32 can tell from 0, and its
new one is at most 1: the ratio of the two stays far below an overflow. A density has no limits.
"""

from __future__ import annotations

import re

from epslint.source import Source

_OF_FINITELY_MANY = re.compile(r"Categorical")
# `Normal(` and `MultivariateNormalDiag`; not `LayerNorm`, `Normalize` or `lecun_normal`.
_OF_A_DENSITY = re.compile(r"Normal(?!i[sz])|\bBeta\(|(?i:gaussian|log_?std|log_?sigma)")
# Where there is padding there are tokens that nobody drew.
_PADDED = re.compile(r"attention_mask|pad_token|tokenizer")


def are_categorical(source: Source) -> bool:
    """Whether a file speaks of categorical distributions, of no density and of no padding."""
    text = source.text
    if not _OF_FINITELY_MANY.search(text):
        return False
    return not _OF_A_DENSITY.search(text) and not _PADDED.search(text)
