"""What is found does not depend on how Python hashes: a set goes through its names in any order."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SEEDS = range(6)
NAMES = [f"n{i}" for i in range(20)]  # more than are kept of one test


def test_findings_are_the_same_whatever_the_seed(tmp_path: Path) -> None:
    path = tmp_path / "cases.py"
    path.write_text(many_cases())
    reports = [report(path, seed) for seed in SEEDS]
    assert 0 < reports[0].count("EPS101") < len(NAMES)
    assert reports == [reports[0]] * len(reports)


def many_cases() -> str:
    """What each name is where the test comes again is known of the last ones only."""
    given = [f"        {name} = (mask > {i}).sum()" for i, name in enumerate(NAMES)]
    floored = [f"{line}.clamp(min=1)" for line in given]
    used = [f"        total = total + x / {name}" for name in NAMES]
    head = ["import torch", "", "", "def f(x, mask, floored):", "    total = 0"]
    tail = ["    return total"]
    branches = ["    if floored:", *floored, "    else:", *given, "    if floored:", *used]
    return "\n".join([*head, *branches, *tail, ""])


def report(path: Path, seed: int) -> str:
    options = ["--isolated", "--no-cache", "-j1", "--output-format", "concise"]
    run = subprocess.run(
        [sys.executable, "-m", "epslint", *options, str(path)],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
    )
    assert run.returncode == 1, run.stderr
    return run.stdout
