"""`--add-ignore`: comments that silence what is there, and change nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from click.testing import CliRunner

from epslint.cli import main
from tests.conftest import Cli

WHY = "the loader is never empty"
IGNORE = f"  # epslint: ignore[FAK101] {WHY}"

CASES = {
    "one": ("a = x / BAD\n", f"a = x / BAD{IGNORE}\n"),
    "windows": ("a = x / BAD\r\nb = 1\r\n", f"a = x / BAD{IGNORE}\r\nb = 1\r\n"),
    "no end": ("a = x / BAD", f"a = x / BAD{IGNORE}"),
    "blanks": ("a = x / BAD   \n", f"a = x / BAD{IGNORE}   \n"),
    "comment": ("a = x / BAD  # type: ignore\n", f"a = x / BAD  # type: ignore{IGNORE}\n"),
    "two codes": (
        "a = x / BAD / WORSE\n",
        f"a = x / BAD / WORSE  # epslint: ignore[FAK101, FAK102] {WHY}\n",
    ),
    "has one": (
        "a = x / BAD / WORSE  # epslint: ignore[FAK102] known\n",
        "a = x / BAD / WORSE  # epslint: ignore[FAK102, FAK101] known\n",
    ),
    "inside": ("a = f(\n    x / BAD,\n    y,\n)\n", f"a = f(\n    x / BAD,{IGNORE}\n    y,\n)\n"),
    "string": ('a = x / BAD * """\n"""\n', f'a = x / BAD * """\n"""{IGNORE}\n'),
    "backslash": ("a = x / BAD \\\n    + 1\n", f"a = x / BAD \\\n    + 1{IGNORE}\n"),
    "block": ("if x / BAD:\n    pass\n", f"if x / BAD:{IGNORE}\n    pass\n"),
}


@pytest.mark.parametrize("name", CASES)
def test_where_it_goes(cli: Cli, name: str) -> None:
    before, after = CASES[name]
    path = cli.write("a.py", before)
    result = cli("--add-ignore", WHY, "a.py")
    assert path.read_bytes().decode() == after
    assert (result.exit_code, result.stderr) == (0, "")
    assert cli("a.py").exit_code == 0


def test_says_what_it_did(cli: Cli) -> None:
    cli.write("a.py", "a = x / BAD\nb = x / MILD\n")
    cli.write("b.py", "a = 1\n")
    assert cli(f"--add-ignore={WHY}").stdout == "Added 2 ignores in 1 file.\n"
    assert cli(f"--add-ignore={WHY}").stdout == "Added 0 ignores in 0 files.\n"


@pytest.mark.parametrize("args", [["--add-ignore", "a.py"], ["a.py", "--add-ignore"]])
def test_a_path_is_no_reason(cli: Cli, args: list[str]) -> None:
    path = cli.write("a.py", "a = x / BAD\n")
    other = cli.write("b.py", "a = x / BAD\n")
    assert cli(*args).exit_code == 0
    assert path.read_text() == "a = x / BAD  # epslint: ignore[FAK101] not reviewed yet\n"
    assert other.read_text() == "a = x / BAD\n"


@pytest.mark.parametrize("path", ["gone.py", "gone/"])
def test_nor_is_a_path_that_is_mistyped(cli: Cli, path: str) -> None:
    kept = cli.write("a.py", "a = x / BAD\n")
    result = cli("--add-ignore", path)
    assert result.exit_code == 2
    assert f"no such file or directory: {path}" in result.stderr
    assert kept.read_text() == "a = x / BAD\n"


def test_a_reason_stays_on_its_line(cli: Cli) -> None:
    path = cli.write("a.py", "a = x / BAD\n")
    cli("--add-ignore", "one\ntwo\tthree", "a.py")
    assert path.read_text() == "a = x / BAD  # epslint: ignore[FAK101] one two three\n"


def test_diff_shows_and_writes_nothing(cli: Cli) -> None:
    path = cli.write("a.py", "a = x / BAD\n")
    result = cli("--diff", "--add-ignore", WHY, "a.py")
    assert f"+a = x / BAD{IGNORE}\n" in result.stdout
    assert result.stderr == "Would add 1 ignore in 1 file.\n"
    assert path.read_text() == "a = x / BAD\n"


def test_standard_input(cli: Cli) -> None:
    assert cli("--add-ignore", "-", stdin="a = x / BAD\n").stdout == (
        "a = x / BAD  # epslint: ignore[FAK101] not reviewed yet\n"
    )


def test_findings_about_comments_are_left(cli: Cli) -> None:
    path = cli.write("a.py", "a = 1  # epslint: ignore[FAK101]\n")
    result = cli("--add-ignore", WHY, "--output-format", "concise", "a.py")
    assert result.exit_code == 1
    assert "EPS001" in result.stdout
    assert "Added 0 ignores in 0 files. 1 finding cannot be ignored.\n" in result.stdout
    assert path.read_text() == "a = 1  # epslint: ignore[FAK101]\n"


def test_what_a_baseline_holds_needs_no_comment(cli: Cli) -> None:
    path = cli.write("a.py", "a = x / BAD\n")
    cli("--write-baseline", "old.json")
    path.write_text("a = x / BAD\nb = x / BAD\n")
    cli("--add-ignore", WHY, "--baseline", "old.json")
    assert path.read_text() == f"a = x / BAD\nb = x / BAD{IGNORE}\n"


def test_a_file_that_cannot_be_checked_is_left(cli: Cli) -> None:
    path = cli.write("a.py", "a = x / BAD\nb = (\n")
    assert cli("--add-ignore", WHY, ".").exit_code == 2
    assert path.read_text() == "a = x / BAD\nb = (\n"


FIXTURES = Path(__file__).parent.parent / "fixtures"


@pytest.mark.parametrize(
    "path", sorted(FIXTURES.glob("EPS[1-9]*/hazard.py")), ids=lambda path: path.parent.name
)
def test_real_findings_fall_silent_and_the_code_stays(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "hazard.py"
    copy.write_bytes(path.read_bytes())
    args = ["--isolated", "--preview", "--select", "ALL"]
    result = CliRunner().invoke(main, ["check", *args, "--add-ignore", WHY, str(copy)])
    assert (result.exit_code, result.stderr) == (0, "")
    assert CliRunner().invoke(main, ["check", *args, str(copy)]).stdout == "All checks passed.\n"
    before, after = (ast.dump(ast.parse(p.read_bytes())) for p in (path, copy))
    assert before == after
