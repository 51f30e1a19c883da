"""What a run comes to, in one sentence or in a table of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from epslint.outcome import Repair, Run
from epslint.report._text import shown_path
from epslint.rule import Finding, Severity


def summary(run: Run) -> str:
    """`Found 12 findings in 3 files. 9 fixable with --fix, 1 more with --unsafe-fixes.`"""
    left = list(_findings(run))
    fixed = sum(len(repair.applied) for repair in run.repairs)
    if fixed:
        found = _plural(len(left) + fixed, "finding")
        return " ".join([f"Found {found} ({fixed} fixed, {len(left)} left).", *_fixable(left)])
    if not left:
        return "All checks passed." if run.reports and not run.all_failures else ""
    files = sum(bool(report.findings) for report in run.reports)
    advice = sum(finding.severity is Severity.ADVICE for finding in left)
    aside = f", {advice} of them advice" if advice else ""
    sentence = f"Found {_plural(len(left), 'finding')} in {_plural(files, 'file')}{aside}."
    return " ".join([sentence, *_fixable(left)])


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
    number = _plural(len(repair.applied), "finding")
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


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
