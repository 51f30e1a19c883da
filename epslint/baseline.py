"""Old findings, written down so that only new ones speak.

An entry names a file, a rule and the text of a finding's lines; line numbers are not in it, so code
may move. The paths start at the folder of the baseline file.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from epslint.errors import EpslintError
from epslint.fingerprint import snippet, squeezed
from epslint.outcome import FileReport, Run
from epslint.rule import Finding
from epslint.source import Source

VERSION = 1


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """Findings of one rule on equal lines of one file."""

    path: str
    code: str
    snippet: str
    count: int

    @property
    def key(self) -> tuple[str, str, str]:
        return self.path, self.code, squeezed(self.snippet)


@dataclass(frozen=True, slots=True)
class Baseline:
    """Takes the old findings out of a report."""

    file: Path
    entries: tuple[Entry, ...] = ()

    def __call__(self, report: FileReport) -> FileReport:
        source = report.source
        if source is None or not report.findings:
            return report
        path = self.path_of(report.filename)
        left = Counter({entry.key: entry.count for entry in self.entries if entry.path == path})
        if not left:
            return report
        new: list[Finding] = []
        for finding in report.findings:
            key = path, finding.code, squeezed(snippet(source, finding))
            left[key] -= 1
            if left[key] < 0:
                new.append(finding)
        return replace(report, findings=tuple(new))

    def path_of(self, filename: str) -> str:
        """How this baseline calls a file."""
        folder = os.path.abspath(self.file.parent)
        return Path(os.path.relpath(os.path.abspath(filename), folder)).as_posix()

    def place_of(self, entry: Entry) -> Path:
        return self.file.parent / entry.path

    def gone(self, run: Run) -> tuple[Entry, ...]:
        """What of the entries the files of a run no longer have; `count` says how often."""
        checked = {self.path_of(report.filename): report for report in run.reports}
        held = Counter({entry.key: entry.count for entry in self._of(run.reports)})
        missing = (
            replace(entry, count=entry.count - held[entry.key])
            for entry in self.entries
            if _settled(checked.get(entry.path)) or not self.place_of(entry).exists()
        )
        return tuple(entry for entry in missing if entry.count > 0)

    def renewed(self, run: Run, gone: Iterable[Entry]) -> Baseline:
        """This baseline with the findings of a run in it, and without what is gone."""
        lost = {entry.key: entry.count for entry in gone}
        found = {entry.key: entry for entry in self._of(run.reports)}
        kept = {
            entry.key: replace(entry, count=entry.count - lost.get(entry.key, 0))
            for entry in self.entries
        }
        entries = {**{key: entry for key, entry in kept.items() if entry.count > 0}, **found}
        return replace(self, entries=tuple(sorted(entries.values())))

    def _of(self, reports: Iterable[FileReport]) -> Iterator[Entry]:
        for report in reports:
            if report.source is not None:
                yield from self._of_file(report.filename, report.source, report.findings)

    def _of_file(
        self, filename: str, source: Source, findings: Iterable[Finding]
    ) -> Iterator[Entry]:
        path = self.path_of(filename)
        entries: dict[tuple[str, str, str], Entry] = {}
        for finding in findings:
            entry = Entry(path, finding.code, snippet(source, finding), 1)
            known = entries.get(entry.key)
            entries[entry.key] = replace(known, count=known.count + 1) if known else entry
        yield from entries.values()


def _settled(report: FileReport | None) -> bool:
    """Whether a file was looked at to its end; if not, nobody knows what it still has."""
    return report is not None and not report.failures


def load(file: Path) -> Baseline:
    """Read a baseline; whatever keeps it from being one is an error that says what to do."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise EpslintError(
            f"{file}: there is no such baseline; make it with: epslint --write-baseline {file}"
        ) from None
    except OSError as error:
        raise EpslintError(f"{file}: the baseline cannot be read: {error.strerror}") from None
    except ValueError:
        raise _no_baseline(file, "it is not JSON") from None
    if not isinstance(document, dict) or not isinstance(document.get("version"), int):
        raise _no_baseline(file, "it names no version")
    if document["version"] > VERSION:
        raise EpslintError(
            f"{file}: a newer epslint wrote this baseline (version {document['version']}, this one "
            f"reads up to {VERSION}); upgrade epslint, or write the baseline anew to another file"
        )
    try:
        return Baseline(file, tuple(_entry(raw) for raw in document["findings"]))
    except (KeyError, TypeError, ValueError):
        raise _no_baseline(file, "its findings have not the shape of a baseline's") from None


def _no_baseline(file: Path, reason: str) -> EpslintError:
    return EpslintError(
        f"{file}: is no baseline of epslint: {reason}; name another file, or remove this one and "
        "use --write-baseline"
    )


def _entry(raw: dict[str, object]) -> Entry:
    path, code, text, count = raw["path"], raw["code"], raw["snippet"], raw.get("count", 1)
    if not (isinstance(path, str) and isinstance(code, str) and isinstance(text, str)):
        raise TypeError
    if not isinstance(count, int) or count < 1:
        raise TypeError
    return Entry(path, code, text, count)


def save(baseline: Baseline) -> None:
    """Write a baseline in one step, an entry per line, so that merges are easy."""
    rows = [f"\n    {json.dumps(_object(e), ensure_ascii=False)}" for e in baseline.entries]
    text = f'{{\n  "version": {VERSION},\n  "findings": [{",".join(rows)}\n  ]\n}}\n'
    part = baseline.file.with_name(f".{baseline.file.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(baseline.file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise EpslintError(f"{baseline.file}: cannot be written: {error.strerror}") from None


def _object(entry: Entry) -> dict[str, object]:
    count = {"count": entry.count} if entry.count > 1 else {}
    return {"path": entry.path, "code": entry.code, "snippet": entry.snippet, **count}
