"""The safe operations for torch: built of differentiable operations, without a host sync.

No `.item()` and no branch on data anywhere, so that all of it compiles with `fullgraph=True`, goes
through `vmap` and `grad`, and runs on meta tensors. What follows a guard works in place on the
guard's own result: a pass over fresh memory takes twice as long, and autograd copies what it needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ParamSpec

import torch
from torch import Tensor

from epslint.epsilon import Clamp, Role
from epslint.runtime import _guards
from epslint.runtime._torch_functions import (
    EXP,
    LOG,
    RSQRT,
    SQRT,
    bound_,
    divide,
    guarded,
    is_plain_training,
    only_where,
    sloped,
    widen,
)

Asked = ParamSpec("Asked")


def _constant(look_up: Callable[Asked, float]) -> Callable[Asked, float]:
    """The same question, answered once: for a small tensor it takes longer than the operation.

    A constant of the graph for dynamo, which cannot look an enum up in a read-only mapping.
    """
    answers = cache(look_up)

    def answer(*asked: Asked.args, **more: Asked.kwargs) -> float:
        return answers(*asked, **more)  # type: ignore[arg-type]  # all are hashable

    torch.compiler.assume_constant_result(answer)
    return answer


_epsilon = _constant(_guards.epsilon)
_bound = _constant(_guards.bound)
_exp_bound = _constant(_guards.exp_bound)
_kl_bound = _constant(_guards.kl_bound)

Dims = int | tuple[int, ...] | None

# Spread within a few units in the last place of the mean is what rounding alone makes of equal
# numbers. Units of the precision that is computed in: half precision is summed in float32.
_NOISE_ULPS = 16.0


def safe_div(num: Tensor, den: Tensor | float, role: Role | str, eps: float | None) -> Tensor:
    num, den = _together(num, den)
    return divide(num, den, _epsilon(role, eps, num.dtype), signed=True)


def prob_ratio(new: Tensor, old: Tensor, role: Role | str, eps: float | None) -> Tensor:
    new, old = _together(new, old)
    return divide(new, old, _epsilon(role, eps, new.dtype), signed=False)


def safe_log(x: Tensor, role: Role | str, eps: float | None) -> Tensor:
    x = floating(x)
    return guarded(LOG, x, _epsilon(role, eps, x.dtype))


def safe_exp(x: Tensor, bound: float | None) -> Tensor:
    x = floating(x)
    return guarded(EXP, x, _exp_bound(bound, x.dtype))


def safe_sqrt(x: Tensor, role: Role | str, eps: float | None) -> Tensor:
    x = floating(x)
    return guarded(SQRT, x, _epsilon(role, eps, x.dtype))


def safe_rsqrt(x: Tensor, role: Role | str, eps: float | None) -> Tensor:
    x = floating(x)
    # The gradient of rsqrt has a pole of order 3/2, and torch computes it as the cube of the value.
    return guarded(RSQRT, x, _epsilon(role, eps, x.dtype, 1.5))


def logprob_ratio(new: Tensor, old: Tensor, clamp: Clamp | str, bound: float | None) -> Tensor:
    new, old = _together(new, old)
    limit = _bound(clamp, bound, new.dtype)
    return bound_(widen(new) - widen(old), limit).exp_().to(new.dtype)


def kl_estimate(new: Tensor, ref: Tensor, kind: str, bound: float | None) -> Tensor:
    new, ref = _together(new, ref)
    limit = _kl_bound(kind, bound, new.dtype)
    d = bound_(widen(ref) - widen(new), limit)
    if kind == "k1":
        return d.neg_().to(new.dtype)
    if kind == "k2":
        return d.square().div_(2).to(new.dtype)
    return (d.expm1() - d).to(new.dtype)


def masked_mean(
    x: Tensor, mask: Tensor, dim: Dims, keepdim: bool, role: Role | str, eps: float | None
) -> Tensor:
    is_sloped = is_plain_training(x)
    group = _group(x.detach() if is_sloped else x, mask, dim, role, eps)
    # A masked copy of `x` that nobody else will read.
    mean = group.sum_(group.x, group.total, keepdim=True)
    if is_sloped and group.kept is not None:
        mean = sloped(widen(x), mean, 1 / group.total, group.kept)
    return narrow(mean if keepdim else mean.squeeze(tuple(group.dims)), group.dtype)


def masked_var(
    x: Tensor,
    mask: Tensor,
    dim: Dims,
    correction: float,
    keepdim: bool,
    role: Role | str,
    eps: float | None,
) -> Tensor:
    group = _group(x, mask, dim, role, eps)
    centred = _centred(group, _mean(group, keepdim=True))
    return narrow(_variance(group, centred, correction, keepdim), group.dtype)


def masked_whiten(
    x: Tensor,
    mask: Tensor | None,
    dim: Dims,
    shift_mean: bool,
    correction: float,
    role: Role | str,
    eps: float | None,
) -> Tensor:
    group = _group(x, mask, dim, role, eps)
    mean = _mean(group, keepdim=True)
    centred = _centred(group, mean)
    variance = _variance(group, centred, correction, keepdim=True)
    # The square of the floor must be a number too, and sqrt needs it for its gradient.
    floor = max(group.eps, _epsilon(role, None, group.x.dtype, 2.0))
    noise = mean.detach().abs() * (_NOISE_ULPS * torch.finfo(group.x.dtype).eps)
    white = centred / torch.maximum(variance.clamp(min=floor * floor).sqrt(), noise)
    if shift_mean:
        # Deviations and divisors are bounded such that only half precision is too small for it.
        return white if white.dtype == group.dtype else narrow(white, group.dtype)
    return narrow(group.without(white + mean), group.dtype)


def as_wide(x: Tensor) -> Tensor:
    """`x` in the widest precision its device has."""
    return x.to(torch.float32 if x.device.type == "mps" else torch.float64)


def as_state(x: Tensor) -> Tensor:
    """`x` as material for statistics that outlive the graph."""
    return as_wide(x.detach())


def no_state(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Zeros for statistics of such as `x`, where it is."""
    return as_state(x.new_empty(0)).new_zeros(shape)


