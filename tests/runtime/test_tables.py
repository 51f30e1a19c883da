"""The tables of the watcher: they name real operations, and lead to the right rules."""

from __future__ import annotations

import re

import pytest
import torch

from epslint import registry
from epslint.epsilon import BFLOAT16, DEFAULT, FLOAT16, FLOAT32, FLOAT64, Role
from epslint.runtime import _blame, _menders, _plans, _trail
from epslint.runtime._frames import place_of, user_spot

aten = torch.ops.aten


def is_aten(name: str) -> bool:
    return hasattr(aten, name) or hasattr(aten, f"{name}_")


def test_barren_operations_exist() -> None:
    assert [name for name in _plans._BARREN_OPS if not is_aten(name)] == []


def test_mended_operations_exist() -> None:
    assert [name for name in _menders._MENDERS if not is_aten(name)] == []


def test_no_operation_is_both_barren_and_mended() -> None:
    assert not _plans._BARREN_OPS & set(_menders._MENDERS)


# Operations that give NaN or Inf of finite numbers: a slip in the table would hide them.
@pytest.mark.parametrize(
    "op",
    [
        aten.div.Tensor,
        aten.log.default,
        aten.exp.default,
        aten.sqrt.default,
        aten.mul.Tensor,
        aten.pow.Tensor_Scalar,
        aten.sum.default,
        aten.mm.default,
        aten._softmax.default,
        aten._to_copy.default,
        aten.std.correction,
        aten.mean.default,
        aten.add_.Tensor,
        aten.cumsum.default,
        aten.acos.default,
        aten.copy_.default,
        aten._foreach_add_.List,
    ],
    ids=str,
)
def test_birthplaces_are_checked(op: torch._ops.OpOverload) -> None:
    assert _plans.plan_of(op).checked


@pytest.mark.parametrize(
    "op",
    [
        aten.view.default,
        aten.t.default,
        aten.detach.default,
        aten.relu_.default,
        aten.masked_fill_.Scalar,
        aten.empty.memory_format,
        aten.split.Tensor,
    ],
    ids=str,
)
def test_what_cannot_give_birth_is_not(op: torch._ops.OpOverload) -> None:
    assert not _plans.plan_of(op).checked


def test_in_place_arguments_are_known_and_out_is_none() -> None:
    assert _plans.plan_of(aten.add_.Tensor).changed == (0,)
    assert _plans.plan_of(aten.div.out).changed == ()
    assert _plans.plan_of(aten.copy_.default).changed == ()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("name", _plans._HARMLESS)
def test_harmless_numbers_do_no_harm(name: str, dtype: torch.dtype) -> None:
    """To the largest numbers, to 0 and to Inf: nothing that is not Inf already becomes it."""
    info = torch.finfo(dtype)
    ends = [info.max, info.tiny, info.tiny * info.eps, 0.0, float("inf")]
    x = torch.tensor([*ends, *(-end for end in ends)], dtype=dtype)
    numbers = [0.0, 1e-300, 0.5, 1.0, 2.0, 8.0, 9.0, 1e30, float("inf"), float("nan")]
    tried = [number for number in numbers if _plans._HARMLESS[name](number)]
    assert tried
    assert len(tried) < len(numbers)
    for number in (*tried, *(-number for number in tried)):
        result = getattr(torch, name)(x, number)
        assert torch.equal(result.isfinite(), x.isfinite())
        assert not result.isnan().any()


def test_harmless_needs_a_plain_number() -> None:
    x = torch.ones(1)
    add, mul = _plans.plan_of(aten.add.Tensor), _plans.plan_of(aten.mul.Tensor)
    assert add.is_harmless((x, 1), {})
    assert not add.is_harmless((x, 1), {"alpha": 1e30})
    assert not add.is_harmless((x, x), {})
    assert not mul.is_harmless((x, 1e30), {})
    assert not _plans.plan_of(aten.sqrt.default).is_harmless((x,), {})


def test_codes_look_like_codes_and_hints_say_something() -> None:
    for row in _blame._ROWS:
        assert all(re.fullmatch(r"EPS[1-8]\d\d", code) for code in row.codes)
        assert len(row.hint) > 10


NAMED = sorted({code for row in _blame._ROWS for code in row.codes})


@pytest.mark.parametrize("code", NAMED)
def test_the_rules_that_are_named_exist(code: str) -> None:
    """A report that sends its reader to a rule there is not is worse than none."""
    assert registry.load().find(code) is not None


BLAMED = {
    ("div", False, "inf"): "EPS101",
    ("div_", False, "nan"): "EPS101",
    ("div", True, "nan"): "EPS503",
    ("div", True, "inf"): "EPS101",
    ("log", False, "inf"): "EPS201",
    ("exp", False, "inf"): "EPS301",
    ("sqrt", False, "nan"): "EPS501",
    ("sqrt", True, "inf"): "EPS501",
    ("pow", True, "inf"): "EPS502",
    ("acos", True, "inf"): "EPS504",
    ("std", False, "nan"): "EPS106",
    ("_softmax", False, "nan"): "EPS703",
    ("mul", False, "nan"): "EPS506",
    ("cumprod", False, "inf"): "EPS402",
}


@pytest.mark.parametrize("case", BLAMED, ids=str)
def test_blame(case: tuple[str, bool, str]) -> None:
    op, backward, kind = case
    assert _blame.blame(op, backward, frozenset({kind})).codes[0] == BLAMED[case]


def test_overflow_and_the_unknown_are_told_apart() -> None:
    assert "too large" in _blame.blame("mm", False, frozenset({"inf"})).hint
    assert "no rule" in _blame.blame("mm", False, frozenset({"nan"})).hint


@pytest.mark.parametrize(
    ("node", "op"),
    [
        ("SqrtBackward0", "sqrt"),
        ("LogSoftmaxBackward0", "log_softmax"),
        ("Log1PBackward0", "log1p"),
        ("LinalgVectorNormBackward0", "linalg_vector_norm"),
        ("Exp2Backward0", "exp2"),
        ("torch::autograd::AccumulateGrad", "accumulate_grad"),
    ],
)
def test_nodes_lead_to_operations(node: str, op: str) -> None:
    assert _blame.op_of_node(node) == op


def test_the_trail_forgets_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_trail, "_REMEMBERED", 10)
    trail = _trail.Trail()
    x = torch.ones(1, requires_grad=True)
    nodes = []
    for _ in range(25):
        node = (x * 2).grad_fn
        assert node is not None
        nodes.append(node)
        trail.follow()
    assert len(trail._spots) <= 10
    assert trail.line_of(nodes[-1]) is not None
    assert trail.line_of(nodes[0]) is None


def test_a_spot_is_a_line_of_this_file() -> None:
    spot = user_spot()
    assert spot is not None
    place = place_of(spot)
    assert place.file == __file__
    assert place.source == "spot = user_spot()"


@pytest.mark.parametrize("precision", [FLOAT16, BFLOAT16, FLOAT32, FLOAT64], ids=lambda p: p.name)
@pytest.mark.parametrize("power", [0.5, 1.0, 1.5, 2.0])
def test_an_epsilon_has_a_finite_reciprocal_power(precision: object, power: float) -> None:
    for role in Role:
        epsilon = DEFAULT.epsilon(role, precision, power)  # type: ignore[arg-type]
        assert epsilon**-power <= precision.largest  # type: ignore[attr-defined]
        assert epsilon >= DEFAULT.epsilon(role)
