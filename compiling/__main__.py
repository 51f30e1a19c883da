"""`python -m compiling FOLDER`: the compiled modules, as they go into the wheel, into FOLDER."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from compiling.build import build

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        build(Path.cwd(), Path(scratch), Path(sys.argv[1]).resolve())
