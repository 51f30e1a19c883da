"""What the tests of the runtime share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch


@pytest.fixture(params=[None, 1, 7, 1000], ids=["default", "every", "few", "at exit"])
def check_every(request: pytest.FixtureRequest) -> int | None:
    """At once, and through windows of several lengths: the verdicts must be the same."""
    every: int | None = request.param
    return every


@pytest.fixture
def fresh_dynamo() -> Iterator[None]:
    """A test that compiles starts anew: dynamo gives up on a function recompiled too often."""
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()
