"""EPS301: a cap on a log-ratio before its exp."""

from __future__ import annotations

from dataclasses import replace

import torch

from tests.proofs.proof import OVERFLOWS, Numpy, Proof, Torch, each

NEW = [-0.5, -2.0, -9.5]
OLD = [-1.0, -10.5, -0.25]  # all but as far apart as the cap of float16 lets them be
NEAR = [-1.0, -1.5, -3.0]
GONE = [-1000.0, -1.5, -0.25]
ONES = [1.0, -0.5, 0.25]
RATIO = Torch(
    fixture="hazard_ratio",
    adversarial=(NEW, GONE),
    ordinary=(NEW, OLD),
    constants=frozenset({1}),
    unseen_float16=OVERFLOWS,
)
DIVERGENCE = Torch(
    fixture="hazard_ratio",
    adversarial=(GONE, NEW),
    ordinary=(NEW, NEAR),
    constants=frozenset({0}),
    unseen_float16="exp(40) overflows in float16",
)

PROOF = Proof(
    code="EPS301",
    documented="nothing changes while the ratio is between 2e-9 and 5e8",
    trials=(
        Torch(
            function="surrogate",
            adversarial=(NEW, GONE, ONES),
            ordinary=(NEW, OLD, ONES),
            constants=frozenset({1}),
            unseen_float16=OVERFLOWS,
        ),
        *each(
            RATIO,
            "function",
            "method",
            "in_place",
            "subtracted_by_function",
            "subtracted_by_method",
            "logged_beside",
            "negated_and_logged",
            "floored_only",
            "laid_out",
            "minus_one",
        ),
        replace(
            RATIO,
            function="capped_too_high",
            excuses={torch.float64: "a cap of 100 is low enough for float64"},
        ),
        Torch(
            function="through_a_variable",
            fixture="hazard_ratio",
            adversarial=(NEW, GONE, ONES),
            ordinary=(NEW, OLD, ONES),
            constants=frozenset({1}),
            unseen_float16=OVERFLOWS,
        ),
        replace(RATIO, fixture="hazard_reference", function="detached"),
        replace(RATIO, fixture="hazard_reference", function="of_likelihoods"),
        replace(DIVERGENCE, function="kl_to_reference"),
        replace(
            DIVERGENCE,
            function="divergence_to_reference",
            excuses={torch.float16: "a difference of 1000 beside the exp overflows by itself"},
        ),
        replace(
            DIVERGENCE,
            function="divergence_to_reference",
            adversarial=([-20.0, -1.5, -0.25], NEW),
            excuses=dict.fromkeys(
                (torch.float64, torch.float32, torch.bfloat16), "exp(20) does not overflow"
            ),
        ),
        Numpy(
            function="with_numpy",
            fixture="hazard_numpy",
            adversarial=(NEW, GONE),
            ordinary=(NEW, OLD),
        ),
    ),
)
