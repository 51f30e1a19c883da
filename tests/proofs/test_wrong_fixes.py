"""The proofs against themselves: a fix that is wrong in any way they look at is caught."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
import torch

from tests.proofs.catalogue import proofs
from tests.proofs.proof import DTYPES, Code, Proof, Trial, UnprovenError

TRIALS = [
    pytest.param(proof, trial, id=f"{proof.code}-{trial}")
    for proof in proofs()
    for trial in proof.trials
]


@pytest.mark.parametrize(("proof", "trial"), TRIALS)
def test_a_fix_that_changes_nothing_is_caught(proof: Proof, trial: Trial) -> None:
    dtype = next(dtype for dtype in DTYPES if dtype not in trial.excused())
    before = trial.code(proof.code, dtype).before
    with pytest.raises(UnprovenError):
        trial.prove(Code(before, before), dtype)


@dataclass(frozen=True, slots=True)
class Sabotage:
    """A right fix made wrong: `old` in the fixed code becomes `new`."""

    code: str
    trial: str
    old: str
    new: str
    complaint: str
    dtype: torch.dtype = torch.float32

    def __str__(self) -> str:
        return f"{self.code}: {self.old} -> {self.new}"


WRONG = [
    Sabotage("EPS101", "hazard_masked.operators", "1e-8", "0.0", "not finite"),
    Sabotage("EPS101", "hazard_masked.operators", "1e-8", "1e-3", "moved by"),
    Sabotage("EPS101", "hazard_masked.operators", "1e-4", "1e-8", "not finite", torch.float16),
    Sabotage("EPS101", "hazard_masked.operators", " + 1e-8)", ") + 1e-8", "not finite"),
    Sabotage("EPS101", "hazard_kept.plain_loss", "kept.sum()", "kept.mean()", "not finite"),
    Sabotage("EPS102", "hazard_numpy.unit", "1e-8", "0.0", "not finite"),
    Sabotage("EPS103", "hazard_quantities.mean_square", "0.001", "1e-4", "finite", torch.float16),
    Sabotage("EPS105", "hazard.through_a_variable", "- eps", "+ eps", "not finite"),
    Sabotage("EPS106", "hazard.directly", "correction=0", "correction=1", "not finite"),
    Sabotage("EPS202", "example.logprobs", "(logits,", "(logits.detach(),", "became"),
    Sabotage("EPS203", "example.preference_loss", "chosen - rejected", "chosen", "became"),
    Sabotage("EPS203", "example.preference_loss", "-torch", "torch", "moved by"),
    Sabotage("EPS205", "example.free_energy", "dim=-1", "dim=-1, keepdim=True", "became"),
    Sabotage("EPS301", "hazard_ratio.method", ".clamp(-20.0, 20.0)", "", "not finite"),
    Sabotage("EPS301", "hazard_ratio.method", "20.0)", "1.0)", "moved by"),
    Sabotage(
        "EPS301",
        "hazard_ratio.method",
        ".clamp(-20.0, 20.0).exp()",
        ".exp().clamp(max=4.8e8)",
        "not finite",  # a clamp after the exp: the value is finite, its gradient is not
    ),
    Sabotage("EPS304", "example.growth", "expm1(rate)", "exp(rate) - 1.0", "digits are still"),
    Sabotage("EPS304", "example.growth", "expm1(rate)", "expm1(rate.detach())", "became"),
    Sabotage("EPS604", "example.run", "1e-24", "1e-1", "moved by"),
]


@pytest.mark.parametrize("sabotage", WRONG, ids=str)
def test_a_wrong_fix_is_caught(sabotage: Sabotage) -> None:
    proof = next(proof for proof in proofs() if proof.code == sabotage.code)
    trial = next(trial for trial in proof.trials if str(trial) == sabotage.trial)
    right = trial.code(proof.code, sabotage.dtype)
    trial.prove(right, sabotage.dtype)
    assert sabotage.old in right.after, right.after
    wrong = replace(right, after=right.after.replace(sabotage.old, sabotage.new))
    with pytest.raises(UnprovenError, match=sabotage.complaint):
        trial.prove(wrong, sabotage.dtype)


def test_a_fix_that_changes_more_than_a_comment_is_caught() -> None:
    proof = next(proof for proof in proofs() if proof.code == "EPS001")
    right = proof.trials[0].code(proof.code, torch.float64)
    wrong = replace(right, after=right.after.replace("2.0", "3.0"))
    with pytest.raises(UnprovenError, match="more than comments"):
        proof.trials[0].prove(wrong, torch.float64)
