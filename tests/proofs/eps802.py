"""EPS802: steps of a bounded length, with which a steep loss does not run away."""

from __future__ import annotations

from tests.proofs.proof import Proof, Torch

TRAINING = """\
import torch


def train(start, advantages):
    weight = torch.nn.Parameter(start.detach().clone())
    policy = torch.nn.ParameterList([weight])
    optimizer = torch.optim.SGD(policy.parameters(), lr=1.0)
    for _ in range(12):
        log_prob = -(weight**4)
        policy_loss = -(log_prob * advantages).mean()
        optimizer.zero_grad()
        policy_loss.backward()
        optimizer.step()
    return weight.detach()
"""

PROOF = Proof(
    code="EPS802",
    documented="Semantic: gradients of a norm above 0.5 become shorter",
    trials=(
        Torch(
            function="train",
            text=TRAINING,
            adversarial=([4.0], [1.0]),
            ordinary=([0.25], [1.0]),  # no gradient is longer than 0.5
        ),
    ),
)
