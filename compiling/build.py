"""From the modules to one library of machine code, and a door to each module in it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compiling.form import compilable
from compiling.rooms import compiled

# Half of what -O2 takes, for the same speed: the time is spent in Python's own library.
_FLAGS = ("-O1", "-g0", "-w", "-fwrapv", "-DNDEBUG")
# What is executed once, when a module is loaded, is not worth optimising; it would take minutes.
_ONCE = re.compile(r"^char (?=CPyDef_\w+_____top_level__\(void\) \{)", re.MULTILINE)
_UNOPTIMISED = '__attribute__((optimize("O0"))) char '
_LIBRARY = "epslint__mypyc"


def build(root: Path, scratch: Path, out: Path) -> None:
    """Compile what is to be compiled of the project at `root`, by way of `scratch`."""
    from mypyc.build import mypycify  # noqa: PLC0415 - it is only there where a wheel is built

    _see_that_it_works(scratch)
    modules = tuple(compiled(root))
    shutil.copytree(root / "epslint", scratch / "epslint")
    for module in modules:
        text = (scratch / module).read_text(encoding="utf-8")
        (scratch / module).write_text(compilable(text), encoding="utf-8")
    os.chdir(scratch)  # mypyc writes where it is, and looks for modules there
    extensions = mypycify(
        ["--config-file=", *modules], group_name=_LIBRARY.removesuffix("__mypyc"), multi_file=True
    )
    (library,) = (each for each in extensions if each.name == _LIBRARY)
    include = [*library.include_dirs, sysconfig.get_path("include")]
    with ThreadPoolExecutor(os.cpu_count()) as crew:
        bundles = list(_bundles(list(map(Path, library.sources)), os.cpu_count() or 1))
        parts = crew.map(lambda bundle: _compiled(bundle, include), bundles)
        doors = [each for each in extensions if each is not library]
        list(crew.map(lambda door: _linked(door.sources, _place(out, door.name), include), doors))
        _linked(list(parts), _place(out, _LIBRARY), include)


def _see_that_it_works(scratch: Path) -> None:
    """No compiler, or none of Python's headers: better known before everything is translated."""
    (scratch / "empty.c").write_text("#include <Python.h>\n", encoding="utf-8")
    _compiled(scratch / "empty.c", [sysconfig.get_path("include")])


def _bundles(sources: Sequence[Path], count: int) -> Iterator[Path]:
    """The files of C in a few of about the same size: each of them reads Python's headers once."""
    bundles: list[list[Path]] = [[] for _ in range(count)]
    sizes = [0] * count
    for source in sorted(sources, key=lambda path: -path.stat().st_size):
        lightest = sizes.index(min(sizes))
        sizes[lightest] += source.stat().st_size
        bundles[lightest].append(source.resolve())
        text = source.read_text(encoding="utf-8")
        source.write_text(_ONCE.sub(_UNOPTIMISED, text), encoding="utf-8")
    for number, bundle in enumerate(bundles):
        path = Path(f"bundle{number}.c")
        path.write_text("".join(f'#include "{each}"\n' for each in bundle), encoding="utf-8")
        yield path


def _compiled(source: Path, include: Sequence[str]) -> str:
    made = source.with_suffix(".o")
    _run(_compiler(), "-c", *_FLAGS, *_options(include), str(source), "-o", str(made))
    return str(made)


def _linked(sources: Sequence[str], path: Path, include: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    linker = [*_compiler(), *shlex.split(str(sysconfig.get_config_var("LDSHARED")))[1:]]
    _run(linker, "-w", *_options(include), *sources, "-o", str(path))


def _place(out: Path, module: str) -> Path:
    path = out.joinpath(*module.split("."))
    return path.with_name(f"{path.name}{sysconfig.get_config_var('EXT_SUFFIX')}")


def _compiler() -> list[str]:
    """The compiler that Python was made by, or `CC`."""
    return shlex.split(os.environ.get("CC") or str(sysconfig.get_config_var("CC")))


def _options(include: Sequence[str]) -> list[str]:
    independent = shlex.split(str(sysconfig.get_config_var("CCSHARED") or ""))
    return [*independent, *(f"-I{folder}" for folder in include)]


def _run(command: Sequence[str], *more: str) -> None:
    try:
        subprocess.run([*command, *more], check=True)
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit(f"the C compiler does not work: {shlex.join(command[:1])}") from None
