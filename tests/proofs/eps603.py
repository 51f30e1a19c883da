"""EPS603: the hierarchy's epsilon in place of another."""

from __future__ import annotations

from dataclasses import replace

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, Bound, Preference, Proof, each

VALUES = [1.0, 2.0, -1.0]
MASKED = Preference(
    adversarial=(VALUES, [0.0, 0.0, 0.0]),
    ordinary=(VALUES, [1.0, 0.0, 1.0]),
    constants=frozenset({1}),
    bound=Bound(Role.MASKED),
    unseen_float16=ABSORBED,
)

PROOF = Proof(
    code="EPS603",
    documented="the value changes by one part in x / |new - old|",
    trials=(
        replace(MASKED, function="masked_mean"),
        *each(replace(MASKED, fixture="hazard"), "masked_mean"),
        Preference(
            function="advantages",
            fixture="hazard",
            adversarial=([0.5, 0.5, 0.5],),
            ordinary=(VALUES,),
            bound=Bound(Role.REWARD, value=2.0, gradient=4.0),
            unseen_float16="1e-6 has no finite reciprocal in float16",
        ),
        Preference(
            function="clamped",
            fixture="hazard",
            adversarial=([0.0, 0.5],),
            ordinary=([0.25, 0.5],),
            unseen_float16=ABSORBED,
        ),
    ),
)
