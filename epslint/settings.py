"""Which config belongs to which file: the nearest configuration file wins."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from epslint.config import Config, ConfigError, Table

# In one directory the first of these that speaks of epslint is the one that counts.
FILENAMES = (".epslint.toml", "epslint.toml", "pyproject.toml")


@dataclass(slots=True)
class Settings:
    """Finds the config of a directory, and puts the command line's settings on top.

    `file` is used for every path instead of what lies near it; `isolated` reads no file at all.
    """

    overrides: Table = field(default_factory=dict)
    file: Path | None = None
    isolated: bool = False
    cwd: Path = field(default_factory=Path.cwd)
    _known: dict[Path, Config] = field(default_factory=dict, repr=False)

    def renewed(self) -> Settings:
        """The same settings, with every file to be read again."""
        return replace(self, _known={})

    def of(self, directory: Path) -> Config:
        """The config for the files that lie in `directory`."""
        directory = Path(os.path.abspath(directory))  # `a/..` has parents that are not its own
        if directory not in self._known:
            self._known[directory] = self._found(directory)
        return self._known[directory]

    def _found(self, directory: Path) -> Config:
        if self.isolated:
            return self._finished(Config())
        if self.file is not None:
            return self._finished(_loaded(self.file, self.cwd))
        own = _own_file(directory)
        if own is not None:
            return self._finished(_loaded(own, directory))
        if directory.parent == directory:
            return self._finished(Config())
        return self.of(directory.parent)

    def _finished(self, base: Config) -> Config:
        if not self.overrides:
            return base
        return base.overlaid(self.overrides, "command line", self.cwd)


def _own_file(directory: Path) -> Path | None:
    candidates = (directory / name for name in FILENAMES)
    return next((p for p in candidates if p.is_file() and _section(p) is not None), None)


def _loaded(path: Path, root: Path, chain: tuple[Path, ...] = ()) -> Config:
    """The config a file describes, on top of the one it extends."""
    path = Path(os.path.abspath(path))
    if path in chain:
        raise ConfigError(f"{path}: extends itself by way of {chain[-1]}")
    section = _section(path)
    if section is None:
        raise ConfigError(f"{path}: has no [tool.epslint] table")
    table = dict(section)
    extended = table.pop("extend", None)
    if extended is None:
        base = Config()
    elif isinstance(extended, str):
        parent = path.parent / Path(extended).expanduser()
        base = _loaded(parent, parent.parent, (*chain, path))
    else:
        raise ConfigError(f"{path}: extend: expected a path, got {extended!r}")
    return base.overlaid(table, str(path), root)


def _section(path: Path) -> Table | None:
    """epslint's table of a file; None for a pyproject.toml that does not speak of epslint."""
    text = _text(path)
    if path.name != "pyproject.toml":
        return _document(path, text)
    if "epslint" not in text:  # most projects, and the reader of TOML is slow to load
        return None
    document = _document(path, text)
    tool = document.get("tool", {})
    section = tool.get("epslint") if isinstance(tool, dict) else None
    if section is not None and not isinstance(section, dict):
        raise ConfigError(f"{path}: tool.epslint: expected a table, got {section!r}")
    return section


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not valid TOML: {error}") from None


def _document(path: Path, text: str) -> Table:
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415
    else:
        import tomli as tomllib  # noqa: PLC0415

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: is not valid TOML: {error}") from None
