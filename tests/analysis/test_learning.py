"""Where the code shows that a gradient is taken, and where it shows none."""

from __future__ import annotations

import pytest

from epslint import api
from epslint.config import Config
from epslint.rule import Confidence, Finding

ROOTS = Config().overlaid({"select": ["EPS501", "EPS505"], "confidence": "unlikely"})
ROOT = "return (x**2).sum(-1).sqrt()"


def found(source: str, filename: str = "model.py") -> list[Finding]:
    report = api.check_source(f"import torch\nimport torch.nn as nn\n{source}", filename, ROOTS)
    assert not report.failures, report.failures
    return list(report.findings)


def module(body: str, made: str = "nn.Linear(2, 2)", base: str = "nn.Module") -> str:
    return (
        f"class Net({base}):\n"
        f"    def __init__(self):\n        self.made = {made}\n"
        f"    def size(self, x):\n        {body}\n"
    )


class TestShownByTheFunction:
    @pytest.mark.parametrize(
        "head",
        [
            "def rmse_loss(x):",
            "def RMSELoss(x):",
            "def gradient_penalty(x):",
            "def reprojection_error(x):",
            "def kl_divergence(x):",
            "def log_prob(x):",
            "def distance(x: torch.Tensor) -> torch.Tensor:",
            "def distance(x: torch.Tensor) -> tuple[torch.Tensor, int]:",
            "class Norm(nn.Module):\n  def forward(self, x):",
            "class Norm(Base):\n  def forward(self, x):",
            "class EdgeLoss:\n  def compare(self, x):",
            "class Edges(AbsLoss):\n  def compare(self, x):",
            "class SpectrogramLoss:\n  def compare(self, x):",
            "class RadialKernel:\n  def size(self, x):",
            "class Radial(Distribution):\n  def _size(self, x):",
        ],
    )
    def test_by_its_name_class_or_signature(self, head: str) -> None:
        (finding,) = found(f"{head}\n    {ROOT}")
        assert finding.confidence is Confidence.POSSIBLE

    @pytest.mark.parametrize("head", ["def distance(x):", "def distance(x, p: int = 2):"])
    def test_hardly_where_it_does_not_say_that_it_is_of_tensors(self, head: str) -> None:
        (finding,) = found(f"{head}\n    {ROOT}")
        assert finding.confidence is Confidence.UNLIKELY

    @pytest.mark.parametrize(
        "head",
        [
            "def _distance(x):",
            "def distance(x: np.ndarray):",
            "def reach_reward(x):",
            "def get_distance(x):",
            "def distance(x):\n    print(x)",
            "def distance(x):\n    y = x.max().item()",
            "def _distance(x: torch.Tensor) -> torch.Tensor:",
            "def distance(x: torch.Tensor) -> float:",
            "def distance(boxes: torch.Tensor) -> torch.Tensor:\n    x = boxes - 1",
            "def predict(x: torch.Tensor) -> torch.Tensor:",
            "def sample_points(x: torch.Tensor) -> torch.Tensor:",
            "def loss_history(x):",
            "class Norm(nn.Module):\n  def size(self, x):",
            "class Norm(nn.Module):\n  def forward(self, waveform):\n    x = waveform[0]",
            "class Norm(Function):\n  def forward(ctx, x):",
            "class Norm(nn.Module):\n  def backward(ctx, g): ...\n  def forward(self, x):",
            "class NoiseScheduler(nn.Module):\n  def forward(self, x):",
            "class Norm(BoxAssigner):\n  def forward(self, x):",
            "class Net(nn.Module):\n  def __init__(self, x: torch.Tensor):",
        ],
    )
    def test_not_by_others(self, head: str) -> None:
        assert found(f"{head}\n    {ROOT}") == []

    @pytest.mark.parametrize(
        ("filename", "silent"),
        [
            ("distances.py", False),
            ("box_assigner.py", True),
            ("image_processing_vit.py", True),
            ("lib/metrics/overlap.py", True),
            ("lib/metric_learning/overlap.py", False),
        ],
    )
    def test_not_by_a_file_beside_learning(self, filename: str, silent: bool) -> None:
        source = f"def distance(x: torch.Tensor) -> torch.Tensor:\n    {ROOT}"
        assert bool(found(source, filename)) is not silent

    @pytest.mark.parametrize(
        ("filename", "losses"),
        [
            ("envs/reach.py", False),  # nothing learns inside an environment
            (r"lib\tasks\reach.py", True),
            ("lib/utils.py", True),
            ("lib/box_helpers.py", True),
        ],
    )
    def test_not_in_places_where_all_sorts_of_functions_are(
        self, filename: str, losses: bool
    ) -> None:
        assert found(f"def distance(x):\n    {ROOT}", filename) == []
        assert bool(found(f"def distance_loss(x):\n    {ROOT}", filename)) is losses

    @pytest.mark.parametrize("filename", ["losses.py", "dice_loss.py", "losses/dice.py"])
    @pytest.mark.parametrize("name", ["_distance", "postprocess"])
    def test_a_helper_of_losses_by_its_file(self, filename: str, name: str) -> None:
        (finding,) = found(f"def {name}(x):\n    {ROOT}", filename)
        assert finding.confidence is Confidence.POSSIBLE
        assert not found(f"def {name}(x):\n    {ROOT}", "blossoms.py")

    @pytest.mark.parametrize("name", ["sample_points", "evaluate", "plot"])
    def test_not_who_uses_what_was_learned_there(self, name: str) -> None:
        assert not found(f"def {name}(x):\n    {ROOT}", "losses.py")

    def test_environments_of_conda_are_no_worlds(self) -> None:
        filename = "/home/me/envs/torch/lib/python3.11/site-packages/shapes/distances.py"
        assert found(f"def distance(x):\n    {ROOT}", filename) != []

    @pytest.mark.parametrize(
        ("caller", "shown"),
        [
            ("def distance(a, b):\n    return _size(a - b)", True),
            ("def distance(a, b):\n    return _size(x=a - b)", True),
            ("class Net(nn.Module):\n  def forward(self, a):\n    return _size(a)", True),
            ("def distance(a, b):\n    return _size(a.detach())", False),
            ("def predict(a, b):\n    return _size(a - b)", False),
            ("def distance(a, b):\n    return size(a - b)", False),
        ],
    )
    def test_what_is_handed_to_a_private_function(self, caller: str, shown: bool) -> None:
        assert bool(found(f"def _size(x):\n    {ROOT}\n{caller}")) is shown

    def test_by_being_handed_to_grad(self) -> None:
        source = f"import jax\ndef _energy(x):\n    {ROOT}\nforce = jax.grad(_energy)"
        assert len(found(source)) == 1
        assert found(source.replace("jax.grad", "print")) == []

    def test_a_nested_loss(self) -> None:
        source = f"def update(state):\n    def loss_fn(x):\n        {ROOT}\n    return loss_fn"
        assert len(found(source)) == 1
        assert found(source.replace("loss_fn", "read")) == []


