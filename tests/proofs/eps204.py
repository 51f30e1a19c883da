"""EPS204: the epsilon beside a complement, where it is not absorbed."""

from __future__ import annotations

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, Bound, Numpy, Proof, Torch, each

PROBS = [0.25, 0.5, 0.75]
SURE = [0.25, 0.5, 1.0]
BOUND = Bound(Role.PROBABILITY, over=0.25)

PROOF = Proof(
    code="EPS204",
    documented="Bounded: by eps / (1 - p)",
    trials=(
        *each(
            Torch(
                fixture="hazard_torch",
                adversarial=(SURE,),
                ordinary=(PROBS,),
                bound=BOUND,
                unseen_float16=ABSORBED,
            ),
            "method",
            "function",
            "in_place",
            "through_a_variable",
        ),
        Torch(
            function="of_an_exponential",
            fixture="hazard_torch",
            adversarial=([0.0, -1.0],),
            ordinary=([-0.5, -1.0],),
            bound=BOUND,
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="one_minus_exp_of_a_difference",
            fixture="hazard_torch",
            adversarial=([1.0, -1.0], [1.0, 0.0]),
            ordinary=([-0.5, -1.0], [0.0, 0.0]),
            bound=BOUND,
            unseen_float16=ABSORBED,
        ),
        Numpy(
            function="with_numpy",
            fixture="hazard_numpy",
            adversarial=(SURE,),
            ordinary=(PROBS,),
            bound=BOUND,
        ),
    ),
)
