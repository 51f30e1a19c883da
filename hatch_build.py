"""Builds the wheel with the analysis compiled, where that is wanted and can be done.

`EPSLINT_COMPILE=1 pip install .` wants it. Whatever goes wrong, no compiler above all, leaves a
wheel of Python alone, which does the same in more time. Editable installs are never compiled.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.wheel import WheelBuilderConfig

_WANTED = "EPSLINT_COMPILE"
# mypyc is a part of mypy. Pinned: another release may compile something else, or not at all.
_COMPILER = ("mypy[mypyc]==2.4.1", "libcst>=1.4", "click>=8.1", "pathspec>=0.12")


class Compiling(BuildHookInterface[WheelBuilderConfig]):
    """Adds machine code to a wheel."""

    def dependencies(self) -> list[str]:
        return list(_COMPILER) if _is_wanted() else []

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        if version != "standard" or not _is_wanted():
            return
        self._folder = tempfile.TemporaryDirectory()
        out = Path(self._folder.name)
        command = [sys.executable, "-m", "compiling", str(out)]
        made = subprocess.run(
            command, cwd=self.root, capture_output=True, text=True, errors="replace", check=False
        )
        if made.returncode:
            (*_, why) = (*made.stdout.split("\n"), *made.stderr.strip().split("\n"))
            self.app.display_warning(f"epslint is not compiled, and slower for it: {why}")
            return
        files = (path for path in out.rglob("*") if path.is_file())
        build_data["force_include"] = {str(path): str(path.relative_to(out)) for path in files}
        build_data["infer_tag"] = True
        build_data["pure_python"] = False

    def finalize(self, version: str, build_data: dict[str, object], artifact_path: str) -> None:
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def _is_wanted() -> bool:
    return os.environ.get(_WANTED, "0") not in ("", "0")
