"""EPS101: the epsilon of masked means."""

from __future__ import annotations

from dataclasses import replace

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, EXACT, Bound, Numpy, Proof, Torch, each

VALUES = [[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]]
MASK = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]
NOBODY = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]

# A count that is wider than what it divides: its epsilon is fine, a float16 numerator's gradient
# is not.
WIDER = """
import torch


def mean(values, mask):
    kept = mask > 0
    return (values * kept).sum(-1) / kept.sum(-1)
"""

COUNT = Bound(Role.MASKED, over=2.0)
MASKED = Torch(
    fixture="hazard_masked",
    adversarial=(VALUES, NOBODY),
    ordinary=(VALUES, MASK),
    constants=frozenset({1}),
    bound=COUNT,
    unseen_float16=ABSORBED,
)
ROWS = Numpy(
    fixture="hazard_numpy",
    adversarial=(VALUES, NOBODY),
    ordinary=(VALUES, MASK),
    bound=COUNT,
)

PROOF = Proof(
    code="EPS101",
    documented="the value changes by at most one part in 1e8",
    trials=(
        *each(
            MASKED,
            "operators",
            "per_row",
            "functions",
            "method",
            "in_place",
            "augmented",
            "reciprocal",
            "power",
            "weights",
        ),
        replace(MASKED, function="selection", bound=EXACT, unseen_float16=""),  # max(n, 1)
        *each(
            replace(MASKED, fixture="hazard_kept", bound=EXACT, unseen_float16=""),
            "halved_loss",
            "held_loss",
            "plain_loss",
            "function_loss",
        ),
        *each(
            Torch(
                fixture="hazard_normalisers",
                adversarial=([0.0, 0.0], 0.0),
                ordinary=([1.0, 2.0], 2.0),
                constants=frozenset({1}),
                bound=COUNT,
                unseen_float16=ABSORBED,
            ),
            "over_what_was_masked",
        ),
        Torch(
            function="mean",
            text=WIDER,
            adversarial=(VALUES, NOBODY),
            ordinary=(VALUES, MASK),
            constants=frozenset({1}),
            bound=COUNT,
            unseen_float16=ABSORBED,
        ),
        *each(ROWS, "functions", "methods", "divide"),
    ),
)
