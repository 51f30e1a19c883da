"""The devices the tests run on: the CPU always, a GPU when there is one.

A device that is missing is a *skipped* test with the reason shown, never a passed one. One skip for
each test and device: hundreds, for all its cases, would say no more and take their time.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

_PRESENT: dict[str, Callable[[], bool]] = {
    "cpu": lambda: True,
    "cuda": torch.cuda.is_available,
    "mps": torch.backends.mps.is_available,
}

DEVICES = [
    pytest.param(name, id=name, marks=() if name == "cpu" else pytest.mark.gpu) for name in _PRESENT
]


def require(name: str) -> torch.device:
    """The device, or a skip that says which one is missing."""
    if not _PRESENT[name]():
        pytest.skip(f"no {name} device on this machine")
    return torch.device(name)


def one_skip_each(items: list[pytest.Item]) -> None:
    """Of a test's cases on a missing device keep the first, which is skipped for all of them."""
    kept: dict[object, pytest.Item] = {}
    for item in items:
        kept.setdefault(_absence(item) or item, item)
    items[:] = kept.values()


def _absence(item: pytest.Item) -> tuple[str, str] | None:
    """The test and the device that a case asks for, if this machine has it not."""
    case = getattr(item, "callspec", None)
    name = case.params.get("device") if case else None
    if name not in _PRESENT or _PRESENT[name]():
        return None
    return item.nodeid.partition("[")[0], name
