"""How a run goes about it changes nothing in what it says: with the real rules, on the fixtures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent.parent / "fixtures"

WAYS = {
    "one process": ["--no-cache", "-j1"],
    "two processes": ["--no-cache", "-j2"],
    "five processes": ["--no-cache", "-j5"],
    "cold": ["-j2"],
    "warm": [],
    "warm, one file new": ["-j2"],
}


@pytest.mark.slow
def test_processes_and_cache_change_nothing(tmp_path: Path) -> None:
    code = tmp_path / "code"
    for path in FIXTURES.rglob("hazard*.py"):
        place = code / path.relative_to(FIXTURES)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
    reports = {}
    for way, options in WAYS.items():
        if "new" in way:
            changed = min(code.rglob("*.py"))
            changed.write_bytes(changed.read_bytes() + b"# and nothing else\n")
        reports[way] = report(tmp_path, *options)
    assert reports["one process"].count(b'"code":') > 100
    assert [way for way, text in reports.items() if text != reports["one process"]] == []


def report(folder: Path, *options: str) -> bytes:
    run = subprocess.run(
        [sys.executable, "-m", "epslint", "--isolated", "--output-format", "json", *options, "."],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (1, b"")
    return run.stdout