class TestShownByTheValue:
    @pytest.mark.parametrize(
        "body",
        [
            "x = self.made(x)",
            "x, y = self.made(x), x",
            "y = [self.made(x)]\n        for x in y: pass",
            "y = []\n        y.append(self.made(x))\n        x = torch.stack(y)",
            "y = self.made(x)\n        x = y - y.mean()",
            "x = x.requires_grad_()",
            "x = torch.autograd.grad(x.sum(), x, create_graph=True)[0]",
        ],
    )
    def test_by_what_it_comes_through(self, body: str) -> None:
        assert len(found(module(f"{body}\n        {ROOT}"))) == 1

    @pytest.mark.parametrize(
        "body",
        [
            "y = self.made(x)",
            "x, y = x, self.made(x)",
            "x = self.made(x).detach()",
            "x = self.made(x).argmax(-1)",
            "x = self.made(x) > 0",
            "x = self.other(x)",
            "with torch.no_grad():\n            x = self.made(x)",
            "x = torch.autograd.grad(x.sum(), x)[0]",
        ],
    )
    def test_not_by_what_it_does_not(self, body: str) -> None:
        assert found(module(f"{body}\n        {ROOT}")) == []

    @pytest.mark.parametrize(
        ("made", "shown"),
        [
            ("nn.Linear(2, 2)", True),
            ("Encoder()", True),
            ("nn.ReLU()", False),
            ("nn.Dropout(0.1)", False),
            ("WhisperFeatureExtractor()", False),
            ("build()", False),
        ],
    )
    def test_a_submodule_is_one_that_learns(self, made: str, shown: bool) -> None:
        body = f"x = self.made(x)\n        {ROOT}"
        assert bool(found(module(body, made))) is shown
        assert found(module(body, made, "object")) == []

    def test_by_a_parameter(self) -> None:
        body = "return (self.made**2).sum().sqrt()"
        assert len(found(module(body, "nn.Parameter(torch.zeros(2))"))) == 1
        assert found(module(body, "make()")) == []

    def test_by_what_another_method_hands_over(self) -> None:
        caller = "    def forward(self, x):\n        return self.size({})\n"
        size = module(ROOT)
        assert len(found(size + caller.format("self.made(x)"))) == 1
        assert found(size + caller.format("x")) == []

    def test_by_the_loss_it_goes_into(self) -> None:
        source = "def train(x):\n    size = (x**2).sum(-1).sqrt()\n    {} = size.mean()\n"
        assert len(found(source.format("loss"))) == 1
        assert len(found(source.format("size_penalty"))) == 1
        assert found(source.format("shown")) == []

    def test_by_the_log_of_a_scale(self) -> None:
        source = "def _spread(h, {0}):\n    return torch.sqrt(torch.mm(h**2, {0}.exp() ** 2))"
        assert len(found(source.format("log_std"))) == 1
        assert found(source.format("weights")) == []


class TestConfidence:
    def test_is_the_weaker_of_the_two(self) -> None:
        source = module("return self.made(x).clamp(min=0).sqrt()")
        (proven,) = found(source)
        assert proven.confidence is Confidence.PROVEN
        (named,) = found("def penalty(x):\n    return x.softmax(-1).sqrt()")
        assert named.confidence is Confidence.POSSIBLE

    def test_the_reasons_say_what_shows_it(self) -> None:
        (finding,) = found("def penalty(x):\n    return x.softmax(-1).sqrt()")
        assert finding.why[-1].text == "`penalty` is minimised, by its name"
        assert finding.why[-1].row == 3
