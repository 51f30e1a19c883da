"""The safe operations for numpy: the same formulas as for torch, without gradients."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from epslint.epsilon import Clamp, Role
from epslint.runtime import _guards

Floats = npt.NDArray[np.floating]
Dims = int | tuple[int, ...] | None

_NOISE_ULPS = 16.0


def safe_div(num: npt.ArrayLike, den: npt.ArrayLike, role: Role | str, eps: float | None) -> Floats:
    num, den = _together(num, den)
    epsilon = _guards.epsilon(role, eps, num.dtype)
    with np.errstate(over="ignore"):
        quotient = num / np.copysign(np.maximum(np.abs(den), num.dtype.type(epsilon)), den)
    return _fitting(quotient)


def prob_ratio(
    new: npt.ArrayLike, old: npt.ArrayLike, role: Role | str, eps: float | None
) -> Floats:
    new, old = _together(new, old)
    with np.errstate(over="ignore"):
        return _fitting(new / _at_least(old, role, eps))


def safe_log(x: npt.ArrayLike, role: Role | str, eps: float | None) -> Floats:
    return np.log(_at_least(floating(x), role, eps))


def safe_exp(x: npt.ArrayLike, bound: float | None) -> Floats:
    x = floating(x)
    return np.exp(np.minimum(x, x.dtype.type(_guards.exp_bound(bound, x.dtype))))


def safe_sqrt(x: npt.ArrayLike, role: Role | str, eps: float | None) -> Floats:
    return np.sqrt(_at_least(floating(x), role, eps))


def safe_rsqrt(x: npt.ArrayLike, role: Role | str, eps: float | None) -> Floats:
    x = floating(x)
    return x.dtype.type(1) / np.sqrt(_at_least(x, role, eps, 1.5))


def logprob_ratio(
    new: npt.ArrayLike, old: npt.ArrayLike, clamp: Clamp | str, bound: float | None
) -> Floats:
    new, old = _together(new, old)
    limit = _guards.bound(clamp, bound, new.dtype)
    return narrow(np.exp(_difference(new, old, limit)), new.dtype)


def kl_estimate(new: npt.ArrayLike, ref: npt.ArrayLike, kind: str, bound: float | None) -> Floats:
    new, ref = _together(new, ref)
    d = _difference(ref, new, _guards.kl_bound(kind, bound, new.dtype))
    if kind == "k1":
        return narrow(-d, new.dtype)
    if kind == "k2":
        return narrow(np.square(d) / 2, new.dtype)
    return narrow(np.expm1(d) - d, new.dtype)


def masked_mean(
    x: npt.ArrayLike,
    mask: npt.ArrayLike,
    dim: Dims,
    keepdim: bool,
    role: Role | str,
    eps: float | None,
) -> Floats:
    group = _group(x, mask, dim, role, eps)
    return narrow(_mean(group, keepdim), group.dtype)


def masked_var(
    x: npt.ArrayLike,
    mask: npt.ArrayLike,
    dim: Dims,
    correction: float,
    keepdim: bool,
    role: Role | str,
    eps: float | None,
) -> Floats:
    group = _group(x, mask, dim, role, eps)
    centred = _centred(group, _mean(group, keepdim=True))
    return narrow(_variance(group, centred, correction, keepdim), group.dtype)


def masked_whiten(
    x: npt.ArrayLike,
    mask: npt.ArrayLike | None,
    dim: Dims,
    shift_mean: bool,
    correction: float,
    role: Role | str,
    eps: float | None,
) -> Floats:
    group = _group(x, mask, dim, role, eps)
    mean = _mean(group, keepdim=True)
    centred = _centred(group, mean)
    deviation = np.sqrt(_variance(group, centred, correction, keepdim=True))
    noise = np.abs(mean) * (_NOISE_ULPS * float(np.finfo(group.x.dtype).eps))
    white = centred / np.maximum(np.maximum(deviation, group.x.dtype.type(group.eps)), noise)
    if not shift_mean:
        white = np.where(group.weights == 0, 0, white + mean)
    return narrow(white, group.dtype)


def as_wide(x: npt.ArrayLike) -> Floats:
    """`x` in float64."""
    return np.asarray(x, dtype=np.float64)


def as_state(x: npt.ArrayLike) -> Floats:
    """`x` as material for statistics."""
    return as_wide(x)


def no_state(x: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Zeros for statistics of such as `x`."""
    return np.zeros(shape)


