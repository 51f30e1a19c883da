"""EPS302: a cap on the log-ratio of the k3 estimator."""

from __future__ import annotations

from tests.proofs.proof import Proof, Torch, each

NEW = [-0.5, -2.0, -9.5]
REFERENCE = [-1.0, -11.5, -0.25]  # all but as far apart as the cap lets them be
DRIFTED = [-1000.0, -2.0, -3.0]

PROOF = Proof(
    code="EPS302",
    documented="nothing changes while the two log-probabilities are within 10 nats",
    trials=(
        Torch(function="k3", adversarial=(DRIFTED, REFERENCE), ordinary=(NEW, REFERENCE)),
        *each(
            Torch(
                fixture="hazard_spellings",
                adversarial=(DRIFTED, REFERENCE),
                ordinary=(NEW, REFERENCE),
            ),
            "textbook",
            "one_first",
            "minus_both",
            "one_in_front",
            "linear_in_front",
            "exp_minus_one",
            "other_sign",
            "other_sign_of_exp_minus_one",
            "ratio_and_its_log",
            "written_out",
            "on_one_line",
            "functions",
            "methods",
            "logged_beside",
            "clamped_afterwards",
            "scaled",
        ),
    ),
)
