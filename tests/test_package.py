"""What is shipped: the sdist and the wheel hold all they need, and the wheel works alone."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent


def build(project: Path, folder: Path, target: str) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=project,
        check=True,
        capture_output=True,
    )
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, unpacked."""
    work = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build(ROOT, work / "built", "sdist")) as archive:
        archive.extractall(work, filter="data")
    (unpacked,) = work.glob("epslint-*")
    return unpacked


@pytest.fixture(scope="module")
def installed(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel built from the sdist, unpacked into a folder that can be imported from."""
    work = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(build(sdist, work / "built", "wheel")) as archive:
        archive.extractall(work / "site")
    return work / "site"


def python_files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")}


@pytest.mark.parametrize("name", ["epslint", "rules", "tests", "fixtures", "docs"])
def test_the_sdist_holds_what_the_tests_need(sdist: Path, name: str) -> None:
    assert python_files(sdist / name) == python_files(ROOT / name)
    assert (sdist / ".ci" / "run").exists()
    assert (sdist / "LICENSE").exists()


def test_the_wheel_holds_the_package_and_the_rules(installed: Path) -> None:
    assert python_files(installed / "epslint") == python_files(ROOT / "epslint")
    assert python_files(installed / "epslint_rules") == python_files(ROOT / "rules/epslint_rules")
    tops = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert tops == {"epslint", "epslint_rules"}
    assert (installed / "epslint" / "py.typed").exists()
    assert (installed / "epslint_rules" / "py.typed").exists()


def test_the_wheel_works_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1  # epslint: ignore[EPS999]\n")
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    code = "import epslint, sys; print(epslint.__file__); sys.argv[1:] = ['check', 'a.py'];"
    run = subprocess.run(
        [sys.executable, "-c", f"{code} from epslint.cli import main; main()"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.startswith(str(installed))
    assert "EPS002" in run.stdout
    assert run.returncode == 1
