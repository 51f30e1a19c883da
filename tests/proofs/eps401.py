"""EPS401: the epsilon of a probability ratio, and log-probabilities where they are at hand."""

from __future__ import annotations

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, OVERFLOWS, Bound, Numpy, Proof, Torch, each

NEW = [0.25, 0.5, 0.75]
OLD = [0.5, 0.25, 0.75]
GONE = [0.0, 0.25, 0.75]
BOUND = Bound(Role.RATIO, over=0.25)

PROOF = Proof(
    code="EPS401",
    documented="Bounded: by eps / old_prob",
    trials=(
        Torch(
            function="importance",
            adversarial=(NEW, GONE),
            ordinary=(NEW, OLD),
            constants=frozenset({1}),
            bound=BOUND,
            unseen_float16=ABSORBED,
        ),
        *each(
            Torch(
                fixture="hazard_torch",
                adversarial=(NEW, GONE),
                ordinary=(NEW, OLD),
                constants=frozenset({1}),
                bound=BOUND,
                unseen_float16=ABSORBED,
            ),
            "operator",
            "function",
            "method",
            "in_place",
            "augmented",
            "floored_at_zero",
        ),
        Torch(
            function="exponentials",
            fixture="hazard_torch",
            adversarial=([-1.0, -0.5], [-1000.0, -1.0]),
            ordinary=([-1.0, -0.5], [-0.5, -1.0]),
            constants=frozenset({1}),
            unseen_float16=OVERFLOWS,
        ),
        Numpy(
            function="with_numpy",
            fixture="hazard_numpy",
            adversarial=(NEW, GONE),
            ordinary=(NEW, OLD),
            bound=BOUND,
        ),
    ),
)
