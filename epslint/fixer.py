"""Fixes as text edits, applied to a fixed point; nothing is kept that does not do its job."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from epslint.edits import apply_edits
from epslint.errors import Failure
from epslint.outcome import FileReport, Repair
from epslint.rule import Edit, Finding, Fix
from epslint.source import Source, SourceError, Span
from epslint.syntax import read

Check = Callable[[Source], FileReport]
_Pair = tuple[Finding, Fix]

# A fix may lay open another, never forever. Nested hazards need one round per level at most.
ROUNDS = 100


def repair(source: Source, check: Check, *, unsafe: bool = False) -> Repair:
    """Apply every fix that may be applied, until none is left.

    A fix that breaks the syntax or leaves its finding standing is abandoned and reported. When
    there is no end to it the file stays as it was, and that is reported too.
    """
    state = _State(source, check(source))
    for _ in range(ROUNDS):
        chosen = _compatible(state.candidates(unsafe=unsafe))
        if not chosen:
            return state.finished(source)
        state = _advance(state, chosen, check)
    failure = Failure(source.filename, f"fixes do not settle after {ROUNDS} rounds; left as it was")
    report = check(source)
    report = replace(report, failures=(*report.failures, failure))
    return Repair(source, source, (), report)


@dataclass(frozen=True, slots=True)
class _State:
    """Where a repair stands between two rounds."""

    source: Source
    report: FileReport
    applied: tuple[Finding, ...] = ()
    failures: tuple[Failure, ...] = ()
    # By code, line and rewritten text, which stay the same while offsets move.
    abandoned: frozenset[tuple[str, str, str]] = frozenset()

    def candidates(self, *, unsafe: bool) -> list[_Pair]:
        return [
            (finding, finding.fix)
            for finding in self.report.findings
            if finding.fix is not None
            and (unsafe or finding.fix.grade.safe)
            and self.key(finding, finding.fix) not in self.abandoned
        ]

    def key(self, finding: Finding, fix: Fix) -> tuple[str, str, str]:
        line = self.source.line(self.source.location(finding.span.start).row)
        return finding.code, line, self.source.slice(_hull(finding, fix))

    def abandon(self, finding: Finding, fix: Fix, reason: str) -> _State:
        row = self.source.location(finding.span.start).row
        text = f"the fix of {finding.code} was abandoned: it {reason}"
        return replace(
            self,
            failures=(*self.failures, Failure(self.source.filename, text, row)),
            abandoned=self.abandoned | {self.key(finding, fix)},
        )

    def finished(self, before: Source) -> Repair:
        report = replace(self.report, failures=(*self.report.failures, *self.failures))
        return Repair(before, self.source, self.applied, report)


def _advance(state: _State, chosen: Sequence[_Pair], check: Check) -> _State:
    """Apply a round's fixes; when that goes wrong, find out which of them are bad."""
    following, flaw = _tried(state, chosen, check)
    if not flaw:
        return following
    if len(chosen) == 1:
        return state.abandon(*chosen[0], flaw)
    alone = [(pair, _tried(state, [pair], check)[1]) for pair in chosen]
    sound = [pair for pair, flaw in alone if not flaw]
    if len(sound) == len(chosen):  # each is good, only not together
        return _tried(state, sound[:1], check)[0]
    for pair, flaw in alone:
        state = state.abandon(*pair, flaw) if flaw else state
    return state


def _tried(state: _State, chosen: Sequence[_Pair], check: Check) -> tuple[_State, str]:
    """How things stand after these fixes, and what is wrong with that, if anything."""
    edits = _edits(chosen)
    if _overlapping(edits):
        return state, "has edits that overlap"
    source = replace(state.source, text=apply_edits(state.source.text, edits))
    if _breaks(state.source, source):
        return state, "breaks the syntax"
    report = check(source)
    applied = (*state.applied, *(finding for finding, _ in chosen))
    following = replace(state, source=source, report=report, applied=applied)
    return following, _flaw(state.report, report, chosen)


def _flaw(before: FileReport, after: FileReport, chosen: Sequence[_Pair]) -> str:
    """What is wrong with the result of these fixes, or nothing."""
    if len(after.failures) > len(before.failures):
        return f"cannot be checked afterwards ({after.failures[-1].message})"
    edits = _edits(chosen)
    for finding, fix in chosen:
        hull = _hull(finding, fix)
        moved = Span(_moved(hull.start, edits, own=()), _moved(hull.end, edits, own=fix.edits))
        fixed_here = sum(f.code == finding.code and _within(f, hull) for f, _ in chosen)
        stood = sum(f.code == finding.code and _within(f, hull) for f in before.findings)
        stands = sum(f.code == finding.code and _within(f, moved) for f in after.findings)
        if stands > stood - fixed_here:
            return "does not silence the finding"
    return ""


def _within(finding: Finding, hull: Span) -> bool:
    return hull.start <= finding.span.start and finding.span.end <= hull.end


def _hull(finding: Finding, fix: Fix) -> Span:
    """The stretch of text a finding and its fix are about."""
    spans = [finding.span, *(edit.span for edit in fix.edits)]
    return Span(min(span.start for span in spans), max(span.end for span in spans))


def _moved(offset: int, edits: Iterable[Edit], own: Iterable[Edit]) -> int:
    """Where an offset comes to lie; of the insertions right at it only `own` ones push it on."""
    own = set(own)
    pushing = (
        edit
        for edit in edits
        if edit.span.end < offset
        or (edit.span.end == offset and (edit in own or edit.span.start < offset))
    )
    return offset + sum(len(e.content) - (e.span.end - e.span.start) for e in pushing)


def _compatible(candidates: Sequence[_Pair]) -> list[_Pair]:
    """The fixes, first come first served, whose edits do not touch; the rest waits a round."""
    chosen: list[_Pair] = []
    taken: list[Span] = []
    for finding, fix in candidates:
        spans = [edit.span for edit in fix.edits]
        if not any(_touch(span, other) for span in spans for other in taken):
            chosen.append((finding, fix))
            taken.extend(spans)
    return chosen


def _touch(one: Span, other: Span) -> bool:
    # Also when they only meet: of two insertions at one place nobody could say which comes first.
    return one.start <= other.end and other.start <= one.end


def _edits(chosen: Iterable[_Pair]) -> list[Edit]:
    return [edit for _, fix in chosen for edit in fix.edits]


def _overlapping(edits: Iterable[Edit]) -> bool:
    spans = sorted(edit.span for edit in edits)
    return any(one.end > other.start for one, other in pairwise(spans))


def _breaks(before: Source, after: Source) -> bool:
    """Whether it cannot be read any more, or only by a newer Python than before."""
    try:
        return read(after).newer and not read(before).newer
    except SourceError:
        return True


def write(path: Path, data: bytes) -> None:
    """Replace a file's content in one step, keeping its mode and owner; a link stays a link.

    A crash or a full disk in between leaves the old file whole.
    """
    import tempfile  # noqa: PLC0415 - slow to load, and most runs write nothing

    target = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _take_after(Path(name), target.stat())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _take_after(path: Path, old: os.stat_result) -> None:
    path.chmod(stat.S_IMODE(old.st_mode))
    new = path.stat()
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid) and hasattr(os, "chown"):
        with suppress(PermissionError):  # only root may give files away
            os.chown(path, old.st_uid, old.st_gid)
