"""What every test may use: `device`, on each kind of device this machine has."""

from __future__ import annotations

import pytest
import torch

from tests.devices import DEVICES, require


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gpu: needs a CUDA or MPS device")
    # Small tensors only: more threads would make the tests slower, not faster.
    torch.set_num_threads(1)


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> torch.device:
    """Each device in turn: `pytest -m gpu` runs what a CPU cannot show."""
    return require(str(request.param))
