"""EPS304: expm1, which keeps the small digits."""

from __future__ import annotations

from tests.proofs.proof import Accuracy, Proof, each

PROOF = Proof(
    code="EPS304",
    documented="Exact: the same value up to rounding, which is what improves",
    trials=(
        Accuracy(function="growth", truth=lambda x: x.exp() - 1),
        *each(
            Accuracy(fixture="hazard_torch", truth=lambda x: x.exp() - 1),
            "function",
            "method",
            "subtracted_by_method",
            "subtracted_by_function",
            "negative_one_added",
        ),
    ),
)
