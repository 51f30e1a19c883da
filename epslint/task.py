"""What a run does with a file, and what it brings back: the words of runner, linter and cache."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from epslint.config import Config
from epslint.outcome import FileReport, Repair

try:
    from _blake2 import blake2b  # where hashlib has it from, without the OpenSSL it loads too
except ImportError:  # another Python may keep it elsewhere
    from hashlib import blake2b

# What a caller makes of a file's report before anyone acts on it: leave findings out, change fixes.
Amend = Callable[[FileReport], FileReport]
Progress = Callable[[int, int], None]

# A file that changed so recently may change again and keep its times: some clocks tick in seconds.
_UNSETTLED_NS = 2_000_000_000

Signature = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Task:
    """Whether files are checked or fixed, and how far that may go."""

    fix: bool = False
    unsafe: bool = False
    write: bool = False
    amend: Amend | None = None

    def amended(self, report: FileReport) -> FileReport:
        return report if self.amend is None else self.amend(report)

    def settles(self, report: FileReport) -> bool:
        """Whether nothing is left to do about a file when this is what is known of it."""
        return not self.fix or not any(
            finding.fix is not None and (self.unsafe or finding.fix.grade.safe)
            for finding in report.findings
        )


@dataclass(frozen=True, slots=True)
class Effort:
    """How a run goes about it: this changes how long it takes, never what it says."""

    jobs: int = 1
    cache: Path | None = None  # the folder of what earlier runs found out
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a file held, and by which marks of the file system one can tell that it still does.

    A file that was changed just before it was read has no marks that can be trusted: it could be
    changed once more within one tick of the clock.
    """

    digest: str
    signature: Signature | None

    @classmethod
    def of(cls, data: bytes, before: os.stat_result) -> Stamp:
        """`before` must be older than the data: what changes in between then looks changed."""
        newest = max(before.st_mtime_ns, before.st_ctime_ns)
        settled = newest + _UNSETTLED_NS < time.time_ns()
        return cls(digest_of(data), signature_of(before) if settled else None)

    @classmethod
    def unsettled(cls, data: bytes) -> Stamp:
        return cls(digest_of(data), None)


def digest_of(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def signature_of(status: os.stat_result) -> Signature:
    """Also what nobody sets by hand: a copy that keeps its times has another number or ctime."""
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


@dataclass(frozen=True, slots=True)
class Target:
    """A file and the config that holds for it."""

    filename: str
    config: Config

    def read(self) -> tuple[bytes, Stamp]:
        with open(self.filename, "rb", buffering=0) as file:
            before = os.fstat(file.fileno())
            data = file.read()
        return data, Stamp.of(data, before)


@dataclass(frozen=True, slots=True)
class Visit:
    """What came of one file; with a stamp when the report is about what now lies on the disk."""

    report: FileReport
    repair: Repair | None = None
    stamp: Stamp | None = None
