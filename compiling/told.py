"""`python told.py FOLDER` prints what the epslint on the path knows of the code in a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from epslint.analysis import analyse, fact, facts
from epslint.source import Source

if __name__ == "__main__":
    print(Path(fact.__file__).suffix, file=sys.stderr)
    for path in sorted(Path(sys.argv[1]).rglob("*.py")):
        source = Source.decode(path.read_bytes(), path.name)
        print(path.name, *facts(source), sep="\n")
        print(*((site.op, site.span, site.result) for site in analyse(source)), sep="\n")
