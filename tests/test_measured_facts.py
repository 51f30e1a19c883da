"""Facts that change a rule: each is measured on the torch that is installed, and where a rule rests
on it, the linter is held to it.

What a fact says of the rules about gradients (EPS5), losses (EPS7) and training (EPS8) is tested
with those rules. No test asks for the gradient of `clamp(-1, 1).acos()` at its bound: torch is
about to change it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it
from torch import Tensor

from epslint import api, docs, registry
from epslint.config import Config
from epslint.epsilon import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, PRECISIONS, Precision

Function = Callable[[Tensor], Tensor]

HEAD = "import torch\nimport torch.nn.functional as F\n\n\ndef penalty(x, n):\n"


def gradient(
    function: Function, values: Sequence[object], dtype: torch.dtype | None = None
) -> Tensor:
    x = torch.tensor(values, dtype=dtype or torch.float32, requires_grad=True)
    function(x).sum().backward()
    assert x.grad is not None
    return x.grad


def finite(tensor: Tensor) -> bool:
    return bool(tensor.isfinite().all())


def codes(body: str, *select: str) -> list[str]:
    """What the linter says of a function's body; by default the rules that are on by default."""
    config = Config().overlaid({"select": list(select)}) if select else Config()
    report = api.check_source(HEAD + _indented(body), config=config)
    assert not report.failures, report.failures
    return [finding.code for finding in report.findings]


def fixed(body: str, *select: str) -> str:
    config = Config().overlaid({"select": list(select)})
    return api.fix_source(HEAD + _indented(body), config=config, unsafe=True).after.text


def _indented(body: str) -> str:
    return "".join(f"    {line}\n" for line in body.splitlines())


class TestOverflow:
    """Of exp: 88.72 in float32 and bfloat16, 11.09 in float16, 709.8 in float64."""

    LIMITS = ((FLOAT32, 88.72), (BFLOAT16, 88.72), (FLOAT16, 11.09), (FLOAT64, 709.78))

    @pytest.mark.parametrize(("precision", "limit"), LIMITS)
    def test_limits(self, precision: Precision, limit: float) -> None:
        assert math.isclose(precision.exp_limit, limit, abs_tol=0.01)
        dtype = getattr(torch, precision.name)
        # A bfloat16 has steps of a half up here, so the argument is rounded before its exp.
        below = torch.tensor(limit, dtype=torch.float64) - 0.5
        above = torch.tensor(limit, dtype=torch.float64) + 0.5
        assert below.to(dtype).exp().isfinite()
        assert above.to(dtype).exp().isinf()

    def test_a_clamp_after_exp_leaves_a_nan_gradient(self) -> None:
        assert gradient(lambda x: x.exp().clamp(max=10.0), [200.0]).isnan().all()
        assert gradient(lambda x: x.clamp(max=10.0).exp(), [200.0]).eq(0).all()

    def test_the_linter_follows(self) -> None:
        ratio = "d = F.log_softmax(x, -1) - F.log_softmax(n, -1)\nreturn "
        assert codes(ratio + "d.exp().clamp(max=10.0)") == ["EPS303"]
        assert codes(ratio + "d.clamp(max=20.0).exp()") == []
        assert codes(ratio + "d.clamp(max=100.0).exp()") == ["EPS301"]
        assert codes(ratio + "d.half().clamp(max=20.0).exp()") == ["EPS301"]


class TestInfinityTimesZero:
    """`inf * 0` is NaN: mask inputs, not outputs."""

    def test_product(self) -> None:
        assert (torch.tensor(math.inf) * 0).isnan()

    def test_a_mask_on_the_output_does_not_save_the_value(self) -> None:
        mask = torch.tensor([1.0, 0.0])
        x = torch.tensor([1.0, 200.0])
        assert (x.exp() * mask).isnan().any()
        assert finite(x.masked_fill(mask == 0, 0.0).exp() * mask)

    def test_nan_to_num_afterwards_leaves_nan_gradients(self) -> None:
        assert gradient(lambda x: torch.nan_to_num(x / x), [0.0]).isnan().all()

    def test_xlogy_has_a_nan_gradient_at_0(self) -> None:
        assert torch.xlogy(torch.zeros(1), torch.zeros(1)).eq(0).all()
        assert not finite(gradient(lambda p: torch.xlogy(p, p), [0.0]))
        assert "xlogy" not in fixed("p = x.softmax(-1)\nreturn -(p * p.log()).sum(-1)", "EPS208")


class TestWhere:
    """`where(den > 0, num / den, 0)` has a NaN gradient for den = 0."""

    CHOSEN = "return torch.where(d > 0, x / d, 0.0)"

    def test_gradient(self) -> None:
        num = torch.ones(1)
        chosen = gradient(lambda den: torch.where(den > 0, num / den, 0.0), [0.0])
        assert chosen.isnan().all()
        assert gradient(lambda den: num / den.clamp(min=1), [0.0]).eq(0).all()

    def test_the_linter_follows(self) -> None:
        count = "d = (n > 0).sum(-1)\n"
        assert codes(f"d = n.norm(dim=-1)\n{self.CHOSEN}")
        assert codes(f"{count}return x / d.clamp(min=1)") == []
        undifferentiated = self.CHOSEN.replace("return", "with torch.no_grad():\n    return")
        assert codes(f"{count}{undifferentiated}") == []


