"""EPS801: advantages of one scale, whatever the rewards are paid in."""

from __future__ import annotations

from torch import Tensor

from tests.proofs.proof import Bound, Proof, Wrong

LOG_PROBS = [-0.5, -1.0, -1.5, -0.25]
VALUES = [0.0, 0.0, 0.0, 0.0]


def truth(log_probs: Tensor, returns: Tensor, values: Tensor) -> Tensor:
    advantages = returns - values.detach()
    return -(log_probs * (advantages - advantages.mean()) / advantages.std()).mean()


PROOF = Proof(
    code="EPS801",
    documented="Semantic: advantages have a mean of 0 and a standard deviation of 1",
    trials=(
        Wrong(
            function="policy_loss",
            truth=truth,
            meaning=True,
            adversarial=(LOG_PROBS, [1000.0, 2000.0, -1000.0, 500.0], VALUES),
            ordinary=(LOG_PROBS, [1.0, 2.0, -1.0, 0.5], VALUES),
            constants=frozenset({1, 2}),  # nothing is learned of rewards
            bound=Bound(1e-6, ulps=32.0),
        ),
    ),
)
