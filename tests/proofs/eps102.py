"""EPS102: the epsilon of spreads, beside a deviation and under a root."""

from __future__ import annotations

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, Bound, Numpy, Proof, Torch, each

ALIKE = [0.5, 0.5, 0.5, 0.5]
REWARDS = [2.0, -1.0, 0.5, 3.0]
ROWS = [[2.0, -1.0, 0.5], [3.0, 1.0, -2.0]]
SAME_ROWS = [[0.5, 0.5, 0.5], [0.25, 0.25, 0.25]]
ZERO_ROWS = [[0.0, 0.0, 0.0], [3.0, 1.0, -2.0]]

REWARD = Torch(
    fixture="hazard_rewards",
    adversarial=(ALIKE,),
    ordinary=(REWARDS,),
    bound=Bound(Role.REWARD),
    unseen_float16="1e-6 has no finite reciprocal in float16",
)
FEATURE = Torch(
    fixture="hazard_features",
    adversarial=(ZERO_ROWS,),
    ordinary=(ROWS,),
    bound=Bound(Role.GENERAL),
    unseen_float16=ABSORBED,
)
NORMALIZE = Torch(
    fixture="hazard_normalize",
    adversarial=(ZERO_ROWS,),
    ordinary=(ROWS,),
    bound=Bound(Role.GENERAL),
    unseen_float16="F.normalize has an epsilon of 1e-12",
)
ARRAY = Numpy(
    fixture="hazard_numpy",
    adversarial=(ALIKE,),
    ordinary=(REWARDS,),
    bound=Bound(Role.REWARD),
)

PROOF = Proof(
    code="EPS102",
    documented="the value changes by one part in spread / epsilon",
    trials=(
        *each(REWARD, "normalize", "whiten", "pair", "scores", "min_max", "with_a_clip_range"),
        *each(FEATURE, "unit", "unit_linalg", "unit_quaternion"),
        Torch(
            function="by_squared_length",
            fixture="hazard_features",
            adversarial=([0.0, 0.0], [1.0, 2.0]),
            ordinary=([1.0, -1.0], [1.0, 2.0]),
            bound=Bound(Role.GENERAL),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="cosine_of_the_angle",
            fixture="hazard_features",
            adversarial=([0.0, 1.0], [0.0, 2.0]),
            ordinary=([1.0, -1.0], [1.0, 2.0]),
            bound=Bound(Role.GENERAL),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="layer_norm",
            fixture="hazard_features",
            adversarial=(SAME_ROWS,),
            ordinary=(ROWS,),
            bound=Bound(Role.GENERAL),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="instance_norm",
            fixture="hazard_features",
            adversarial=([[[[0.5, 0.5], [0.5, 0.5]]]],),
            ordinary=([[[[2.0, -1.0], [0.5, 3.0]]]],),
            bound=Bound(Role.GENERAL, power=1.5),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="cosine",
            fixture="hazard_features",
            adversarial=(ZERO_ROWS, ROWS),
            ordinary=(ROWS, SAME_ROWS),
            bound=Bound(Role.GENERAL, over=0.5),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="inverse_variance",
            fixture="hazard_features",
            adversarial=([[0.5, 2.0], [0.5, 1.0]],),
            ordinary=([[2.0, -1.0], [0.5, 3.0]],),
            bound=Bound(Role.GENERAL, power=2.0),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="unit",
            fixture="hazard_named",
            adversarial=([0.0, 0.0], [0.0]),
            ordinary=([3.0, 4.0], [5.0]),
            bound=Bound(Role.GENERAL),
            unseen_float16=ABSORBED,
        ),
        *each(NORMALIZE, "second_norm", "vector_norm"),
        *each(ARRAY, "method", "returns"),
        Numpy(
            function="unit",
            fixture="hazard_numpy",
            adversarial=(ZERO_ROWS,),
            ordinary=(ROWS,),
            bound=Bound(Role.GENERAL),
        ),
    ),
)
