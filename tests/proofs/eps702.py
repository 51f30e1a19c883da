"""EPS702: the loss of what it expects."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from tests.proofs.proof import Proof, Wrong, each


def truth(logits: Tensor, labels: Tensor) -> Tensor:
    chosen = logits.gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    return (torch.logsumexp(logits, dim=-1) - chosen).mean()


LOSS = Wrong(
    fixture="hazard",
    truth=truth,
    meaning=True,
    # Sure, and wrong: the loss is 200, and not 1.55.
    adversarial=([[200.0, 0.0, 0.0], [0.0, 0.0, 200.0]], [1, 0]),
    ordinary=([[0.5, -0.5, 0.0], [1.0, 0.0, -1.0]], [0, 2]),
)

PROOF = Proof(
    code="EPS702",
    documented="Semantic: the loss becomes the one that its name says",
    trials=(
        replace(LOSS, function="loss", fixture=""),
        *each(
            LOSS,
            "functional",
            "likelihood",
            "likelihood_of_a_method",
            "likelihood_through_a_name",
            "of_a_sigmoid",
        ),
        replace(LOSS, function="method", truth=lambda x, y: truth(x, y) * len(x)),
        replace(
            LOSS, function="through_a_name", truth=lambda x, y: (truth(x, y), x.softmax(dim=1))
        ),
        replace(LOSS, function="reshaped", truth=lambda x, y: truth(x + 1, y)),
    ),
)
