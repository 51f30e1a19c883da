from __future__ import annotations

import os
from pathlib import Path

import pytest

from epslint.files import discover
from epslint.settings import Settings
from tests.conftest import Cli


def found(cli: Cli, *paths: str, **overrides: object) -> list[str]:
    kebab = {key.replace("_", "-"): value for key, value in overrides.items()}
    discovery = discover([cli.folder / path for path in paths or (".",)], Settings(kebab))
    assert not discovery.failures
    return [os.path.relpath(file, cli.folder) for file in discovery.files]


def plant(cli: Cli, *names: str) -> None:
    for name in names:
        cli.write(name, "")


def test_python_files_are_found_sorted_and_once(cli: Cli) -> None:
    plant(cli, "b.py", "a/z.py", "a/y.pyi", "a/notes.txt", "c.PY", "a/b/x.py")
    assert found(cli) == ["a/b/x.py", "a/y.pyi", "a/z.py", "b.py"]
    assert found(cli, "b.py", ".", "a/../b.py") == found(cli)


@pytest.mark.parametrize("folder", [".venv", "build", "node_modules", "lib/site-packages", ".git"])
def test_what_is_never_meant_is_left_out(cli: Cli, folder: str) -> None:
    plant(cli, "a.py", f"{folder}/deep/b.py")
    assert found(cli) == ["a.py"]
    assert found(cli, f"{folder}/deep") == [f"{folder}/deep/b.py"]
    assert found(cli, folder) == [f"{folder}/deep/b.py"]
    assert found(cli, f"{folder}/deep/b.py") == [f"{folder}/deep/b.py"]


def test_exclude_replaces_and_extend_exclude_adds(cli: Cli) -> None:
    plant(cli, "a.py", "build/b.py", "gen/c.py", "src/gen/d.py")
    assert found(cli, exclude=["gen"]) == ["a.py", "build/b.py"]
    assert found(cli, extend_exclude=["/gen", "a.*"]) == ["src/gen/d.py"]


def test_patterns_of_a_file_start_where_the_file_lies(cli: Cli) -> None:
    plant(cli, "gen/a.py", "sub/gen/b.py", "sub/src/gen/c.py")
    cli.write("sub/epslint.toml", "extend-exclude = ['/gen']\n")
    assert found(cli) == ["gen/a.py", "sub/src/gen/c.py"]


def test_a_named_file_is_checked_unless_exclusion_is_forced(cli: Cli) -> None:
    plant(cli, "build/a.py", "b.py")
    assert found(cli, "build/a.py", "b.py") == ["b.py", "build/a.py"]
    assert found(cli, "build/a.py", "b.py", force_exclude=True) == ["b.py"]
    assert found(cli, "build", force_exclude=True) == []


class TestGitignore:
    def test_nested_files_and_negation(self, cli: Cli) -> None:
        plant(cli, "a.py", "out/b.py", "sub/c.py", "sub/keep.py", "sub/d_pb2.py")
        cli.write(".gitignore", "out/\n*_pb2.py\nsub/keep.py\n")
        cli.write("sub/.gitignore", "c.py\n!keep.py\n")
        assert found(cli) == ["a.py", "sub/keep.py"]
        assert found(cli, respect_gitignore=False) == sorted(
            ["a.py", "out/b.py", "sub/c.py", "sub/d_pb2.py", "sub/keep.py"]
        )

    def test_files_above_count_up_to_the_repository(self, cli: Cli) -> None:
        plant(cli, "repo/src/a.py", "repo/src/b.py", "repo/src/c.py", "repo/.git/HEAD")
        cli.write(".gitignore", "c.py\n")  # outside the repository: not git's business
        cli.write("repo/.gitignore", "src/b.py\n")
        assert found(cli, "repo/src") == ["repo/src/a.py", "repo/src/c.py"]

    def test_an_ignored_folder_that_is_named_is_searched(self, cli: Cli) -> None:
        plant(cli, ".git/HEAD", "out/a.py")
        cli.write(".gitignore", "out/\n")
        assert found(cli) == []
        assert found(cli, "out") == ["out/a.py"]


def test_links_to_folders_are_not_followed_and_links_to_files_are(cli: Cli) -> None:
    plant(cli, "a/b.py")
    (cli.folder / "a" / "loop").symlink_to(cli.folder)
    (cli.folder / "link.py").symlink_to("a/b.py")
    (cli.folder / "broken.py").symlink_to("gone.py")
    assert found(cli) == ["a/b.py", "link.py"]


def test_a_missing_path_is_a_failure_and_the_others_go_on(cli: Cli) -> None:
    plant(cli, "a.py")
    result = discover([Path("gone"), Path("a.py")], Settings())
    assert [str(failure) for failure in result.failures] == ["gone: no such file or directory"]
    assert result.files == (Path("a.py"),)


def test_a_notebook_is_not_called_clean(cli: Cli) -> None:
    (cli.folder / "train.ipynb").write_text('{"cells": []}', encoding="utf-8")
    result = discover([Path("train.ipynb")], Settings())
    assert result.files == ()
    assert [failure.filename for failure in result.failures] == ["train.ipynb"]
    assert "notebooks are not read yet" in result.failures[0].message


def test_a_folder_without_python_is_a_warning(cli: Cli) -> None:
    (cli.folder / "empty").mkdir()
    result = discover([Path("empty")], Settings())
    assert (result.files, result.failures) == ((), ())
    assert result.warnings == ("no Python files found under empty",)


def test_a_folder_that_cannot_be_listed_is_a_failure(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(cli, "a.py", "locked/b.py")
    scandir = os.scandir

    def refuse(path: Path) -> object:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    result = discover([Path(".")], Settings())
    assert [str(failure) for failure in result.failures] == [
        "locked: cannot be listed: Permission denied"
    ]
    assert result.files == (Path("a.py"),)
