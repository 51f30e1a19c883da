"""RunningStats: the moments of the whole stream, whatever the batches, and never a NaN."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import epslint.runtime as er


@settings(max_examples=50, deadline=None)
@given(
    stream=hnp.arrays(np.float64, st.integers(1, 30), elements=st.floats(-1e6, 1e6)),
    cut=st.integers(1, 7),
)
def test_batches_give_the_moments_of_the_stream(stream: np.ndarray, cut: int) -> None:
    stats = er.RunningStats[np.ndarray]()
    for start in range(0, len(stream), cut):
        stats.update(stream[start : start + cut])
    np.testing.assert_allclose(stats.mean, stream.mean(), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        stats.var, stream.var(), rtol=1e-6, atol=1e-9 * abs(stream).max() + 1e-20
    )
    assert stats.count == pytest.approx(len(stream))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_extremes_stay_finite(dtype: torch.dtype, device: torch.device) -> None:
    if device.type == "mps" and dtype == torch.float64:
        pytest.skip("MPS has no float64")
    info = torch.finfo(dtype)
    stats = er.RunningStats()
    for batch in ([info.max, info.max], [info.min, info.min], [0.0, info.tiny], []):
        stats.update(torch.tensor(batch, dtype=dtype, device=device))
    assert stats.mean.isfinite()
    assert stats.var.isfinite()
    x = torch.tensor([info.max, info.min, 0.0], dtype=dtype, device=device, requires_grad=True)
    white = stats.normalize(x)
    (grad,) = torch.autograd.grad(white.sum(), x)
    assert white.dtype == dtype
    assert white.isfinite().all()
    assert grad.isfinite().all()


def test_before_the_first_batch_normalize_changes_nothing() -> None:
    x = torch.tensor([1.0, -2.0])
    assert torch.equal(er.RunningStats().normalize(x), x)
    with pytest.raises(RuntimeError, match="no batch yet"):
        _ = er.RunningStats[torch.Tensor]().mean


@pytest.mark.parametrize("make", [np.asarray, torch.tensor], ids=["numpy", "torch"])
def test_before_the_first_batch_extremes_are_nothing_special(
    make: Callable[[object], np.ndarray],
) -> None:
    """Their sum, which nobody asked for, is Inf."""
    largest = make(np.array([1.7e308, 1.7e308, -3.0]))
    assert er.RunningStats[np.ndarray]().normalize(largest).tolist() == largest.tolist()


@pytest.mark.parametrize("make", [np.asarray, torch.tensor], ids=["numpy", "torch"])
@pytest.mark.parametrize("shape", [(), (2,)])
def test_empty_batches_change_nothing(
    make: Callable[[object], np.ndarray], shape: tuple[int, ...]
) -> None:
    nothing, batch = make(np.zeros((0, *shape))), make(np.arange(12.0).reshape(6, -1))
    stats = er.RunningStats[np.ndarray](shape)
    stats.update(nothing)
    assert np.asarray(stats.var).tolist() == np.ones(shape).tolist()
    stats.update(batch)
    before = [np.asarray(x).tolist() for x in (stats.count, stats.mean, stats.var)]
    stats.update(nothing)
    assert [np.asarray(x).tolist() for x in (stats.count, stats.mean, stats.var)] == before
    assert stats.normalize(nothing).shape == (0, *shape)


@pytest.mark.parametrize("make", [np.asarray, torch.tensor], ids=["numpy", "torch"])
def test_integers_are_normalized_as_numbers(make: Callable[[object], np.ndarray]) -> None:
    stats = er.RunningStats[np.ndarray]()
    stats.update(make([1, 3]))
    assert stats.normalize(make([3, 1])).tolist() == [1.0, -1.0]


def test_a_constant_stream_normalizes_to_zero() -> None:
    stats = er.RunningStats()
    stats.update(torch.full((5,), 0.1))
    assert stats.normalize(torch.full((2,), 0.1)).tolist() == [0.0, 0.0]


def test_items_have_a_shape_and_batches_any_leading_dimensions() -> None:
    stats = er.RunningStats(shape=(3,))
    batch = torch.arange(12.0).reshape(2, 2, 3)
    stats.update(batch)
    torch.testing.assert_close(stats.mean, batch.reshape(-1, 3).double().mean(0))
    torch.testing.assert_close(stats.std, batch.reshape(-1, 3).double().std(0, correction=0))


def test_no_graph_is_kept() -> None:
    stats = er.RunningStats()
    stats.update(torch.ones(3, requires_grad=True) * 2)
    assert not stats.mean.requires_grad


def test_state_survives_saving() -> None:
    stats, other = er.RunningStats(), er.RunningStats()
    other.load_state_dict(stats.state_dict())
    stats.update(torch.tensor([1.0, 2.0, 4.0]))
    other.load_state_dict(stats.state_dict())
    assert torch.equal(other.mean, stats.mean)
    assert torch.equal(other.var, stats.var)


def test_no_host_synchronisation() -> None:
    stats = er.RunningStats()
    stats.update(torch.empty(4, device="meta"))
    stats.update(torch.empty(4, device="meta"))
    assert stats.normalize(torch.empty(2, device="meta")).device.type == "meta"