@dataclass(frozen=True, slots=True)
class _Group:
    """Numbers, what each weighs, and along which axes they belong together."""

    x: Floats
    weights: Floats
    axis: Dims
    total: Floats
    eps: float
    dtype: np.dtype[np.floating]


def _group(
    x: npt.ArrayLike, mask: npt.ArrayLike | None, dim: Dims, role: Role | str, eps: float | None
) -> _Group:
    x = floating(x)
    wide = _widen(x)
    weights = np.broadcast_to(np.asarray(1 if mask is None else mask, dtype=wide.dtype), x.shape)
    epsilon = _guards.epsilon(role, eps, x.dtype)
    total = weights.sum(axis=dim, keepdims=True)
    return _Group(
        x=np.where(weights == 0, 0, wide).astype(wide.dtype),
        weights=weights,
        axis=dim,
        total=np.maximum(total, wide.dtype.type(epsilon)),
        eps=epsilon,
        dtype=x.dtype,
    )


def _mean(group: _Group, keepdim: bool) -> Floats:
    with np.errstate(over="ignore"):
        shares = group.x * (group.weights / group.total)
        return _fitting(shares.sum(axis=group.axis, keepdims=keepdim))


def _centred(group: _Group, mean: Floats) -> Floats:
    limit = 0.99 * math.sqrt(float(np.finfo(group.x.dtype).max))
    with np.errstate(over="ignore"):
        centred = np.clip(group.x - mean, -limit, limit)
    return np.where(group.weights == 0, 0, centred).astype(group.x.dtype)


def _variance(group: _Group, centred: Floats, correction: float, keepdim: bool) -> Floats:
    corrected = group.total - group.total.dtype.type(correction)
    count = np.where(corrected > 0, corrected, group.total)
    with np.errstate(over="ignore"):
        summed = (np.square(centred) * (group.weights / count)).sum(
            axis=group.axis, keepdims=keepdim
        )
    return _fitting(summed)


def _difference(a: Floats, b: Floats, limit: float) -> Floats:
    with np.errstate(over="ignore"):
        return np.clip(_widen(a) - _widen(b), -limit, limit)


def _at_least(x: Floats, role: Role | str, eps: float | None, power: float = 1.0) -> Floats:
    return np.maximum(x, x.dtype.type(_guards.epsilon(role, eps, x.dtype, power)))


def floating(x: npt.ArrayLike) -> Floats:
    """`x` in a dtype that has fractions; a complex one stays, to be refused as what it is."""
    array = np.asarray(x)
    return array if array.dtype.kind in "fc" else array.astype(np.float64)


def _together(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Both operands in the dtype numpy would compute in: a Python number takes the array's."""
    dtype = np.result_type(a, b)
    if dtype.kind not in "fc":
        dtype = np.dtype(np.float64)
    return np.asarray(a, dtype=dtype), np.asarray(b, dtype=dtype)


def _widen(x: Floats) -> Floats:
    return x.astype(np.float32) if x.dtype.itemsize < 4 else x


def narrow(wide: Floats, dtype: np.dtype[np.floating]) -> Floats:
    largest = float(np.finfo(dtype).max)
    return np.clip(wide, -largest, largest).astype(dtype)


def _fitting(x: Floats) -> Floats:
    largest = np.finfo(x.dtype).max
    return np.clip(x, -largest, largest)
