"""The form in which modules are compiled does what they do as they are written."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from compiling.form import compilable
from compiling.rooms import compiled

ROOT = Path(__file__).parent.parent

WRITTEN = '''
"""A module."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from epslint.analysis.ops import Op

_TWICE = 2
_GROWING = 1
_GROWING += 1


@dataclass(frozen=True)
class Point:
    """A point."""

    x: float
    y: float = 0.0
    _: KW_ONLY
    tags: list[str] = field(default_factory=list, compare=False)
    note: str = field(default="", repr=False, compare=False)

    if not TYPE_CHECKING:

        def __init__(self, x, y=0.0, tags=(), note=""):
            self.__dict__.update(x=x, y=y, tags=list(tags), note=note)
            self.__post_init__()

    def __post_init__(self) -> None:
        if self.y < 0:
            self.__dict__["y"] = 0.0

    def moved(self, x: float) -> Point:
        return replace(self, x=x)


class Lazy:
    def __init__(self) -> None:
        self.asked = 0

    @cached_property
    def answer(self) -> int:
        self.asked += 1
        return 42


def is_sum(op: Op) -> bool:
    return op is Op.ADD or op is Op.SUB
'''


@pytest.fixture(scope="module", params=[WRITTEN, compilable(WRITTEN)], ids=["written", "compiled"])
def module(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    made = ModuleType("made_of_text")
    sys.modules[made.__name__] = made  # where `dataclasses` looks annotations up
    exec(request.param, vars(made))
    yield made
    del sys.modules[made.__name__]


def test_a_dataclass_is_still_one(module: ModuleType) -> None:
    point = module.Point(1.0, -1.0, tags=["a"], note="b")
    assert repr(point) == "Point(x=1.0, y=0.0, tags=['a'])"
    assert point == module.Point(1.0)
    assert point != module.Point(2.0)
    assert point != 1
    assert hash(point) == hash(module.Point(1.0))
    assert dataclasses.replace(point, x=3.0) == module.Point(3.0) == point.moved(3.0)
    assert point.moved(3.0).tags == ["a"]
    assert [each.name for each in dataclasses.fields(point)] == ["x", "y", "tags", "note"]


def test_no_two_have_the_same_list(module: ModuleType) -> None:
    assert module.Point(1.0).tags is not module.Point(1.0).tags


def test_a_cached_property_asks_once(module: ModuleType) -> None:
    lazy = module.Lazy()
    assert (lazy.answer, lazy.answer, lazy.asked) == (42, 42, 1)


def test_constants_of_others_are_theirs(module: ModuleType) -> None:
    from epslint.analysis.ops import Op

    assert module.is_sum(Op.ADD)
    assert not module.is_sum(Op.MUL)


def test_only_what_is_bound_once_is_final() -> None:
    text = compilable(WRITTEN)
    assert "_TWICE: _Final = 2" in text
    assert "_GROWING: _Final" not in text
    assert "_OP_ADD: _Final = Op.ADD" in text


def test_everything_that_is_compiled_can_be_written_so() -> None:
    names = list(compiled(ROOT))
    assert "epslint/analysis/fact.py" in names
    for name in names:
        path = ROOT / name
        if path.exists():  # the tests are also run without the packages beside them
            compile(compilable(path.read_text(encoding="utf-8")), name, "exec")


def test_the_release_of_mypy_is_the_one_that_checks_the_types() -> None:
    pins = {
        re.search(r"mypy\[mypyc\]==[\d.]+", (ROOT / name).read_text())[0]  # type: ignore[index]
        for name in ("hatch_build.py", "pyproject.toml")
    }
    assert len(pins) == 1
