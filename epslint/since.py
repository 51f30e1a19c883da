"""Only what changed since a git revision: findings on lines that are not as they were then."""

from __future__ import annotations

import difflib
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from epslint.errors import EpslintError
from epslint.outcome import FileReport
from epslint.rule import Finding
from epslint.source import Source, SourceError


@dataclass(frozen=True, slots=True)
class Since:
    """Keeps the findings whose own lines, or the lines of whose reasons, have changed."""

    root: Path
    revision: str
    then: Mapping[str, str | None]  # every changed file → its name at the revision, if it had one
    tracked: frozenset[str]

    def __call__(self, report: FileReport) -> FileReport:
        source = report.source
        if source is None or not report.findings:
            return report
        changed = self.changed_rows(source)
        kept = (f for f in report.findings if not changed.isdisjoint(_rows(f, source)))
        return replace(report, findings=tuple(kept))

    def changed_rows(self, source: Source) -> frozenset[int]:
        """The lines that are not as they were; all of them in a file that was not there."""
        everything = frozenset(range(1, len(source.lines) + 1))
        path = _inside(self.root, source.filename)
        if path in self.then:  # under a name of then, or new
            old = self.then[path]
            return everything if old is None else self._changed(old, source)
        return frozenset() if path in self.tracked else everything

    def _changed(self, old: str, source: Source) -> frozenset[int]:
        data = _git(self.root, "cat-file", "blob", f"{self.revision}:{old}") or b""
        try:
            lines = Source.decode(data, old).lines
        except SourceError:  # it was no Python then: all of it is new
            lines = ()
        return changed_rows(_bare(lines), _bare(source.lines))


def since(revision: str, unsaved: str | None = None) -> Since:
    """What changed between a revision and the files as they lie here, renames followed.

    The file named `unsaved` has changed as well: what it is now comes from elsewhere.
    """
    here = Path.cwd()
    top = _git(here, "rev-parse", "--show-toplevel")
    if top is None:
        raise EpslintError(_refusal(here))
    commit = _git(
        here, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    if commit is None:
        raise EpslintError(
            f"--since: git knows no revision {revision!r}; name a branch, a tag or a commit, and "
            "in a shallow clone fetch it first"
        )
    root, name = Path(os.path.realpath(_text(top))), _text(commit)
    changes = _git(root, "diff", "--name-status", "--no-ext-diff", "-z", "-M", "-l0", name, "--")
    then, tracked = _names(_words(changes)), frozenset(_words(_git(root, "ls-files", "-z")))
    path = "" if unsaved is None else _inside(root, unsaved)
    if path in tracked:
        then.setdefault(path, path)
    return Since(root, name, then, tracked)


def _refusal(folder: Path) -> str:
    """Why git does not look here: there is no repository, or one that it does not trust."""
    reason = _called(folder, "rev-parse", "--show-toplevel").stderr.decode(errors="replace")
    first = next(iter(reason.splitlines()), "")
    if "not a git repository" in first:
        return "--since: this is not a git repository; run epslint inside one, or use --baseline"
    return f"--since: git refuses: {first.removeprefix('fatal: ')}; see `git status`"


def _names(words: Sequence[str]) -> dict[str, str | None]:
    """`M a`, `A b`, `R90 old new`, each word for itself, as names now → names then."""
    then: dict[str, str | None] = {}
    left = iter(words)
    for status in left:
        old = next(left)
        if status[0] in "RC":
            then[next(left)] = old
        else:
            then[old] = None if status[0] == "A" else old
    return then


def changed_rows(old: Sequence[str], new: Sequence[str]) -> frozenset[int]:
    """The lines of the new text, counted from 1, that the old one does not have there."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    # Only what lies between the equal ends is worth the work of comparing.
    matcher = difflib.SequenceMatcher(
        None, old[start : len(old) - end], new[start : len(new) - end], autojunk=False
    )
    return frozenset(
        start + row + 1
        for tag, _, _, first, stop in matcher.get_opcodes()
        if tag != "equal"
        for row in range(first, stop)
    )


def _rows(finding: Finding, source: Source) -> set[int]:
    reasons = {reason.row for reason in finding.why if reason.row is not None}
    return {*source.rows(finding.span), *reasons}


def _inside(root: Path, filename: str) -> str:
    """A path as git calls it; outside of the repository, what git calls nothing."""
    path = Path(os.path.realpath(filename))
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else ""


def _bare(lines: Sequence[str]) -> list[str]:
    """Without line ends, which git may have changed on the way."""
    return [line.rstrip("\r\n") for line in lines]


def _git(folder: Path, *args: str) -> bytes | None:
    """What git says; None when it says no."""
    run = _called(folder, *args)
    return run.stdout if run.returncode == 0 else None


def _called(folder: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
    plain = {**os.environ, "LC_ALL": "C"}  # in the language that this module reads
    try:
        return subprocess.run(
            ["git", *args], cwd=folder, env=plain, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise EpslintError("--since: git is not installed; install it, or use --baseline") from None


def _text(data: bytes) -> str:
    return os.fsdecode(data).rstrip("\n")


def _words(data: bytes | None) -> list[str]:
    return [os.fsdecode(word) for word in (data or b"").split(b"\0") if word]
