"""No host synchronisation and no branch on data: the transforms that would trip over one."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

import epslint.runtime as er
from tests.runtime.operations import CASES, DTYPES, Case

# A dtype, and of each operation in it the value and the gradients.
Compiled = tuple[torch.dtype, dict[str, tuple[Tensor, ...]]]


def operands(case: Case, dtype: torch.dtype = torch.float32, rows: int = 0) -> list[Tensor]:
    shape = (rows, 6) if rows else (6,)
    generator = torch.Generator().manual_seed(1)
    made = [torch.randn(shape, generator=generator).to(dtype) for _ in range(case.arity)]
    made[-1][..., 0] = 0.0
    return made


def gradients(case: Case, inputs: list[Tensor]) -> tuple[Tensor, ...]:
    leaves = [x.clone().requires_grad_() for x in inputs]
    value = case.safe(*leaves)
    return value.detach(), *torch.autograd.grad(value.sum(), leaves)


@pytest.fixture(scope="module", params=[torch.float32, torch.float16], ids=str)
def compiled(request: pytest.FixtureRequest) -> Compiled:
    """All of them traced into one graph, autograd included: starting dynamo takes seconds."""
    dtype: torch.dtype = request.param
    leaves = {name: operands(case, dtype) for name, case in CASES.items()}
    for x in itertools.chain.from_iterable(leaves.values()):
        x.requires_grad_()

    def everything(leaves: dict[str, list[Tensor]]) -> dict[str, Tensor]:
        return {name: case.safe(*leaves[name]) for name, case in CASES.items()}

    torch._dynamo.reset()
    values = torch.compile(everything, fullgraph=True, backend="aot_eager")(leaves)
    grads = torch.autograd.grad(
        [value.sum() for value in values.values()],
        list(itertools.chain.from_iterable(leaves.values())),
    )
    found = iter(grads)
    return dtype, {
        name: (values[name].detach(), *itertools.islice(found, case.arity))
        for name, case in CASES.items()
    }


@pytest.mark.parametrize("name", CASES)
def test_compiles_without_a_graph_break(name: str, compiled: Compiled) -> None:
    """The same bits, since aot_eager runs the same kernels."""
    dtype, results = compiled
    expected = gradients(CASES[name], operands(CASES[name], dtype))
    for ours, eager in zip(results[name], expected, strict=True):
        torch.testing.assert_close(ours, eager)


@pytest.mark.slow
@pytest.mark.usefixtures("fresh_dynamo")
def test_inductor_compiles_them_all_in_one_graph() -> None:
    """With the real code generator, once: it is slow to start."""

    def everything(x: Tensor, y: Tensor) -> Tensor:
        parts = [case.safe(*(x, y)[: case.arity]).sum() for case in CASES.values()]
        return torch.stack(parts).sum()

    x, y = torch.rand(2, 6) + 0.5
    x.requires_grad_()
    # Without the probes of every vector instruction set, which take longer than the compilation.
    options: dict[str, str | int | bool | Callable[..., object]] = {"cpp.vec_isa_ok": True}
    compiled = torch.compile(everything, fullgraph=True, options=options)
    value, expected = compiled(x, y), everything(x, y)
    torch.testing.assert_close(value, expected)
    (ours,) = torch.autograd.grad(value, x)
    (eager,) = torch.autograd.grad(expected, x)
    torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-4)


@pytest.mark.filterwarnings("error:There is a performance drop")  # an operation without a rule
@pytest.mark.parametrize("name", CASES)
def test_vmap_and_grad(name: str) -> None:
    case = CASES[name]
    rows = operands(case, rows=3)

    def total(*xs: Tensor) -> Tensor:
        return case.safe(*xs).sum()

    values = torch.func.vmap(case.safe)(*rows)
    argnums = tuple(range(case.arity))
    grads = torch.func.vmap(torch.func.grad(total, argnums=argnums))(*rows)
    for i in range(3):
        expected = gradients(case, [x[i] for x in rows])
        for ours, eager in zip((values, *grads), expected, strict=True):
            torch.testing.assert_close(ours[i], eager)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_meta_tensors_go_through_with_autograd(name: str, dtype: torch.dtype) -> None:
    """A meta tensor has no data: whatever looks at data raises."""
    case = CASES[name]
    inputs = [torch.empty(6, dtype=dtype, device="meta") for _ in range(case.arity)]
    for made in gradients(case, inputs):
        assert made.device.type == "meta"
        assert made.dtype == dtype


@pytest.mark.parametrize("peek", [lambda x: x.sum().item(), lambda x: bool((x > 0).any())])
def test_a_host_synchronisation_would_be_seen(peek: object) -> None:
    """The meta-test: the same tensors, and an operation that does look."""
    x = torch.empty(6, device="meta", requires_grad=True)
    with pytest.raises((RuntimeError, NotImplementedError)):
        peek(er.safe_log(x))  # type: ignore[operator]
