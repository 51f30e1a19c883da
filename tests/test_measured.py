"""RULES.md's list of what is finite at 0 in torch: measured, and not flagged."""

from __future__ import annotations

import pytest
import torch

from epslint import api

FINITE = [
    "x.norm()",
    "x.norm(dim=-1)",
    "torch.linalg.vector_norm(x, dim=-1)",
    "torch.linalg.matrix_norm(x)",
    "x.std(dim=-1)",
    "torch.atan2(x, x)",
    "torch.cdist(x, x)",
    "F.cosine_similarity(x, x, dim=-1)",
    "F.normalize(x, dim=-1)",
    "F.layer_norm(x, (3,))",
]
NOT_FINITE = [
    "x.var(dim=-1).sqrt()",
    "(x**2).sum(dim=-1).sqrt()",
    "torch.sqrt(x**2 + x**2)",
]

HEAD = "import torch\nimport torch.nn.functional as F\n\n\ndef penalty(x):\n    return "


def _gradient_at_zero(expression: str) -> torch.Tensor:
    names: dict[str, object] = {}
    exec(f"{HEAD}{expression}\n", names)
    x = torch.zeros(2, 3, requires_grad=True)
    function = names["penalty"]
    assert callable(function)
    function(x).sum().backward()
    assert x.grad is not None
    return x.grad


def _codes(expression: str) -> list[str]:
    return [f.code for f in api.check_source(f"{HEAD}{expression}\n", "model.py").findings]


@pytest.mark.parametrize("expression", FINITE)
def test_is_finite_and_silent(expression: str) -> None:
    assert bool(_gradient_at_zero(expression).isfinite().all())
    assert _codes(expression) == []


@pytest.mark.parametrize("expression", NOT_FINITE)
def test_is_not_finite_and_told(expression: str) -> None:
    assert not bool(_gradient_at_zero(expression).isfinite().all())
    assert len(_codes(expression)) == 1
