"""EPS201: the epsilon of probabilities, inside the log."""

from __future__ import annotations

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, Bound, Numpy, Proof, Torch, each

PROBS = [[0.25, 0.5, 0.25], [0.125, 0.75, 0.125]]
SURE = [[0.0, 1.0, 0.0], [0.125, 0.75, 0.125]]
LOGITS = [[0.5, -0.5, 0.0], [1.0, 0.0, -1.0]]
SURE_LOGITS = [[0.0, -1000.0, 0.0], [1.0, 0.0, -1.0]]
INDEX = [[1], [1]]
LABELS = [1.0, 0.0, 1.0]
CERTAIN = [0.0, 1.0, 0.5]  # and wrong
GUESSES = [0.25, 0.5, 0.75]

GIVEN = Torch(
    fixture="hazard_torch",
    adversarial=(SURE,),
    ordinary=(PROBS,),
    bound=Bound(Role.PROBABILITY, over=0.125, gradient=8.0),
    unseen_float16=ABSORBED,
)
MADE = Torch(
    fixture="hazard_torch",
    adversarial=(SURE_LOGITS, INDEX),
    ordinary=(LOGITS, INDEX),
    bound=Bound(Role.PROBABILITY, over=0.1),
    unseen_float16=ABSORBED,
)

PROOF = Proof(
    code="EPS201",
    documented="log(p + eps) - log(p) is below eps / p",
    trials=(
        *each(GIVEN, "method", "function", "to_base_two", "entropy"),
        *each(MADE, "gathered_from_softmax", "through_a_helper"),
        Torch(
            function="cross_entropy",
            fixture="hazard_torch",
            adversarial=(SURE, PROBS),
            ordinary=(PROBS, PROBS),
            constants=frozenset({1}),
            bound=Bound(Role.PROBABILITY, over=0.125),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="kl_divergence",
            fixture="hazard_torch",
            adversarial=(SURE, PROBS),
            ordinary=(PROBS, [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]),
            bound=Bound(Role.DIVERGENCE, over=0.125),
            unseen_float16="1e-9 is 0 in float16",
        ),
        Torch(
            function="focal",
            fixture="hazard_forms",
            adversarial=(LABELS, CERTAIN),
            ordinary=(LABELS, GUESSES),
            constants=frozenset({0}),
            bound=Bound(Role.PROBABILITY, over=0.125, gradient=8.0),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="of_a_likelihood",
            fixture="hazard_forms",
            adversarial=(CERTAIN,),
            ordinary=(GUESSES,),
            bound=Bound(Role.PROBABILITY, over=0.125, gradient=8.0),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="of_two_policies",
            fixture="hazard_forms",
            adversarial=(SURE, PROBS),
            ordinary=(PROBS, [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]),
            bound=Bound(Role.PROBABILITY, over=0.125, value=2.0, gradient=8.0),
            unseen_float16=ABSORBED,
        ),
        Numpy(
            function="likelihood",
            fixture="hazard_forms",
            adversarial=(LABELS, CERTAIN),
            ordinary=(LABELS, GUESSES),
            bound=Bound(Role.PROBABILITY, over=0.125),
        ),
        *each(
            Numpy(
                fixture="hazard_numpy",
                adversarial=(SURE,),
                ordinary=(PROBS,),
                bound=Bound(Role.PROBABILITY, over=0.125),
            ),
            "with_numpy",
            "with_numpy_entropy",
        ),
    ),
)
