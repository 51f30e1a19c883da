"""EPS507: the epsilon that nan_to_num does not make up for."""

from __future__ import annotations

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, Bound, Proof, Torch, each

VALUES = [[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]]
SOME = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]
NOBODY = [[0.0, 0.0, 0.0], [0.0, 1.0, 1.0]]

MASKED = Torch(
    fixture="hazard",
    adversarial=(VALUES, NOBODY),
    ordinary=(VALUES, SOME),
    constants=frozenset({1}),
    bound=Bound(Role.MASKED),
    unseen_float16=ABSORBED,
)
LOG = Torch(
    fixture="hazard",
    adversarial=([2.0, 0.0],),
    ordinary=([2.0, 0.5],),
    bound=Bound(Role.GENERAL, over=0.25),
    unseen_float16=ABSORBED,
)

PROOF = Proof(
    code="EPS507",
    documented="the value changes by one part in d / epsilon",
    trials=(
        *each(MASKED, "masked_mean", "method", "by_name", "in_place"),
        *each(LOG, "log", "scaled"),
        Torch(
            function="normalised",
            fixture="hazard",
            adversarial=([[0.0, 0.0], [3.0, 4.0]],),
            ordinary=([[1.0, 2.0], [3.0, 4.0]],),
            bound=Bound(Role.GENERAL),
            unseen_float16=ABSORBED,
        ),
    ),
)
