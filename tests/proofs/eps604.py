"""EPS604: a count that is 1 at the least, or starts at 1e-24 instead of 0."""

from __future__ import annotations

from epslint.epsilon import Role
from tests.proofs.proof import Bound, Proof, Torch

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
CLASSES = """
def run(label):
    accuracy = Accuracy(3)
    accuracy.update(label, label)
    return accuracy.compute()
"""
REPORTED = """
def run(x):
    report = Report()
    if x is not None:
        report.update(True, 0.5)
    return report.report()
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
            fixture="hazard_classes",
            driver=CLASSES,
            adversarial=([0.0, 2.0, 2.0],),
            ordinary=([0.0, 1.0, 2.0],),
            constants=frozenset({0}),
            bound=Bound(Role.GENERAL),
        ),
        Torch(
            function="run",
            fixture="hazard_classes",
            driver=REPORTED,
            adversarial=(None,),
            ordinary=([1.0],),
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
