"""What is differentiated, what is a square, and what only rounding makes negative."""

from __future__ import annotations

from functools import partial

import pytest

from epslint import api
from epslint.config import Config
from tests.analysis import probe

# Of a penalty nobody doubts that it is differentiated.
function = partial(probe.function, name="penalty")
ROOTS = Config().overlaid({"select": ["EPS501", "EPS505"]})


def codes(source: str, filename: str = "model.py") -> list[str]:
    found = api.check_source(source, filename, ROOTS)
    assert not found.failures, found.failures
    return [finding.code for finding in found.findings]


class TestDifferentiated:
    ROOT = "return x.var() ** 0.5"

    @pytest.mark.parametrize("imports", [("torch",), ("numpy", "torch"), ("numpy", "flax"), ()])
    def test_where_a_library_keeps_gradients(self, imports: tuple[str, ...]) -> None:
        assert codes(function(self.ROOT, imports=imports)) == ["EPS501"]

    @pytest.mark.parametrize("imports", [("numpy",), ("math", "scipy"), ("numpy", "pandas")])
    def test_not_with_numpy_alone(self, imports: tuple[str, ...]) -> None:
        assert codes(function(self.ROOT, imports=imports)) == []

    @pytest.mark.parametrize(
        ("filename", "silent"),
        [
            ("test_model.py", True),
            ("tests/test_model.py", True),
            ("src\\model_test.py", True),
            ("conftest.py", True),
            ("contest.py", False),
            ("latest_model.py", False),
            ("test_models/model.py", False),
        ],
    )
    def test_not_in_a_test(self, filename: str, silent: bool) -> None:
        assert codes(function(self.ROOT), filename) == ([] if silent else ["EPS501"])

    @pytest.mark.parametrize(
        ("head", "silent"),
        [
            ("def nanstd_penalty(x):", True),
            ("def get_stats(x: torch.Tensor) -> torch.Tensor:", True),
            ("def get_tensor_stats(x: torch.Tensor) -> torch.Tensor:", True),
            ("def get_std_loss(x):", False),
            ("def get_distribution_stats_loss(x):", False),
            ("def compute_metrics_loss(x):", True),
            ("def standardize_loss(x):", False),
            ("def state_loss(x):", False),
            ("class RunningMoments:\n  def update_loss(self, x):", True),
            ("class Momentum:\n  def update_loss(self, x):", False),
        ],
    )
    def test_not_in_a_statistic(self, head: str, silent: bool) -> None:
        source = f"import torch\n\n\n{head}\n    {self.ROOT}\n"
        assert codes(source) == ([] if silent else ["EPS501"])

    @pytest.mark.parametrize(
        ("head", "silent"),
        [
            ("def loss_fn(updates, state, x):", True),
            ("def clip_loss(grads, x):", True),
            ("@triton.jit\ndef loss_kernel(x):", True),
            ("@torch.jit.script\ndef loss_kernel(x):", False),
            ("def update_loss(x, state):", False),
        ],
    )
    def test_not_in_a_step_or_a_kernel(self, head: str, silent: bool) -> None:
        source = f"import torch\nimport triton\n\n\n{head}\n    {self.ROOT}\n"
        assert codes(source) == ([] if silent else ["EPS501"])

    def test_not_through_a_stored_gradient(self) -> None:
        assert codes(function("return (p.grad ** 2).mean().sqrt()", params="p")) == []
        assert codes(function("return (p.data_ ** 2).mean().sqrt()", params="p")) == ["EPS501"]


class TestSquares:
    @pytest.mark.parametrize("body", ["x * x", "x**2", "x.square()", "torch.mul(x, x)", "x.pow(2)"])
    def test_of_itself(self, body: str) -> None:
        assert codes(function(f"return ({body}).sum().sqrt()")) == ["EPS505"]

    @pytest.mark.parametrize("body", ["x * y", "x**3", "x * x.t()", "x[0] * x[1]"])
    def test_of_something_else(self, body: str) -> None:
        assert codes(function(f"return ({body}).sum().sqrt()", params="x, y")) == []

    def test_of_a_name_that_is_bound_again(self) -> None:
        assert codes(function("y = x\nx = x + 1\nreturn (x * y).sum().sqrt()")) == []


class TestRounding:
    @pytest.mark.parametrize(
        "difference",
        [
            "(x**2).mean() - x.mean()**2",
            "x.square().mean(-1) - x.mean(-1).square()",
            "(x * x).mean() - x.mean().pow(2)",
            "x.exp() - 1 - x",
            "x.exp() - x - 1",
            "posterior.variance",
            "self.gp_posterior(x).variance",
        ],
    )
    def test_makes_it_negative(self, difference: str) -> None:
        source = function(f"return ({difference}).sqrt()", params="self, x, posterior")
        assert codes(source) == ["EPS501"]

    @pytest.mark.parametrize(
        "difference",
        [
            "(x**2).mean() - y.mean()",
            "x.exp() - 1 - y",
            "x.exp() - 2 - x",
            "dist.variance",
            "(x**2).mean() + x.mean()**2 + 1",
            "((x**2).mean() - x.mean()**2).clamp(min=1e-6)",
            "((x**2).mean() - x.mean()**2).abs() + 1e-6",
        ],
    )
    def test_does_not(self, difference: str) -> None:
        assert codes(function(f"return ({difference}).sqrt()", params="x, y, dist")) == []
