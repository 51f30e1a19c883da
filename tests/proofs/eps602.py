"""EPS602: an epsilon that is put last, or a bound that the dtype has."""

from __future__ import annotations

from dataclasses import replace

import torch

from epslint.epsilon import Role
from tests.proofs.proof import Bound, Proof, Torch, each

HELD = "float64 holds 1 - 1e-8, 1 - 1e-12 and 1 + 1e-10"
UNSEEN = "bfloat16 that the code does not show would need 1 - 1e-2"
SURE = [[200.0, 0.0], [1.0, 1.0]]
LOGITS = [[1.0, 0.5], [0.25, 1.0]]
CERTAIN = [[1.0, 0.5], [0.25, 1.0]]
UNSURE = [[0.75, 0.5], [0.25, 0.875]]
LABELS = [[1.0, 0.0], [0.0, 1.0]]

REORDERED = Torch(
    fixture="hazard_torch",
    adversarial=(CERTAIN,),
    ordinary=(UNSURE,),
    bound=Bound(Role.PROBABILITY, over=0.125),
    excuses={torch.float64: HELD},
    unseen_float16="1e-8 is 0 in float16",
)
FARTHER = Torch(
    fixture="hazard_torch",
    adversarial=(CERTAIN,),
    ordinary=(UNSURE,),
    excuses={torch.float64: HELD, torch.bfloat16: UNSEEN},
    unseen_float16="1 - 1e-7 is 1 in float16",
)
IN_BFLOAT16 = """
import torch


def surprise(p):
    p = p.bfloat16().clamp(1e-8, 1 - 1e-8)
    return torch.log(1 - p)
"""

PROOF = Proof(
    code="EPS602",
    documented="by the epsilon that is moved",
    trials=(
        Torch(
            function="binary_entropy",
            adversarial=(CERTAIN, LABELS),
            ordinary=(UNSURE, LABELS),
            constants=frozenset({1}),
            excuses={
                torch.float64: HELD,
                torch.bfloat16: UNSEEN,
                torch.float16: "the lower bound is 0 in float16, too (EPS601)",
            },
            unseen_float16="1 - 1e-7 is 1 in float16",
        ),
        replace(
            REORDERED,
            function="complement",
            adversarial=(SURE,),
            ordinary=(LOGITS,),
        ),
        *each(REORDERED, "in_parentheses", "by_name"),
        replace(
            REORDERED,
            function="odds",
            bound=Bound(Role.RATIO, over=0.125, power=2.0),
        ),
        *each(FARTHER, "by_literal", "log_one_plus", "sine"),
        replace(
            FARTHER,
            function="inverse_tangent",
            adversarial=([[1.0, 0.0], [-1.0, 0.5]],),
            ordinary=([[0.5, 0.25], [-0.5, 0.0]],),
        ),
        Torch(
            function="surprise",
            text=IN_BFLOAT16,
            adversarial=(CERTAIN,),
            ordinary=(UNSURE,),
            # The result is bfloat16's whatever comes in.
            bound=Bound(ulps=8.0),
            excuses={torch.float16: "it is bfloat16 in the code"},
        ),
    ),
)
