"""EPS601: an epsilon that float16 holds."""

from __future__ import annotations

from dataclasses import replace

import torch

from tests.proofs.proof import Bound, Proof, Torch, each

IN_HALF = dict.fromkeys(
    (torch.float64, torch.float32, torch.bfloat16), "the code computes in float16 by itself"
)
PADDED = [[0.0, 0.0, 0.0], [1.0, 2.0, -1.0]]
ROWS = [[1.0, -2.0, 0.5], [1.0, 2.0, -1.0]]
SAME_ROWS = [[0.5, 0.5, 0.5], [1.0, 1.0, 1.0]]
SURE = [[200.0, 0.0], [1.0, 1.0]]
LOGITS = [[1.0, 0.5], [0.25, 1.0]]

LARGER = Torch(
    fixture="hazard_torch",
    adversarial=(PADDED,),
    ordinary=(ROWS,),
    bound=Bound(1e-4, over=0.5),
    excuses=IN_HALF,
)

PROOF = Proof(
    code="EPS601",
    documented="the value changes by one part in x / epsilon",
    trials=(
        replace(LARGER, function="log_norm", fixture=""),
        *each(LARGER, "half", "cast_back"),
        replace(
            LARGER,
            function="to_half",
            adversarial=([0.0, 1.0],),
            ordinary=([0.5, 1.0],),
            bound=Bound(1e-2, over=0.5, value=2.0, gradient=4.0),
        ),
        replace(LARGER, function="by_keyword", adversarial=([0.0, 1.0],), ordinary=([0.5, 1.0],)),
        replace(LARGER, function="cast_later", adversarial=(SURE,), ordinary=(LOGITS,)),
        replace(LARGER, function="by_name", adversarial=([0.5, 0.5],), ordinary=([1.0, -2.0],)),
        replace(LARGER, function="by_parameter", bound=Bound(1e-3, over=0.5, gradient=4.0)),
        replace(LARGER, function="root", adversarial=(SAME_ROWS,)),
        replace(
            LARGER,
            function="masked_mean",
            adversarial=([1.0, 2.0], [0.0, 0.0]),
            ordinary=([1.0, 2.0], [1.0, 0.0]),
            constants=frozenset({1}),
        ),
        Torch(
            function="to_the_dtype_of_logits",
            fixture="hazard_torch",
            adversarial=(SURE,),
            ordinary=(LOGITS,),
            excuses=dict.fromkeys(
                (torch.float64, torch.float32, torch.bfloat16), "it is advice about float16 alone"
            ),
        ),
    ),
)
