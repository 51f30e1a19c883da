"""Every proof, in every dtype, on every device; and that a rule's fix cannot go without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from _pytest.mark import ParameterSet

from epslint import docs, registry
from tests import fake
from tests.proofs.catalogue import proofs, unproven
from tests.proofs.proof import DTYPES, Proof, Torch, Trial

Case = tuple[Proof, Trial, torch.dtype]
RULES = registry.load().rules


def _cases(wanted: Callable[[Trial], bool]) -> Iterator[ParameterSet]:
    for proof in proofs():
        for trial in filter(wanted, proof.trials):
            for dtype in DTYPES:
                if dtype not in trial.excused():
                    name = str(dtype).removeprefix("torch.")
                    yield pytest.param((proof, trial, dtype), id=f"{proof.code}-{trial}-{name}")


@pytest.mark.parametrize("case", list(_cases(lambda trial: trial.devices())))
def test_proof_on_every_device(case: Case, device: torch.device) -> None:
    proof, trial, dtype = case
    if device.type == "mps" and dtype is torch.float64:
        pytest.skip("mps has no float64")
    trial.prove(trial.code(proof.code, dtype), dtype, device)


@pytest.mark.parametrize("case", list(_cases(lambda trial: not trial.devices())))
def test_proof(case: Case) -> None:
    proof, trial, dtype = case
    trial.prove(trial.code(proof.code, dtype), dtype)


UNSEEN = [
    pytest.param(proof.code, trial, id=f"{proof.code}-{trial}")
    for proof in proofs()
    for trial in proof.trials
    if isinstance(trial, Torch) and torch.float16 not in trial.excused()
]


@pytest.mark.parametrize(("code", "trial"), UNSEEN)
def test_float16_that_the_code_does_not_show(code: str, trial: Torch) -> None:
    """It is as safe as the proof says: where it says why it is not, it is not."""
    assert trial.is_safe_unseen(code) == (not trial.unseen_float16)


def test_every_fix_has_a_proof() -> None:
    assert unproven(RULES, proofs()) == []


def test_a_fix_without_a_proof_is_told() -> None:
    assert "FAK101" in unproven(fake.catalogue().rules, proofs())


def test_every_proof_belongs_to_a_rule_with_a_fix() -> None:
    fixable = {rule.code for rule in RULES if rule.grade is not None}
    assert {proof.code for proof in proofs()} <= fixable


@pytest.mark.parametrize("proof", proofs(), ids=lambda proof: proof.code)
def test_a_proof_shows_every_dtype_or_says_why_not(proof: Proof) -> None:
    assert proof.trials
    for dtype in DTYPES:
        reasons = [trial.excused().get(dtype) for trial in proof.trials]
        assert None in reasons or all(reasons)


@pytest.mark.parametrize("proof", proofs(), ids=lambda proof: proof.code)
def test_a_proof_holds_the_rule_to_its_own_words(proof: Proof) -> None:
    rule = registry.load().find(proof.code)
    assert rule is not None
    words = " ".join(docs.documentation(rule).section("Fix safety").split())
    assert proof.documented in words
