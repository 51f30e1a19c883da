"""`epslint --help` is quick because it loads nothing heavy; so is `import epslint`."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("libcst", "epslint.analysis", "torch", "numpy", "pathspec")

PROBE = """
import sys
{code}
sys.stderr.write(" ".join(name for name in {heavy!r} if name in sys.modules))
"""

RUN = """
from epslint.cli import main
main({args!r}, standalone_mode=False)
"""


def loaded(code: str, modules: tuple[str, ...] = HEAVY) -> list[str]:
    """Which of the modules a fresh interpreter has loaded after running the code."""
    probe = PROBE.format(code=code, heavy=modules)
    run = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return run.stderr.split()


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["check", "--help"], ["rule", "-h"]])
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    assert loaded(RUN.format(args=args)) == []


def test_the_package_loads_nothing_heavy() -> None:
    assert loaded("import epslint, epslint.rule, epslint.epsilon") == []


RARE = ("epslint.baseline", "epslint.since", "epslint.add_ignore", "epslint.watching", "subprocess")


def test_a_run_does_not_load_what_it_does_not_need() -> None:
    assert loaded("import epslint.session", RARE) == []


def test_this_test_can_fail() -> None:
    assert loaded("import libcst") == ["libcst"]
    assert "pathspec" in loaded("import epslint.api")
