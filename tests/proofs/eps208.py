"""EPS208: 0 times a floor, where it was 0 times -inf."""

from __future__ import annotations

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, Bound, Numpy, Proof, Torch, each

LOGITS = [[0.5, -0.5, 0.0], [1.0, 0.0, -1.0]]
LEGAL = [[True, True, True], [True, True, True]]
SOME = [[True, False, True], [True, True, False]]
STRUCK = Torch(fixture="hazard_struck", adversarial=(LOGITS, SOME), ordinary=(LOGITS, LEGAL))

PROBS = [[0.25, 0.5, 0.25], [0.125, 0.75, 0.125]]
SURE = [[0.0, 1.0, 0.0], [0.125, 0.75, 0.125]]
# Three terms are summed, some to base 2; the gradient log(p) + 1 sees eps / p.
EPSILON = Bound(Role.GENERAL, value=3 * 1.45, gradient=2 * 8 * 1.45)
WEIGHED = Torch(
    fixture="hazard_weighed",
    adversarial=(SURE,),
    ordinary=(PROBS,),
    bound=EPSILON,
    unseen_float16=ABSORBED,
)

PROOF = Proof(
    code="EPS208",
    documented="Bounded for the epsilon: p * log(p + eps) - p * log(p) is below eps",
    trials=(
        Torch(function="entropy", adversarial=(LOGITS, SOME), ordinary=(LOGITS, LEGAL)),
        *each(
            STRUCK,
            "struck",
            "turned_round",
            "by_where",
            "by_index",
            "beside_a_softmax",
            "by_function",
            "struck_in_place",
        ),
        *each(
            WEIGHED,
            "method",
            "function",
            "turned_round",
            "to_base_two",
            "by_function",
            "by_method",
            "through_a_variable",
        ),
        *each(
            Torch(
                fixture="hazard_weighed",
                adversarial=(SURE, PROBS),
                ordinary=(PROBS, PROBS),
                constants=frozenset({1}),
                bound=EPSILON,
                unseen_float16=ABSORBED,
            ),
            "less_another",
            "less_another_by_function",
            "plus_another",
        ),
        *each(
            Torch(
                fixture="hazard_weighed",
                adversarial=(SURE, PROBS),
                ordinary=(PROBS, PROBS),
                constants=frozenset({1}),
                # Beside p / q an epsilon is q times as large to p.
                bound=EPSILON,
                unseen_float16=ABSORBED,
            ),
            "over_another",
            "over_another_by_method",
        ),
        Numpy(
            function="with_numpy",
            fixture="hazard_weighed_numpy",
            adversarial=(SURE,),
            ordinary=(PROBS,),
            bound=EPSILON,
        ),
    ),
)
