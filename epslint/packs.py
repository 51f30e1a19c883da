"""Which rule packs are installed, and what else could make the same code give other findings.

`importlib.metadata.entry_points` says the first too, but it takes longer than all the rest of a run
in which every file is known already. So the folders of `sys.path` are read here; where something
lies on it that is no folder (a zip, an egg), `importlib.metadata` is asked after all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

GROUP = "epslint.rules"

_HEADER = f"[{GROUP}]"
_SUFFIXES = (".dist-info", ".egg-info")


@dataclass(frozen=True, slots=True)
class Pack:
    """A rule pack: the name it is installed under, and the module or package that holds it."""

    name: str
    module: str


def installed() -> tuple[Pack, ...]:
    """Every pack, sorted by name."""
    known = _distributions()
    found = _asked() if known is None else _read(known.values())
    return tuple(sorted(found, key=lambda pack: pack.name))


@lru_cache(maxsize=1)
def environment_as_loaded() -> tuple[str, ...] | None:
    """The environment when this process first asked, which it does before it loads a pack.

    A process that goes on for long, such as --watch, works with the rules it has loaded, whatever
    has become of their files since.
    """
    return environment()


def environment() -> tuple[str, ...] | None:
    """Everything but settings and files that findings depend on; None when that is unknown.

    Any change to it, be it one character in a rule or another version of LibCST, gives another
    value: the versions of all that is installed, and the sources of epslint and of every pack.
    """
    known = _distributions()
    if known is None:
        return None
    places = [os.path.dirname(__file__), *_places(_read(known.values()))]
    try:
        sources = sorted(line for place in places for line in _sources(place))
    except OSError:  # a pack that is not where it should be: whoever loads it will say so
        return None
    return (sys.version, *sorted(map(os.path.basename, known.values())), *sources)


def _distributions() -> Mapping[str, str] | None:
    """The folders in which distributions describe themselves, by name; the first of each counts.

    None when there is more on `sys.path` than folders, or somebody else looks for them too.
    """
    finders = (f for f in sys.meta_path if hasattr(f, "find_distributions"))
    if any(getattr(finder, "__name__", "") != "PathFinder" for finder in finders):
        return None
    found: dict[str, str] = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except NotADirectoryError:
            return None
        except OSError:  # sys.path may name what is not there
            continue
        if folder.endswith(".egg"):
            return None
        for name in names:
            if name.endswith(_SUFFIXES):
                distribution = name.rpartition(".")[0].partition("-")[0]
                found.setdefault(distribution.lower().replace(".", "_"), f"{folder or '.'}/{name}")
    return found


def _asked() -> Iterator[Pack]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - what this module is about

    return (Pack(point.name, point.module) for point in entry_points(group=GROUP))


def _read(folders: Iterable[str]) -> Iterator[Pack]:
    for folder in folders:
        try:
            with open(f"{folder}/entry_points.txt", encoding="utf-8") as file:
                text = file.read()
        except OSError:  # most have none
            continue
        if _HEADER in text:
            yield from _packs(text.splitlines())


def _packs(lines: Iterable[str]) -> Iterator[Pack]:
    """`core = epslint_rules`, as often as that stands under our header."""
    inside = False
    for line in map(str.strip, lines):
        if line.startswith("["):
            inside = line == _HEADER
        elif inside and "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            yield Pack(name.strip(), value.partition(":")[0].partition("[")[0].strip())


def _places(packs: Iterable[Pack]) -> Iterator[str]:
    """Where the packs lie; of a dotted name the first part is looked up, which loads nothing."""
    for pack in packs:
        top, *below = pack.module.split(".")
        specs = (finder.find_spec(top, None) for finder in sys.meta_path)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is None or spec.submodule_search_locations is None:
            yield (spec and spec.origin) or pack.module
            continue
        for folder in spec.submodule_search_locations:
            place = os.path.join(folder, *below)
            yield place if os.path.isdir(place) else f"{place}.py"


def _sources(place: str) -> Iterator[str]:
    """Path, time and size of each Python file: what Python itself goes by when it loads them."""
    if place.endswith(".py"):
        yield _mark(place, os.stat(place))
        return
    for entry in os.scandir(place):
        if entry.name.endswith(".py"):
            yield _mark(entry.path, entry.stat())
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _sources(entry.path)


def _mark(path: str, status: os.stat_result) -> str:
    return f"{path} {status.st_mtime_ns} {status.st_size}"
