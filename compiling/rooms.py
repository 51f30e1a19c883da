"""Which modules are compiled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

# Where the time goes: the first look at a file, and the interpreter.
_HOT = tuple(f"epslint/{name}.py" for name in ("attributes", "glance", "outline", "scout", "sinks"))
_HOT_FOLDER = "epslint/analysis"
# Of the interpreter, what stays as it is.
_AS_IT_IS = frozenset(
    {
        # Tables, read once: C for them takes the compiler long and gains nothing.
        "ops.py",
        *(f"words/{name}.py" for name in ("full_names", "labels", "libraries", "spellings")),
        *("bare/__init__.py", "bare/nodes/__init__.py"),  # `import *` hands nothing on, compiled
        *("full.py", "bare/reading/full.py"),  # LibCST's trees, which are seldom asked for
        "quick.py",  # methods of enumerations: compiled functions are no methods
    }
)

# Classes whose objects are taken apart in the end: `Model.dismantle`, and what is in `Model.rooms`.
DISMANTLED = frozenset({"Callers", "Calls", "Expressions", "Interpreter", "Model"})


def compiled(root: Path) -> Iterator[str]:
    """The paths of the modules below the root of the project."""
    yield from _HOT
    for path in sorted((root / _HOT_FOLDER).rglob("*.py")):
        if path.relative_to(root / _HOT_FOLDER).as_posix() not in _AS_IT_IS:
            yield path.relative_to(root).as_posix()
