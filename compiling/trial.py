"""Is what was compiled any good: it must know the same as Python does, where a wheel is built."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

_CODE = "fixtures/demo"


def try_out(root: Path, scratch: Path, out: Path) -> None:
    """Raise what is wrong with the modules in `out`."""
    site = scratch / "site"
    shutil.copytree(root / "epslint", site / "epslint")
    shutil.copytree(out, site, dirs_exist_ok=True)
    if _told(root, site) != _told(root, root):
        raise SystemExit(f"compiled, it knows other things of {_CODE}")


def _told(root: Path, site: Path) -> str:
    path = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]  # pip puts libcst on it
    command = [sys.executable, str(root / "compiling" / "told.py"), str(root / _CODE)]
    told = subprocess.run(
        command,
        cwd=site,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    wanted = ".py" if site == root else ".so"
    if told.returncode or told.stderr.strip() != wanted or not told.stdout:
        raise SystemExit(f"{site}: exit code {told.returncode}: {told.stderr.strip()}")
    return told.stdout
