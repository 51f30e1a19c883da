"""EPS605: a floor that is raised, or an epsilon where it cannot be."""

from __future__ import annotations

from dataclasses import replace

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, EXACT, Bound, Numpy, Proof, Torch, each

AT_ZERO = [[0.0, -1.0, 2.0], [0.5, 0.0, 1.0]]
AWAY = [[0.25, 0.75, 0.5], [0.5, 0.125, 1.0]]
ROWS = [[2.0, -1.0, 0.5], [3.0, 1.0, -2.0]]
ADDED = Bound(Role.GENERAL, over=0.125)

RAISED = Torch(
    fixture="hazard_torch",
    adversarial=(AT_ZERO,),
    ordinary=(AWAY,),
    bound=EXACT,
    unseen_float16=ABSORBED,
)
BY = Torch(
    fixture="hazard_torch",
    adversarial=(ROWS, AT_ZERO),
    ordinary=(ROWS, AWAY),
    bound=EXACT,
    unseen_float16=ABSORBED,
)
NUMBERS = Numpy(fixture="hazard_others", adversarial=(AT_ZERO,), ordinary=(AWAY,))

PROOF = Proof(
    code="EPS605",
    documented="only what lies below the epsilon changes",
    trials=(
        Torch(
            function="contrast",
            adversarial=([1.0, 4.0], [1.0, 2.0]),
            ordinary=([2.0, 9.0], [1.0, 2.0]),
            unseen_float16=ABSORBED,
        ),
        *each(
            RAISED,
            "logarithm",
            "of_probability",
            "several_lines",
        ),
        replace(RAISED, function="at_hand", unseen_float16=""),  # 1e-7 is held by float16
        *each(
            Torch(
                fixture="hazard_torch",
                adversarial=(AT_ZERO,),
                ordinary=(AWAY,),
                bound=ADDED,
                unseen_float16=ABSORBED,
            ),
            "logarithm_of_relu",
            "used_twice",
        ),
        *each(BY, "divided"),
        Torch(
            function="maximum",
            fixture="hazard_torch",
            adversarial=(ROWS, AT_ZERO),
            ordinary=(ROWS, AWAY),
            bound=Bound(Role.GENERAL, over=0.125, power=2.0),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="count",
            fixture="hazard_torch",
            adversarial=([1.0, 2.0], [0.0, 0.0]),
            ordinary=([1.0, 2.0], [1.0, 0.0]),
            constants=frozenset({1}),
        ),
        *each(NUMBERS, "with_numpy"),
        Numpy(
            function="clipped",
            fixture="hazard_others",
            adversarial=(ROWS, AT_ZERO),
            ordinary=(ROWS, AWAY),
        ),
    ),
)
