"""Shell completion: bash for real; zsh and fish by what their scripts ask for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from epslint.cli import main

SHELLS = ["bash", "zsh", "fish"]


@pytest.fixture
def epslint(tmp_path: Path) -> Path:
    """A folder with a command `epslint` in it."""
    path = tmp_path / "epslint"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m epslint "$@"\n')
    path.chmod(0o755)
    return tmp_path


def environment(folder: Path, **more: str) -> dict[str, str]:
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path), **more}


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts(shell: str) -> None:
    text = CliRunner().invoke(main, ["completion", shell]).stdout
    assert f"_EPSLINT_COMPLETE={shell}_complete" in text


def test_bash_takes_the_script_and_completes(epslint: Path) -> None:
    asked = (("--fix-o", "--fix-only"), ("comp", "completion"), ("--watc", "--watch"))
    lines = ['eval "$(epslint completion bash)"']
    for word, _ in asked:
        lines += [
            f"COMP_WORDS=(epslint {word}); COMP_CWORD=1; COMPREPLY=()",
            "_epslint_completion epslint; echo ${COMPREPLY[@]}",
        ]
    # Outside of an interactive shell compopt has nothing to set; here it need not.
    script = "compopt() { :; }\n" + "\n".join(lines)
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=environment(epslint),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [answer for _, answer in asked]


def answers(epslint: Path, shell: str, words: str, last: str) -> str:
    position = last if shell == "fish" else str(len(words.split()) - bool(last))
    variables = {
        "_EPSLINT_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": position,
    }
    done = subprocess.run(
        ["epslint"],
        env=environment(epslint, **variables),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("words", "last", "expected"),
    [
        ("epslint --statis", "--statis", "--statistics"),
        ("epslint check --output-format sar", "sar", "sarif"),
        ("epslint --select EPS10", "EPS10", "EPS101"),
        ("epslint --select EPS101,eps20", "EPS101,eps20", "EPS101,EPS201"),
        ("epslint rule EPS20", "EPS20", "EPS201"),
        ("epslint rul", "rul", "rule"),
    ],
)
def test_what_is_offered(epslint: Path, shell: str, words: str, last: str, expected: str) -> None:
    assert expected in answers(epslint, shell, words, last)


@pytest.mark.parametrize("words", ["epslint sr", "epslint --fix sr", "epslint check sr"])
def test_paths_are_left_to_the_shell(epslint: Path, words: str) -> None:
    assert "file,sr" in answers(epslint, "bash", words, "sr")
