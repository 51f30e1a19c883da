"""EPS203: logsigmoid for the log of a sigmoid, and of its complement."""

from __future__ import annotations

from tests.proofs.proof import Proof, Torch, each

MARGIN = [0.5, -2.0, 3.0]
ZEROS = [0.0, 0.0, 0.0]
LOW = [-1000.0, 0.5, 3.0]
HIGH = [1000.0, 0.5, -3.0]

PROOF = Proof(
    code="EPS203",
    documented="Exact: the same value wherever the old one was finite, up to rounding",
    trials=(
        Torch(function="preference_loss", adversarial=(LOW, ZEROS), ordinary=(MARGIN, ZEROS)),
        *each(
            Torch(fixture="hazard_torch", adversarial=(LOW,), ordinary=(MARGIN,)),
            "methods",
            "functional",
            "in_place",
            "through_a_variable",
        ),
        *each(
            Torch(fixture="hazard_torch", adversarial=(HIGH,), ordinary=(MARGIN,)),
            "complement",
            "complement_as_float",
        ),
        Torch(
            function="complement_of_an_expression",
            fixture="hazard_torch",
            adversarial=(HIGH, ZEROS),
            ordinary=(MARGIN, ZEROS),
        ),
        Torch(
            function="both_halves",
            fixture="hazard_torch",
            adversarial=([1000.0, -1000.0], [0.0, 1.0]),
            ordinary=([0.5, -2.0], [0.0, 1.0]),
            constants=frozenset({1}),
        ),
    ),
)
