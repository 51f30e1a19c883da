"""EPS103: epsilons beside magnitudes and probabilities, and a floor of 1 under n - 1."""

from __future__ import annotations

from dataclasses import replace

import torch

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, Bound, Numpy, Proof, Torch

X = [1.0, -2.0, 0.5]
ZEROS = [0.0, 1.0, 2.0]
SURE = [0.0, -1000.0, -1.0]
LOGITS = [0.5, -0.5, 0.25]

INVERSE_POWER = """
import torch


def inverse_power(logits):
    return torch.pow(torch.softmax(logits, dim=-1), -1.5)
"""
# The divisor has a gradient: its pole is of order 2, and float16 takes 1e-2.
LEARNED = Bound(Role.GENERAL, power=2.0)
QUANTITY = Torch(
    fixture="hazard_quantities",
    adversarial=(ZEROS,),
    ordinary=(X,),
    bound=replace(LEARNED, over=0.5, gradient=6.0),
    unseen_float16=ABSORBED,
)
ROWS = [[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]]

STEP = """
import numpy as np


def step(w, dw, v):
    return rmsprop(np.array(w), np.array(dw), {"v": np.array(v)})
"""

PROOF = Proof(
    code="EPS103",
    documented="where the denominator is d, the value changes by one part in d / 1e-8",
    trials=(
        Numpy(
            function="step",
            driver=STEP,
            fixture="hazard_accumulators",
            adversarial=(X, ZEROS, [0.0, 0.0, 0.0]),
            ordinary=(X, X, [1.0, 2.0, 3.0]),
            bound=Bound(Role.GENERAL, value=2.0),
            excuses={torch.float16: "the state comes in a dictionary, whose dtype is not seen"},
        ),
        Torch(
            function="inverse_propensity",
            adversarial=(SURE, 1),
            ordinary=(LOGITS, 1),
            bound=replace(LEARNED, over=0.17),
            unseen_float16=ABSORBED,
        ),
        replace(QUANTITY, function="sign_by_hand"),
        Torch(
            function="slope",
            fixture="hazard_forms",
            adversarial=([1.0, 0.0, 0.0], [0.5, 1.0, 0.0]),
            ordinary=([1.0, 0.0, 1.0], [0.5, 0.25, 0.75]),
            constants=frozenset({0}),
            bound=replace(LEARNED, over=0.25),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="inverse_power",
            text=INVERSE_POWER,
            adversarial=(SURE,),
            ordinary=(LOGITS,),
            bound=Bound(Role.GENERAL, over=0.17, value=1.5, gradient=5.0, power=2.5),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="mean_square",
            fixture="hazard_quantities",
            adversarial=([[0.0, 0.0], [1.0, 2.0]],),
            ordinary=([[1.0, -2.0], [1.0, 2.0]],),
            bound=Bound(Role.GENERAL, power=1.5),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="by_sine",
            text="import torch\n\n\ndef by_sine(x, y):\n    return x / torch.sin(y)\n",
            adversarial=(X, ZEROS),
            ordinary=(X, [0.5, -0.5, 1.0]),
            bound=replace(LEARNED, over=0.4),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="odds",
            fixture="hazard_propensity",
            adversarial=([1000.0, 0.0, 0.0], X),
            ordinary=(LOGITS, X),
            bound=replace(LEARNED, over=0.3),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="by_name",
            fixture="hazard_propensity",
            adversarial=(X, [0.0, 0.5, 1.0]),
            ordinary=(X, [0.25, 0.5, 1.0]),
            constants=frozenset({1}),
            bound=replace(LEARNED, over=0.25),
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="unbiased",
            fixture="hazard_counts",
            adversarial=(ROWS, [0.0, 1.0, 0.0]),
            ordinary=(ROWS, [1.0, 1.0, 1.0]),
        ),
        Torch(
            function="all_pairs_of_a_group",
            fixture="hazard_counts",
            adversarial=([2.0],),
            ordinary=([1.0, 2.0, 4.0],),
        ),
        Torch(
            function="leave_one_out",
            fixture="hazard_counts",
            adversarial=([[1.0], [2.0]],),
            ordinary=([[1.0, 2.0], [3.0, -1.0]],),
        ),
        Numpy(
            function="standard_error",
            fixture="hazard_counts",
            adversarial=([1.0],),
            ordinary=([1.0, 2.0, 4.0],),
        ),
    ),
)
