"""Builds the wheel with the analysis compiled, where that can be done.

It takes a compiler and about a minute; `EPSLINT_COMPILE=0` spares it. Whatever goes wrong leaves a
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

# mypyc is a part of mypy. Pinned: another release may compile otherwise, or not at all.
_COMPILER = "mypy[mypyc]==2.4.1"


class Compiling(BuildHookInterface[WheelBuilderConfig]):
    """Adds machine code to a wheel."""

    def dependencies(self) -> list[str]:
        """What is installed before a build: mypy reads the types of what epslint needs, too."""
        return [_COMPILER, *self.metadata.core.dependencies] if _is_wanted() else []

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        if version == "editable" or not _is_wanted():
            return
        self._folder = tempfile.TemporaryDirectory()
        out = Path(self._folder.name)
        self.app.display_info("compiling the analysis, see EPSLINT_COMPILE in the README")
        made = subprocess.run(
            [sys.executable, "-m", "compiling", str(out)],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if made.returncode:
            why = made.stdout.strip().rpartition("\n")[2]
            self.app.display_warning(f"not compiled, which is slower and does the same: {why}")
            return
        files = [path for path in out.rglob("*") if path.is_file()]
        build_data["force_include"] = {str(path): str(path.relative_to(out)) for path in files}
        build_data["infer_tag"] = True
        build_data["pure_python"] = False

    def finalize(self, version: str, build_data: dict[str, object], artifact_path: str) -> None:
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def _is_wanted() -> bool:
    """The stack of Windows is too small for functions that call each other in machine code."""
    return os.name == "posix" and os.environ.get("EPSLINT_COMPILE", "1") != "0"
