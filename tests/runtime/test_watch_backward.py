"""watch() in the backward pass: told at the forward line, and only what leaves a formula."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

import epslint.runtime as er

# The forward pass of each is finite; what is born is born in the backward pass.
BACKWARD: dict[str, tuple[Callable[[Tensor], Tensor], str, tuple[str, ...]]] = {
    "sqrt at 0": (lambda x: x.sqrt(), "SqrtBackward0", ("EPS501",)),
    "a where after sqrt": (
        lambda x: torch.where(x > 0, x.sqrt(), 0.0),
        "SqrtBackward0",
        ("EPS503",),
    ),
    "a fractional power at 0": (lambda x: x**0.5, "PowBackward0", ("EPS502",)),
    "a power that leaves its formula through a where": (
        lambda x: (x * 1) ** (x.detach() * 0 + 0.5).requires_grad_(),
        "PowBackward1",
        ("EPS502",),
    ),
    "the same, straight to the leaf": (
        lambda x: x ** (x.detach() * 0 + 0.5).requires_grad_(),
        "PowBackward1",
        ("EPS502",),
    ),
    "a norm by hand": (lambda x: (x * 0).square().sum().sqrt(), "SqrtBackward0", ("EPS501",)),
    "asin at its bound": (lambda x: (x / 4).asin(), "AsinBackward0", ("EPS504",)),
}


@pytest.mark.parametrize("name", BACKWARD)
def test_backward_births_are_told_at_the_forward_line(
    name: str, check_every: int | None, device: torch.device
) -> None:
    function, node, codes = BACKWARD[name]
    x = torch.tensor([0.0, 1.0, 4.0], device=device, requires_grad=True)
    with er.watch(on="record", check_every=check_every) as report:
        value = function(x)
        value.sum().backward()
    birth = report.births[0]
    assert birth.phase == "backward"
    assert birth.node == node
    assert birth.blame.codes[0] in codes
    assert birth.place is not None
    assert birth.called_from is not None
    assert birth.place.function == "<lambda>"
    assert birth.place.line == _line_of(function)
    assert birth.called_from.source == "value.sum().backward()"


@pytest.mark.parametrize("node", ["the last", "in between"])
def test_a_gradient_that_goes_to_the_user(node: str, check_every: int | None) -> None:
    x = torch.zeros(2, requires_grad=True)
    with er.watch(on="record", check_every=check_every) as report:
        value = x.sqrt() if node == "the last" else (x * 1).view(1, 2).sqrt()
        (grad,) = torch.autograd.grad(value.sum(), x)
    assert grad.isinf().all()
    assert [birth.node for birth in report.births] == ["SqrtBackward0"]


class _Masked(torch.autograd.Function):
    """A formula that makes a NaN and masks it; or does not."""

    @staticmethod
    def forward(ctx: SimpleNamespace, x: Tensor, how: str) -> Tensor:
        ctx.x, ctx.how = x, how
        return x.abs()

    @staticmethod
    def backward(ctx: SimpleNamespace, grad: Tensor) -> tuple[Tensor, None]:
        slope = grad * 0 / ctx.x
        if ctx.how == "in place":
            return slope.masked_fill_(ctx.x == 0, 0), None
        if ctx.how == "out of place":
            return torch.where(ctx.x == 0, 0, slope), None
        return (slope.clone() if ctx.how == "copied" else slope), None


@pytest.mark.parametrize(
    ("how", "expected"), [("in place", 0), ("out of place", 0), ("copied", 1), ("not", 1)]
)
def test_a_nan_that_stays_within_a_formula_is_no_birth(
    how: str, expected: int, check_every: int | None
) -> None:
    x = torch.zeros(2, requires_grad=True)
    with er.watch(on="record", check_every=check_every) as report:
        _Masked.apply(x * 1, how).sum().backward()  # type: ignore[no-untyped-call]
    assert len(report) == expected
    assert report.arrival is None


def _line_of(function: Callable[..., object]) -> int:
    lines, start = inspect.getsourcelines(function)
    return start + next(i for i, line in enumerate(lines) if "lambda" in line) if lines else 0
