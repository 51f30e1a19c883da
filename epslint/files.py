"""Which files a run checks: what the user named, and the Python files below it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from epslint.config import Config
from epslint.errors import Failure
from epslint.globs import Globs
from epslint.settings import Settings

SUFFIXES = (".py", ".pyi")
_NOTEBOOK = "notebooks are not read yet; `jupyter nbconvert --to script` makes a file that is"


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files to check, what could not be looked at, and what the user may not have meant."""

    files: tuple[Path, ...]
    failures: tuple[Failure, ...] = ()
    warnings: tuple[str, ...] = ()


def discover(paths: Sequence[Path], settings: Settings) -> Discovery:
    """Every file of `paths`, sorted and named once.

    A file given by name is checked whatever the patterns say, unless force-exclude is on. A
    directory is searched; links to directories are not followed, so no loop can trap the search.
    """
    files: dict[Path, Path] = {}  # by where they really are: naming a file twice checks it once
    real: dict[Path, Path] = {}
    failures: list[Failure] = []
    warnings: list[str] = []
    for path in paths:
        found: Sequence[Path] = ()
        if path.is_dir():
            found = tuple(_below(path, settings, failures))
            if not found:
                warnings.append(f"no Python files found under {path}")
        elif not path.exists():
            failures.append(Failure(str(path), "no such file or directory"))
        elif path.suffix == ".ipynb":
            failures.append(Failure(str(path), _NOTEBOOK))
        elif is_forced_out(path, settings):
            warnings.append(f"{path} is excluded")
        else:
            found = (path,)
        for file in found:
            folder = file.parent
            if folder not in real:
                real[folder] = folder.resolve()
            files.setdefault(real[folder] / file.name, file)
    return Discovery(tuple(files[key] for key in sorted(files)), tuple(failures), tuple(warnings))


def is_forced_out(path: Path, settings: Settings) -> bool:
    """Whether a file is left out although the user named it."""
    config = settings.of(path.parent)
    return config.force_exclude and any(globs.matches(path) for globs in _excludes(config))


def _excludes(config: Config) -> tuple[Globs, ...]:
    return (config.exclude, *config.extend_exclude)


def _below(top: Path, settings: Settings, failures: list[Failure]) -> Iterator[Path]:
    config = settings.of(top)
    if config.force_exclude and any(g.matches(top, directory=True) for g in _excludes(config)):
        return
    ignores = _inherited_ignores(top) if config.respect_gitignore else ()
    yield from _search(top, _Search(top, settings, failures), ignores)


@dataclass(frozen=True, slots=True)
class _Search:
    """What stays the same while one directory named by the user is searched."""

    top: Path
    settings: Settings
    failures: list[Failure]

    def excluded(self, entry: os.DirEntry[str], config: Config) -> bool:
        return any(_spared(globs, self.top).match_entry(entry) for globs in _excludes(config))


@lru_cache(maxsize=64)
def _spared(globs: Globs, top: Path) -> Globs:
    return globs.sparing(top)


def _search(folder: Path, search: _Search, ignores: tuple[Globs, ...]) -> Iterator[Path]:
    config = search.settings.of(folder)
    if config.respect_gitignore:
        ignores = (*ignores, *_own_ignores(folder))
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        search.failures.append(Failure(str(folder), f"cannot be listed: {error.strerror}"))
        return
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and not (entry.name.endswith(SUFFIXES) and entry.is_file()):
            continue
        if search.excluded(entry, config) or _git_ignored(entry, ignores):
            continue
        if is_folder:
            yield from _search(Path(entry.path), search, ignores)
        else:
            yield Path(entry.path)


def _git_ignored(entry: os.DirEntry[str], ignores: tuple[Globs, ...]) -> bool:
    """The deepest .gitignore that says anything about an entry decides, as in git."""
    for globs in reversed(ignores):
        verdict = globs.verdict(entry.path, directory=entry.is_dir())
        if verdict is not None:
            return verdict
    return False


def _own_ignores(folder: Path) -> tuple[Globs, ...]:
    try:
        lines = (folder / ".gitignore").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # there is none, in nearly every folder
        return ()
    return (Globs.below(folder, tuple(lines)),)


def _inherited_ignores(top: Path) -> tuple[Globs, ...]:
    """The .gitignore files above `top`, up to the root of its repository.

    None of them counts when together they ignore `top` itself: the user asked for it by name.
    """
    above = top.absolute().parents
    root = next((i for i, folder in enumerate((top.absolute(), *above)) if _is_repo(folder)), 0)
    ignores = tuple(g for folder in reversed(above[:root]) for g in _own_ignores(folder))
    hidden = any(globs.matches(top, directory=True) for globs in ignores)
    return () if hidden else ignores


def _is_repo(folder: Path) -> bool:
    return (folder / ".git").exists()
