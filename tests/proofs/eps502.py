"""EPS502: the floor under a fractional power."""

from __future__ import annotations

from tests.proofs.proof import ABSORBED, Proof, Torch, each

ROWS = [[2.0, -1.0, 0.5], [3.0, 1.0, -2.0]]
NOTHING = [[0.0, 0.0, 0.0], [3.0, 1.0, -2.0]]

POWER = Torch(
    fixture="hazard",
    adversarial=(NOTHING,),
    ordinary=(ROWS,),
    unseen_float16=ABSORBED,
)

PROOF = Proof(
    code="EPS502",
    documented="the same value for every base above the epsilon",
    trials=(
        *each(POWER, "compressed", "method", "function", "cube_root_of_energy", "by_name"),
        *each(POWER, "signed"),
        Torch(
            function="focal",
            fixture="hazard",
            adversarial=([-2000.0, 1.0],),
            ordinary=([-2.0, 1.0],),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="tempered",
            fixture="hazard",
            adversarial=([[0.0, 2000.0]],),
            ordinary=([[0.0, 1.0]],),
            unseen_float16=ABSORBED,
        ),
    ),
)
