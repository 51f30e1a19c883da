from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epslint.epsilon import (
    BFLOAT16,
    DEFAULT,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    PRECISIONS,
    Clamp,
    Precision,
    Role,
    spelled,
)

ANY_PRECISION = st.sampled_from([*PRECISIONS.values(), None])


@pytest.mark.parametrize(
    ("role", "value"),
    [
        (Role.MASKED, 1e-8),
        (Role.REWARD, 1e-6),
        (Role.DIVERGENCE, 1e-9),
        (Role.COUNT, 1e-24),
        (Role.RATIO, 1e-8),
        (Role.LOG_RATIO, 1e-8),
    ],
)
def test_the_table(role: Role, value: float) -> None:
    assert DEFAULT.epsilon(role) == DEFAULT.epsilon(role, FLOAT32) == value


@pytest.mark.parametrize(("clamp", "value"), [(Clamp.K3, 10), (Clamp.KL, 40), (Clamp.POLICY, 20)])
def test_the_bounds(clamp: Clamp, value: float) -> None:
    assert DEFAULT.bound(clamp) == DEFAULT.bound(clamp, FLOAT32) == value
    assert DEFAULT.bound(clamp, FLOAT16) == min(value, 11)


@given(st.sampled_from(list(Role)), ANY_PRECISION)
def test_the_tables_own_value_always_fits(role: Role, precision: Precision | None) -> None:
    assert DEFAULT.fits(role, DEFAULT.epsilon(role, precision), precision)


def test_float16_gets_what_it_can_hold() -> None:
    for role in Role:
        epsilon = DEFAULT.epsilon(role, FLOAT16)
        assert epsilon >= FLOAT16.tiny
        assert 1 / epsilon < FLOAT16.largest
        assert not DEFAULT.fits(role, 1e-8, FLOAT16)


@pytest.mark.parametrize("precision", [FLOAT16, BFLOAT16, FLOAT32, FLOAT64])
def test_the_formats_are_torchs(precision: Precision) -> None:
    import torch

    info = torch.finfo(getattr(torch, precision.name))
    assert (precision.eps, precision.tiny, precision.largest) == (info.eps, info.tiny, info.max)
    inside = torch.tensor(math.floor(precision.exp_limit * 10) / 10, dtype=torch.float64)
    assert inside.exp().item() <= info.max


@given(st.sampled_from(list(Role)), st.floats(1e-30, 1.0))
def test_an_override_is_used_and_fits(role: Role, value: float) -> None:
    changed = DEFAULT.override({role: value}, {Clamp.K3: 5.0})
    assert changed.epsilon(role) == value
    assert changed.fits(role, value)
    assert changed.bound(Clamp.K3) == 5.0
    assert changed.bound(Clamp.KL) == 40.0
    others = [r for r in Role if r is not role]
    assert all(changed.epsilon(other) == DEFAULT.epsilon(other) for other in others)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e-8, "1e-8"), (1.5e-6, "1.5e-6"), (1e-24, "1e-24"), (0.5, "0.5"), (20.0, "20.0")],
)
def test_numbers_are_written_as_people_write_them(value: float, text: str) -> None:
    assert spelled(value) == text


@given(st.floats(1e-30, 1e5))
def test_what_is_written_reads_back(value: float) -> None:
    assert math.isclose(float(spelled(value)), value, rel_tol=1e-5)


@pytest.mark.parametrize("precision", [FLOAT16, BFLOAT16, FLOAT32, FLOAT64])
@given(value=st.floats(-1e300, 1e300) | st.floats(-1e5, 1e5) | st.floats(-1e-7, 1e-7))
def test_rounding_is_torchs(precision: Precision, value: float) -> None:
    import torch

    there_and_back = torch.tensor(value, dtype=torch.float64).to(getattr(torch, precision.name))
    assert precision.rounded(value) == there_and_back.item()


@pytest.mark.parametrize("precision", [FLOAT16, BFLOAT16, FLOAT32, FLOAT64])
def test_what_stays_beside_one_is_the_smallest_power_of_ten(precision: Precision) -> None:
    stays = precision.beside_one
    assert precision.rounded(1 - stays) < 1 < precision.rounded(1 + stays)
    assert precision.rounded(1 + stays / 10) == 1
