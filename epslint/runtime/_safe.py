"""The safe operations: one signature for torch tensors and numpy arrays.

Each is the plain operation wherever that is well-conditioned, and stays finite, in value and in
gradient, for every finite input. A NaN that comes in stays visible. Guards are clamps: nothing is
added to an operand that needs no help, so nothing can be absorbed by rounding either.

Shared keywords: `role` names the row of the hierarchy (`epslint/epsilon.py`) that sets the epsilon,
`eps` overrides it (and is raised to what the dtype can hold), `bound` overrides a clamp (and is
lowered to what exp can take in the dtype).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from epslint.epsilon import Clamp, Role
from epslint.runtime._extras import missing

if TYPE_CHECKING:
    from types import ModuleType

    import numpy as np
    import torch

ArrayT = TypeVar("ArrayT", "torch.Tensor", "np.ndarray")
Dims: TypeAlias = "int | tuple[int, ...] | None"
Kind: TypeAlias = Literal["k1", "k2", "k3"]


def _backend(*operands: object) -> ModuleType:
    """The room that can compute with these: torch's if any operand is a tensor.

    Asked by the protocol and not by type, so that numpy users never load torch.
    """
    if any(hasattr(operand, "__torch_function__") for operand in operands):
        from epslint.runtime import _torch_ops  # noqa: PLC0415 - loads torch

        return _torch_ops
    with missing():
        from epslint.runtime import _numpy_ops  # noqa: PLC0415 - loads numpy
    return _numpy_ops


def safe_div(
    num: ArrayT | float,
    den: ArrayT | float,
    *,
    role: Role | str = Role.GENERAL,
    eps: float | None = None,
) -> ArrayT:
    """`num / den`, with `den` kept at least `eps` away from 0 on its own side.

    Exactly `num / den` where `|den| >= eps` and the quotient fits the dtype; a quotient that does
    not fit is the largest number that does. No gradient reaches a denominator that was replaced.
    """
    quotient: ArrayT = _backend(num, den).safe_div(num, den, role, eps)
    return quotient


def safe_log(x: ArrayT, *, role: Role | str = Role.PROBABILITY, eps: float | None = None) -> ArrayT:
    """`log(x)`, exactly, for `x >= eps`; `log(eps)` with gradient 0 below."""
    logarithm: ArrayT = _backend(x).safe_log(x, role, eps)
    return logarithm


def safe_exp(x: ArrayT, *, bound: float | None = None) -> ArrayT:
    """`exp(x)`, exactly, for `x <= bound`; `exp(bound)` with gradient 0 above.

    The bound is 88 in float32 and bfloat16, 11 in float16, 709 in float64 unless given.
    """
    exponential: ArrayT = _backend(x).safe_exp(x, bound)
    return exponential


def safe_sqrt(x: ArrayT, *, role: Role | str = Role.GENERAL, eps: float | None = None) -> ArrayT:
    """`sqrt(x)`, exactly, for `x >= eps`; `sqrt(eps)` with gradient 0 below."""
    root: ArrayT = _backend(x).safe_sqrt(x, role, eps)
    return root


def safe_rsqrt(x: ArrayT, *, role: Role | str = Role.GENERAL, eps: float | None = None) -> ArrayT:
    """`1 / sqrt(x)`, exactly, for `x >= eps`; `1 / sqrt(eps)` with gradient 0 below.

    In float16 `eps` is at least 1e-3: the gradient of anything smaller does not fit.
    """
    root: ArrayT = _backend(x).safe_rsqrt(x, role, eps)
    return root


def prob_ratio(
    new: ArrayT, old: ArrayT, *, role: Role | str = Role.RATIO, eps: float | None = None
) -> ArrayT:
    """`new / old` of two probabilities. Where log-probabilities are at hand use `logprob_ratio`."""
    ratio: ArrayT = _backend(new, old).prob_ratio(new, old, role, eps)
    return ratio


def logprob_ratio(
    new: ArrayT, old: ArrayT, *, clamp: Clamp | str = Clamp.POLICY, bound: float | None = None
) -> ArrayT:
    """`exp(new - old)`, with the difference clamped to `±bound` (20; 11 in float16)."""
    ratio: ArrayT = _backend(new, old).logprob_ratio(new, old, clamp, bound)
    return ratio


def masked_mean(
    x: ArrayT,
    mask: ArrayT,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    role: Role | str = Role.MASKED,
    eps: float | None = None,
) -> ArrayT:
    """The mean of `x` where `mask` is set, or weighted by it; 0 where nothing is.

    Masked entries are removed before anything is computed, so a NaN among them does no harm, in
    the gradient neither. The mask is a constant: no gradient flows into it.
    """
    mean: ArrayT = _backend(x, mask).masked_mean(x, mask, dim, keepdim, role, eps)
    return mean


def masked_var(
    x: ArrayT,
    mask: ArrayT,
    dim: Dims = None,
    *,
    correction: float = 1,
    keepdim: bool = False,
    role: Role | str = Role.MASKED,
    eps: float | None = None,
) -> ArrayT:
    """The variance of `x` where `mask` is set; 0 for a single entry or none.

    Where the count does not exceed `correction` the variance is taken without it.
    """
    var: ArrayT = _backend(x, mask).masked_var(x, mask, dim, correction, keepdim, role, eps)
    return var


def masked_whiten(
    x: ArrayT,
    mask: ArrayT,
    dim: Dims = None,
    *,
    shift_mean: bool = True,
    correction: float = 1,
    role: Role | str = Role.REWARD,
    eps: float | None = None,
) -> ArrayT:
    """`(x - mean) / std` over the masked entries, and 0 elsewhere.

    The divisor is at least `eps`, and at least what rounding alone makes of equal numbers (16 units
    in the last place of the mean), so that a group without spread does not become noise of size 1.
    """
    white: ArrayT = _backend(x, mask).masked_whiten(x, mask, dim, shift_mean, correction, role, eps)
    return white


def normalize(
    x: ArrayT,
    dim: Dims = None,
    *,
    correction: float = 1,
    role: Role | str = Role.REWARD,
    eps: float | None = None,
) -> ArrayT:
    """`(x - mean) / std`, for rewards and advantages: `masked_whiten` without a mask.

    For unit vectors use `torch.nn.functional.normalize`, which is safe as it is.
    """
    white: ArrayT = _backend(x).masked_whiten(x, None, dim, True, correction, role, eps)
    return white


def kl_estimate(
    new: ArrayT, ref: ArrayT, *, kind: Kind = "k3", bound: float | None = None
) -> ArrayT:
    """Schulman's estimators of KL(new ‖ ref) from log-probabilities of samples of `new`.

    With `d = ref - new` clamped to `±bound`: k1 is `-d`, k2 `d² / 2` (both ±40), k3
    `exp(d) - d - 1` (±10).
    """
    estimate: ArrayT = _backend(new, ref).kl_estimate(new, ref, kind, bound)
    return estimate
