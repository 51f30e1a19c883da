"""What is shipped: the sdist and the wheel hold all they need, and the wheel works alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

import epslint
from epslint import address
from tests.environments import environment_with

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent


# What an outside user has when the sources are out of reach: enough tests to see that all is there.
AGAINST_THE_WHEEL = (
    "test_api.py",
    "test_baseline.py",
    "test_cli.py",
    "test_fixtures.py",
    "test_formats.py",
    "test_report.py",
    "runtime/test_pytest_plugin.py",
    "runtime/test_tables.py",
)


def build(project: Path, folder: Path, target: str) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=project,
        env={**os.environ, "EPSLINT_COMPILE": "0"},  # what is compiled: test_compiled.py
        check=True,
        capture_output=True,
    )
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("built"), "sdist")


@pytest.fixture(scope="module")
def sdist(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, unpacked."""
    work = tmp_path_factory.mktemp("sdist")
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")
    (unpacked,) = work.glob("epslint-*")
    return unpacked


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the sdist as an installer would."""
    return build(sdist, tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked into a folder that can be imported from."""
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)
    return site


def run(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command that finds no help in our own variables."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=cwd, env=bare, capture_output=True, text=True, check=False)


def python_files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")}


@pytest.mark.parametrize("name", ["compiling", "epslint", "rules", "tests", "fixtures", "docs"])
def test_the_sdist_holds_what_the_tests_need(sdist: Path, name: str) -> None:
    assert python_files(sdist / name) == python_files(ROOT / name)
    assert (sdist / ".ci" / "run").exists()
    assert (sdist / "LICENSE").exists()
    assert (sdist / "hatch_build.py").exists()


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


def test_the_address_is_the_one_that_the_package_names() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"].get("urls", {})
    assert (urls.get("Homepage"), urls.get("Rules")) == (address.HOME, address.RULES)


def test_wheel_and_sdist_are_in_order(archive: Path, wheel: Path) -> None:
    checked = run(sys.executable, "-m", "twine", "check", "--strict", archive, wheel)
    assert checked.returncode == 0, checked.stdout
    contents = run(sys.executable, "-m", "check_wheel_contents", wheel)
    assert contents.returncode == 0, contents.stdout


def test_the_action_installs_what_it_is_given(wheel: Path, tmp_path: Path) -> None:
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    (script,) = (step["run"] for step in steps if step["name"] == "Install epslint")
    variables = {
        "PYTHON": sys.executable,
        "REQUIREMENT": str(wheel),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_ENV": str(tmp_path / "variables"),
    }
    told = [f"{name}={value}" for name, value in variables.items()]
    installed = run("env", *told, "bash", "-eo", "pipefail", "-c", script, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    name, _, command = (tmp_path / "variables").read_text().strip().partition("=")
    assert name == "EPSLINT"
    assert run(command, "--version").stdout == f"epslint, version {epslint.__version__}\n"


def sourceless(sdist: Path, folder: Path) -> Path:
    """The tests and what they read, without the packages they test."""
    for path in sdist.iterdir():
        if path.name not in ("epslint", "rules"):
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, folder / path.name)
    return folder


def test_the_tests_pass_against_the_installed_wheel(
    sdist: Path, wheel: Path, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    work = sourceless(sdist, tmp_path / "work")
    python = environment_with(wheel, tmp_path / "environment")
    where = "import epslint, epslint_rules; print(epslint.__file__, epslint_rules.__file__)"
    found = run(python, "-c", where, cwd=work).stdout.split()
    assert len(found) == 2
    assert all(str(tmp_path / "environment") in path for path in found)
    console = run(python.parent / "epslint", "--version", cwd=work)
    assert console.stdout == f"epslint, version {epslint.__version__}\n"
    tests = [f"tests/{name}" for name in AGAINST_THE_WHEEL]
    passed = run(python, "-m", "pytest", "-q", "-x", "-p", "no:xdist", *tests, cwd=work)
    assert passed.returncode == 0, passed.stdout[-3000:]
