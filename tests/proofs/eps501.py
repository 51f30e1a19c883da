"""EPS501: the epsilon under a root, and the floor of a difference."""

from __future__ import annotations

from dataclasses import replace

import torch

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, EXACT, Bound, Numpy, Proof, Torch, each

ROWS = [[2.0, -1.0, 0.5], [3.0, 1.0, -2.0], [1.0, 0.5, 0.25]]
SAME_ROWS = [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]
NOTHING = [[0.0, 0.0], [0.0, 0.0]]

SPREAD = Torch(
    fixture="hazard",
    adversarial=(SAME_ROWS,),
    ordinary=(ROWS,),
    # The least variance is 0.1; the gradient has a pole of order 1/2 there.
    bound=Bound(Role.GENERAL, over=0.1),
    unseen_float16=ABSORBED,
)
MAGNITUDE = Torch(
    fixture="hazard",
    adversarial=(NOTHING,),
    ordinary=(ROWS,),
    bound=Bound(Role.GENERAL, over=0.1, gradient=4.0),
    unseen_float16=ABSORBED,
)

RAISED = Torch(
    fixture="hazard_floor",
    adversarial=([[0.0, -1.0, 2.0], [0.5, 0.0, 1.0]],),
    ordinary=([[0.25, 0.75, 0.5], [0.5, 0.125, 1.0]],),
    bound=EXACT,
    unseen_float16=ABSORBED,
)

PROOF = Proof(
    code="EPS501",
    documented="sqrt(x + eps) - sqrt(x) is at most eps / (2 sqrt(x))",
    trials=(
        *each(SPREAD, "deviation", "function", "power", "pow_method", "by_name", "in_place"),
        *each(MAGNITUDE, "root_mean_square", "magnitude"),
        *each(
            Torch(
                fixture="hazard",
                adversarial=(ROWS, ROWS),
                ordinary=(ROWS, [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]),
                bound=Bound(Role.GENERAL),
                unseen_float16=ABSORBED,
            ),
            "rmse",
            "rmse_of_a_loss",
        ),
        *each(RAISED, "directly", "positional", "clamp_min", "power"),
        replace(RAISED, function="used_twice", bound=Bound(Role.GENERAL, over=0.1)),
        Torch(
            function="deviation",
            fixture="hazard_floor",
            adversarial=(SAME_ROWS,),
            ordinary=(ROWS,),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="matching_loss",
            fixture="hazard_named",
            adversarial=(NOTHING,),
            ordinary=([[2.0, 1.0], [0.5, 4.0]],),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="sine_of_a_cosine",
            fixture="hazard",
            adversarial=([[1.0, 0.0]], [[2.0, 0.0]]),
            ordinary=([[1.0, 0.5]], [[-0.5, 1.0]]),
            bound=Bound(Role.GENERAL, over=0.1),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="sine_by_name",
            fixture="hazard",
            adversarial=([1.0, -1.0],),
            ordinary=([0.5, -0.25],),
            bound=Bound(Role.GENERAL, over=0.1),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="hellinger",
            fixture="hazard",
            adversarial=([[0.0, 2000.0]], [[0.5, 0.5]]),
            ordinary=([[0.0, 1.0]], [[0.5, 0.5]]),
            bound=Bound(Role.PROBABILITY, over=0.1),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="guarded_too_late",
            fixture="hazard",
            adversarial=(SAME_ROWS,),
            ordinary=(ROWS,),
            bound=Bound(Role.GENERAL, over=0.1),
            excuses={torch.float16: "the code's own floor of 1e-6 has no reciprocal in float16"},
        ),
        Torch(
            function="distances",
            fixture="hazard_difference",
            adversarial=(ROWS, ROWS),
            ordinary=(ROWS, [[0.0, 5.0, 1.0], [-2.0, 4.0, 1.0]]),
            bound=replace(EXACT, ulps=64.0),
            excuses={torch.float16: "what `y.t()` gives is not seen to be float16"},
        ),
        Torch(
            function="smaller_eigenvalue",
            fixture="hazard_difference",
            adversarial=([1.0, 2.0], [1.0, 5.0]),
            ordinary=([2.0, 3.0], [1.0, 5.0]),
            unseen_float16=ABSORBED,
        ),
        Numpy(
            function="array",
            fixture="hazard_difference",
            adversarial=([5.1] * 6,),
            ordinary=([1.0, 2.0, 4.0],),
            excuses={torch.float16: "numpy sums float16 in float32, and rounds these to 0"},
        ),
    ),
)
