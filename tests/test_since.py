"""`--since`: findings on lines that changed since a git revision."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epslint.since import changed_rows
from tests.conftest import Cli

Git = Callable[..., str]

# The first line is what the fake rules name as their reason, so it stays as it is.
TEXT = "import torch\na = x / BAD\nb = 1\nc = x / BAD\n"


@pytest.fixture
def git(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Git:
    """A repository with one file in it; calls git there."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]

    def run(*args: str) -> str:
        command = ["git", *who, *args]
        done = subprocess.run(command, cwd=cli.folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    run("init", "-q", "-b", "main")
    cli.write("a.py", TEXT)
    run("add", ".")
    run("commit", "-qm", "one")
    return run


def rows(cli: Cli, *args: str) -> Sequence[str]:
    """Where the findings are: `a.py:2`."""
    shown = cli("check", "-q", "--output-format", "concise", "--since", *args).stdout.splitlines()
    return [":".join(line.split(":")[:2]) for line in shown]


def test_old_lines_do_not_speak(cli: Cli, git: Git) -> None:
    result = cli("--since", "HEAD")
    assert (result.exit_code, result.stdout) == (0, "All checks passed.\n")


def test_a_changed_line_speaks(cli: Cli, git: Git) -> None:
    cli.write("a.py", TEXT.replace("c = x", "c = y"))
    assert rows(cli, "HEAD") == ["a.py:4"]
    assert cli("--since", "HEAD").exit_code == 1
    git("commit", "-qam", "two")
    assert rows(cli, "HEAD") == []
    assert rows(cli, "HEAD~1") == ["a.py:4"]
    assert rows(cli, "main~1", "a.py") == ["a.py:4"]


def test_lines_that_only_moved_do_not(cli: Cli, git: Git) -> None:
    cli.write("a.py", TEXT.replace("b = 1\n", "b = 1\nd = x / BAD\n\n\n"))
    assert rows(cli, "HEAD") == ["a.py:4"]


def test_a_changed_reason_speaks(cli: Cli, git: Git) -> None:
    cli.write("a.py", TEXT.replace("import torch", "import torch as t"))
    assert rows(cli, "HEAD") == ["a.py:2", "a.py:4"]


def test_line_ends_are_no_change(cli: Cli, git: Git) -> None:
    cli.write("a.py", TEXT.replace("\n", "\r\n"))
    assert rows(cli, "HEAD") == []


@pytest.mark.parametrize("add", [True, False])
def test_new_files_are_all_new(cli: Cli, git: Git, add: bool) -> None:
    cli.write("sub/new é.py", "a = x / BAD\n")
    if add:
        git("add", ".")
    assert rows(cli, "HEAD") == ["sub/new é.py:1"]


def test_renames_are_followed(cli: Cli, git: Git) -> None:
    (cli.folder / "deep").mkdir()
    git("mv", "a.py", "deep/b c.py")
    assert rows(cli, "HEAD") == []
    cli.write("deep/b c.py", TEXT + "e = x / BAD\n")
    git("commit", "-qam", "moved")
    assert rows(cli, "HEAD~1") == ["deep/b c.py:5"]


def test_from_a_folder_below_and_with_a_baseline(
    cli: Cli, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.write("sub/b.py", "a = x / BAD\n")
    monkeypatch.chdir(cli.folder / "sub")
    assert rows(cli, "HEAD", "..") == ["../sub/b.py:1"]
    cli("--write-baseline", "old.json", "..")
    assert cli("--since", "HEAD", "--baseline", "old.json", "..").exit_code == 0


def test_standard_input(cli: Cli, git: Git) -> None:
    args = ["--since", "HEAD", "--output-format", "concise", "-q", "--stdin-filename", "a.py", "-"]
    shown = cli(*args, stdin=TEXT.replace("c = x", "c = y")).stdout
    assert shown.startswith("a.py:4:")
    assert len(shown.splitlines()) == 1


def test_fix_touches_changed_lines_only(cli: Cli, git: Git) -> None:
    # The new line is equal to an old one: only its place tells them apart.
    path = cli.write("a.py", TEXT.replace("b = 1", "c = x / BAD\nb = 1"))
    assert cli("--fix", "--since", "HEAD").exit_code == 0
    fixed = TEXT.replace("b = 1", "c = x / (BAD + 1e-8)\nb = 1")
    assert path.read_text() == fixed


def test_a_file_that_was_no_python_then(cli: Cli, git: Git) -> None:
    cli.write("b.py", b"\xff\xfe\n")
    git("add", ".")
    git("commit", "-qm", "binary")
    cli.write("b.py", "a = x / BAD\n")
    assert rows(cli, "HEAD") == ["b.py:1"]


@pytest.mark.parametrize("revision", ["no-such-branch", "0" * 40, "--all", "HEAD~99", ""])
def test_an_unknown_revision(cli: Cli, git: Git, revision: str) -> None:
    result = cli(f"--since={revision}", "--fix", ".")
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"error: --since: git knows no revision {revision!r}; name a branch")
    assert (cli.folder / "a.py").read_text() == TEXT


def test_no_repository(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(cli.folder.parent))
    result = cli("--since", "HEAD", ".")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: --since: this is not a git repository; run epslint inside one, or use --baseline\n"
    )


def test_a_repository_that_git_does_not_trust(
    cli: Cli, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("HOME", str(cli.folder))
    result = cli("--since", "HEAD", ".")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: --since: git refuses: detected dubious ownership")


def test_no_git(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = cli("--since", "HEAD", ".")
    assert result.exit_code == 2
    assert "git is not installed" in result.stderr


LINES = st.lists(st.sampled_from("abc"), max_size=12)


@given(LINES, LINES)
def test_unchanged_rows_are_common_to_both(old: list[str], new: list[str]) -> None:
    changed = changed_rows(old, new)
    assert changed <= set(range(1, len(new) + 1))
    kept = [line for row, line in enumerate(new, 1) if row not in changed]
    left = iter(old)
    assert all(line in left for line in kept)  # in the old text, in the same order


@given(LINES)
def test_nothing_changed(text: list[str]) -> None:
    assert changed_rows(text, text) == frozenset()
