"""The safe operations for torch: finite everywhere, and the plain operation where that is fine."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import epslint.runtime as er
from tests.runtime.operations import CASES, DTYPES, VARIANTS, Case

CPU = torch.device("cpu")
WIDTH: dict[torch.dtype, Literal[16, 32, 64]] = {
    torch.float64: 64,
    torch.float32: 32,
    torch.bfloat16: 32,
    torch.float16: 16,
}


def edges(dtype: torch.dtype) -> list[float]:
    """Where floating point ends: zeros, denormals, the extremes, and their roots."""
    info = torch.finfo(dtype)
    root = info.max**0.5
    magnitudes = [0.0, info.tiny, info.tiny / 2, info.max, root, 1.5 * root, info.eps]
    magnitudes += [1e-24, 1e-9, 1e-8, 1e-4, 1e-3, 1.0, 10.0, 11.0, 20.0, 40.0, 88.0, 709.0]
    return [sign * x for x in magnitudes for sign in (1.0, -1.0)]


def finite_floats(dtype: torch.dtype) -> st.SearchStrategy[float]:
    limit = torch.finfo(dtype).max
    numbers = st.floats(-limit, limit, allow_nan=False, allow_infinity=False, width=WIDTH[dtype])
    return st.one_of(st.sampled_from(edges(dtype)), numbers)


def leaves(columns: list[list[float]], dtype: torch.dtype, device: torch.device) -> list[Tensor]:
    # Through float64 and a clamp: a width-32 float just above bfloat16's largest rounds to Inf.
    limit = torch.finfo(dtype).max
    wide = torch.tensor(columns, dtype=torch.float64).clamp(-limit, limit)
    return [row.to(device, dtype).requires_grad_() for row in wide]


def assert_finite_through(case: Case, operands: list[Tensor]) -> None:
    assert all(x.isfinite().all() for x in operands), "the test's own input is not finite"
    value = case.safe(*operands)
    assert value.dtype == operands[0].dtype
    assert value.isfinite().all(), value
    for grad in torch.autograd.grad(value, operands, torch.ones_like(value)):
        assert grad.isfinite().all(), grad


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", VARIANTS)
def test_every_pair_of_edges_is_finite(name: str, dtype: torch.dtype, device: torch.device) -> None:
    if device.type == "mps" and dtype == torch.float64:
        pytest.skip("MPS has no float64")
    case = VARIANTS[name]
    pairs = list(itertools.product(edges(dtype), repeat=2))
    columns = [list(column) for column in zip(*pairs, strict=True)]
    assert_finite_through(case, leaves(columns[: case.arity], dtype, device))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", VARIANTS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_finite_input_is_finite(name: str, dtype: torch.dtype, data: st.DataObject) -> None:
    case = VARIANTS[name]
    number = data.draw(st.integers(1, 6))
    column = st.lists(finite_floats(dtype), min_size=number, max_size=number)
    columns = data.draw(st.lists(column, min_size=case.arity, max_size=case.arity))
    assert_finite_through(case, leaves(columns, dtype, CPU))


@pytest.mark.parametrize("name", ["div", "log", "sqrt", "rsqrt", "masked_var", "normalize"])
def test_the_plain_operation_fails_where_ours_does_not(name: str) -> None:
    """Otherwise the tests above would prove nothing."""
    case = CASES[name]
    operands = leaves([[0.0, 0.0]] * case.arity, torch.float32, CPU)
    value = case.plain(*operands)
    grads = torch.autograd.grad(value, operands, torch.ones_like(value))
    assert not all(x.isfinite().all() for x in (value, *grads))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_ordinary_input_gives_the_plain_result(
    name: str, dtype: torch.dtype, device: torch.device
) -> None:
    """Against float64, within the documented units of the dtype's eps; 0 units is bit for bit."""
    if device.type == "mps":
        pytest.skip("the reference is float64, which MPS has not")
    case = CASES[name]
    generator = torch.Generator().manual_seed(0)
    operands = [
        (torch.rand(64, generator=generator) * 2 + 0.1).to(device, dtype).requires_grad_()
        for _ in range(case.arity)
    ]
    exact = [x.detach().double().requires_grad_() for x in operands]
    reference = operands if case.ulps == 0 else exact
    value, plain = case.safe(*operands), case.plain(*reference)
    if case.ulps == 0:
        assert torch.equal(value, plain)
    tolerance = (case.ulps or 4) * torch.finfo(dtype).eps
    torch.testing.assert_close(value.double(), plain.double(), rtol=tolerance, atol=tolerance)
    ours = torch.autograd.grad(value.square().sum(), operands)
    theirs = torch.autograd.grad(plain.square().sum(), reference)
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a.double(), b.double(), rtol=8 * tolerance, atol=8 * tolerance)


