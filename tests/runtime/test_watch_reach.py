"""What watch() and shim() reach: threads, workers, wrappers, modes and compiled code."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

import epslint.runtime as er

INF = float("inf")


def test_other_threads_are_left_alone_and_may_watch_themselves() -> None:
    reports = []

    def unwatched() -> None:
        torch.zeros(1).log()

    def watched() -> None:
        with er.watch(on="record") as report:
            torch.zeros(1).log()
        reports.append(report)

    with er.watch() as report:
        threads = [threading.Thread(target=target) for target in (unwatched, watched)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not report
    assert [len(one) for one in reports] == [1]


def test_a_thread_may_train_while_another_is_watched() -> None:
    """Its backward pass runs on its own thread, and its NaN is nobody's error here."""
    x = torch.zeros(2, requires_grad=True)
    with er.watch() as report, ThreadPoolExecutor(2) as pool:
        trained = [pool.submit(torch.autograd.grad, x.sqrt().sum(), x) for _ in range(4)]
        assert all(grad.isinf().all() for one in trained for grad in one.result())
    assert not report


def test_a_thread_may_outlive_the_watch_it_was_started_under() -> None:
    over = threading.Event()
    seen = []

    def late() -> None:
        over.wait(10)
        seen.append(torch.zeros(1).log().item())

    with er.watch(), er.shim(quiet=True):
        thread = threading.Thread(target=late)
        thread.start()
    over.set()
    thread.join()
    assert seen == [-INF]


def test_an_error_in_a_thread_is_that_threads_own() -> None:
    def fails() -> None:
        torch.zeros(1).log()
        raise KeyError("mine")

    with er.watch() as report, ThreadPoolExecutor(1) as pool:
        failed = pool.submit(fails)
        with pytest.raises(KeyError, match="mine") as caught:
            failed.result()
        torch.ones(1).log()
    assert not report
    assert not getattr(caught.value, "__notes__", [])


def test_a_shim_guards_its_own_thread_only() -> None:
    with er.shim(quiet=True) as report, ThreadPoolExecutor(1) as pool:
        elsewhere = pool.submit(lambda: torch.zeros(1).log()).result()
        assert torch.zeros(1).log().isfinite()
    assert elsewhere.isinf()
    assert [repair.numbers for repair in report.repairs] == [1]


class _Reenter(torch.autograd.Function):
    """Calls backward within backward: beyond a depth of 60 autograd goes on in another thread."""

    @staticmethod
    def forward(ctx: SimpleNamespace, x: Tensor, depth: int, threads: list[int]) -> Tensor:
        ctx.depth, ctx.threads = depth, threads
        return x.clone()

    @staticmethod
    def backward(ctx: SimpleNamespace, grad: Tensor) -> tuple[Tensor, None, None]:
        ctx.threads.append(threading.get_ident())
        with torch.enable_grad():
            x = torch.zeros(1, requires_grad=True)
            if ctx.depth:
                _Reenter.apply(x, ctx.depth - 1, ctx.threads).backward()  # type: ignore[no-untyped-call]
            else:
                x.sqrt().backward()
        return grad, None, None


def test_autograds_own_threads_are_watched() -> None:
    """As on a GPU, where the whole backward pass runs on one."""
    threads: list[int] = []
    x = torch.zeros(1, requires_grad=True)
    with er.watch(on="record") as report:
        _Reenter.apply(x, 70, threads).backward()  # type: ignore[no-untyped-call]
    assert len(set(threads)) > 1, "autograd did not change threads: this test shows nothing"
    assert [birth.node for birth in report.births] == ["SqrtBackward0"]


class _Rows(Dataset[Tensor]):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Tensor:
        return torch.tensor([float(index)]).log()


