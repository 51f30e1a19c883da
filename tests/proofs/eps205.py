"""EPS205: logsumexp for the log of a sum of exponentials."""

from __future__ import annotations

from tests.proofs.proof import Numpy, Proof, Torch, each

LOGITS = [[0.5, -0.5, 0.0], [1.0, 0.0, -1.0]]
HUGE = [[1000.0, -0.5, 0.0], [1.0, 0.0, -1.0]]
SUM = Torch(fixture="hazard_torch", adversarial=(HUGE,), ordinary=(LOGITS,))
ARRAY = Numpy(fixture="hazard_numpy", adversarial=(HUGE,), ordinary=(LOGITS,))

PROOF = Proof(
    code="EPS205",
    documented="Exact: the same value wherever the old one was finite, up to rounding",
    trials=(
        Torch(function="free_energy", adversarial=(HUGE,), ordinary=(LOGITS,)),
        *each(SUM, "functions", "methods", "mixed", "kept"),
        Torch(
            function="of_an_expression",
            fixture="hazard_torch",
            adversarial=(HUGE, 0.5),
            ordinary=(LOGITS, 0.5),
        ),
        Torch(
            function="two_dimensions",
            fixture="hazard_torch",
            adversarial=([HUGE],),
            ordinary=([LOGITS],),
        ),
        *each(ARRAY, "with_numpy", "with_numpy_methods"),
    ),
)