@pytest.mark.parametrize("name", CASES)
def test_gradients_of_gradients(name: str) -> None:
    """Against differences, in float64: the formulas of our own must not end at the first one."""
    case = CASES[name]
    generator = torch.Generator().manual_seed(0)
    operands = [
        (torch.rand(6, generator=generator, dtype=torch.float64) + 0.3).requires_grad_()
        for _ in range(case.arity)
    ]
    assert torch.autograd.gradcheck(case.safe, operands)
    assert torch.autograd.gradgradcheck(case.safe, operands)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["div", "log", "sqrt", "rsqrt", "exp", "prob_ratio"])
def test_no_gradient_reaches_what_was_replaced(
    name: str, dtype: torch.dtype, device: torch.device
) -> None:
    if device.type == "mps" and dtype == torch.float64:
        pytest.skip("MPS has no float64")
    case = CASES[name]
    replaced = torch.finfo(dtype).max if name == "exp" else torch.finfo(dtype).tiny / 4
    columns = [[1.0, 1.0]] * (case.arity - 1) + [[replaced, 2.0]]
    operands = leaves(columns, dtype, device)
    (grad,) = torch.autograd.grad(case.safe(*operands).sum(), operands[-1:])
    assert grad[0] == 0
    assert grad[1] != 0


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("weight", [None, 1.0, 1e-30, 3e38])
def test_groups_of_the_largest_numbers_are_finite(dtype: torch.dtype, weight: float | None) -> None:
    """Of sizes that no power of 2 divides, so that shares are rounded."""
    for size in (1, 3, 7, 49, 77):
        x = torch.full((size,), torch.finfo(dtype).max, dtype=dtype)
        mask = torch.ones(size, dtype=torch.bool) if weight is None else torch.full((size,), weight)
        for operation in (er.masked_mean, er.masked_var, er.masked_whiten):
            leaf = x.clone().requires_grad_()
            value = operation(leaf, mask)
            (grad,) = torch.autograd.grad(value.sum(), leaf)
            assert value.isfinite().all(), (operation, size)
            assert grad.isfinite().all(), (operation, size)


def test_a_ratio_of_probabilities_knows_no_negative_one() -> None:
    new, old = torch.ones(2), torch.tensor([-1.0, -1e-30])
    assert er.prob_ratio(new, old).tolist() == pytest.approx([1e8, 1e8])


def test_forward_derivatives_of_what_torch_can_differentiate() -> None:
    x, along = torch.tensor([0.5, 0.0]), torch.ones(2)
    for operation in (er.safe_log, er.safe_exp, er.safe_sqrt, er.safe_rsqrt):
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(x, along)
            tangent = torch.autograd.forward_ad.unpack_dual(operation(dual)).tangent
        expected = torch.func.jvp(operation, (x,), (along,))[1]
        assert tangent is not None
        assert tangent.isfinite().all()
        torch.testing.assert_close(tangent, expected)


SHAPES: dict[str, Callable[[Tensor], Tensor]] = {
    "nothing": lambda row: row[:0],
    "no rows": lambda row: row.expand(0, len(row)),
    "a number": lambda row: row[0],
    "one column of several": lambda row: torch.stack([row, row, row], 1)[:, 1],
    "transposed": lambda row: row.reshape(2, -1).t(),
    "expanded": lambda row: row[:1].expand(4),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("masked")])
def test_any_shape_gives_what_a_plain_copy_gives(name: str, shape: str, dtype: torch.dtype) -> None:
    case = CASES[name]
    rows = leaves([edges(dtype), edges(dtype)[::-1]][: case.arity], dtype, CPU)
    given = [SHAPES[shape](row.detach()).requires_grad_() for row in rows]
    copies = [x.detach().clone(memory_format=torch.contiguous_format) for x in given]
    assert_finite_through(case, given)
    # Within rounding: torch sums and vectorises in another order.
    torch.testing.assert_close(case.safe(*given), case.safe(*copies))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.arity == 2])
