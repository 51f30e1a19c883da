"""What earlier runs found out, kept in a folder, so that a file is not checked twice.

One file of the folder is a shelf: all that is known under one config in one environment, by path.
A shelf is read at once and replaced at once. What is on it counts for a file as long as the file
holds the same bytes; while its times, size and number are the same, they need not be read.

Nothing in here can make a finding wrong. A shelf that is damaged is an empty one; of two runs that
write at the same time one may lose what it learnt, never more.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from epslint import __version__, packs
from epslint.config import Config
from epslint.globs import Globs
from epslint.outcome import FileReport
from epslint.record import FindingRecord, packed, unpacked
from epslint.source import Source, SourceError
from epslint.task import Signature, Stamp, Target, Visit, digest_of, signature_of

FOLDER = ".epslint_cache"

_PROJECT = (".epslint.toml", "epslint.toml", "pyproject.toml", ".git")
_TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# Made by epslint; `epslint clean` removes it.\n"
)
_FURNITURE = {"CACHEDIR.TAG": _TAG, ".gitignore": "*\n"}
_SHELVES = 32  # kept at most: each version of a rule being written leaves one behind
_ABANDONED = 3600.0  # seconds after which a file half written is nobody's

# A file's digest, the marks that vouch for it, whether advice counts, and its findings.
_Entry = tuple[str, Signature | None, bool, list[FindingRecord]]


def home(start: Path) -> Path:
    """The folder of the cache for someone who works in `start`: at the root of the project."""
    above = (start, *start.parents)
    marked = (folder for folder in above if any((folder / name).exists() for name in _PROJECT))
    return next(marked, start) / FOLDER


def clean(folder: Path) -> bool:
    """Remove a cache, and nothing that is not part of one; False when there is none."""
    if not (folder / "CACHEDIR.TAG").is_file() or not _is_ours(folder):
        return False
    for path in [*folder.glob("*.json"), *folder.glob("*.tmp"), *map(folder.joinpath, _FURNITURE)]:
        path.unlink(missing_ok=True)
    with suppress(OSError):  # somebody has put something else in
        folder.rmdir()
    return True


def _is_ours(folder: Path) -> bool:
    return (folder / "CACHEDIR.TAG").read_text(encoding="utf-8", errors="replace") == _TAG


@dataclass(frozen=True, slots=True)
class Cache:
    """The shelves that a run has asked for."""

    folder: Path
    environment: str
    shelves: dict[Config, _Shelf] = field(default_factory=dict)

    @classmethod
    def at(cls, folder: Path) -> Cache | None:
        """None when nobody can say what findings depend on here: then nothing can be kept."""
        environment = packs.environment_as_loaded()
        if environment is None:
            return None
        return cls(folder, "\n".join((__version__, *environment)))

    def recall(self, target: Target) -> FileReport | None:
        """What is known of a file as it is now."""
        return self._shelf(target.config).recall(target)

    def remember(self, target: Target, visit: Visit) -> None:
        """Keep what was found; nothing about a file that could not be checked in full."""
        if visit.stamp is not None and not visit.report.failures:
            self._shelf(target.config).put(target, visit.stamp, visit.report)

    def save(self) -> None:
        """Write down what is new; raises OSError where that is refused."""
        changed = [shelf for shelf in self.shelves.values() if shelf.news]
        if not changed:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, text in _FURNITURE.items():
            if not (self.folder / name).exists():
                _replace(self.folder / name, text.encode())
        for shelf in changed:
            shelf.save()
        self._tidy()

    def _shelf(self, config: Config) -> _Shelf:
        if config not in self.shelves:
            name = digest_of(f"{self.environment}\n{_essence(config)}".encode())
            self.shelves[config] = _Shelf.read(self.folder / f"{name}.json")
        return self.shelves[config]

    def _tidy(self) -> None:
        """Take away the shelves that have not been written to for longest, and broken pieces."""
        ours = {shelf.path for shelf in self.shelves.values()}
        others = [path for path in self.folder.glob("*.json") if path not in ours]
        others.sort(key=_written)
        surplus = others[: max(len(others) + len(ours) - _SHELVES, 0)]
        broken = (p for p in self.folder.glob("*.tmp") if _written(p) < time.time() - _ABANDONED)
        for path in (*surplus, *broken):
            path.unlink(missing_ok=True)


@dataclass(slots=True)
class _Shelf:
    """What is known under one config: as it was read, and what has come to it since."""

    path: Path
    entries: dict[str, _Entry]
    news: dict[str, _Entry] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> _Shelf:
        return cls(path, _entries(path))

    def recall(self, target: Target) -> FileReport | None:
        entry = self.entries.get(os.path.abspath(target.filename))
        if entry is None:
            return None
        try:
            return self._recalled(target, entry)
        except (OSError, SourceError, TypeError, ValueError):
            return None  # checking it will show what is wrong

    def _recalled(self, target: Target, entry: _Entry) -> FileReport | None:
        digest, signature, counts_advice, records = entry
        marks = None if signature is None else tuple(signature)
        if not records and marks == signature_of(os.stat(target.filename)):
            return FileReport(target.filename, counts_advice=counts_advice)
        data, stamp = target.read()
        if stamp.digest != digest:
            return None
        if stamp.signature not in (None, marks):  # so that the next run need not read it
            self.news[os.path.abspath(target.filename)] = (digest, stamp.signature, *entry[2:])
        source = Source.decode(data, target.filename) if records else None
        findings = tuple(map(unpacked, records))
        return FileReport(target.filename, source, findings, counts_advice=counts_advice)

    def put(self, target: Target, stamp: Stamp, report: FileReport) -> None:
        records = [packed(finding) for finding in report.findings]
        entry = (stamp.digest, stamp.signature, report.counts_advice, records)
        self.news[os.path.abspath(target.filename)] = entry

    def save(self) -> None:
        """Put the news on the shelf as it is now: another run may have written meanwhile."""
        known = {k: entry for k, entry in _entries(self.path).items() if os.path.exists(k)}
        body = json.dumps({**known, **self.news}, separators=(",", ":")).encode()
        _replace(self.path, digest_of(body).encode() + b"\n" + body)


def _entries(path: Path) -> dict[str, _Entry]:
    """What is on a shelf; nothing when it is damaged."""
    try:
        digest, _, body = path.read_bytes().partition(b"\n")
        if digest.decode() != digest_of(body):
            return {}
        entries = json.loads(body)
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, _Entry]", entries) if isinstance(entries, dict) else {}


def _essence(config: Config) -> str:
    """The settings that change what is found in a file, not those that choose the files."""
    nowhere = Globs("", ())
    return repr(
        replace(
            config,
            origin="",
            exclude=nowhere,
            extend_exclude=(),
            force_exclude=False,
            respect_gitignore=False,
        )
    )


def _written(path: Path) -> float:
    with suppress(OSError):  # another run has just taken it away
        return path.stat().st_mtime
    return 0.0


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that whoever reads it sees all of it or the old one."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        beside.write_bytes(data)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise
