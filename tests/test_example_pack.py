"""The pack of docs/example_pack, installed as a user would install it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parent.parent / "docs" / "example_pack"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pack installed in it."""
    work = tmp_path_factory.mktemp("pack")
    project = shutil.copytree(EXAMPLE, work / "project")
    command = ["-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    target = work / "site"
    subprocess.run(
        [sys.executable, *command, "--target", str(target), str(project)],
        check=True,
        capture_output=True,
    )
    return target


def run(site: Path, *args: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.run(
        [sys.executable, "-m", *args], env=environment, capture_output=True, text=True, check=False
    )


def test_its_own_tests_pass(site: Path) -> None:
    tests = run(site, "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLE))
    assert tests.returncode == 0, tests.stdout
    assert "3 passed" in tests.stdout


def test_its_rule_speaks_beside_the_built_in_ones(site: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "import torch\n\n\n"
        "def f(logits, temperature, mask):\n"
        "    return logits / temperature / mask.sum()\n"
    )
    result = run(site, "epslint", "check", "--isolated", "--output-format", "json", str(path))
    assert result.returncode == 1
    assert {finding["code"] for finding in json.loads(result.stdout)} == {"ACM101", "EPS101"}


def test_it_is_explained_selected_and_suppressed(site: Path, tmp_path: Path) -> None:
    assert "Users set a temperature" in run(site, "epslint", "rule", "ACM101").stdout
    path = tmp_path / "a.py"
    path.write_text("import torch\n\n\ndef f(x, temperature):\n    return x / temperature\n")
    assert run(site, "epslint", "check", "--select", "ACM", str(path)).returncode == 1
    path.write_text(path.read_text().rstrip() + "  # epslint: ignore[temperature-division]\n")
    assert run(site, "epslint", "check", str(path)).returncode == 0


def test_broken_it_stops_the_run(site: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(site, tmp_path / "broken")
    (broken / "epslint_acme" / "acm102.py").write_text("import no_such_module\n")
    (tmp_path / "a.py").write_text("x = 1\n")
    result = run(broken, "epslint", "check", str(tmp_path / "a.py"))
    assert result.returncode == 2
    assert "pack 'acme' cannot be imported: epslint_acme.acm102" in result.stderr
    assert "passed" not in result.stdout


def test_uninstalled_it_is_gone_and_without_any_pack_nothing_is_clean(tmp_path: Path) -> None:
    """An uninstalled checkout on the path has no entry points: that is exit 2, never clean."""
    (tmp_path / "a.py").write_text("x = 1\n")
    code = (
        "from epslint import packs; packs.installed = lambda: (); "
        "from epslint.cli import main; main(['check', 'a.py'])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "no rule pack is installed" in result.stderr
