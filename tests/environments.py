"""What is installed, and fresh environments for built wheels."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest


def environment_with(wheel: Path, folder: Path) -> Path:
    """A fresh environment with the wheel in it; all else comes from ours, but not our epslint.

    A path in a .pth file is looked into for modules; the .pth files there, by which an editable
    install is found, are not read.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-index"]
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True, capture_output=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def installed(package: str) -> Iterator[Path]:
    """The modules of an installed package."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(f"{package} is not installed")
    return Path(found.origin).parent.rglob("*.py")
