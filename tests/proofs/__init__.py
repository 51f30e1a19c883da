"""Proofs: for every rule with a fix, its hazard is executed before and after that fix.

One rule, one file: `eps101.py` holds `PROOF`, found by looking. A rule whose fix has no proof fails
the suite. `proof.py` says what a proof is made of.
"""
