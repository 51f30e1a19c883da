"""`pytest --epslint-watch`: each test runs under a watch.

Loaded into every pytest run where epslint is installed, so it imports nothing until it is asked to
watch.
"""

from __future__ import annotations

import argparse
from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from epslint.runtime._extras import missing

if TYPE_CHECKING:
    from epslint.runtime._watch import On

_OPTION = "--epslint-watch"
_MODES: tuple[On, ...] = ("raise", "warn")
_MARKER = (
    'epslint_watch(how=True): watch this test for the birth of NaN and Inf; how is "raise", "warn",'
    " True for the command line's way, or False for not at all"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option, which without a value is `raise`."""
    parser.getgroup("epslint").addoption(
        _OPTION,
        nargs="?",
        const="raise",
        type=_mode,
        metavar="raise|warn",
        help="fail (raise) or warn where a test gives birth to NaN or Inf",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marker; and a missing torch is told before the first test and not by each."""
    config.addinivalue_line("markers", _MARKER)
    if config.getoption(_OPTION) is not None:
        try:
            with missing():
                import epslint.runtime._watch  # noqa: F401, PLC0415 - loads torch
        except ImportError as error:
            raise pytest.UsageError(f"{_OPTION}: {error}") from error


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Watch the test itself; its fixtures are not watched."""
    mode = _mode_of(item)
    if mode is None:
        return (yield)
    from epslint.runtime import watch  # noqa: PLC0415 - loads torch

    with watch(on=mode):
        return (yield)


def _mode_of(item: pytest.Item) -> On | None:
    asked: On | None = item.config.getoption(_OPTION)
    marker = item.get_closest_marker("epslint_watch")
    if marker is None:
        return asked
    how = marker.args[0] if marker.args else marker.kwargs.get("how", True)
    if how is False:
        return None
    if how is True:
        return asked or "raise"
    if how not in _MODES:
        raise pytest.UsageError(f"epslint_watch takes a bool or one of {_MODES}, not {how!r}")
    mode: On = how
    return mode


def _mode(text: str) -> On:
    for mode in _MODES:
        if text == mode:
            return mode
    raise argparse.ArgumentTypeError(
        f"{text!r} is neither raise nor warn (to leave the value out, put the option last or "
        f"write {_OPTION}=raise)"
    )
