"""EPS506: what a mask leaves out is a number first."""

from __future__ import annotations

from tests.proofs.proof import Numpy, Proof, Torch, each

ROWS = [[2.0, -1.0, 0.5], [3.0, 1.0, -2.0]]
ALL = [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
LEGAL = [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]

POSITIVE = Torch(fixture="hazard", adversarial=([2.0, 0.0, 0.5],), ordinary=([2.0, 4.0, 0.5],))
COUNTED = Torch(
    fixture="hazard",
    adversarial=([3.0, 1.0], [2.0, 0.0]),
    ordinary=([3.0, 1.0], [2.0, 4.0]),
)

PROOF = Proof(
    code="EPS506",
    documented="where the mask is not 0 everything stays the same",
    trials=(
        *each(POSITIVE, "log_of_positive", "mask_first", "root", "inverse"),
        *each(COUNTED, "named", "entropy_term"),
        Torch(
            function="mean_where_some",
            fixture="hazard",
            adversarial=([3.0, 1.0], [[0.0, 0.0], [1.0, 1.0]]),
            ordinary=([3.0, 1.0], [[1.0, 0.0], [1.0, 1.0]]),
            constants=frozenset({1}),
        ),
        Torch(
            function="expln",
            fixture="hazard",
            adversarial=([1000.0, -1.0],),
            ordinary=([2.0, -1.0],),
        ),
        Torch(
            function="struck_out",
            fixture="hazard",
            adversarial=(ROWS, LEGAL, LEGAL),
            ordinary=(ROWS, ALL, LEGAL),
            constants=frozenset({1, 2}),
        ),
        Numpy(
            function="array",
            fixture="hazard",
            adversarial=([2.0, 0.0, 0.5],),
            ordinary=([2.0, 4.0, 0.5],),
        ),
    ),
)