class TestSpread:
    """`std()` of one element is NaN, that of a constant has gradient 0."""

    CONSTANT = (0.5, 0.5, 0.5)

    @pytest.mark.filterwarnings("ignore:std")
    def test_std_of_one(self) -> None:
        one = torch.ones(1)
        assert one.std().isnan()
        assert one.std(correction=0).eq(0)
        assert codes("return x[n > 0].std()") == ["EPS106"]

    def test_std_of_a_constant(self) -> None:
        assert gradient(Tensor.std, self.CONSTANT).eq(0).all()
        assert codes("return x.std()") == []

    def test_the_root_of_a_variance(self) -> None:
        assert gradient(lambda x: x.var().sqrt(), self.CONSTANT).isnan().all()

    def test_the_root_of_a_sum_of_squares(self) -> None:
        assert gradient(lambda x: (x**2).sum().sqrt(), [0.0, 0.0]).isnan().all()

    def test_norm(self) -> None:
        assert gradient(Tensor.norm, [0.0, 0.0]).eq(0).all()
        assert codes("return x.norm(dim=-1)") == []

    def test_norm_of_jax(self) -> None:
        jax = pytest.importorskip("jax")
        slope = jax.grad(jax.numpy.linalg.norm)(jax.numpy.zeros(2))
        assert jax.numpy.isnan(slope).all()


class TestRoundedAway:
    """`1e-8` is 0 in float16, and nothing beside 1 in float32."""

    def test_float16(self) -> None:
        assert torch.tensor(1e-8, dtype=torch.float16) == 0
        smallest = FLOAT16.tiny * FLOAT16.eps
        assert math.isclose(smallest, 5.96e-8, rel_tol=1e-3)
        assert torch.tensor(smallest, dtype=torch.float16) > 0
        assert torch.tensor(smallest / 2, dtype=torch.float16) == 0
        assert codes("return torch.log(x.half().norm() + 1e-8)") == ["EPS601"]
        assert codes("return torch.log(x.half().norm() + 6e-8)") == []

    def test_beside_one(self) -> None:
        p = torch.ones(1)
        assert torch.ones(1) + 1e-8 == 1
        assert (1e-10 + 1 - p).eq(0).all()
        assert (1 - p + 1e-10).gt(0).all()
        assert p.clamp(max=1 - 1e-8).eq(1).all()
        assert codes("p = x.softmax(-1)\nreturn torch.log(1e-10 + 1 - p)") == ["EPS602"]
        assert codes("p = x.softmax(-1)\nreturn torch.log(1 - p + 1e-10)") == []

    def test_bfloat16(self) -> None:
        assert math.isclose(torch.finfo(torch.bfloat16).eps, 7.8e-3, rel_tol=2e-3)
        p = torch.ones(1, dtype=torch.bfloat16)
        assert p.clamp(max=1 - 1e-3).eq(1).all()
        body = "p = x.sigmoid().bfloat16().clamp(max=1 - 1e-3)\nreturn torch.log(1 - p)"
        assert codes(body) == ["EPS602"]

    def test_a_number_of_python_is_rounded_before_it_meets_the_tensor(self) -> None:
        """Also in bfloat16: the difference is not computed in float32."""
        assert ((1 + 1e-3) - torch.ones(1, dtype=torch.bfloat16)).eq(0).all()


class TestSigmoid:
    """`log(1 - sigmoid(20))` is already -inf; `log(sigmoid(-200))` with a NaN gradient."""

    def test_complement(self) -> None:
        assert torch.log(1 - torch.sigmoid(torch.tensor(20.0))) == -math.inf
        assert codes("return torch.log(1 - torch.sigmoid(x))") == ["EPS203"]
        assert finite(F.logsigmoid(-torch.tensor(20.0)))

    def test_underflow(self) -> None:
        x = torch.tensor(-200.0)
        assert torch.log(torch.sigmoid(x)) == -math.inf
        assert gradient(lambda x: torch.log(torch.sigmoid(x)), [-200.0]).isnan().all()
        assert gradient(F.logsigmoid, [-200.0]).eq(1).all()
        assert codes("return torch.log(torch.sigmoid(x))") == ["EPS203"]


