"""Where torch's own gradient is not finite, or takes far more passes over memory than it must.

No function that dynamo sees has a `jvp`: it refuses one that has, and compiling matters more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.nn.functional import hardtanh_, threshold


class _Context(Protocol):
    """What torch passes as `ctx`, as far as it is used here."""

    eps: float
    formula: Formula
    limit: float
    shapes: tuple[torch.Size, torch.Size]
    signed: bool
    dtype: torch.dtype
    saved_tensors: tuple[Tensor, ...]

    def save_for_backward(self, *tensors: Tensor) -> None: ...
    def mark_non_differentiable(self, *tensors: Tensor) -> None: ...


@dataclass(frozen=True, slots=True)
class Formula:
    """An operation of one number behind a guard, and its gradient in as few passes as can be.

    `value` is built of differentiable operations and says all there is to say; autograd alone would
    copy, compare and choose besides. `slope` takes the incoming gradient, the operand, and the
    limit; the value too if that is kept for it.
    """

    value: Callable[[Tensor, float], Tensor]
    slope: Callable[..., Tensor]
    keeps_value: bool = False


def _unguarded(x: Tensor, eps: float) -> Tensor:
    """A fresh copy of `x`, with Inf where the guard holds: what is divided by it is 0."""
    return threshold(x, eps, math.inf)


LOG = Formula(
    value=lambda x, eps: x.clamp(min=eps).log_(),
    slope=lambda grad, x, limit: grad / _unguarded(x, limit),
)
SQRT = Formula(
    value=lambda x, eps: x.clamp(min=eps).sqrt_(),
    slope=lambda grad, x, limit: grad / _unguarded(x, limit).sqrt_().mul_(2),
)
RSQRT = Formula(
    value=lambda x, eps: x.clamp(min=eps).rsqrt_(),
    slope=lambda grad, x, limit: _unguarded(x, limit).rsqrt_().pow_(3).mul_(-0.5).mul_(grad),
)
EXP = Formula(
    value=lambda x, bound: x.clamp(max=bound).exp_(),
    # The gradient of hardtanh chooses: the value where x is below the bound, and 0 elsewhere.
    slope=lambda grad, x, value, limit: torch.ops.aten.hardtanh_backward(
        value, x, -math.inf, limit
    ).mul_(grad),
    keeps_value=True,
)


class _Guarded(torch.autograd.Function):
    """A formula in the plain backward pass. Whatever else is asked goes through its `value`."""

    @staticmethod
    def forward(ctx: _Context, x: Tensor, limit: float, formula: Formula) -> Tensor:
        value = formula.value(x, limit)
        ctx.formula, ctx.limit = formula, limit
        ctx.save_for_backward(*((x, value) if formula.keeps_value else (x,)))
        return value

    @staticmethod
    def backward(ctx: _Context, grad: Tensor) -> tuple[Tensor, None, None]:
        x, *values = ctx.saved_tensors
        if torch.is_grad_enabled():
            # A gradient of the gradient will be wanted.
            (again,) = torch.autograd.grad(
                ctx.formula.value(x, ctx.limit), x, grad, create_graph=True
            )
            return again, None, None
        return ctx.formula.slope(grad, x, *values, limit=ctx.limit), None, None


class _Sloped(torch.autograd.Function):
    """A value that is linear in `x`, computed already, with its gradient: one pass over memory."""

    @staticmethod
    def forward(ctx: _Context, x: Tensor, value: Tensor, scale: Tensor, slope: Tensor) -> Tensor:
        ctx.save_for_backward(scale, slope)
        return value.clone()

    @staticmethod
    def backward(ctx: _Context, grad: Tensor) -> tuple[Tensor, None, None, None]:
        scale, slope = ctx.saved_tensors
        return grad * scale * slope, None, None, None


class _Divide(torch.autograd.Function):
    """`num / den` away from 0, and the denominator it used.

    The plain formula's gradient, `-(num / den) / den`, overflows long before the quotient does,
    in float16 for any denominator below 4e-3. This one ends at the largest number instead.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(num: Tensor, den: Tensor, eps: float, signed: bool) -> tuple[Tensor, Tensor]:
        used = _away(den, eps, signed)
        if not torch.compiler.is_compiling():
            return _quotient(num, used), used
        # One comparison and a sign: with a comparison for each side the loop that is generated for
        # an unsigned denominator takes half as long again. Here nobody differentiates the sign.
        quotient = num / used
        largest = torch.finfo(quotient.dtype).max
        return quotient.abs().clamp_max(largest).copysign(quotient), used

    @staticmethod
    def setup_context(
        ctx: _Context, inputs: tuple[Tensor, Tensor, float, bool], output: tuple[Tensor, Tensor]
    ) -> None:
        num, den, ctx.eps, ctx.signed = inputs
        ctx.shapes = (num.shape, den.shape)
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(num, den, *output)

    @staticmethod
    def backward(ctx: _Context, grad: Tensor, _: Tensor) -> tuple[Tensor, Tensor, None, None]:
        num, den, quotient, used = ctx.saved_tensors
        if torch.is_grad_enabled():
            # A gradient of the gradient will be wanted, and `used` leads nowhere.
            used = torch.where(used.abs() > ctx.eps, den, used)
            quotient = _quotient(num, used)
        num_shape, den_shape = ctx.shapes
        to_num = _fitting_(grad / used)
        to_den = _fitting_((to_num * quotient).neg_())
        to_den = only_beyond(ctx.eps, used, to_den)
        return _summed(to_num, num_shape), _summed(to_den, den_shape), None, None


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


