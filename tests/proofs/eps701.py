"""EPS701: the loss with logits, which learns where a sigmoid is saturated."""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor
from torch.nn.functional import softplus

from tests.proofs.proof import Proof, Wrong, each


def truth(scores: Tensor, labels: Tensor) -> Tensor:
    return (softplus(scores, threshold=1000) - scores * labels).mean()


def one_by_one(scores: Tensor, labels: Tensor) -> Tensor:
    return softplus(scores, threshold=1000) - scores * labels


# Sure, and wrong.
LOSS = Wrong(
    fixture="hazard",
    truth=truth,
    adversarial=([120.0, -120.0], [0.0, 1.0]),
    ordinary=([0.5, -1.5], [0.0, 1.0]),
    constants=frozenset({1}),
)

PROOF = Proof(
    code="EPS701",
    documented="Exact: the same value up to rounding wherever the sigmoid is not saturated",
    trials=(
        replace(LOSS, function="discriminator_loss", fixture=""),
        *each(LOSS, "functional", "by_full_name", "by_keyword", "local_modules"),
        replace(LOSS, function="method", truth=one_by_one),
        replace(
            LOSS,
            function="through_a_name",
            truth=lambda scores, labels: (truth(scores, labels), scores.sigmoid()),
        ),
        Wrong(
            function="of_a_difference",
            fixture="hazard",
            truth=lambda chosen, rejected, labels: truth(chosen - rejected, labels),
            adversarial=([120.0, -120.0], [0.0, 0.0], [0.0, 1.0]),
            ordinary=([0.5, -1.5], [0.25, 0.0], [0.0, 1.0]),
            constants=frozenset({2}),
        ),
        Wrong(
            function="reshaped",
            fixture="hazard",
            truth=lambda scores, labels: truth((scores + 0.5).squeeze(-1), labels),
            adversarial=([[120.0], [-120.0]], [0.0, 1.0]),
            ordinary=([[0.5], [-1.5]], [0.0, 1.0]),
            constants=frozenset({1}),
        ),
    ),
)
