"""EPS803: a scale that fits the shape, with which a deep network stays finite."""

from __future__ import annotations

from tests.proofs.proof import Proof, Torch

WIDTH, DEEP, SHALLOW = 16, 600, 2

# 4 times the input per layer: float64 overflows after 512 of them, float16 after 8.
NETWORK = """\
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        {drawn}

    def forward(self, x):
        return x @ self.weight.to(x)


def network(x, depth):
    torch.manual_seed(0)
    for _ in range(depth):
        x = Layer()(x)
    return x
"""
PARAMETER = "self.weight = nn.Parameter(torch.randn(16, 16))"
FUNCTION = "self.weight = nn.Parameter(torch.empty(16, 16))\n        nn.init.normal_(self.weight)"
METHOD = "self.weight = nn.Parameter(torch.empty(16, 16))\n        self.weight.data.normal_(0, 1)"

X = [[0.5, -0.25] * (WIDTH // 2)]

PROOF = Proof(
    code="EPS803",
    documented="Semantic: training starts elsewhere, and takes another course",
    trials=tuple(
        Torch(
            function="network",
            text=NETWORK.format(drawn=drawn),
            adversarial=(X, DEEP),
            ordinary=(X, SHALLOW),
            meaning=True,
            only_cpu="a random number generator has other numbers elsewhere",
        )
        for drawn in (PARAMETER, FUNCTION, METHOD)
    ),
)