def guarded(formula: Formula, x: Tensor, limit: float) -> Tensor:
    """The formula's value; with its own gradient where that is sure to be enough."""
    if is_plain_training(x):
        value: Tensor = _Guarded.apply(x, limit, formula)  # type: ignore[no-untyped-call]  # torch's
        return value
    return formula.value(x, limit)


def sloped(x: Tensor, value: Tensor, scale: Tensor, slope: Tensor) -> Tensor:
    """`value`, with `scale * slope` as its gradient for `x`; where `is_plain_training(x)`."""
    known: Tensor = _Sloped.apply(x, value, scale, slope)  # type: ignore[no-untyped-call]  # torch's
    return known


def divide(num: Tensor, den: Tensor, eps: float, *, signed: bool) -> Tensor:
    """`num / den`, with `den` at least `eps` away from 0, finite in value and gradient.

    Not `signed`: the denominator is no less than 0 by its nature, and what is below is 0 too.
    """
    if _is_plain() and not _is_differentiated(num, den):
        return _quotient_(num, _away(den, eps, signed))
    quotient: Tensor
    quotient, _ = _Divide.apply(num, den, eps, signed)  # type: ignore[no-untyped-call]  # torch's
    return quotient


def is_plain_training(x: Tensor) -> bool:
    """Whether an ordinary backward pass may follow, and nothing else."""
    return _is_plain() and _is_differentiated(x)


def _is_plain() -> bool:
    """Whether nothing but an ordinary backward pass can follow: no transform is at work."""
    return (
        not torch.compiler.is_compiling()
        and not torch._C._are_functorch_transforms_active()
        and forward_ad._current_level < 0
    )


def _is_differentiated(*operands: Tensor) -> bool:
    return torch.is_grad_enabled() and any(operand.requires_grad for operand in operands)


def _away(den: Tensor, eps: float, signed: bool) -> Tensor:
    return den.abs().clamp_min_(eps).copysign_(den) if signed else den.clamp_min(eps)


def _quotient(num: Tensor, used: Tensor) -> Tensor:
    return _fitting_(num / used)


def _quotient_(num: Tensor, fresh: Tensor) -> Tensor:
    """The same, written over the denominator if it fits there: fresh memory takes longer."""
    if num.shape == fresh.shape and type(num) is type(fresh) is Tensor:
        return _fitting_(torch.div(num, fresh, out=fresh))
    return _quotient(num, fresh)


def bound_(fresh: Tensor, limit: float) -> Tensor:
    """`fresh` within ±limit, in place: the one clamp of two sides that vmap has a rule for."""
    return hardtanh_(fresh, -limit, limit)


def only_where(kept: Tensor, x: Tensor) -> Tensor:
    """`x` where `kept` is not 0, and 0 elsewhere, whatever `x` is there."""
    return only_beyond(0.0, kept, x)


def only_beyond(limit: float, size: Tensor, x: Tensor) -> Tensor:
    """`x` where `size` is more than `limit` away from 0, and 0 elsewhere, whatever `x` is there."""
    if torch.compiler.is_compiling():
        return torch.where(size.abs() <= limit, 0, x)
    # The same choice, as the gradient of hardshrink. `where` goes through its elements one by one,
    # and a random mask makes the processor guess wrong: ten times slower.
    chosen: Tensor = torch.ops.aten.hardshrink_backward(x, size.expand(x.shape), limit)
    return chosen


def widen(x: Tensor) -> Tensor:
    """`x` in a precision in which sums and exponentials are worth something."""
    if x.dtype.itemsize >= 4:
        return x
    wide: Tensor = _Widen.apply(x)  # type: ignore[no-untyped-call]  # torch's
    return wide


def _fitting_(fresh: Tensor, share: int = 1) -> Tensor:
    return bound_(fresh, torch.finfo(fresh.dtype).max / share)


def _summed(grad: Tensor, shape: torch.Size) -> Tensor:
    """The gradient of an operand that was broadcast: each part small enough that the sum fits."""
    if grad.shape == shape:
        return grad
    parts = grad.numel() // max(shape.numel(), 1)
    return _fitting_(grad.clone(), max(parts, 1)).sum_to_size(shape)
