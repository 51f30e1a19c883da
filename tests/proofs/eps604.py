"""EPS604: a count that is 1 at the least, or starts at 1e-24 instead of 0."""

from __future__ import annotations

from tests.proofs.proof import Proof, Torch

CALLED = """
def run(x):
    running = RunningMean()
    if x is not None:
        running.update(x)
    return running.mean()
"""

WEIGHTED = """
def run(x):
    running = AsFloat()
    if x is not None:
        for value in x:
            running.update(value, 0.25)
    return running.value()
"""
STEPS = """
def run(x):
    pace = Pace()
    if x is not None:
        pace.advance(x)
    return pace.per_step()
"""

PROOF = Proof(
    code="EPS604",
    documented="after the first update 1e-24 is lost in rounding",
    trials=(
        Torch(function="run", driver=CALLED, adversarial=(None,), ordinary=([1.0, 2.0, 4.0],)),
        Torch(
            function="run",
            fixture="hazard_torch",
            driver=CALLED,
            adversarial=(None,),
            ordinary=([1.0, 2.0, 4.0],),
        ),
        Torch(
            function="run",
            fixture="hazard_torch",
            driver=WEIGHTED,
            adversarial=(None,),
            ordinary=([1.0, 2.0, 4.0],),
        ),
        Torch(
            function="run",
            fixture="hazard_torch",
            driver=STEPS,
            adversarial=(None,),
            ordinary=([1.0, 2.0, 4.0],),
        ),
    ),
)
