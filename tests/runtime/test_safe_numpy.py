"""The safe operations for numpy: finite everywhere, silent, and equal to torch's."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch

import epslint.runtime as er

DTYPES = [np.float64, np.float32, np.float16]
Operation = Callable[..., "np.ndarray | torch.Tensor"]


def _masked(operation: Operation) -> Operation:
    def masked(x: np.ndarray | torch.Tensor) -> np.ndarray | torch.Tensor:
        mask = np.arange(x.shape[-1]) % 3 != 1
        return operation(x, mask if isinstance(x, np.ndarray) else torch.from_numpy(mask))

    return masked


OPERATIONS: dict[str, tuple[Operation, int]] = {
    "div": (er.safe_div, 2),
    "div_count": (partial(er.safe_div, role="count"), 2),
    "log": (er.safe_log, 1),
    "exp": (er.safe_exp, 1),
    "sqrt": (er.safe_sqrt, 1),
    "rsqrt": (er.safe_rsqrt, 1),
    "prob_ratio": (er.prob_ratio, 2),
    "logprob_ratio": (er.logprob_ratio, 2),
    "k1": (partial(er.kl_estimate, kind="k1"), 2),
    "k2": (partial(er.kl_estimate, kind="k2"), 2),
    "k3": (er.kl_estimate, 2),
    "masked_mean": (_masked(er.masked_mean), 1),
    "masked_var": (_masked(er.masked_var), 1),
    "masked_whiten": (_masked(er.masked_whiten), 1),
    "whiten_unshifted": (_masked(partial(er.masked_whiten, shift_mean=False)), 1),
    "normalize": (er.normalize, 1),
}


def edges(dtype: type[np.floating]) -> np.ndarray:
    info = np.finfo(dtype)
    root = float(np.sqrt(info.max))
    magnitudes = [0.0, float(info.tiny), float(info.smallest_subnormal), float(info.max), root]
    magnitudes += [1e-24, 1e-8, 1e-4, 1.0, 11.0, 20.0, 40.0, 88.0, 709.0]
    return np.array([s * x for x in magnitudes for s in (1.0, -1.0)], dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_pair_of_edges_is_finite_without_a_warning(
    name: str, dtype: type[np.floating]
) -> None:
    operation, arity = OPERATIONS[name]
    pairs = np.array(list(itertools.product(edges(dtype), repeat=2)), dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = operation(*pairs.T[:arity])
    assert value.dtype == dtype
    assert np.isfinite(value).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_numpy_and_torch_agree(name: str, dtype: type[np.floating]) -> None:
    operation, arity = OPERATIONS[name]
    generator = np.random.default_rng(0)
    arrays = [generator.normal(size=32).astype(dtype) for _ in range(arity)]
    arrays[-1][:4] = [0.0, 1e-9, -1e-9, 5.0]
    ours = operation(*arrays)
    theirs = operation(*[torch.from_numpy(x) for x in arrays])
    tolerance = 16 * float(np.finfo(dtype).eps)
    np.testing.assert_allclose(ours, np.asarray(theirs), rtol=tolerance, atol=tolerance)


def test_plain_numbers_and_integers_are_taken() -> None:
    assert er.safe_div(np.array([3]), 2) == 1.5
    assert er.safe_log(np.array(0.0)) == pytest.approx(np.log(1e-8))
    assert er.safe_div(np.ones(1, dtype=np.float32), 2.0).dtype == np.float32


def test_nan_stays_visible() -> None:
    nan = np.array([np.nan, 1.0])
    for operation in (er.safe_log, er.safe_exp, er.safe_sqrt, er.normalize):
        assert np.isnan(operation(nan)).any()