@dataclass(frozen=True, slots=True)
class _Group:
    """Numbers, which of them count and how much, and along which dimensions they belong together.

    `kept` is not 0 where an entry counts. `weights` is None where all that count count the same: a
    boolean mask only leaves entries out.
    """

    x: Tensor
    kept: Tensor | None
    weights: Tensor | None
    total: Tensor
    dims: list[int]
    size: int
    eps: float
    dtype: torch.dtype

    def without(self, x: Tensor) -> Tensor:
        """0 where an entry does not count."""
        return x if self.kept is None else only_where(self.kept, x)

    def sum(self, x: Tensor, count: Tensor, keepdim: bool) -> Tensor:
        """The weighted sum, divided by a count.

        Shares first and the sum after: the sum of two large numbers may overflow, their mean
        cannot. They are shares of the size, which is known before the mask is counted: compiled,
        counting and summing are one pass.
        """
        return self._summed(x * (1 / self.size), count, keepdim)

    def sum_(self, fresh: Tensor, count: Tensor, keepdim: bool) -> Tensor:
        """The same, where the numbers are not needed any more and may be written over."""
        return self._summed(fresh.mul_(1 / self.size), count, keepdim)

    def _summed(self, shares: Tensor, count: Tensor, keepdim: bool) -> Tensor:
        if self.weights is not None:
            # A number that overflows by its weight alone is cut where the sum of all still fits.
            shares = bound_(shares.mul_(self.weights), torch.finfo(shares.dtype).max / self.size)
        mean = shares.sum(self.dims, keepdim=True) / (count / self.size)
        return mean if keepdim else mean.squeeze(tuple(self.dims))


def _group(
    x: Tensor, mask: Tensor | None, dim: Dims, role: Role | str, eps: float | None
) -> _Group:
    x = floating(x)
    wide = widen(x)
    dims = _dims(dim, x.dim())
    size = max(_size(x, dims), 1)
    epsilon = _epsilon(role, eps, x.dtype)
    if mask is None:
        kept, weights, total = None, None, wide.new_full((), size)
    else:
        kept = _as_numbers(mask.detach(), wide.dtype).expand(x.shape)
        weights = None if mask.dtype == torch.bool else kept
        total = kept.sum(dims, keepdim=True)
    return _Group(
        x=wide if kept is None else only_where(kept, wide),
        kept=kept,
        weights=weights,
        total=total.clamp(epsilon, torch.finfo(wide.dtype).max),
        dims=dims,
        size=size,
        eps=epsilon,
        dtype=x.dtype,
    )


def _as_numbers(mask: Tensor, dtype: torch.dtype) -> Tensor:
    if mask.dtype == torch.bool and not torch.compiler.is_compiling():
        # The same bits, and several times faster than torch's own way from bool to float.
        mask = mask.view(torch.uint8)
    return mask.to(dtype)


def _mean(group: _Group, keepdim: bool) -> Tensor:
    return group.sum(group.x, group.total, keepdim)


def _centred(group: _Group, mean: Tensor) -> Tensor:
    limit = 0.99 * math.sqrt(torch.finfo(group.x.dtype).max)
    return group.without(bound_(group.x - mean, limit))


def _variance(group: _Group, centred: Tensor, correction: float, keepdim: bool) -> Tensor:
    corrected = group.total - correction
    count = torch.where(corrected > 0, corrected, group.total)
    largest = torch.finfo(group.x.dtype).max
    return group.sum_(centred.square(), count, keepdim).clamp(max=largest)


def _size(x: Tensor, dims: list[int]) -> int:
    # A loop, since dynamo does not trace `math.prod` of a generator.
    size = 1
    for dim in dims:
        size *= x.shape[dim]
    return size


def _dims(dim: Dims, rank: int) -> list[int]:
    # A number has one dimension to torch's own reductions, and none to name.
    if dim is None or rank == 0:
        return list(range(rank))
    return list(dim) if isinstance(dim, Sequence) else [dim]


def floating(x: Tensor) -> Tensor:
    """`x` in a dtype that has fractions; a complex one stays, to be refused as what it is."""
    return x if x.is_floating_point() or x.is_complex() else x.to(torch.get_default_dtype())


def _together(a: Tensor | float, b: Tensor | float) -> tuple[Tensor, Tensor]:
    """Both operands in the dtype torch would compute in; one of them is a tensor."""
    if not isinstance(a, Tensor):
        second, first = _together(b, a)
        return first, second
    if isinstance(b, Tensor) and a.dtype == b.dtype and a.device == b.device:
        return floating(a), floating(b)
    # The sum of two samples, since dynamo cannot trace `torch.result_type`.
    total = _sample(a) + (_sample(b) if isinstance(b, Tensor) else b)
    dtype = floating(total).dtype
    return a.to(total.device, dtype), torch.as_tensor(b, dtype=dtype, device=total.device)


def _sample(x: Tensor) -> Tensor:
    """An empty tensor that takes part in type promotion as `x` does."""
    return x.detach().new_empty(() if x.dim() == 0 else (0,))


def narrow(wide: Tensor, dtype: torch.dtype) -> Tensor:
    """Back to the caller's dtype; what does not fit becomes the largest number that does."""
    largest = torch.finfo(dtype).max
    return wide.clamp(-largest, largest).to(dtype)
