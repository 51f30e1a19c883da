"""The analysis leaves nothing behind that only the garbage collector could take away.

The command line lets the collector run hardly ever, so what refers to itself would pile up.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from epslint.analysis import analyse
from epslint.analysis.model import Model
from epslint.source import Source

FIXTURE = Path(__file__).parents[2] / "fixtures" / "EPS101" / "hazard_masked.py"


@pytest.fixture
def collector_off() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def left_behind() -> int:
    source = Source("a.py", FIXTURE.read_text("utf-8"))
    assert list(analyse(source))
    return gc.collect()


@pytest.mark.usefixtures("collector_off")
def test_nothing_is_left_to_collect() -> None:
    left_behind()  # what is made once is made
    assert left_behind() == 0


@pytest.mark.usefixtures("collector_off")
def test_what_is_left_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "dismantle", lambda self: None)
    assert left_behind() > 100
