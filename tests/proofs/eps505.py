"""EPS505: vector_norm for a norm by hand, and an epsilon where it is spelled out."""

from __future__ import annotations

import torch

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, Bound, Proof, Torch, each

POINTS = [[2.0, -1.0, 0.5], [3.0, 1.0, -2.0]]
OTHERS = [[1.0, 1.0, 1.0], [0.5, 2.0, -1.0]]
NOTHING = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]

PAIR = Torch(fixture="hazard", adversarial=(POINTS, POINTS), ordinary=(POINTS, OTHERS))
ONE = Torch(fixture="hazard", adversarial=(NOTHING,), ordinary=(POINTS,))
SPELLED_OUT = Torch(
    fixture="hazard",
    adversarial=(NOTHING, NOTHING),
    ordinary=(POINTS, OTHERS),
    bound=Bound(Role.GENERAL),
    unseen_float16=ABSORBED,
)

PROOF = Proof(
    code="EPS505",
    documented="Exact for vector_norm, up to rounding",
    trials=(
        *each(PAIR, "distance", "functional", "summed_up"),
        *each(ONE, "positional", "product", "square", "power"),
        Torch(
            function="with_dtype",
            fixture="hazard",
            adversarial=(NOTHING,),
            ordinary=(POINTS,),
            excuses={torch.float64: "the code sums in float32"},
        ),
        Torch(
            function="by_name",
            fixture="hazard",
            adversarial=(POINTS, POINTS),
            ordinary=(POINTS, OTHERS),
            bound=Bound(Role.MASKED),
            unseen_float16=ABSORBED,
        ),
        *each(SPELLED_OUT, "planar"),
    ),
)