@pytest.mark.parametrize("position", [0, 1])
def test_only_one_operand_needs_a_gradient(name: str, position: int) -> None:
    """Broadcast against each other: its gradient is the one it has together with the other's."""
    case = CASES[name]
    column, row = leaves([[0.0, 1e-30, 0.5, 3e38], [2.0, -0.0, 7.0, 1e-9]], torch.float32, CPU)
    together = [column[:, None].detach().requires_grad_(), row[None].detach().requires_grad_()]
    alone = [x.detach().clone() for x in together]
    alone[position].requires_grad_()
    expected = torch.autograd.grad(case.safe(*together).sum(), together)[position]
    (grad,) = torch.autograd.grad(case.safe(*alone).sum(), alone[position])
    assert torch.equal(grad, expected)


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("masked")])
@pytest.mark.parametrize(
    "make", [lambda: torch.tensor([0, 3]), lambda: torch.tensor([False, True])]
)
def test_integers_and_booleans_are_numbers(name: str, make: Callable[[], Tensor]) -> None:
    case = CASES[name]
    value = case.safe(*[make() for _ in range(case.arity)])
    assert value.dtype == torch.get_default_dtype()
    assert value.isfinite().all()


@pytest.mark.parametrize("dim", [None, 0, -1])
def test_a_group_may_be_a_single_number_or_empty(dim: int | None) -> None:
    number, nothing = torch.tensor(2.0), torch.zeros(3, 0)
    assert er.masked_mean(number, torch.tensor(True), dim=dim) == 2.0
    assert er.masked_var(number, torch.tensor(True), dim=dim) == 0.0
    assert er.normalize(number, dim=dim) == 0.0
    assert er.masked_mean(nothing, nothing > 0, dim=dim).isfinite().all()
    assert er.masked_var(nothing, nothing > 0, dim=dim).isfinite().all()
    assert er.normalize(nothing, dim=dim).shape == (3, 0)


@pytest.mark.parametrize("incoming", [-1.0, 0.0, 1e30, torch.finfo(torch.float32).max])
def test_division_survives_any_incoming_gradient(incoming: float) -> None:
    num, den = leaves([edges(torch.float32)] * 2, torch.float32, CPU)
    value = er.safe_div(num[:, None], den[None, :])
    grads = torch.autograd.grad(value, (num, den), torch.full_like(value, incoming))
    assert all(grad.isfinite().all() for grad in grads)


@pytest.mark.parametrize("name", ["normalize", "masked_whiten", "logprob_ratio", "k3"])
def test_a_gradient_too_large_for_half_precision_is_the_largest(name: str) -> None:
    case = CASES[name]
    x = torch.tensor([0.0, 0.0, 10.0 if case.arity == 2 else 0.0], dtype=torch.float16)
    operands = [x.clone().requires_grad_(), (x * 0).requires_grad_()][: case.arity]
    value = case.safe(*operands)
    incoming = torch.tensor([1e4, -1e4, 1e4], dtype=torch.float16)
    for grad in torch.autograd.grad(value, operands, incoming):
        assert grad.isfinite().all(), grad


def test_division_keeps_the_sign_of_a_small_denominator() -> None:
    den = torch.tensor([1e-30, -1e-30])
    assert er.safe_div(torch.ones(2), den).tolist() == pytest.approx([1e8, -1e8])


def test_division_takes_numbers_and_integers() -> None:
    assert er.safe_div(torch.tensor([3]), torch.tensor([2])).item() == 1.5
    assert er.safe_div(torch.ones(2, dtype=torch.float16), 4.0).dtype == torch.float16
    assert er.safe_div(1.0, torch.zeros((), dtype=torch.float16)).dtype == torch.float16


@pytest.mark.parametrize("name", CASES)
def test_nan_stays_visible(name: str) -> None:
    case = CASES[name]
    nan = torch.full((4,), float("nan"))
    assert case.safe(*[nan] * case.arity).isnan().any()


def test_a_masked_nan_reaches_neither_value_nor_gradient() -> None:
    x = torch.tensor([1.0, float("nan"), float("inf"), 3.0], requires_grad=True)
    mask = torch.tensor([True, False, False, True])
    for operation in (er.masked_mean, er.masked_var, er.masked_whiten):
        value = operation(x, mask)
        (grad,) = torch.autograd.grad(value.sum(), x)
        assert value.isfinite().all()
        assert grad.isfinite().all()
        assert grad[1:3].tolist() == [0.0, 0.0]


