"""EPS001: a comment goes, and nothing that runs."""

from __future__ import annotations

from tests.proofs.proof import Proof, SameSyntax

PROOF = Proof(
    code="EPS001",
    documented="Exact: only a comment changes",
    trials=(SameSyntax(), SameSyntax(fixture="hazard")),
)
