"""`python -m compiling FOLDER`: the compiled modules, as they go into the wheel, into FOLDER."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from compiling.build import build
from compiling.trial import try_out

if __name__ == "__main__":
    root, out = Path.cwd(), Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        build(root, Path(scratch), out)
        try_out(root, Path(scratch), out)
