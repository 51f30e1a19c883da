"""Which files are taken to learn nothing, so that the rules about gradients are silent there."""

from __future__ import annotations

import pytest

from epslint.analysis.words.purpose import differentiates, draws

TORCH = {"torch": "torch"}


@pytest.mark.parametrize(
    "filename",
    [
        "tests/test_losses.py",
        "losses_test.py",
        "integration/losses_tests.py",
        "scenarios/discovery.py",
        "conftest.py",
        "trainer/metrics.py",
        "scripts/eval_policy.py",
        "eval.py",
        "plot_returns.py",
        r"C:\work\benchmark.py",
        "project/envs/collisions.py",
        "project/environments/maps/polygons.py",
        "project/actuators/thruster.py",
        "tasks/direct/assembly_env.py",
        "project/viz/grid_rendering.py",
        "visualization/latents.py",
        "visualize.py",
    ],
)
def test_nothing_learns_in(filename: str) -> None:
    assert not differentiates(TORCH, filename)


@pytest.mark.parametrize("filename", ["viz/lines.py", "plots.py", "scripts/plot_returns.py"])
def test_what_is_drawn_hurts_nobody(filename: str) -> None:
    assert draws(filename, "")
    assert not draws(filename, "loss.backward()\n")


@pytest.mark.parametrize(
    "filename",
    [
        "losses.py",
        "metric_learning.py",
        "metric_learning/loss.py",
        "/home/me/evaluation/loss.py",
        "/home/me/test_project/loss.py",
        "evaluator_network.py",
        "retrieval.py",
        "scripts/train_env.py",
        "normalize_env.py",
        "project/envs/wrappers/normalize.py",
        "rendering/rays.py",
        "visual_policy.py",
        "plotter/model/loss.py",
    ],
)
def test_something_learns_in(filename: str) -> None:
    assert differentiates(TORCH, filename)


def test_nothing_learns_with_numpy_alone() -> None:
    assert not differentiates({"np": "numpy"}, "losses.py")
