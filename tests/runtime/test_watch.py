"""watch(): births and only births, told at the user's own line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal

import pytest
import torch
from torch import Tensor

import epslint.runtime as er

NAN, INF = float("nan"), float("inf")


def births(run: Callable[[], object], **options: object) -> list[tuple[str, str, str]]:
    """(kinds, operation, pass) of all births of a run."""
    with er.watch(on="record", **options) as report:  # type: ignore[arg-type]
        run()
    return [("+".join(b.kinds), b.op.split(".")[1], b.phase) for b in report.births]


# What runs, and the births it must give: nothing more and nothing less.
FORWARD: dict[str, tuple[Callable[[torch.device], object], list[tuple[str, str, str]]]] = {
    "division by zero": (
        lambda d: torch.ones(2, device=d) / torch.zeros(2, device=d),
        [("inf", "div", "forward")],
    ),
    "zero by zero, once however far it goes": (
        lambda d: (torch.zeros(2, device=d) / torch.zeros(2, device=d) + 1).exp().sum(),
        [("nan", "div", "forward")],
    ),
    "both kinds at once": (
        lambda d: torch.log(torch.tensor([-1.0, 0.0], device=d)),
        [("nan+inf", "log", "forward")],
    ),
    "a NaN from an Inf is born anew": (
        lambda d: torch.tensor([100.0], device=d).exp() * 0.0,
        [("inf", "exp", "forward"), ("nan", "mul", "forward")],
    ),
    "a mask of -inf is meant": (
        lambda d: (
            torch.randn(2, 3, device=d)
            .masked_fill(torch.tensor([False, True, False], device=d), -INF)
            .softmax(-1)
        ),
        [],
    ),
    "a bias of -inf is meant": (
        lambda d: torch.randn(2, 3, device=d) + torch.tensor([0.0, -INF, 0.0], device=d),
        [],
    ),
    "a number of inf is meant": (lambda d: torch.randn(2, device=d) - INF, []),
    "a row of nothing but -inf is not": (
        lambda d: torch.full((2, 3), -INF, device=d).softmax(-1),
        [("nan", "_softmax", "forward")],
    ),
    "a mask multiplied by -inf is not": (
        lambda d: torch.tensor([0.0, 1.0], device=d) * -INF,
        [("nan", "mul", "forward")],
    ),
    "the spread of one": (lambda d: torch.ones(1, device=d).std(), [("nan", "std", "forward")]),
    "the mean of nothing": (lambda d: torch.ones(0, device=d).mean(), [("nan", "mean", "forward")]),
    "a cast that does not fit": (
        lambda d: torch.tensor([1e6], device=d).half(),
        [("inf", "_to_copy", "forward")],
    ),
    "in place": (lambda d: torch.ones(2, device=d).div_(0.0), [("inf", "div_", "forward")]),
    "in place, on a list": (
        lambda d: torch._foreach_div_([torch.ones(2, device=d)], 0.0),
        [("inf", "_foreach_div_", "forward")],
    ),
    "in place, twice, then gone": (
        lambda d: torch.ones(2, device=d).div_(0.0).add_(1.0).zero_(),
        [("inf", "div_", "forward")],
    ),
    "out of an operand that is gone": (
        lambda d: [x := torch.ones(2, device=d), y := x / (x - 1), x.mul_(2), y + 1][0],
        [("inf", "div", "forward")],
    ),
    "into garbage": (
        lambda d: torch.div(
            torch.ones(1, device=d), torch.zeros(1, device=d), out=torch.full((1,), NAN, device=d)
        ),
        [("inf", "div", "forward")],
    ),
    "several outputs": (
        lambda d: torch.std_mean(torch.ones(1, device=d)),
        [("nan", "std_mean", "forward")],
    ),
    "complex numbers": (
        lambda d: torch.ones(1, dtype=torch.complex64, device=d) / 0,
        [("nan+inf", "div", "forward")],
    ),
    "integers and booleans": (
        lambda d: (
            torch.arange(3, device=d) // 2,
            torch.ones(2, device=d) > 0,
            torch.ones(0).int(),
        ),
        [],
    ),
    "a sum that overflows only in our own probe": (
        lambda d: torch.full((4,), 3e38, device=d) * torch.ones(4, device=d),
        [],
    ),
    "half precision sums": (
        lambda d: torch.full((4,), 6e4, device=d, dtype=torch.float16) * 1.0,
        [],
    ),
    "an empty tensor's garbage": (lambda d: torch.empty(8, device=d).fill_(NAN).clone(), []),
}


@pytest.mark.parametrize("name", FORWARD)
def test_forward_births(name: str, check_every: int | None, device: torch.device) -> None:
    run, expected = FORWARD[name]
    if device.type == "mps" and name == "complex numbers":
        pytest.skip("MPS has no complex division")
    assert births(lambda: run(device), check_every=check_every) == expected


def test_infs_can_be_left_alone(check_every: int | None) -> None:
    def run() -> None:
        _ = torch.tensor([100.0]).exp() * 0.0

    assert births(run, infs=False, check_every=check_every) == [("nan", "mul", "forward")]


def test_a_birth_tells_all() -> None:
    num, den = torch.ones(2, 3), torch.tensor([0.0, 2.0, -3.0])
    with pytest.raises(er.WatchError) as caught, er.watch():
        _ = num / den  # the line
    birth = caught.value.birth
    assert birth is not None
    assert birth.place is not None
    assert birth.place.file == __file__
    assert birth.place.source == "_ = num / den  # the line"
    assert birth.place.function == "test_a_birth_tells_all"
    first, second = birth.operands
    assert first is not None
    assert (first.low, first.high, first.zeros) == (1.0, 1.0, 0)
    assert second is not None
    assert (second.low, second.high, second.zeros) == (-3.0, 2.0, 1)
    assert second.shape == (3,)
    assert birth.blame.codes == ("EPS101", "EPS102", "EPS103")
    text = str(caught.value)
    assert "Inf born in aten.div.Tensor (forward pass)" in text
    assert f"{__file__}:{birth.place.line}" in text
    assert "min -3, max 2, 1 of 3 zero" in text
    assert "EPS101" in text


def test_raise_stops_at_the_operation_itself() -> None:
    reached = []

    def run() -> None:
        x = torch.zeros(1).log()
        reached.append(x)

    with pytest.raises(er.WatchError), er.watch():
        run()
    assert reached == []


def test_raise_comes_through_the_backward_pass() -> None:
    x = torch.zeros(1, requires_grad=True)
    with pytest.raises(er.WatchError, match="SqrtBackward0"), er.watch():
        x.sqrt().sum().backward()


def test_warn_warns_at_the_line_and_goes_on() -> None:
    with pytest.warns(er.WatchWarning, match="born in aten.log") as caught, er.watch(on="warn"):
        _ = torch.zeros(1).log()
    assert caught[0].filename == __file__


def test_one_place_is_one_birth_however_often() -> None:
    with er.watch(on="record") as report:
        for _ in range(5):
            torch.zeros(1).log()
    assert [birth.times for birth in report.births] == [5]
    assert "5 times" in str(report)


def test_what_was_born_elsewhere_is_an_arrival() -> None:
    bad = torch.tensor([1.0, NAN])
    with er.watch() as report:
        _ = (bad + 1).sum()
    assert not report
    assert report.arrival is not None
    assert report.arrival.place is not None
    assert report.arrival.place.source == "_ = (bad + 1).sum()"
    assert "came in from outside" in str(report)


def test_changing_a_bad_tensor_in_place_is_no_birth(check_every: int | None) -> None:
    bad = torch.tensor([1.0, NAN])
    good = torch.ones(3)

    def run() -> None:
        bad.add_(1.0)
        good.mul_(2.0)
        good[0] = bad[1]
        good.mul_(2.0)

    assert births(run, check_every=check_every) == []


def test_the_report_is_json_and_empty_when_all_was_finite() -> None:
    with er.watch(on="record") as report:
        _ = torch.ones(1) + 1
    assert not report
    assert len(report) == 0
    assert str(report) == "no NaN or Inf was born"
    assert json.loads(report.to_json()) == {"births": [], "arrival": None}
    with er.watch(on="record") as report:
        torch.full((2,), INF).sub(INF)
        torch.zeros(1).log()
    told = json.loads(report.to_json())
    assert [birth["kinds"] for birth in told["births"]] == [["nan"], ["inf"]]
    assert told["births"][1]["operands"][0]["zeros"] == 1
    assert told["births"][1]["phase"] == "forward"


def test_as_a_decorator() -> None:
    watching = er.watch(on="record")

    @watching
    def step(x: Tensor) -> Tensor:
        return x.log() if x.numel() == 1 else step(x[:1])

    step(torch.zeros(2))
    step(torch.zeros(1))
    assert [birth.times for birth in watching.report.births] == [3]
    assert step.__name__ == "step"


def test_nested_watches_both_see_and_neither_sees_the_other(check_every: int | None) -> None:
    """Our own sum of huge numbers overflows: an outer watch must not take it for the user's."""
    huge = torch.full((4,), 3e38)
    with er.watch(on="record") as outer, er.watch(on="record", check_every=check_every) as inner:
        _ = huge * torch.ones(4)
        torch.zeros(1).log()
    assert len(outer) == len(inner) == 1


