"""The wheel with machine code in it: it finds the same, and without a compiler there is another."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.environments import environment_with

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="wheels are compiled on POSIX alone"),
]

ROOT = Path(__file__).parent.parent
DEMO = ROOT / "fixtures" / "demo"
CHECK = ("-m", "epslint", "check", "--isolated", "--no-cache", "--exit-zero")


def build(folder: Path, variables: Mapping[str, str]) -> tuple[Path, str]:
    """A wheel, and what was said about it."""
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, **variables},
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    (wheel,) = folder.iterdir()
    return wheel, built.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with the compiled wheel in it."""
    if shutil.which(str(sysconfig.get_config_var("CC")).split()[0]) is None:
        pytest.skip("there is no compiler")
    wheel, said = build(tmp_path_factory.mktemp("wheel"), {"EPSLINT_COMPILE": "1"})
    assert not wheel.name.endswith("none-any.whl"), said
    return environment_with(wheel, tmp_path_factory.mktemp("environment"))


def said(python: Path | str, *words: str | Path, cwd: Path = ROOT.parent) -> str:
    bare = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ran = subprocess.run(
        [str(python), *map(str, words)],
        cwd=cwd,
        env=bare,
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout + ran.stderr


def test_it_is_compiled(python: Path) -> None:
    where = said(python, "-c", "import epslint.analysis.fact as fact; print(fact.__file__)")
    assert where.strip().endswith(str(sysconfig.get_config_var("EXT_SUFFIX")))


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
@pytest.mark.parametrize("tree", [DEMO, ROOT / "fixtures"], ids=["demo", "fixtures"])
def test_it_finds_the_same(python: Path, tree: Path, jobs: str) -> None:
    question = (*CHECK, jobs, "--confidence", "unlikely", "--output-format", "json", tree)
    assert said(python, *question) == said(sys.executable, *question)


def test_it_repairs_the_same(python: Path) -> None:
    question = (*CHECK, "--diff", "--unsafe-fixes", DEMO)
    assert said(python, *question) == said(sys.executable, *question)
    assert "Would fix" in said(python, *question)


def test_it_knows_the_same(python: Path) -> None:
    (file,) = DEMO.glob("*.py")
    assert said(python, "-m", "epslint", "facts", file) == said(
        sys.executable, "-m", "epslint", "facts", file
    )


def test_code_nested_deeply_is_no_trouble(python: Path, tmp_path: Path) -> None:
    deep = 900  # calls, in a stack of 1000 for Python
    logs = " + ".join(["torch.log(mask.sum())"] * deep)
    tests = "".join(f"    {'el' * (i > 0)}if x == {i}:\n        y = 1\n" for i in range(deep))
    for name, body in {
        "sum": f"    return {logs}\n",
        "chain": f"{tests}    return y / mask.sum()\n",
        "path": f"    return x{'.y' * deep} / mask.sum()\n",
    }.items():
        (tmp_path / f"{name}.py").write_text(f"import torch\ndef f(x, mask):\n{body}")
    question = (*CHECK, "--output-format", "concise", tmp_path)
    assert said(python, *question) == said(sys.executable, *question)
    assert all(f"{name}.py" in said(python, *question) for name in ("sum", "chain", "path"))


@pytest.mark.parametrize("compiler", ["/bin/false", "no-such-compiler"])
def test_without_a_compiler_the_wheel_is_python_alone(compiler: str, tmp_path: Path) -> None:
    wheel, told = build(tmp_path, {"EPSLINT_COMPILE": "1", "CC": compiler})
    assert wheel.name.endswith("-py3-none-any.whl")
    assert (
        f"not compiled, which is slower and does the same: the C compiler does not work: {compiler}"
        in told
    )


def test_a_variable_turns_it_off(tmp_path: Path) -> None:
    wheel, told = build(tmp_path, {"EPSLINT_COMPILE": "0"})
    assert wheel.name.endswith("-py3-none-any.whl")
    assert "compil" not in told
