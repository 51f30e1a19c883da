"""EPS305: softmax, which subtracts the maximum."""

from __future__ import annotations

from tests.proofs.proof import Proof, Torch, each

LOGITS = [[0.5, -0.5, 0.0], [1.0, 0.0, -1.0]]
HUGE = [[1000.0, -0.5, 0.0], [1.0, 0.0, -1.0]]

PROOF = Proof(
    code="EPS305",
    documented="Exact: the same value wherever the old one was finite, up to rounding",
    trials=(
        Torch(function="probabilities", adversarial=(HUGE,), ordinary=(LOGITS,)),
        *each(
            Torch(fixture="hazard_torch", adversarial=(HUGE,), ordinary=(LOGITS,)),
            "through_a_variable",
            "on_one_line",
            "methods",
            "functions",
            "named_total",
        ),
        *each(
            Torch(fixture="hazard_torch", adversarial=([1000.0, 0.0],), ordinary=([0.5, -1.0],)),
            "sigmoid",
            "sigmoid_through_a_variable",
        ),
        Torch(
            function="with_temperature",
            fixture="hazard_torch",
            adversarial=(HUGE, 0.5),
            ordinary=(LOGITS, 0.5),
        ),
    ),
)
