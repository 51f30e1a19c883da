"""EPS503: the same test around the input of what is not chosen."""

from __future__ import annotations

from tests.proofs.proof import Proof, Torch, each

TOTAL = [3.0, 1.0, 2.0]
ROWS = [[2.0, -1.0, 0.5], [3.0, 1.0, -2.0], [1.0, 0.5, 0.25]]
SOME = [[1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0]]
NOBODY = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0]]

COUNTED = Torch(
    fixture="hazard",
    adversarial=(TOTAL, [2.0, 0.0, 1.0]),
    ordinary=(TOTAL, [2.0, 4.0, 1.0]),
)
MASKED = Torch(
    fixture="hazard",
    adversarial=(TOTAL, NOBODY),
    ordinary=(TOTAL, SOME),
    constants=frozenset({1}),
)
AT_ZERO = Torch(fixture="hazard", adversarial=([2.0, 0.0, 0.5],), ordinary=([2.0, 4.0, 0.5],))

PROOF = Proof(
    code="EPS503",
    documented="where the branch is chosen the operand is the same",
    trials=(
        *each(COUNTED, "mean_or_zero", "equality"),
        *each(MASKED, "named_test", "named_branch", "filled", "assigned"),
        *each(AT_ZERO, "log_or_zero", "other_branch", "method", "sinc", "taylor", "inverse"),
        *each(AT_ZERO, "gamma", "nested"),
        Torch(
            function="whole_count",
            fixture="hazard",
            adversarial=([[0.1, 0.2], [0.9, 0.1]],),
            ordinary=([[0.9, 0.2], [0.9, 0.7]],),
        ),
        Torch(
            function="unit",
            fixture="hazard",
            adversarial=([[0.0, 0.0], [3.0, 4.0]],),
            ordinary=([[1.0, 2.0], [3.0, 4.0]],),
        ),
        Torch(
            function="elu",
            fixture="hazard",
            adversarial=([1000.0, -1.0], 0.5),
            ordinary=([1.0, -1.0], 0.5),
        ),
        Torch(
            function="ratio",
            fixture="hazard",
            adversarial=([1000.0, -1.0], [-1.0, -2.0]),
            ordinary=([-1.0, -1.0], [-1.5, -0.5]),
        ),
    ),
)
