"""EPS104: an epsilon that is moved to where it guards."""

from __future__ import annotations

import torch

from tests.proofs.proof import Bound, Numpy, Proof, Torch, each

MOVED = "the epsilon of the code is moved as it is, and 1e-8 is 0 in float16 (EPS601)"
VALUES = [[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]]
MASK = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]
NOBODY = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
ROWS = [[2.0, -1.0, 0.5], [3.0, 1.0, -2.0], [1.0, 0.5, 0.25]]
SAME_ROWS = [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]

MEAN = Torch(
    fixture="hazard_division",
    adversarial=(VALUES, NOBODY),
    ordinary=(VALUES, MASK),
    constants=frozenset({1}),
    bound=Bound(1e-8, value=2.0),
    excuses={torch.float16: MOVED},
)
ROOT = Torch(
    fixture="hazard_root",
    adversarial=(SAME_ROWS,),
    ordinary=(ROWS,),
    bound=Bound(1e-6, value=2.0),
    excuses={torch.float16: MOVED},
)
# The same mistakes with an epsilon that float16 can hold.
HELD = """
import torch


def mean(values, mask, eps=1e-3):
    return (values * mask).sum() / mask.sum() + eps


def deviation(x: torch.Tensor) -> torch.Tensor:
    return torch.sqrt(x.var(-1)) + 1e-3


def log_count(mask):
    return torch.log(mask.sum(-1)) + 1e-3
"""

PROOF = Proof(
    code="EPS104",
    documented="Bounded by the size of the epsilon",
    trials=(
        *each(MEAN, "masked_mean", "by_constant", "epsilon_first", "function", "several_lines"),
        Torch(
            function="advantages",
            fixture="hazard_division",
            adversarial=([0.5, 0.5, 0.5],),
            ordinary=([1.0, -2.0, 3.0],),
            bound=Bound(1e-6, value=2.0),
            excuses={torch.float16: MOVED},
        ),
        *each(ROOT, "standard_deviation", "method", "normalised", "power"),
        Torch(
            function="counted",
            fixture="hazard_log",
            adversarial=(NOBODY,),
            ordinary=(MASK,),
            bound=Bound(1e-8, value=2.0),
            excuses={torch.float16: MOVED},
        ),
        Torch(
            function="mean",
            text=HELD,
            adversarial=(VALUES, NOBODY),
            ordinary=(VALUES, MASK),
            constants=frozenset({1}),
            bound=Bound(1e-3, value=2.0),
        ),
        Torch(
            function="deviation",
            text=HELD,
            adversarial=(SAME_ROWS,),
            ordinary=(ROWS,),
            bound=Bound(1e-3, over=0.25, value=2.0),
        ),
        Torch(
            function="log_count",
            text=HELD,
            adversarial=(NOBODY,),
            ordinary=(MASK,),
            bound=Bound(1e-3, value=2.0),
        ),
        Numpy(
            function="min_max",
            fixture="hazard_division",
            adversarial=([0.5, 0.5],),
            ordinary=([1.0, 2.0, -1.0],),
            bound=Bound(1e-8, value=2.0),
            excuses={torch.float16: MOVED},
        ),
    ),
)
