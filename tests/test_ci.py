"""What users copy into their CI: the action and the snippets of docs/ci.md."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
import yaml
from click.testing import CliRunner

from epslint.cli import main

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
ACTION = ROOT / "action.yml"
HAZARD = "import torch\n\n\ndef f(x, mask):\n    return x / mask.sum()\n"

Step = dict[str, str]


def snippets(heading: str) -> list[str]:
    """The YAML under a heading of the page."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)


def validate(schema: str, *paths: Path) -> str:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run([*command, *paths], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout


@pytest.mark.parametrize(
    ("heading", "schema", "number"),
    [
        ("GitHub Actions", "github-workflows", 3),
        ("GitLab CI", "gitlab-ci", 1),
        ("Azure Pipelines", "azure-pipelines", 2),
    ],
)
def test_snippets_are_what_the_services_take(
    tmp_path: Path, heading: str, schema: str, number: int
) -> None:
    texts = snippets(heading)
    assert len(texts) == number
    paths = [tmp_path / f"{index}.yml" for index in range(number)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    assert validate(schema, *paths) == ""
    paths[0].write_text("steps: 1\njobs: 2\nscript: 3\n")
    assert validate(schema, *paths)


def test_the_hook_snippet_is_what_pre_commit_takes(tmp_path: Path) -> None:
    (text,) = snippets("pre-commit")
    assert len(text.splitlines()[1:]) == 4  # "four lines of YAML"
    path = tmp_path / "config.yaml"
    path.write_text(text)
    command = [sys.executable, "-m", "pre_commit", "validate-config", str(path)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    assert {"epslint", "epslint-fix"} == hooks


def commands() -> Iterator[str]:
    for block in re.findall(r"```\w+\n(.*?)```", PAGE, re.DOTALL):
        yield from re.findall(r"epslint check .*", block)


@pytest.mark.parametrize("command", list(commands()))
def test_commands_run(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(HAZARD)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    for args in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run([*git, *args], cwd=tmp_path, check=True)
    (tmp_path / "old.json").write_text('{"version": 1, "findings": []}')
    result = CliRunner().invoke(main, shlex.split(command)[1:])
    writes = "--write-baseline" in command or "--add-ignore" in command
    assert (result.exit_code, result.stderr) == (0 if writes else 1, "")


class TestAction:
    def steps(self) -> dict[str, Step]:
        action = yaml.safe_load(ACTION.read_text())
        return {step["name"]: step for step in cast("list[Step]", action["runs"]["steps"])}

    def test_is_what_github_takes(self) -> None:
        assert validate("github-actions", ACTION) == ""

    def test_scripts_are_not_built_from_inputs(self) -> None:
        """An input inside a script could run as one; inputs come as variables."""
        assert not any("${{" in step.get("run", "") for step in self.steps().values())

    def check(self, folder: Path, **inputs: str) -> dict[str, str]:
        """Run the step that checks, as GitHub runs it; what it prints and puts out."""
        epslint = folder / "bin" / "epslint"
        epslint.parent.mkdir()
        epslint.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m epslint "$@"\n')
        epslint.chmod(0o755)
        output = folder / "output"
        done = subprocess.run(
            [
                "bash",
                "--noprofile",
                "--norc",
                "-eo",
                "pipefail",
                "-c",
                self.steps()["Check"]["run"],
            ],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "PATHS": ".",
                "ARGS": "",
                **inputs,
                "EPSLINT": str(epslint),
                "RUNNER_TEMP": str(folder / "bin"),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_WORKSPACE": str(folder),
            },
            capture_output=True,
            text=True,
            check=True,
        )
        put = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return {"stdout": done.stdout, "stderr": done.stderr, **put}

    def test_annotates_and_writes_sarif(self, tmp_path: Path) -> None:
        (tmp_path / "a b.py").write_text(HAZARD)
        done = self.check(tmp_path)
        assert done["exit-code"] == "1"
        assert "file=a b.py,line=5" in done["stdout"]
        (run,) = json.loads(Path(done["sarif"]).read_text())["runs"]
        assert [result["ruleId"] for result in run["results"]] == ["EPS101"]

    def test_takes_paths_and_arguments(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text(HAZARD)
        (tmp_path / "b.py").write_text(HAZARD)
        done = self.check(tmp_path, PATHS="b.py\na.py", ARGS="--select EPS1 --ignore EPS102")
        assert done["stdout"].count("::warning") + done["stdout"].count("::error") == 2

    def test_a_clean_folder_passes(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text("import torch\n")
        done = self.check(tmp_path)
        assert (done["exit-code"], done["stdout"]) == ("0", "")

    def test_what_cannot_run_says_why_and_uploads_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text(HAZARD)
        done = self.check(tmp_path, ARGS="--select EPS999")
        assert done["exit-code"] == "2"
        assert "EPS999" in done["stderr"]
        assert "sarif" not in done
