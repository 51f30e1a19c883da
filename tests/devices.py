"""The devices the tests run on: the CPU always, a GPU when there is one.

A device that is missing is a *skipped* test with the reason shown, never a passed one.
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
