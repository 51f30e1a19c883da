"""The hooks, run by the real pre-commit on a scratch repository, from a clone of this one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
SHIPPED = (
    *("epslint", "rules", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"),
    *("hatch_build.py", "compiling"),  # what builds the wheel
)

HAZARD = "import torch\n\n\ndef f(x, mask):\n    return x / mask.sum()\n"
FIXED = HAZARD.replace("mask.sum()", "(mask.sum() + 1e-8)")
CLEAN = "import torch\n"


def run(command: Sequence[str], cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    # Our own paths must not help: the hook has to bring all it needs.
    mine = ("GIT_", "PYTHON", "EPSLINT", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
    kept["EPSLINT_COMPILE"] = "0"  # which takes a minute: test_compiled.py
    return subprocess.run(
        command, cwd=cwd, env={**kept, **more}, capture_output=True, text=True, check=False
    )


def git(folder: Path, *args: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    done = run(["git", *who, *args], folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def repository(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    return folder


def clone(folder: Path) -> Path:
    """What a user's pre-commit gets to see of this repository, as it is now."""
    repository(folder)
    for name in SHIPPED:
        path = ROOT / name
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, folder / name)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "as it is")
    return folder


@dataclass(frozen=True, slots=True)
class Project:
    """A user's repository with one hook; `home` is where pre-commit keeps its environments."""

    folder: Path
    origin: Path
    home: Path

    def use(self, hook: str, *args: str) -> None:
        """Write the four lines of YAML; JSON is YAML too."""
        entry: dict[str, object] = {"id": hook, "args": list(args)} if args else {"id": hook}
        revision = git(self.origin, "rev-parse", "HEAD")
        repo = {"repo": str(self.origin), "rev": revision, "hooks": [entry]}
        path = self.folder / ".pre-commit-config.yaml"
        path.write_text(json.dumps({"repos": [repo]}))

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def commit(self) -> subprocess.CompletedProcess[str]:
        """What pre-commit says to a commit of all there is."""
        git(self.folder, "add", ".")
        command = [sys.executable, "-m", "pre_commit", "run", "--color", "never"]
        return run(command, self.folder, PRE_COMMIT_HOME=str(self.home))


def check_fails_on_a_hazard(project: Project) -> None:
    project.use("epslint")
    path = project.write("a.py", HAZARD)
    done = project.commit()
    assert done.returncode == 1
    assert "epslint......" in done.stdout
    assert "a.py:5:16: EPS101 [*] Division by `mask.sum()`" in done.stdout
    assert "Found 1 finding in 1 file. 1 fixable with --fix." in done.stdout
    assert path.read_text() == HAZARD


def check_passes_without_one(project: Project) -> None:
    project.use("epslint")
    project.write("a.py", CLEAN)
    done = project.commit()
    assert (done.returncode, "Passed" in done.stdout) == (0, True), done.stdout


def check_passes_with_no_file_for_it(project: Project) -> None:
    project.use("epslint")
    project.write("notes.md", "x / n")
    done = project.commit()
    assert (done.returncode, "Skipped" in done.stdout) == (0, True), done.stdout


def check_passes_when_all_files_are_excluded(project: Project) -> None:
    project.use("epslint")
    project.write("a.py", HAZARD)
    project.write("pyproject.toml", '[tool.epslint]\nextend-exclude = ["a.py"]\n')
    assert project.commit().returncode == 0


def check_takes_arguments(project: Project) -> None:
    project.write("a.py", HAZARD)
    project.use("epslint", "--select", "EPS1")
    assert project.commit().returncode == 1
    project.use("epslint", "--select", "EPS2")
    assert project.commit().returncode == 0


def check_lets_old_findings_rest(project: Project) -> None:
    project.use("epslint", "--baseline", "old.json")
    snippet = "return x / mask.sum()"
    old = {"path": "a.py", "code": "EPS101", "snippet": snippet}
    project.write("old.json", json.dumps({"version": 1, "findings": [old]}))
    project.write("a.py", "# moved\n" + HAZARD)
    assert project.commit().returncode == 0
    project.write("b.py", HAZARD)
    done = project.commit()
    assert done.returncode == 1
    assert "Found 1 new finding in 1 file." in done.stdout


def check_says_what_it_cannot_check(project: Project) -> None:
    project.use("epslint")
    project.write("a.py", "def f(:\n")
    done = project.commit()
    assert done.returncode == 1
    assert "exit code: 2" in done.stdout
    assert "error: a.py: " in done.stdout


def fix_repairs_and_fails_once(project: Project) -> None:
    project.use("epslint-fix")
    path = project.write("a.py", HAZARD)
    first = project.commit()
    assert first.returncode == 1
    assert "files were modified by this hook" in first.stdout
    assert path.read_text() == FIXED
    second = project.commit()
    assert (second.returncode, "Passed" in second.stdout) == (0, True)


def fix_leaves_a_clean_file_alone(project: Project) -> None:
    project.use("epslint-fix")
    project.write("a.pyi", CLEAN)
    assert project.commit().returncode == 0


def fix_takes_arguments(project: Project) -> None:
    project.use("epslint-fix", "--select", "EPS2")
    path = project.write("a.py", HAZARD)
    assert project.commit().returncode == 0
    assert path.read_text() == HAZARD


SCENARIOS: tuple[Callable[[Project], None], ...] = (
    check_fails_on_a_hazard,
    check_passes_without_one,
    check_passes_with_no_file_for_it,
    check_passes_when_all_files_are_excluded,
    check_takes_arguments,
    check_lets_old_findings_rest,
    check_says_what_it_cannot_check,
    fix_repairs_and_fails_once,
    fix_leaves_a_clean_file_alone,
    fix_takes_arguments,
)


def test_hooks(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """One test, because making the environment takes longer than all that is done in it."""
    origin, home = clone(tmp_path / "origin"), tmp_path / "home"
    for number, scenario in enumerate(SCENARIOS):
        with subtests.test(scenario.__name__):
            scenario(Project(repository(tmp_path / str(number)), origin, home))


def test_the_hooks_are_well_formed() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"]
    done = run(command, ROOT)
    assert done.returncode == 0, done.stdout
