"""Files that cannot be checked, with the real analysis: said clearly, and the others go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from epslint.cli import main
from epslint.task import Stamp, Target

GOOD = """\
import torch


def f(x, mask):
    n = mask.sum()
    return x.sum() / n
"""

# More than the parser takes, whatever limit of recursion the tests before this one have left.
DEEP = 20_000

BAD: dict[str, tuple[bytes, str]] = {
    "syntax": (b"def f(:\n    pass\n", "syntax error"),
    "indentation": (b"def f():\npass\n", "expected an indented block"),
    "unclosed": (b"x = (1,\n", "never closed"),
    "null": (b"x = 1\0\n", "null bytes"),
    "binary": (bytes(range(1, 256)), "UTF-8"),
    "latin": ("x = 'é'\n".encode("latin-1"), "UTF-8"),
    "coding": (b"# coding: no-such-coding\nx = 1\n", "no-such-coding"),
    "brackets": (b"x = " + b"(" * DEEP + b"1" + b")" * DEEP + b"\n", "nested too deeply"),
    "lists": (b"x = " + b"[" * DEEP + b"]" * DEEP + b"\n", "nested too deeply"),
    "minus": (b"import torch\nx = 1 / " + b"-" * DEEP + b"y\n", "nested too deeply"),
    "blocks": (
        b"".join(b" " * i + b"if x:\n" for i in range(120)) + b" " * 120 + b"pass\n",
        "too many levels of indentation",
    ),
}

FINE: dict[str, bytes] = {
    "empty": b"",
    "mark": b"\xef\xbb\xbf",
    "blank": b"\n\n   \n\f\n",
    "comment": b"# only this",
    "continued": b"x = 1 + \\\n    2\n",
    "declared": "# coding: latin-1\nx = 'é'\n".encode("latin-1"),
    "returns": b"x = 1\ry = 2\r",
    "escape": b"import re\nx = '\\d'\n",
}


def epslint(*args: str) -> Result:
    return CliRunner().invoke(main, ["check", "--isolated", *args])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.py").write_text(GOOD)
    return tmp_path


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_named_and_the_others_are_checked(folder: Path, name: str) -> None:
    data, message = BAD[name]
    (folder / "bad.py").write_bytes(data)
    result = epslint("--fix", "--output-format", "concise", ".")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: bad.py: ")
    assert message in line
    assert "internal error" not in line
    assert (folder / "bad.py").read_bytes() == data
    assert (folder / "good.py").read_text() != GOOD


@pytest.mark.parametrize("name", FINE)
def test_a_strange_file_is_fine(folder: Path, name: str) -> None:
    (folder / "strange.py").write_bytes(FINE[name])
    result = epslint("--fix", "strange.py")
    assert (result.exit_code, result.stderr) == (0, "")
    assert (folder / "strange.py").read_bytes() == FINE[name]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_long_chain_is_not_deep(folder: Path) -> None:
    (folder / "long.py").write_text("x = [" + "1, " * 20_000 + "]\n" + "y = 1\n" * 5_000)
    assert epslint("long.py").exit_code == 0


def test_a_file_that_cannot_be_opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "locked.py").write_text(GOOD)
    read = Target.read

    def refuse(target: Target) -> tuple[bytes, Stamp]:
        if Path(target.filename).name == "locked.py":
            raise PermissionError(13, "Permission denied")
        return read(target)

    monkeypatch.setattr(Target, "read", refuse)
    result = epslint("--output-format", "concise", ".")
    assert result.exit_code == 2
    assert result.stderr == "error: locked.py: cannot be read or written: Permission denied\n"
    assert "good.py:6:" in result.stdout


def test_a_file_that_vanishes_during_the_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "brief.py").write_text(GOOD)
    read = Target.read

    def vanish(target: Target) -> tuple[bytes, Stamp]:
        if Path(target.filename).name == "brief.py":
            Path(target.filename).unlink()
        return read(target)

    monkeypatch.setattr(Target, "read", vanish)
    result = epslint(".")
    assert result.exit_code == 2
    assert "brief.py: cannot be read or written: No such file" in result.stderr


def test_a_folder_named_like_a_file(folder: Path) -> None:
    (folder / "folder.py").mkdir()
    (folder / "folder.py" / "inside.py").write_text(GOOD)
    assert "folder.py/inside.py:6:" in epslint("--output-format", "concise", ".").stdout
