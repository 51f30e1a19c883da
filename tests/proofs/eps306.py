"""EPS306: a cap on a learned log-scale; within it nothing changes."""

from __future__ import annotations

from tests.proofs.proof import OVERFLOWS, Proof, Torch, each

LEARNED = [-10.5, 0.5, 10.5]
RUNAWAY = [1000.0, 0.5, 2.0]

PROOF = Proof(
    code="EPS306",
    documented="the clamp stops the gradient beyond its bounds",
    trials=(
        Torch(
            function="standard_deviation",
            adversarial=(RUNAWAY,),
            ordinary=(LEARNED,),
            unseen_float16=OVERFLOWS,
        ),
        *each(
            Torch(
                fixture="hazard_torch",
                adversarial=(RUNAWAY,),
                ordinary=(LEARNED,),
                unseen_float16=OVERFLOWS,
            ),
            "method",
            "function",
            "floored_only",
        ),
        Torch(
            function="evidence_bound",
            fixture="hazard_torch",
            adversarial=([1.0, 0.5, 2.0], RUNAWAY),
            ordinary=([1.0, 0.5, 2.0], LEARNED),
            unseen_float16=OVERFLOWS,
        ),
    ),
)
