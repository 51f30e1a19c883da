"""The device fixture: present devices run, missing ones are skipped and say so."""

from __future__ import annotations

import pytest
import torch

from tests import devices

CASES = """
    import pytest
    from tests.devices import DEVICES

    @pytest.mark.parametrize("device", DEVICES)
    @pytest.mark.parametrize("case", "abc")
    def test_first(case, device): ...

    @pytest.mark.parametrize("device", DEVICES)
    def test_second(device): ...
"""


def test_the_cpu_is_always_there_and_not_marked_gpu() -> None:
    cpu = next(param for param in devices.DEVICES if param.values == ("cpu",))
    assert not cpu.marks
    assert devices.require("cpu") == torch.device("cpu")


def test_every_other_device_is_under_the_gpu_marker() -> None:
    others = [param for param in devices.DEVICES if param.values != ("cpu",)]
    assert {param.values[0] for param in others} == {"cuda", "mps"}
    assert all([mark.name for mark in param.marks] == ["gpu"] for param in others)


def test_a_missing_device_is_a_skip_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(devices._PRESENT, "cuda", lambda: False)
    with pytest.raises(pytest.skip.Exception, match="no cuda device on this machine"):
        devices.require("cuda")


def test_the_fixture_gives_a_device_that_works(device: torch.device) -> None:
    assert torch.ones(1, device=device).sum().item() == 1.0


def test_a_missing_device_leaves_one_case_of_each_test(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(devices._PRESENT, "cuda", lambda: False)
    monkeypatch.setitem(devices._PRESENT, "mps", lambda: True)
    items, _ = pytester.inline_genitems(pytester.makepyfile(CASES))
    devices.one_skip_each(items)
    assert [item.name for item in items] == [
        "test_first[a-cpu]",
        "test_first[a-cuda]",
        "test_first[a-mps]",
        "test_first[b-cpu]",
        "test_first[b-mps]",
        "test_first[c-cpu]",
        "test_first[c-mps]",
        "test_second[cpu]",
        "test_second[cuda]",
        "test_second[mps]",
    ]
