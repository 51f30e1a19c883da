"""EPS202: log_softmax for the log of a softmax."""

from __future__ import annotations

from tests.proofs.proof import Proof, Torch, each

LOGITS = [[0.5, -0.5, 0.0], [1.0, 0.0, -1.0]]
SURE = [[0.0, -1000.0, 0.0], [1.0, 0.0, -1.0]]
LOG = Torch(fixture="hazard_torch", adversarial=(SURE,), ordinary=(LOGITS,))

PROOF = Proof(
    code="EPS202",
    documented="Exact: the same value wherever the old one was finite, up to rounding",
    trials=(
        Torch(function="logprobs", adversarial=(SURE,), ordinary=(LOGITS,)),
        *each(
            LOG,
            "functions",
            "functional",
            "functional_by_full_name",
            "methods",
            "method_on_function",
            "in_place",
            "used_twice",
            "entropy",
            "laid_out",
        ),
        Torch(
            function="of_an_expression",
            fixture="hazard_torch",
            adversarial=(SURE, 0.5),
            ordinary=(LOGITS, 0.5),
        ),
        Torch(
            function="in_a_tuple",
            fixture="hazard_torch",
            adversarial=(SURE, LOGITS),
            ordinary=(LOGITS, [[0.0, 1.0, 0.5], [0.5, 0.0, 1.0]]),
        ),
    ),
)
