"""The two places where a finite gradient needs a formula of its own.

Neither has a `jvp`: dynamo refuses a function that has one, and compiling matters more.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import hardtanh_


class _Context(Protocol):
    """What torch passes as `ctx`, as far as it is used here."""

    eps: float
    shapes: tuple[torch.Size, torch.Size]
    dtype: torch.dtype
    saved_tensors: tuple[Tensor, ...]

    def save_for_backward(self, *tensors: Tensor) -> None: ...
    def mark_non_differentiable(self, *tensors: Tensor) -> None: ...


class _Divide(torch.autograd.Function):
    """`num / den` away from 0, and the denominator it used.

    The plain formula's gradient, `-(num / den) / den`, overflows long before the quotient does,
    in float16 for any denominator below 4e-3. This one ends at the largest number instead.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(num: Tensor, den: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        used = den.abs().clamp_min_(eps).copysign_(den)
        largest = torch.finfo(used.dtype).max
        return bound_(num / used, largest), used

    @staticmethod
    def setup_context(
        ctx: _Context, inputs: tuple[Tensor, Tensor, float], output: tuple[Tensor, Tensor]
    ) -> None:
        num, den, ctx.eps = inputs
        ctx.shapes = (num.shape, den.shape)
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(*output)

    @staticmethod
    def backward(ctx: _Context, grad: Tensor, _: Tensor) -> tuple[Tensor, Tensor, None]:
        quotient, used = ctx.saved_tensors
        num_shape, den_shape = ctx.shapes
        to_num = _fitting(grad / used)
        to_den = (-to_num * quotient).masked_fill(used.abs() <= ctx.eps, 0)
        return _summed(to_num, num_shape), _summed(to_den, den_shape), None


class _Widen(torch.autograd.Function):
    """Half precision to float32; the gradient on its way back ends at the largest half."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.float()

    @staticmethod
    def setup_context(ctx: _Context, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.dtype = inputs[0].dtype

    @staticmethod
    def backward(ctx: _Context, grad: Tensor) -> Tensor:
        largest = torch.finfo(ctx.dtype).max
        return grad.clamp(-largest, largest).to(ctx.dtype)


def divide(num: Tensor, den: Tensor, eps: float) -> Tensor:
    """`num / den`, with `den` at least `eps` away from 0, finite in value and gradient."""
    quotient: Tensor
    quotient, _ = _Divide.apply(num, den, eps)  # type: ignore[no-untyped-call]  # torch's
    return quotient


def bound_(fresh: Tensor, limit: float) -> Tensor:
    """`fresh` within ±limit, in place: the one clamp of two sides that vmap has a rule for."""
    return hardtanh_(fresh, -limit, limit)


def widen(x: Tensor) -> Tensor:
    """`x` in a precision in which sums and exponentials are worth something."""
    if x.dtype.itemsize >= 4:
        return x
    wide: Tensor = _Widen.apply(x)  # type: ignore[no-untyped-call]  # torch's
    return wide


def _fitting(x: Tensor, share: int = 1) -> Tensor:
    largest = torch.finfo(x.dtype).max / share
    return x.clamp(-largest, largest)


def _summed(grad: Tensor, shape: torch.Size) -> Tensor:
    """The gradient of an operand that was broadcast: each part small enough that the sum fits."""
    parts = grad.numel() // max(shape.numel(), 1)
    return _fitting(grad, max(parts, 1)).sum_to_size(shape)
