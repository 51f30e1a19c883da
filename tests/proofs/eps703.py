"""EPS703: the least finite number, of which a whole row is still a softmax."""

from __future__ import annotations

from dataclasses import replace

from tests.proofs.proof import Proof, Torch, each

SCORES = [[0.5, -0.5, 1.0], [1.0, 0.0, -1.0]]
NOTHING = [[True, False, True], [False, False, False]]
SOMETHING = [[True, False, True], [False, True, False]]
VALUES = [[1.0, 0.0], [0.5, 2.0], [-1.0, 0.5]]

WEIGHTS = Torch(fixture="hazard", adversarial=(SCORES, NOTHING), ordinary=(SCORES, SOMETHING))
INVERTED = tuple([[not kept for kept in row] for row in mask] for mask in (NOTHING, SOMETHING))

PROOF = Proof(
    code="EPS703",
    documented="Exact: the same value in every row that is not masked out entirely",
    trials=(
        Torch(
            function="attend",
            adversarial=(SCORES, NOTHING, VALUES),
            ordinary=(SCORES, SOMETHING, VALUES),
        ),
        *each(WEIGHTS, "through_a_name", "where"),
        replace(
            WEIGHTS,
            function="function",
            adversarial=(SCORES, INVERTED[0]),
            ordinary=(SCORES, INVERTED[1]),
        ),
    ),
)