def test_an_empty_mask_gives_zero() -> None:
    x, mask = torch.randn(2, 3), torch.tensor([[True, True, False], [False] * 3])
    assert er.masked_mean(x, mask, dim=1)[1] == 0
    assert er.masked_var(x, mask, dim=1)[1] == 0
    assert er.masked_whiten(x, mask, dim=1)[1].tolist() == [0, 0, 0]


def test_a_single_element_has_no_variance() -> None:
    assert er.masked_var(torch.tensor([5.0, 7.0]), torch.tensor([True, False])) == 0


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("dim", [None, 0])
def test_weights_whose_sum_is_no_number_do_no_harm(dtype: torch.dtype, dim: int | None) -> None:
    largest = torch.finfo(dtype).max
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    weights = torch.full((6,), torch.finfo(wide).max, dtype=wide)
    for numbers in ([largest, -largest] * 3, [0.1, 2.0, -3.0, 0.0, 1e-8, 1.0]):
        for operation in (er.masked_mean, er.masked_var, er.masked_whiten):
            x = torch.tensor(numbers, dtype=dtype, requires_grad=True)
            value = operation(x, weights, dim=dim)
            (grad,) = torch.autograd.grad(value.sum(), x)
            assert value.isfinite().all(), operation
            assert grad.isfinite().all(), operation


def test_weights_count_as_what_they_weigh() -> None:
    x, weights = torch.tensor([1.0, 5.0]), torch.tensor([3.0, 1.0])
    assert er.masked_mean(x, weights) == 2.0


def test_a_mask_broadcasts() -> None:
    x, mask = torch.arange(6.0).reshape(2, 3), torch.tensor([[True], [False]])
    assert er.masked_mean(x, mask) == 1.0
    assert er.masked_mean(x, mask, dim=0).tolist() == [0.0, 1.0, 2.0]
    assert er.masked_mean(x, mask, dim=(0, 1), keepdim=True).shape == (1, 1)


@pytest.mark.parametrize("value", [0.1, 1e6 + 0.1, -3.3e-5])
def test_equal_rewards_do_not_become_noise(value: float) -> None:
    """The trap of `std + 1e-6`: rounding of the mean, divided by itself, is an advantage of 1."""
    white = er.normalize(torch.full((7,), value))
    assert white.abs().max() <= 0.1


def test_float16_epsilon_is_a_number_and_explicit_ones_are_raised_to_one() -> None:
    zero = torch.zeros(1, dtype=torch.float16)
    assert er.safe_log(zero).item() == pytest.approx(-9.21, abs=0.01)
    assert er.safe_log(zero, eps=1e-8).isfinite().all()


@pytest.mark.parametrize("eps", [0.0, -1.0, float("nan")])
def test_an_epsilon_that_guards_nothing_is_refused(eps: float) -> None:
    with pytest.raises(ValueError, match="eps must be positive"):
        er.safe_log(torch.ones(1), eps=eps)


def test_unknown_names_are_refused() -> None:
    one = torch.ones(1)
    with pytest.raises(ValueError, match=r"role must be one of masked, .*not 'nonsense'"):
        er.safe_log(one, role="nonsense")
    with pytest.raises(ValueError, match=r"clamp must be one of k3, .*not 'nonsense'"):
        er.logprob_ratio(one, one, clamp="nonsense")
    with pytest.raises(ValueError, match="k1, k2, k3"):
        er.kl_estimate(one, one, kind="k4")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="float8"):
        er.safe_log(one.to(torch.float8_e4m3fn))


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("masked")])
@pytest.mark.parametrize(
    "number", [torch.ones(2, dtype=torch.complex64), np.ones(2, dtype=np.complex64)], ids=type
)
def test_complex_numbers_are_refused(name: str, number: Tensor) -> None:
    """Half of each would be dropped in silence."""
    with pytest.raises(TypeError, match="no safe operation for complex64"):
        CASES[name].safe(*[number] * CASES[name].arity)


def test_bounds_are_those_of_the_hierarchy() -> None:
    far = torch.tensor([1000.0])
    assert er.logprob_ratio(far, -far).item() == pytest.approx(torch.tensor(20.0).exp().item())
    assert er.kl_estimate(far, -far, kind="k1").item() == 40.0
    assert er.kl_estimate(-far, far).item() == pytest.approx(torch.tensor(10.0).exp() - 11)
    assert er.logprob_ratio(far, -far, bound=2.0).item() == pytest.approx(7.389, abs=1e-3)