def test_a_watch_is_not_entered_twice() -> None:
    watching = er.watch()
    with watching, pytest.raises(RuntimeError, match="on already"):
        watching.__enter__()
    with watching:
        pass


@pytest.mark.parametrize("on", ["raise", "record"])
def test_off_after_an_error_which_says_what_was_seen(on: Literal["raise", "record"]) -> None:
    def fail() -> None:
        torch.zeros(1).log()
        raise KeyError("the user's own")

    with pytest.raises(KeyError) as caught, er.watch(on=on, check_every=100):
        fail()
    assert "born in aten.log" in "".join(caught.value.__notes__)
    assert torch.zeros(1).log().item() == -INF
    assert torch._C._len_torch_dispatch_stack() == 0


def test_off_after_its_own_error() -> None:
    with pytest.raises(er.WatchError), er.watch():
        torch.zeros(1).log()
    torch.zeros(1).log()
    assert torch._C._len_torch_dispatch_stack() == 0


@pytest.mark.parametrize("options", [{"on": "shout"}, {"check_every": 0}])
def test_wrong_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        er.watch(**options)  # type: ignore[arg-type]


def test_the_traceback_ends_at_the_users_line() -> None:
    with pytest.raises(er.WatchError) as caught, er.watch():
        torch.zeros(1).log()
    assert str(caught.traceback[-1].path) == __file__
    assert f"{type(caught.value).__module__}.WatchError" == "epslint.runtime.WatchError"


def test_a_number_is_told_as_one() -> None:
    with er.watch(on="record") as report:
        _ = torch.tensor(1.0) / torch.tensor(0.0)
    (birth,) = report.births
    assert [str(one) for one in (*birth.operands, *birth.outputs)] == [
        "float32 number 1",
        "float32 number 0",
        "float32 number inf",
    ]


def test_what_is_known_stays_known_over_a_harmless_operation(check_every: int | None) -> None:
    x = torch.zeros(2)
    with er.watch(on="record", check_every=check_every) as report:
        x.add_(torch.ones(2)).mul_(0.5).add_(1).sub_(1.5).log_()
    assert [birth.op for birth in report.births] == ["aten.log_.default"]


def test_a_nan_that_was_there_is_not_born_of_a_harmless_operation(check_every: int | None) -> None:
    x = torch.tensor([float("nan")])
    with er.watch(on="record", check_every=check_every) as report:
        x.mul_(0.5).add_(torch.ones(1))
    assert not report
    assert report.arrival is not None
