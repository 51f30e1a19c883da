"""EPS704: a variance that rounding cannot make negative."""

from __future__ import annotations

import torch

from tests.proofs.proof import Numpy, Proof, Torch, each

# For each dtype a row whose averages cancel to less than 0: float64, float32, bfloat16, float16.
NEARLY_EQUAL = [[0.1, 0.1, 0.1], [5.8, 5.8, 5.8], [2.2, 2.2, 2.1], [4.4, 4.4, 4.3], [2.7, 2.7, 2.8]]
SPREAD_OUT = [[-1.0, 0.5, 2.0], [0.0, 1.0, -2.0]]
TOO_SMALL = {
    torch.float64: "the rounding noise is less than 1e-8",
    torch.float16: "1e-8 is 0 in float16, and the slope of sqrt at 0 is EPS501's",
}

PROOF = Proof(
    code="EPS704",
    documented="Exact: the same value up to rounding, which is what improves",
    trials=(
        *each(
            Torch(fixture="hazard", adversarial=(NEARLY_EQUAL,), ordinary=(SPREAD_OUT,)),
            "without_gradient",
            "without_gradient_by_sums",
        ),
        Torch(
            function="spread",
            adversarial=(NEARLY_EQUAL,),
            ordinary=(SPREAD_OUT,),
            excuses=TOO_SMALL,
        ),
        Torch(
            function="kept_dimension",
            fixture="hazard",
            adversarial=([[150.1, 150.1, 150.1], [102.1, 102.1, 101.6]],),
            ordinary=(SPREAD_OUT,),
            excuses={
                torch.float64: "the rounding noise is less than 1e-5",
                torch.float16: "the slope of rsqrt at 1e-5 overflows",
            },
        ),
        Numpy(
            function="of_an_array",
            fixture="hazard_libraries",
            adversarial=([list(row) for row in zip(*NEARLY_EQUAL, strict=True)],),
            ordinary=([list(row) for row in zip(*SPREAD_OUT, strict=True)],),
        ),
        Numpy(
            function="from_sums",
            fixture="hazard_libraries",
            adversarial=([list(row) for row in zip(*NEARLY_EQUAL, strict=True)],),
            ordinary=([list(row) for row in zip(*SPREAD_OUT, strict=True)],),
            excuses={torch.float16: "the rounding noise of the mean, over 1e-6, overflows"},
        ),
    ),
)
