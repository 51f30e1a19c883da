"""The README's two commands do what it says; what they install is the business of .ci/run."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from click import unstyle
from click.testing import CliRunner, Result

from epslint.cli import main

ROOT = Path(__file__).parent.parent
COMMANDS = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


def epslint(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


def test_the_demo_command_runs_these_steps() -> None:
    demo = COMMANDS[0]
    assert "pip install -q ." in demo
    assert "epslint check --exit-zero fixtures/demo &&" in demo
    assert "epslint check --exit-zero --diff fixtures/demo\n" in demo


def test_the_demo_has_findings_and_fixes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    checked = epslint("check", "--exit-zero", "fixtures/demo")
    assert checked.exit_code == 0
    assert "EPS101" in checked.stdout
    diff = epslint("check", "--exit-zero", "--diff", "fixtures/demo")
    assert diff.exit_code == 0
    assert "+++ fixtures/demo/" in unstyle(diff.stdout)


def test_the_demo_has_as_many_findings_as_the_comparison_says() -> None:
    row = re.search(r"\| findings in `fixtures/demo` \| (\d+) \|", (ROOT / "README.md").read_text())
    found = epslint("check", "--isolated", "--output-format", "json", str(ROOT / "fixtures/demo"))
    assert row is not None
    assert len(json.loads(found.stdout)) == int(row[1])


def test_the_picture_is_current() -> None:
    """`python docs/picture/draw.py` draws it anew."""
    draw = runpy.run_path(str(ROOT / "docs/picture/draw.py"))
    assert draw["svg"]() == (ROOT / "docs/picture/terminal.svg").read_text(encoding="utf-8")


def test_the_picture_is_a_picture_of_what_is_said() -> None:
    draw = runpy.run_path(str(ROOT / "docs/picture/draw.py"))
    picture = Xml.fromstring((ROOT / "docs/picture/terminal.svg").read_text(encoding="utf-8"))
    drawn = "".join("".join(picture.itertext()).split())
    assert "".join(unstyle(draw["said"]()).split()) in drawn


def test_every_file_the_readme_names_exists() -> None:
    text = (ROOT / "README.md").read_text()
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert (ROOT / link).exists(), link


def test_the_test_command_is_the_one_that_runs_everything() -> None:
    assert COMMANDS[-1] == "bash .ci/run\n"
    script = (ROOT / ".ci" / "run").read_text()
    for step in (
        'install .* -e "\\.\\[test\\]"',
        "ruff. check",
        "format --check",
        "mypy. --strict",
    ):
        assert re.search(step, script)
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_every_option_the_readme_names_exists() -> None:
    text = (ROOT / "README.md").read_text()
    helps = "".join(epslint(*args, "--help").stdout for args in ([], ["check"], ["rule"]))
    pytest_help = [sys.executable, "-m", "pytest", "--help"]
    helps += subprocess.run(pytest_help, capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"--[a-z-]+", helps))
    text = re.sub(r"^(pipx|uvx) .*$", "", text, flags=re.MULTILINE)  # these have their own options
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) <= known


def test_the_tests_torch_is_pinned() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    extra = re.search(r"^test = \[(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    assert extra is not None
    assert re.findall(r'"(torch[^"]*)"', extra.group(1)) == ["torch==2.13.0"]
    assert "[torch" not in (ROOT / ".ci/run").read_text()
