"""EPS303: the clamp before the exp, where it bounds the gradient too."""

from __future__ import annotations

from tests.proofs.proof import Bound, Proof, Torch, each

NEW = [-0.5, -2.0, -3.0, -0.25]
OLD = [-1.0, -1.5, -0.25, -9.0]  # the last one beyond the bound, and finite
GONE = [-1000.0, -1.5, -0.25, -9.0]
LOG_ROUNDED = Bound(5e-9)  # log(c) is written with nine digits
CLAMP = Torch(
    fixture="hazard_torch",
    adversarial=(NEW, GONE),
    ordinary=(NEW, OLD),
    bound=LOG_ROUNDED,
)

PROOF = Proof(
    code="EPS303",
    documented="the same value wherever it was finite, up to rounding of log(c)",
    trials=(
        Torch(
            function="importance_weight",
            adversarial=(NEW, GONE),
            ordinary=(NEW, OLD),
            bound=LOG_ROUNDED,
        ),
        *each(
            CLAMP,
            "method",
            "function",
            "both_ends",
            "both_ends_by_keyword",
            "floor_of_zero",
            "upper_only",
            "clipped",
        ),
        *each(
            Torch(
                fixture="hazard_torch",
                adversarial=([1000.0, 1.0],),
                ordinary=([0.5, 6.0],),
                bound=LOG_ROUNDED,
            ),
            "of_a_log_scale",
            "of_a_log_variance",
        ),
        Torch(
            function="through_a_variable",
            fixture="hazard_torch",
            adversarial=(NEW, GONE),
            ordinary=(NEW, OLD),
        ),
        Torch(
            function="minimum",
            fixture="hazard_torch",
            adversarial=(NEW, GONE, [5.0] * 4),
            ordinary=(NEW, OLD, [5.0] * 4),
            constants=frozenset({2}),
        ),
    ),
)
