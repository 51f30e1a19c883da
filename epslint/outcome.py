"""What comes of a file and of a run: the values that reports are made of."""

from __future__ import annotations

from dataclasses import dataclass

from epslint.errors import Failure
from epslint.rule import Finding, Severity
from epslint.source import Source


@dataclass(frozen=True, slots=True)
class FileReport:
    """What is wrong in one file, and what about it could not be checked."""

    filename: str
    source: Source | None = None  # None: it could not be read, or there is nothing to show of it
    findings: tuple[Finding, ...] = ()
    failures: tuple[Failure, ...] = ()
    counts_advice: bool = False  # whether advice fails a run: only when it was asked for

    @property
    def fails(self) -> bool:
        return any(self.counts(finding) for finding in self.findings)

    def counts(self, finding: Finding) -> bool:
        """Whether a finding fails the run."""
        return self.counts_advice or finding.severity is not Severity.ADVICE


@dataclass(frozen=True, slots=True)
class Repair:
    """A file before and after, the findings whose fixes were applied, and what is left."""

    before: Source
    after: Source
    applied: tuple[Finding, ...]
    report: FileReport

    @property
    def changed(self) -> bool:
        return self.before.text != self.after.text


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run over several files."""

    reports: tuple[FileReport, ...]
    failures: tuple[Failure, ...] = ()
    warnings: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def all_failures(self) -> tuple[Failure, ...]:
        """What could not be checked or fixed: in the run as a whole, then file by file."""
        return (*self.failures, *(f for report in self.reports for f in report.failures))
