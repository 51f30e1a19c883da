"""EPS206: softplus, which does not overflow, and log1p, which keeps the small digits."""

from __future__ import annotations

from dataclasses import replace

import torch

from tests.proofs.proof import Accuracy, Bound, Numpy, Proof, Torch, each

MARGIN = [0.5, -2.0, 3.0]
HUGE = [1000.0, -2.0, 3.0]
PLUS = Torch(fixture="hazard_torch", adversarial=(HUGE,), ordinary=(MARGIN,))

PROOF = Proof(
    code="EPS206",
    documented="Exact: the same value up to rounding, which is what improves",
    trials=(
        Torch(function="softplus_loss", adversarial=([-1000.0, 2.0],), ordinary=(MARGIN,)),
        *each(
            PLUS,
            "softplus_by_methods",
            "softplus_turned_round",
            "softplus_by_log1p",
            "softplus_by_methods_of_log1p",
        ),
        Torch(
            function="hinge",
            fixture="hazard_torch",
            adversarial=([-1000.0, 2.0], [0.0, 0.0]),
            ordinary=([1.0, 2.0], [0.0, 0.5]),
        ),
        # torch's softplus is the identity above 20, where log(1 + exp(x)) is not quite.
        replace(
            PLUS,
            function="softplus_turned_round",
            ordinary=([20.5, 25.0],),
            bound=Bound(2.1e-9, gradient=1.0),
            excuses={torch.float16: "exp(20.5) is not finite in float16"},
        ),
        *each(Accuracy(fixture="hazard_torch", truth=lambda x: (1 + x).ln()), "small", "by_method"),
        *each(
            Accuracy(
                fixture="hazard_torch",
                truth=lambda x: (1 - x).ln(),
                ordinary=(0.25, 0.5, 0.75),
            ),
            "share_left",
            "share_left_by_method",
        ),
        Numpy(
            function="with_numpy", fixture="hazard_numpy", adversarial=(HUGE,), ordinary=(MARGIN,)
        ),
    ),
)
