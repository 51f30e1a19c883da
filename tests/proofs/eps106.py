"""EPS106: the biased estimate, which one element has too."""

from __future__ import annotations

import math
from dataclasses import replace

from torch import Tensor

from tests.proofs.proof import Numpy, Proof, Torch, each

REWARDS = [1.0, -2.0, 3.0, 0.5]
KEPT = 3


def smaller(result: Tensor) -> Tensor:
    """A deviation of 3 elements, and its gradient."""
    return result * math.sqrt((KEPT - 1) / KEPT)


SELECTED = Torch(
    fixture="hazard",
    adversarial=(REWARDS, [0, 1, 0, 0]),
    ordinary=(REWARDS, [1, 0, 1, 1]),
    change=smaller,
)

PROOF = Proof(
    code="EPS106",
    documented="the biased estimate is smaller by sqrt((n - 1) / n)",
    trials=(
        *each(SELECTED, "directly", "masked_select", "function"),
        replace(SELECTED, function="variance", change=lambda r: smaller(smaller(r))),
        Numpy(
            function="selected",
            text="import numpy as np\n\n\ndef selected(x: np.ndarray, mask: np.ndarray):\n"
            "    return np.std(x[mask > 0], ddof=1)\n",
            adversarial=(REWARDS, [0, 1, 0, 0]),
            ordinary=(REWARDS, [1, 0, 1, 1]),
            change=smaller,
        ),
    ),
)
