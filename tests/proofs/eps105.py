"""EPS105: an epsilon on both sides of 0, where one side cancels it."""

from __future__ import annotations

from tests.proofs.proof import Bound, Numpy, Proof, Torch

EPS = 2.0**-10  # exact in every dtype, so that it cancels in every dtype
X = [0.125, 0.0625]

PROOF = Proof(
    code="EPS105",
    documented="it changes the value for every negative d, by 2 eps in the denominator",
    trials=(
        Torch(
            function="through_a_variable",
            fixture="hazard",
            adversarial=(X, [-EPS, 1.0], EPS),
            ordinary=(X, [-2.0, 1.0], EPS),
            bound=Bound(EPS, value=2.0, gradient=4.0),
        ),
        Numpy(
            function="relative",
            text="import numpy as np\n\n\n"
            "def relative(x, advantages, eps=1e-8):\n    return x / (np.mean(advantages) + eps)\n",
            adversarial=(X, [-EPS, -EPS], EPS),
            ordinary=(X, [-2.0, -1.0], EPS),
            bound=Bound(EPS, value=2.0),
        ),
    ),
)