@pytest.mark.parametrize("workers", [0, 2])
def test_data_loaders(workers: int) -> None:
    """In this process the dataset is watched; a worker is not, and what it sends has arrived."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with er.watch(on="record") as report:
            rows = [batch - batch for batch in DataLoader(_Rows(), num_workers=workers)]
    assert len(rows) == 4
    places = [birth.place.function for birth in report.births if birth.place]
    assert ("__getitem__" in places) == (workers == 0)
    assert places[-1] != "__getitem__", "the NaN of Inf - Inf is born here in either case"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a fork among threads
@pytest.mark.parametrize(
    "switch", [er.watch, lambda: er.watch(check_every=64), er.shim], ids=["watch", "window", "shim"]
)
def test_a_worker_is_not_stopped_by_what_it_inherited(
    switch: Callable[[], AbstractContextManager[object]],
) -> None:
    with switch():
        assert len(list(DataLoader(_Rows(), num_workers=1))) == 4


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a fork among threads
def test_workers_under_a_shim_are_guarded_but_not_counted() -> None:
    with er.shim(quiet=True) as report:
        loader = DataLoader(_Rows(), num_workers=2, multiprocessing_context="fork")
        rows = torch.cat(list(loader))
    assert rows.isfinite().all()
    assert not report


class _Broken(_Rows):
    def __getitem__(self, index: int) -> Tensor:
        super().__getitem__(index)
        raise KeyError("row")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a fork among threads
@pytest.mark.parametrize("switch", [er.watch, er.shim], ids=["watch", "shim"])
def test_an_error_in_a_worker_arrives_as_it_is(
    switch: Callable[[], AbstractContextManager[object]],
) -> None:
    with pytest.raises(KeyError, match="row"), switch():
        list(DataLoader(_Broken(), num_workers=2))
    assert torch._C._len_torch_dispatch_stack() == 0


@pytest.mark.slow
def test_a_spawned_worker_starts_without_a_watch() -> None:
    with er.watch():
        loader = DataLoader(_Rows(), num_workers=1, multiprocessing_context="spawn")
        assert len(list(loader)) == 4


def test_a_whole_training_step_with_an_optimizer() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
    with er.watch() as report:
        optimizer = torch.optim.Adam(model.parameters())
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.randn(16, 4)).square().mean().backward()
            optimizer.step()
    assert not report
    assert report.arrival is None


def test_attention_with_masks_is_finite() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    padding = torch.tensor([[False, False, True], [False, True, True]])
    with er.watch() as report:
        layer(torch.randn(2, 3, 8), src_key_padding_mask=padding).sum().backward()
    assert not report


def test_wrapper_subclasses_are_seen_through() -> None:
    from torch.testing._internal.two_tensor import TwoTensor

    pair = TwoTensor(torch.zeros(2), torch.ones(2))
    with er.watch(on="record") as report:
        pair.log()
    assert [birth.op for birth in report.births] == ["aten.log.default"]


def test_inference_mode() -> None:
    with torch.inference_mode():
        x = torch.ones(2)
        for every in (None, 5):
            with er.watch(on="record", check_every=every) as report:
                x.div_(1.0).sub_(x).log()
            assert [birth.op for birth in report.births] == ["aten.log.default"]
            x.fill_(1.0)


def test_sparse_tensors() -> None:
    sparse = torch.tensor([[0.0, 4.0], [0.0, 0.0]]).to_sparse()
    with er.watch(on="record") as report:
        _ = sparse * torch.tensor(INF) * 0.0
    assert "nan" in {kind for birth in report.births for kind in birth.kinds}


@pytest.mark.usefixtures("fresh_dynamo")
def test_a_compiled_function_is_watched_operation_by_operation() -> None:
    """torch.compile respects a dispatch mode: it runs eagerly under it."""
    compiled = torch.compile(lambda x: (x - 1).log() + 1, backend="aot_eager")
    compiled(torch.full((3,), 2.0))
    with er.watch(on="record") as report:
        compiled(torch.ones(3))
    assert [birth.op for birth in report.births] == ["aten.log.default"]


def test_the_line_is_found_when_torch_calls_the_operation() -> None:
    with er.watch(on="record") as report:
        nn.Sequential(nn.Identity(), nn.Softmax(-1))(torch.full((1, 2), -INF))
    place = report.births[0].place
    assert place is not None
    assert place.file == __file__
    assert place.source.startswith("nn.Sequential")
