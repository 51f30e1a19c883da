"""EPS402: a product of ratios that overflows on its way to a finite value.

Of probabilities nothing is shown: their product is not infinite, and where it underflows to 0 the
exponential of the sum of their logs does so too.
"""

from __future__ import annotations

import torch

from epslint.epsilon import Role
from tests.proofs.proof import Bound, Proof, Torch

ORDINARY = ([0.5, -0.5, 0.25, -1.0], [0.0] * 4)
BOUND = Bound(Role.PROBABILITY, over=0.3, value=4.0, gradient=8.0)

ASSOCIATED = "in which order a GPU multiplies, and so whether it overflows, is not specified"


def there_and_back(length: int) -> tuple[object, ...]:
    """Log-ratios that grow first and shrink to 0 in the end."""
    return [3.0] * length + [-3.0] * length, [0.0] * (2 * length)


PROOF = Proof(
    code="EPS402",
    documented="a probability of exactly 0 becomes 1e-8",
    trials=(
        Torch(
            only_cpu=ASSOCIATED,
            function="importance",
            fixture="hazard_torch",
            adversarial=there_and_back(4800),
            ordinary=ORDINARY,
            constants=frozenset({1}),
            bound=BOUND,
            excuses={torch.float16: "its epsilon of 1e-4 adds up over so many ratios"},
        ),
        Torch(
            only_cpu=ASSOCIATED,
            function="importance",
            fixture="hazard_torch",
            adversarial=there_and_back(1000),
            ordinary=ORDINARY,
            constants=frozenset({1}),
            bound=BOUND,
            excuses=dict.fromkeys((torch.float64, torch.float32, torch.bfloat16), "shown above"),
        ),
    ),
)
