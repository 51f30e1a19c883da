"""`--watch`: once at the start, again after every change, and an end by Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from epslint import watching
from epslint.errors import EpslintError
from epslint.settings import Settings
from tests.conftest import Cli

Change = Callable[[], object]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("a = 1\n")
    return tmp_path


def watched(
    changes: Sequence[Change], check: Callable[[Settings], int], *, writes: bool = False
) -> int:
    """Watch the current folder; in each pause the next change is made, and then Ctrl-C pressed."""
    left = iter(changes)

    def pause(_: float) -> None:
        change = next(left, None)
        if change is None:
            raise KeyboardInterrupt
        change()

    return watching.watch([Path()], Settings().renewed, check, writes=writes, pause=pause)


def runs(changes: Sequence[Change]) -> int:
    """How often the changes make it check."""
    seen: list[None] = []

    def check(_: Settings) -> int:
        seen.append(None)
        return 1

    assert watched(changes, check) == 0
    return len(seen)


def nothing() -> None:
    pass


def test_once_at_the_start_and_not_again(folder: Path) -> None:
    assert runs([nothing, nothing]) == 1


@pytest.mark.parametrize("name", ["a.py", "new.py", "pyproject.toml", "epslint.toml"])
def test_again_when_a_file_changes(folder: Path, name: str) -> None:
    assert runs([nothing, lambda: (folder / name).write_text("# a new text\n"), nothing]) == 2


def test_again_when_a_file_goes(folder: Path) -> None:
    assert runs([(folder / "a.py").unlink, nothing]) == 2


def test_says_how_many_files_it_watches(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "epslint.toml").touch()
    runs([(folder / "b.py").touch])
    told = re.findall(r"Watching (.*);", capsys.readouterr().err)
    assert told == ["1 file", "2 files"]


def test_not_for_other_files(folder: Path) -> None:
    assert runs([lambda: (folder / "notes.txt").write_text("x")]) == 1


def test_its_own_fixes_are_no_change(folder: Path) -> None:
    seen: list[int] = []

    def fix(_: Settings) -> int:
        seen.append(0)
        (folder / "a.py").write_text("b = 1  # fixed\n" * len(seen))
        return 0

    watched([nothing, nothing], fix, writes=True)
    assert len(seen) == 1


def test_settings_are_read_again_and_an_error_is_no_end(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = folder / "epslint.toml"
    preview: list[bool] = []

    def check(settings: Settings) -> int:
        preview.append(settings.of(folder).preview)
        return 0

    changes: list[Change] = [
        lambda: config.write_text("preview = maybe"),
        lambda: config.write_text("preview = true"),
    ]
    watched(changes, check)
    assert preview == [False, True]
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize(
    "args",
    [
        ["-"],
        ["--write-baseline", "b.json"],
        ["--add-ignore=why", "a.py"],
        ["--show-files"],
    ],
)
def test_what_does_not_go_with_it(cli: Cli, args: list[str]) -> None:
    result = cli("--watch", *args)
    assert result.exit_code == 2
    assert "error: --watch does not go with " in result.stderr


def test_a_broken_run_does_not_hide_other_errors(folder: Path) -> None:
    def crash(_: Settings) -> int:
        raise EpslintError("told and survived")

    assert watched([nothing], crash) == 0


@pytest.mark.slow
def test_the_real_thing(folder: Path) -> None:
    path = folder / "a.py"
    # Ctrl-C must reach it also when these tests were started in the background.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "from epslint.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "--watch", "--isolated", "--output-format", "concise", "."],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "All checks passed.\n"
        time.sleep(0.1)
        path.write_text("import torch\n\n\ndef f(x, mask):\n    return x / mask.sum()\n")
        assert "EPS101" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
