"""The proofs there are, found by looking: each `epsNNN.py` of this folder holds one."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from epslint.rule import Rule
from tests.proofs.proof import Proof


@cache
def proofs() -> tuple[Proof, ...]:
    names = sorted(path.stem for path in Path(__file__).parent.glob("eps*.py"))
    return tuple(_proof(importlib.import_module(f"{__package__}.{name}")) for name in names)


def _proof(module: object) -> Proof:
    found = getattr(module, "PROOF", None)
    assert isinstance(found, Proof), f"{module} holds no PROOF"
    return found


def unproven(rules: Iterable[Rule], proven: Iterable[Proof]) -> list[str]:
    """The codes of the rules that have a fix and no proof of it."""
    codes = {proof.code for proof in proven}
    return [rule.code for rule in rules if rule.grade is not None and rule.code not in codes]
