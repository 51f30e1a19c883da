"""`epslint --help` is quick because it loads nothing heavy; so is `import epslint`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("libcst", "epslint.analysis", "torch", "numpy", "pathspec")
# What a run in which nothing is new can do without, too.
IDLE = (
    *HEAVY,
    "epslint_rules",
    "epslint.engine",
    "epslint.registry",
    "epslint.fixer",
    "importlib.metadata",
    "multiprocessing",
    "subprocess",
    "tomllib",
    "traceback",
)

PROBE = """
import sys
{code}
sys.stderr.write(" ".join(name for name in {heavy!r} if name in sys.modules))
"""

RUN = """
from epslint.cli import main
main({args!r}, standalone_mode=False)
"""

EXIT = """
from epslint.cli import main
try:
    main({args!r})
except SystemExit as end:
    assert end.code == 0
"""


def loaded(code: str, heavy: tuple[str, ...] = HEAVY, cwd: Path | None = None) -> list[str]:
    """Which heavy modules a fresh interpreter has loaded after running the code."""
    probe = PROBE.format(code=code, heavy=heavy)
    run = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, cwd=cwd
    )
    return run.stderr.split()


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["check", "--help"], ["rule", "-h"]])
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    assert loaded(RUN.format(args=args)) == []


def test_the_package_loads_nothing_heavy() -> None:
    assert loaded("import epslint, epslint.rule, epslint.epsilon") == []


RARE = ("epslint.baseline", "epslint.since", "epslint.add_ignore", "epslint.watching", "subprocess")


def test_a_run_does_not_load_what_it_does_not_need() -> None:
    assert loaded("import epslint.session", RARE) == []


@pytest.mark.parametrize("args", [[], ["--fix"], ["--output-format", "concise"]])
def test_a_run_in_which_nothing_is_new_loads_next_to_nothing(
    tmp_path: Path, args: list[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'some'\n")
    (tmp_path / "clean.py").write_text("import torch\n\n\ndef f(x):\n    return x / 2\n")
    run = EXIT.format(args=["-q", *args, "."])
    first = loaded(run, IDLE, tmp_path)
    assert {"epslint.analysis", "epslint_rules", "epslint.engine"} <= set(first)
    assert loaded(run, IDLE, tmp_path) == []


def test_old_findings_are_shown_without_the_rules(tmp_path: Path) -> None:
    (tmp_path / "hazard.py").write_text("def f(x, mask):\n    return x / mask.sum()\n")
    run = EXIT.format(args=["--exit-zero", "."])
    assert "epslint.analysis" in loaded(run, IDLE, tmp_path)
    assert loaded(run, IDLE, tmp_path) == []


@pytest.mark.parametrize("args", [[], ["--fix"]])
def test_findings_and_fixes_do_without_libcst(tmp_path: Path, args: list[str]) -> None:
    (tmp_path / "hazard.py").write_text("def f(x, mask):\n    return x / (mask.sum())\n")
    assert loaded(EXIT.format(args=["--exit-zero", "-q", *args, "."]), ("libcst",), tmp_path) == []


def test_this_test_can_fail() -> None:
    assert loaded("import libcst") == ["libcst"]
    assert "pathspec" in loaded("import pathspec")
