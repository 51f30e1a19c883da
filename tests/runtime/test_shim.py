"""shim(): what would be NaN or Inf is not, and nothing else changes."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

import epslint.runtime as er
from tests.runtime.operations import DTYPES

INF, NAN = float("inf"), float("nan")

# Operations and an input at which they fail, in value or in gradient.
HAZARDS: dict[str, tuple[Callable[[Tensor], Tensor], list[float]]] = {
    "divide": (lambda x: torch.ones_like(x) / x, [0.0, 2.0]),
    "divide zero by zero": (lambda x: x / x, [0.0, 2.0]),
    "divide by a number": (lambda x: x / 0.0, [1.0, 2.0]),
    "divide, rounded": (lambda x: torch.div(1.0 + x, x * 0, rounding_mode="floor"), [1.0]),
    "reciprocal": (lambda x: 1 / x, [0.0, -0.0, 2.0]),
    "log": (lambda x: x.log(), [0.0, -1.0, 2.0]),
    "log2": (lambda x: x.log2(), [0.0, 2.0]),
    "log10": (lambda x: x.log10(), [0.0, 2.0]),
    "log1p": (lambda x: x.log1p(), [-1.0, 2.0]),
    "exp": (lambda x: x.exp(), [800.0, 1.0]),
    "exp2": (lambda x: x.exp2(), [2000.0, 1.0]),
    "expm1": (lambda x: x.expm1(), [800.0, 1.0]),
    "sqrt below 0": (lambda x: x.sqrt(), [-1e-3, 2.0]),
    "sqrt at 0": (lambda x: x.sqrt(), [0.0, 2.0]),
    "rsqrt": (lambda x: x.rsqrt(), [0.0, 2.0]),
    "negative power": (lambda x: x**-2, [0.0, 2.0]),
    "fractional power": (lambda x: x**0.5, [0.0, 2.0]),
    "fractional power below 0": (lambda x: x**1.5, [-1.0, 2.0]),
    "power of a number": (lambda x: torch.pow(0.0, x), [-1.0, 2.0]),
    "std of one": (lambda x: x.std(), [3.0]),
    "var of one": (lambda x: x.var(-1), [3.0]),
    "a where after": (lambda x: torch.where(x > 0, x.log(), 0.0), [0.0, 2.0]),
    "a mask after": (lambda x: x.sqrt() * (x > 0), [0.0, 2.0]),
    "nan_to_num after": (lambda x: (x / x).nan_to_num(), [0.0, 2.0]),
    "softmax of all masked": (
        lambda x: (x + torch.full_like(x, -INF)).softmax(-1),
        [1.0, 2.0],
    ),
    "log_softmax of all masked": (
        lambda x: (x + torch.full_like(x, -INF)).log_softmax(-1),
        [1.0, 2.0],
    ),
}

pytestmark = pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning")


def both(
    function: Callable[[Tensor], Tensor],
    values: list[float],
    dtype: torch.dtype,
    device: torch.device,
) -> tuple[Tensor, Tensor]:
    x = torch.tensor(values, dtype=dtype, device=device, requires_grad=True)
    value = function(x)
    value.sum().backward()
    assert x.grad is not None
    return value.detach(), x.grad


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", HAZARDS)
def test_hazards_are_repaired(name: str, dtype: torch.dtype, device: torch.device) -> None:
    if device.type == "mps" and dtype == torch.float64:
        pytest.skip("MPS has no float64")
    function, values = HAZARDS[name]
    plain = both(function, values, dtype, device)
    assert not all(x.isfinite().all() for x in plain), "no hazard: this case shows nothing"
    with er.shim(quiet=True) as report:
        value, grad = both(function, values, dtype, device)
    assert value.isfinite().all(), value
    assert grad.isfinite().all(), grad
    assert report
    finite = plain[0].isfinite()
    assert torch.equal(value[finite], plain[0][finite])


PLAIN: list[Callable[[Tensor], Tensor]] = [
    lambda x: 1 / x,
    torch.log,
    torch.exp,
    torch.sqrt,
    torch.rsqrt,
    lambda x: x**-1.5,
    lambda x: x.softmax(-1),
    torch.std,
    lambda x: x / x.flip(0),
]


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.floats(width=32), min_size=1, max_size=5),
    which=st.sampled_from(range(len(PLAIN))),
)
def test_what_was_finite_is_the_same_bit_for_bit(values: list[float], which: int) -> None:
    x = torch.tensor(values)
    plain = PLAIN[which](x)
    with er.shim(quiet=True):
        shimmed = PLAIN[which](x)
    finite = plain.isfinite()
    assert torch.equal(shimmed[finite], plain[finite])


def test_what_was_handed_in_stays() -> None:
    """A NaN from outside stays visible, and an Inf that is meant stays Inf."""
    with er.shim(quiet=True) as report:
        assert torch.tensor([NAN]).log().isnan()
        assert (torch.tensor([INF]) / 2).isinf()
        assert torch.tensor([INF]).exp().isinf()
        assert (torch.tensor([1.0]) * INF).isinf()
        assert torch.tensor([[NAN, -INF]]).softmax(-1).isnan().all()
    assert not report


def test_repairs_follow_the_hierarchy() -> None:
    with er.shim(quiet=True):
        assert (1 / torch.zeros(1)).item() == pytest.approx(1e8)
        assert torch.zeros(1).log().item() == pytest.approx(-18.42, abs=0.01)
        assert torch.full((1,), 1e3).exp().log().item() == pytest.approx(40.0)
        assert torch.zeros(1, dtype=torch.float16).log().item() == pytest.approx(-9.21, abs=0.01)
        assert torch.full((1, 2), -INF).softmax(-1).tolist() == [[0.0, 0.0]]


def test_a_capped_exponential_has_no_gradient() -> None:
    x = torch.tensor([1e3, 0.0], requires_grad=True)
    with er.shim(quiet=True):
        x.exp().sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 1.0]


def test_in_place_and_out() -> None:
    x, out = torch.tensor([1.0, 2.0]), torch.empty(0)
    with er.shim(quiet=True) as report:
        same = x.div_(torch.tensor([0.0, 2.0]))
        given = torch.log(torch.tensor([0.0, 1.0]), out=out)
        fine = torch.ones(2).div_(4.0)
    assert same is x
    assert x.tolist() == pytest.approx([1e8, 1.0])
    assert given is out
    assert out.isfinite().all()
    assert fine.tolist() == [0.25, 0.25]
    assert [repair.numbers for repair in report.repairs] == [1, 1]


def test_integers_pass_through() -> None:
    with er.shim(quiet=True):
        assert torch.div(torch.tensor([7]), 2, rounding_mode="floor").tolist() == [3]


def test_the_report_counts_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    with er.shim() as report:
        for _ in range(3):
            torch.zeros(4).log()
        x = torch.zeros(2, requires_grad=True)
        y = x.sqrt()
        y.sum().backward()
    first, second = report.repairs
    assert (first.op, first.phase, first.numbers) == ("log", "forward", 12)
    assert first.place is not None
    assert first.place.source == "torch.zeros(4).log()"
    assert (second.op, second.phase, second.numbers) == ("div", "backward", 2)
    assert second.place is not None
    assert second.place.source == "y = x.sqrt()"
    printed = capsys.readouterr().err
    assert "14 numbers repaired" in printed
    assert f"{first.place}" in printed
    assert [repair["numbers"] for repair in json.loads(report.to_json())] == [12, 2]


def test_silent_when_there_was_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with er.shim() as report:
        torch.ones(1).log()
    assert not report
    assert str(report).endswith("nothing to repair")
    assert capsys.readouterr().err == ""


def test_off_again_also_after_an_error() -> None:
    with pytest.raises(KeyError), er.shim(quiet=True):
        raise KeyError
    assert torch.zeros(1).log().item() == -INF
    assert torch._C._len_torch_dispatch_stack() == 0


def test_families_can_be_chosen() -> None:
    with er.shim(ops=["log"], quiet=True):
        assert torch.zeros(1).log().isfinite().all()
        assert (1 / torch.zeros(1)).isinf().all()
    with pytest.raises(ValueError, match="lgo"):
        er.shim(ops=["lgo"])


def test_as_a_decorator_and_not_entered_twice() -> None:
    guard = er.shim(quiet=True)

    @guard
    def step() -> Tensor:
        return torch.zeros(1).log()

    assert step().isfinite()
    assert step().isfinite()
    assert guard.report.repairs[0].numbers == 2
    with guard, pytest.raises(RuntimeError, match="on already"):
        guard.__enter__()


def _repaired() -> Tensor:
    x = torch.zeros(2, requires_grad=True)
    value = torch.where(x > 0, x.log(), 1.0 / x)
    value.sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()
    return value


def test_under_a_watch_repairs_are_no_births() -> None:
    with er.watch() as births, er.shim(quiet=True) as repairs:
        assert _repaired().isfinite().all()
    assert not births
    assert repairs
    with er.shim(quiet=True) as repairs, er.watch() as births:
        assert _repaired().isfinite().all()
    assert not births
    assert repairs


def test_under_a_watch_what_is_not_repaired_is_still_seen() -> None:
    def overflow() -> None:
        _ = torch.full((2,), 3e38).sum()

    def ratio_of_infinities() -> None:
        infinite = torch.full((2,), INF)
        _ = infinite / infinite

    with er.watch(on="record") as births, er.shim(quiet=True):
        overflow()
        torch.full((2,), 4.0).log()
        ratio_of_infinities()
    assert [birth.op for birth in births.births] == ["aten.sum.default", "aten.div.Tensor"]
    with er.shim(quiet=True), er.watch(on="record") as births:
        overflow()
        ratio_of_infinities()
    assert [birth.op for birth in births.births] == ["aten.sum.default", "aten.div.Tensor"]


def test_two_shims() -> None:
    with er.shim(quiet=True) as outer, er.shim(quiet=True) as inner:
        assert torch.zeros(1).log().isfinite()
    assert bool(outer) != bool(inner), "repaired once, not twice"


def test_a_training_loop_survives() -> None:
    """A loss with every classic mistake, whose parameters are NaN after one plain step."""

    def train() -> Tensor:
        torch.manual_seed(0)
        model = nn.Linear(3, 3)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        x, mask = torch.randn(4, 3), torch.zeros(4)
        for _ in range(5):
            optimizer.zero_grad()
            p = (model(x) * 1e3).softmax(-1)
            entropy = -(p * p.log()).sum(-1)
            spread = (p - p).square().sum(-1).sqrt()
            loss = (entropy * mask).sum() / mask.sum() + spread.mean() + (p[:1] * 200).exp().mean()
            loss.backward()
            optimizer.step()
        return torch.cat([parameter.flatten() for parameter in model.parameters()])

    assert train().isnan().any()
    with er.shim(quiet=True):
        assert train().isfinite().all()
