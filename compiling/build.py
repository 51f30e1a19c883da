"""From the modules to one library of machine code, and a door to each module in it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from compiling.form import compilable
from compiling.rooms import compiled

# Half of what -O2 takes, for the same speed: the time is spent in Python's own library.
_FLAGS = ("-O1", "-g0", "-w", "-fwrapv", "-fno-semantic-interposition", "-DNDEBUG")
# What is executed once, when a module is loaded, is not worth optimising; it would take minutes.
_ONCE = re.compile(r"^char (?=CPyDef_\w+_____top_level__\(void\) \{)", re.MULTILINE)
_UNOPTIMISED = '__attribute__((optimize("O0"))) char '
_SETTINGS = """
[mypy]
follow_imports = silent
"""


def build(root: Path, scratch: Path, out: Path) -> None:
    """Compile what is to be compiled of the project at `root`, by way of `scratch`."""
    from mypyc.build import mypycify  # noqa: PLC0415 - it is only there where a wheel is built

    modules = tuple(compiled(root))
    shutil.copytree(root / "epslint", scratch / "epslint")
    for module in modules:
        text = (scratch / module).read_text(encoding="utf-8")
        (scratch / module).write_text(compilable(text), encoding="utf-8")
    (scratch / "mypy.ini").write_text(_SETTINGS, encoding="utf-8")
    os.chdir(scratch)  # mypyc writes where it is
    extensions = mypycify(["--config-file=mypy.ini", *modules], group_name="epslint")
    (library,) = (each for each in extensions if each.name == "epslint__mypyc")
    for source in map(Path, library.sources):
        text = source.read_text(encoding="utf-8")
        source.write_text(_ONCE.sub(_UNOPTIMISED, text), encoding="utf-8")
    include = [*library.include_dirs, sysconfig.get_path("include")]
    _link(library.sources, include, out / f"{library.name}{_suffix()}", _FLAGS)
    for door in extensions:
        if door is library:
            continue
        path = out.joinpath(*door.name.split("."))
        path.parent.mkdir(parents=True, exist_ok=True)
        _link(door.sources, include, path.with_name(path.name + _suffix()), ("-O0", "-w"))


def _suffix() -> str:
    return str(sysconfig.get_config_var("EXT_SUFFIX"))


def _link(sources: Sequence[str], include: Sequence[str], path: Path, flags: Sequence[str]) -> None:
    """One shared library of C files, made by the compiler that Python was made by, or by `CC`."""
    linker = shlex.split(str(sysconfig.get_config_var("LDSHARED")))
    if "CC" in os.environ:
        linker[:1] = shlex.split(os.environ["CC"])
    independent = shlex.split(str(sysconfig.get_config_var("CCSHARED") or ""))
    folders = [f"-I{folder}" for folder in include]
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([*linker, *independent, *flags, *folders, *sources, "-o", path], check=True)
