"""What every test may use: a folder with a command line in it, and each device there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result

import epslint.analysis
from epslint import registry
from epslint.cli import main
from tests import fake
from tests.devices import DEVICES, one_skip_each, require


def pytest_configure(config: pytest.Config) -> None:
    # Small tensors only: more threads would make the tests slower, not faster.
    torch.set_num_threads(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    one_skip_each(items)


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> torch.device:
    """Each device in turn: `pytest -m gpu` runs what a CPU cannot show."""
    return require(str(request.param))


@pytest.fixture
def fake_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules and the analysis of tests/fake.py instead of the real ones."""
    monkeypatch.setattr(epslint.analysis, "analyse", fake.analyse, raising=False)
    monkeypatch.setattr(registry, "load", fake.catalogue)


@dataclass(frozen=True, slots=True)
class Cli:
    """Runs commands in a folder of its own and writes files there."""

    folder: Path

    def __call__(self, *args: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(main, list(args), input=stdin)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def codes(self, *args: str) -> Sequence[str]:
        """The codes of a concise report, in order."""
        lines = self("check", "--output-format", "concise", "-q", *args).stdout.splitlines()
        return [line.split()[1] for line in lines]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_world: None) -> Cli:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return Cli(tmp_path)
