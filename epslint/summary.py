"""What a run comes to, in one sentence or in a table of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epslint.outcome import Repair, Run
from epslint.report._text import shown_path
from epslint.rule import Finding, Severity

if TYPE_CHECKING:
    from epslint.baseline import Entry


def summary(run: Run, old: int = 0) -> str:
    """`Found 12 findings in 3 files. 9 fixable with --fix, 1 more with --unsafe-fixes.`

    `old` findings are held by a baseline and not in the run.
    """
    left = list(_findings(run))
    fixed = sum(len(repair.applied) for repair in run.repairs)
    if fixed:
        found = plural(len(left) + fixed, "finding")
        return " ".join([f"Found {found} ({fixed} fixed, {len(left)} left).", *_fixable(left)])
    if not left:
        return _passed(run, old)
    files = sum(bool(report.findings) for report in run.reports)
    advice = sum(finding.severity is Severity.ADVICE for finding in left)
    aside = f", {advice} of them advice" if advice else ""
    new = "new finding" if old else "finding"
    sentence = f"Found {plural(len(left), new)} in {plural(files, 'file')}{aside}."
    return " ".join([sentence, *_fixable(left), *_held(old)])


def _passed(run: Run, old: int) -> str:
    if not run.reports or run.all_failures:
        return ""
    return " ".join(["All checks passed." if not old else "No new findings.", *_held(old)])


def _held(old: int) -> Iterator[str]:
    if old:
        yield f"{plural(old, 'old one')} {'is' if old == 1 else 'are'} in the baseline."


def added_ignores(run: Run) -> str:
    """What --add-ignore did."""
    files = sum(repair.changed for repair in run.repairs)
    number = sum(len(repair.applied) for repair in run.repairs)
    left = sum(1 for _ in _findings(run))
    aside = f" {plural(left, 'finding')} cannot be ignored." if left else ""
    return f"Added {plural(number, 'ignore')} in {plural(files, 'file')}.{aside}"


def baseline(held: Sequence[Entry], gone: Sequence[Entry], file: str) -> str:
    """What --write-baseline wrote."""
    pruned = f"; {plural(_total(gone), 'old one')} no longer there" if gone else ""
    files = plural(len({entry.path for entry in held}), "file")
    return f"Wrote {plural(_total(held), 'finding')} of {files} to {file}{pruned}."


def outdated(gone: Sequence[Entry], file: str) -> str:
    """Entries of a baseline that can go."""
    first = f"{gone[0].path}: {gone[0].code} {gone[0].snippet}"
    more = f", and {len(gone) - 1} more" if len(gone) > 1 else ""
    return (
        f"{file} holds {plural(_total(gone), 'finding')} no longer there ({first}{more}); "
        "--write-baseline prunes it"
    )


def _total(entries: Iterable[Entry]) -> int:
    return sum(entry.count for entry in entries)


@dataclass(frozen=True, slots=True)
class Count:
    """How often a rule spoke, and whether --fix can help with any of it."""

    code: str
    name: str
    count: int
    fixable: bool


def counts(run: Run) -> list[Count]:
    """What was found, by rule, most often first."""
    found = Counter((f.code, f.name) for f in _findings(run))
    fixable = {f.code for f in _findings(run) if f.fix is not None and f.fix.grade.safe}
    rows = [Count(code, name, n, code in fixable) for (code, name), n in found.items()]
    return sorted(rows, key=lambda row: (-row.count, row.code))


def statistics(rows: list[Count]) -> str:
    """The counts as a table."""
    width = max((len(str(row.count)) for row in rows), default=0)
    return "".join(
        f"{row.count:>{width}}  {row.code}  [{'*' if row.fixable else ' '}] {row.name}\n"
        for row in rows
    )


def applied_fixes(run: Run) -> str:
    """Which rules' fixes were applied, file by file."""
    return "".join(_applied(repair) for repair in run.repairs if repair.applied)


def _applied(repair: Repair) -> str:
    counts = Counter((f.code, f.name) for f in repair.applied)
    rows = "".join(f"    {n} x {code} ({name})\n" for (code, name), n in sorted(counts.items()))
    number = plural(len(repair.applied), "finding")
    return f"Fixed {number} in {shown_path(repair.before.filename)}:\n{rows}"


def _fixable(findings: list[Finding]) -> Iterator[str]:
    fixes = [finding.fix for finding in findings if finding.fix is not None]
    safe = sum(fix.grade.safe for fix in fixes)
    unsafe = len(fixes) - safe
    if safe and unsafe:
        yield f"{safe} fixable with --fix, {unsafe} more with --unsafe-fixes."
    elif safe:
        yield f"{safe} fixable with --fix."
    elif unsafe:
        yield f"{unsafe} fixable with --fix --unsafe-fixes."


def _findings(run: Run) -> Iterator[Finding]:
    return (finding for report in run.reports for finding in report.findings)


def plural(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
