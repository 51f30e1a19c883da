"""`--write-baseline` and `--baseline`: old findings rest, new ones speak."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epslint.baseline import load
from tests.conftest import Cli

OLD = "a = x / BAD\nb = x / WORSE\n"
FILE = "old.json"


@pytest.fixture
def adopted(cli: Cli) -> Cli:
    """A file with two old findings, both in the baseline."""
    cli.write("a.py", OLD)
    assert cli("--write-baseline", FILE).exit_code == 0
    return cli


def codes(cli: Cli, *args: str) -> list[str]:
    return list(cli.codes("--baseline", FILE, *args))


def test_old_findings_do_not_block(adopted: Cli) -> None:
    result = adopted("--baseline", FILE, ".")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "No new findings. 2 old ones are in the baseline.\n"


def test_what_is_written_can_be_read_and_merged(cli: Cli) -> None:
    cli.write("sub/é.py", "a = x / BAD  # why not\na = x/BAD\n")
    result = cli("--write-baseline", FILE)
    assert result.stdout == f"Wrote 2 findings of 1 file to {FILE}.\n"
    assert (cli.folder / FILE).read_text(encoding="utf-8") == (
        '{\n  "version": 1,\n  "findings": [\n'
        '    {"path": "sub/é.py", "code": "FAK101", "snippet": "a = x / BAD", "count": 2}\n'
        "  ]\n}\n"
    )


def test_an_empty_one(cli: Cli) -> None:
    cli.write("a.py", "a = 1\n")
    cli("--write-baseline", FILE)
    assert json.loads((cli.folder / FILE).read_text()) == {"version": 1, "findings": []}
    assert cli("--baseline", FILE).stdout == "All checks passed.\n"


@pytest.mark.parametrize(
    "text",
    [
        "import os\n\n\n" + OLD,
        "def f():\n    a  =  x /  BAD\n    b = x / WORSE  # later\n",
        "b = x / WORSE\nz = 1\na = x / BAD\n",
    ],
)
def test_survives_moves_and_edits_elsewhere(adopted: Cli, text: str) -> None:
    adopted.write("a.py", text)
    assert codes(adopted) == []


@pytest.mark.parametrize(
    ("text", "new"),
    [
        (OLD + "c = x / BAD\n", ["FAK101"]),
        (OLD + "a = x / BAD\n", ["FAK101"]),  # one more of the same
        ("a = y / BAD\nb = x / WORSE\n", ["FAK101"]),
        ("a = x / WORSE\nb = x / BAD\n", ["FAK102", "FAK101"]),
    ],
)
def test_new_findings_speak(adopted: Cli, text: str, new: list[str]) -> None:
    adopted.write("a.py", text)
    assert codes(adopted) == new
    assert adopted("--baseline", FILE).exit_code == 1


class TestAsASetting:
    @pytest.fixture(autouse=True)
    def configured(self, adopted: Cli) -> None:
        adopted.write("epslint.toml", f"baseline = '{FILE}'\n")

    def test_old_findings_rest(self, adopted: Cli) -> None:
        assert adopted().stdout == "No new findings. 2 old ones are in the baseline.\n"
        assert adopted("--no-baseline").exit_code == 1
        assert adopted("--isolated").exit_code == 1

    def test_from_a_folder_below(self, adopted: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        (adopted.folder / "sub").mkdir()
        monkeypatch.chdir(adopted.folder / "sub")
        assert adopted("../a.py").exit_code == 0

    def test_an_option_comes_first(self, adopted: Cli) -> None:
        adopted.write("none.json", '{"version": 1, "findings": []}')
        assert adopted("--baseline", "none.json").exit_code == 1

    def test_a_missing_one_is_an_error_until_it_is_written(self, adopted: Cli) -> None:
        (adopted.folder / FILE).unlink()
        assert adopted().exit_code == 2
        assert adopted("--write-baseline", FILE).exit_code == 0
        assert adopted().exit_code == 0

    def test_is_shown(self, adopted: Cli) -> None:
        assert f'baseline = "{adopted.folder / FILE}"' in adopted("config").stdout


def test_another_file_is_another_file(adopted: Cli) -> None:
    adopted.write("b.py", OLD)
    result = adopted("--baseline", FILE, "--output-format", "concise")
    assert "Found 2 new findings in 1 file." in result.stdout
    assert "2 old ones are in the baseline." in result.stdout


def test_advice_left_alone_does_not_fail(cli: Cli) -> None:
    cli.write("a.py", "a = x / BAD\n")
    cli("--write-baseline", FILE)
    cli.write("a.py", "a = x / BAD\nb = x / MILD\n")
    assert cli("--baseline", FILE).exit_code == 0
    assert cli("--baseline", FILE, "--min-severity", "advice").exit_code == 1


def test_paths_start_at_the_file(adopted: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (adopted.folder / "sub").mkdir()
    monkeypatch.chdir(adopted.folder / "sub")
    assert adopted("--baseline", f"../{FILE}", "../a.py").exit_code == 0
    text = (adopted.folder / "a.py").read_text()
    args = ["--baseline", f"../{FILE}", "--stdin-filename", "../a.py", "-"]
    assert adopted(*args, stdin=text).exit_code == 0


def test_fix_leaves_old_findings_alone(adopted: Cli) -> None:
    path = adopted.write("a.py", OLD + "c = y / BAD\n")
    result = adopted("--fix", "--baseline", FILE)
    assert result.exit_code == 0
    assert path.read_text() == OLD + "c = y / (BAD + 1e-8)\n"


class TestOutdatedEntries:
    def test_are_told_and_do_not_fail(self, adopted: Cli) -> None:
        adopted.write("a.py", "a = 1\nb = x / WORSE\n")
        result = adopted("--baseline", FILE)
        assert result.exit_code == 0
        assert result.stderr == (
            f"warning: {FILE} holds 1 finding no longer there (a.py: FAK101 a = x / BAD); "
            "--write-baseline prunes it\n"
        )
        assert adopted("--baseline", FILE, "-q").stderr == ""

    def test_are_pruned(self, adopted: Cli) -> None:
        adopted.write("a.py", "a = 1\nb = x / WORSE\n")
        result = adopted("--write-baseline", FILE)
        assert result.stdout == f"Wrote 1 finding of 1 file to {FILE}; 1 old one no longer there.\n"
        assert [entry.code for entry in load(adopted.folder / FILE).entries] == ["FAK102"]
        assert adopted("--baseline", FILE).stderr == ""

    def test_a_file_that_is_gone(self, adopted: Cli) -> None:
        (adopted.folder / "a.py").unlink()
        adopted.write("b.py", "a = 1\n")
        assert "and 1 more" in adopted("--baseline", FILE).stderr
        adopted("--write-baseline", FILE)
        assert load(adopted.folder / FILE).entries == ()

    @pytest.mark.parametrize(
        "args",
        [
            ["b.py"],
            ["--select", "FAK103", "a.py"],
            ["--ignore", "FAK1", "a.py"],
            ["--per-file-ignores", "a.py:FAK1", "a.py"],
            ["--confidence", "proven", "a.py"],
        ],
    )
    def test_what_was_not_looked_for_is_not_outdated(self, adopted: Cli, args: list[str]) -> None:
        adopted.write("a.py", "a = 1\n")
        adopted.write("b.py", "a = 1\n")
        assert adopted("--baseline", FILE, *args).stderr == ""
        adopted("--write-baseline", FILE, *args)
        assert len(load(adopted.folder / FILE).entries) == 2

    def test_a_file_that_cannot_be_checked_keeps_its_entries(self, adopted: Cli) -> None:
        adopted.write("a.py", "a = (\n")
        result = adopted("--write-baseline", FILE)
        assert result.exit_code == 2
        assert len(load(adopted.folder / FILE).entries) == 2


BROKEN: dict[str, tuple[str | bytes, str]] = {
    "not JSON": ("{", "is no baseline of epslint: it is not JSON"),
    "a program": ("import torch\n", "is no baseline of epslint: it is not JSON"),
    "other JSON": ("[1, 2]", "it names no version"),
    "no version": ('{"findings": []}', "it names no version"),
    "newer": ('{"version": 2, "entries": {}}', "a newer epslint wrote this baseline"),
    "no findings": ('{"version": 1}', "its findings have not the shape"),
    "odd findings": ('{"version": 1, "findings": [{"path": "a.py"}]}', "have not the shape"),
    "odd count": (
        '{"version": 1, "findings": [{"path": "a", "code": "b", "snippet": "c", "count": 0}]}',
        "have not the shape",
    ),
    "binary": (b"\xff\xfe\x00", "it is not JSON"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("option", ["--baseline", "--write-baseline"])
def test_a_broken_one_stops_the_run_and_stays_as_it_is(cli: Cli, option: str, name: str) -> None:
    content, message = BROKEN[name]
    path = cli.write(FILE, content)
    before = path.read_bytes()
    cli.write("a.py", OLD)
    result = cli(option, FILE, "a.py")
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert message in line
    assert path.read_bytes() == before


def test_a_missing_one_says_how_to_make_it(cli: Cli) -> None:
    cli.write("a.py", OLD)
    result = cli("--baseline", FILE, "a.py")
    assert result.exit_code == 2
    assert result.stderr == (
        f"error: {FILE}: there is no such baseline; make it with: epslint --write-baseline {FILE}\n"
    )


def test_a_write_that_fails_leaves_the_old_one(
    adopted: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (adopted.folder / FILE).read_bytes()

    def refuse(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    adopted.write("a.py", "a = 1\n")
    result = adopted("--no-cache", "--write-baseline", FILE)
    assert (result.exit_code, result.stderr) == (
        2,
        f"error: {FILE}: cannot be written: No space left on device\n",
    )
    assert (adopted.folder / FILE).read_bytes() == before
    assert sorted(p.name for p in adopted.folder.glob("*.*")) == [".epslint_cache", "a.py", FILE]


@pytest.mark.parametrize("other", ["--fix", "--add-ignore=why"])
def test_does_not_go_with_fixing(cli: Cli, other: str) -> None:
    path = cli.write("a.py", OLD)
    result = cli("--write-baseline", FILE, other, "a.py")
    assert result.exit_code == 2
    assert "do not go together" in result.stderr
    assert path.read_text() == OLD
    assert not (cli.folder / FILE).exists()
