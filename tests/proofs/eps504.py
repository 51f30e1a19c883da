"""EPS504: bounds that the dtype can tell from 1."""

from __future__ import annotations

import torch

from tests.proofs.proof import Bound, Numpy, Proof, Torch, each

UNSEEN = "1 - 1e-6 is 1 in float16"
UNSHOWN = {torch.bfloat16: "1 - 1e-6 is 1 in bfloat16, which the code does not show"}
UNITS = [[1.0, 0.0], [0.6, 0.8]]
OTHERS = [[0.6, 0.8], [1.0, 0.0]]
EYE = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
TURNED = [[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]

ANGLE = Torch(
    fixture="hazard",
    adversarial=([1.0, -1.0, 0.5],),
    ordinary=([0.5, -0.25, 0.75],),
    excuses=UNSHOWN,
    unseen_float16=UNSEEN,
)
SHOWN = Torch(fixture="hazard", adversarial=([1.0, -1.0],), ordinary=([0.5, -0.25],))
PROBABILITY = Torch(
    fixture="hazard",
    adversarial=([0.0, 1.0, 0.5],),
    ordinary=([0.5, 0.25, 0.75],),
    excuses=UNSHOWN,
    unseen_float16=UNSEEN,
)

PROOF = Proof(
    code="EPS504",
    documented="the same value for every argument between the bounds",
    trials=(
        *each(ANGLE, "angle", "method", "function"),
        *each(PROBABILITY, "named", "unit_interval"),
        *each(SHOWN, "half", "brain"),
        Torch(
            function="between",
            fixture="hazard",
            adversarial=(UNITS, UNITS),
            ordinary=(UNITS, OTHERS),
            excuses=UNSHOWN,
            unseen_float16=UNSEEN,
        ),
        Torch(
            function="rotation_angle",
            fixture="hazard",
            adversarial=(EYE,),
            ordinary=(TURNED,),
            excuses=UNSHOWN,
            unseen_float16=UNSEEN,
        ),
        Torch(
            function="quantile",
            fixture="hazard",
            adversarial=([0.0, 1.0],),
            ordinary=([0.25, 0.5],),
            excuses=UNSHOWN,
            unseen_float16=UNSEEN,
        ),
        Torch(
            function="log_odds",
            fixture="hazard",
            adversarial=([2000.0, -2000.0],),
            ordinary=([0.5, -1.0],),
            bound=Bound(ulps=64.0),  # of logits that a sigmoid has squeezed
            excuses=UNSHOWN,
            unseen_float16=UNSEEN,
        ),
        Numpy(
            function="array",
            fixture="hazard",
            adversarial=([0.5, 0.5, 0.75], [0.5, 0.5, 0.75]),
            ordinary=([0.5, 0.5], [0.25, 0.5]),
        ),
    ),
)