class TestFloors:
    """A floor of 0 lets 0 through; a relu keeps what comes back to it from the root away."""

    def test_a_clamp_inside_the_domain_is_finite(self) -> None:
        assert finite(gradient(lambda x: x.clamp(-1 + 1e-6, 1 - 1e-6).acos(), [1.0, -1.0]))
        assert finite(gradient(lambda x: x.clamp(min=1e-8).sqrt(), [0.0, -1.0]))

    def test_root_of_relu(self) -> None:
        assert gradient(lambda x: F.relu(x).sqrt(), [0.0, -1.0]).eq(0).all()
        assert codes("return F.relu(x).sqrt()", "EPS605") == []
        assert codes("return F.relu(x).log()", "EPS605") == ["EPS605"]


NOT_HAZARDS: dict[str, tuple[str, Function]] = {
    "norm": ("x.norm()", Tensor.norm),
    "vector_norm": ("torch.linalg.vector_norm(x)", torch.linalg.vector_norm),
    "matrix_norm": ("torch.linalg.matrix_norm(x)", torch.linalg.matrix_norm),
    "std of a constant": ("x.std()", Tensor.std),
    "atan2": ("torch.atan2(x, x)", lambda x: torch.atan2(x, x)),
    "cdist": ("torch.cdist(x, x)", lambda x: torch.cdist(x, x)),
    "cosine_similarity": ("F.cosine_similarity(x, x)", lambda x: F.cosine_similarity(x, x)),
    "normalize": ("F.normalize(x)", F.normalize),
    "layer_norm": ("F.layer_norm(x, (2,))", lambda x: F.layer_norm(x, (2,))),
}


@pytest.mark.parametrize("name", NOT_HAZARDS)
def test_not_a_hazard_at_0(name: str) -> None:
    text, function = NOT_HAZARDS[name]
    zeros = [[0.0, 0.0], [0.0, 0.0]]
    assert finite(function(torch.tensor(zeros)))
    assert finite(gradient(function, zeros))
    assert codes(f"return {text}") == []


class TestPythonsMax:
    """`max(x, eps)` with NaN depends on the order; `clamp` keeps NaN visible."""

    def test_order(self) -> None:
        assert math.isnan(max(math.nan, 1e-8))
        assert max(1e-8, math.nan) == 1e-8

    def test_clamp(self) -> None:
        assert torch.tensor(math.nan).clamp(min=1e-8).isnan()
        assert torch.maximum(torch.tensor(math.nan), torch.tensor(1e-8)).isnan()

    def test_the_linter_writes_the_value_first(self) -> None:
        """So that what it adds hides no NaN."""
        text = fixed("k = len([v for v in x if v > 0])\nreturn 10 / (k - 1)", "EPS103")
        assert "max(k - 1, 1)" in text


class TestLogSumExp:
    """`logsumexp` needs `dim`; `log1p(exp(x))` overflows, softplus does not."""

    def test_dim(self) -> None:
        with pytest.raises(TypeError):
            torch.logsumexp(torch.zeros(2))  # type: ignore[call-arg]
        assert "x.logsumexp(dim=-1)" in fixed("return torch.log(x.exp().sum(-1))", "EPS205")

    def test_softplus(self) -> None:
        x = torch.tensor([100.0])
        assert torch.log1p(torch.exp(x)).isinf().all()
        assert finite(F.softplus(x))
        assert codes("return torch.log1p(torch.exp(x))") == ["EPS206"]
        assert "F.softplus(x)" in fixed("return torch.log1p(torch.exp(x))", "EPS206")


class TestRatioBesideItsLog:
    """A clamped ratio is no longer exp of the log-ratio that is logged beside it."""

    BODY = "d = F.log_softmax(x, -1) - F.log_softmax(n, -1)\nreturn d.exp()"

    def test_they_differ(self) -> None:
        d = torch.tensor([30.0])
        assert not torch.allclose(d.clamp(-20.0, 20.0).exp(), d.exp())

    def test_the_linter_clamps_what_both_are_made_of(self) -> None:
        text = fixed(f"{self.BODY}, d.mean()", "EPS301")
        assert "d = (F.log_softmax(x, -1) - F.log_softmax(n, -1)).clamp(-20.0, 20.0)" in text
        assert "return d.exp(), d.mean()" in text

    def test_and_the_ratio_where_it_is_alone(self) -> None:
        assert "return d.clamp(-20.0, 20.0).exp()" in fixed(self.BODY, "EPS301")


class TestNoise:
    """Rounding noise over a spread of 0 and 1e-6 makes large advantages."""

    def test_identical_rewards(self) -> None:
        rewards = torch.full((7,), 1000.1)
        baseline = torch.nextafter(rewards, torch.tensor(math.inf))  # off by one rounding
        spread = torch.zeros(())  # of rewards that are all the same
        assert ((baseline - rewards) / (spread + 1e-6)).gt(50).all()

    def test_the_documentation_says_so(self) -> None:
        rule = registry.load().find("EPS102")
        assert rule is not None
        assert "rounding noise" in " ".join(dict(docs.documentation(rule).sections).values())


def test_every_precision_is_in_the_list_of_limits() -> None:
    assert {precision.name for precision, _ in TestOverflow.LIMITS} == set(PRECISIONS)
