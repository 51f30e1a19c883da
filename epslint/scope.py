"""Which findings are spoken of: those that no baseline holds, on lines that changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from epslint.outcome import FileReport, Run
from epslint.settings import Settings

if TYPE_CHECKING:  # few runs need these, and all wait for imports
    from epslint.baseline import Baseline, Entry
    from epslint.config import Config
    from epslint.registry import Catalogue
    from epslint.since import Since


@dataclass(frozen=True, slots=True)
class Scope:
    """Takes out of a report what is not to be spoken of."""

    baseline: Baseline | None = None
    since: Since | None = None

    @classmethod
    def of(cls, file: Path | None, revision: str | None, unsaved: str | None = None) -> Scope:
        scope = cls()
        if file is not None:
            from epslint import baseline  # noqa: PLC0415

            scope = replace(scope, baseline=baseline.load(file))
        if revision is not None:
            from epslint import since  # noqa: PLC0415

            scope = replace(scope, since=since.since(revision, unsaved))
        return scope

    @property
    def narrow(self) -> bool:
        return self.baseline is not None or self.since is not None

    def __call__(self, report: FileReport) -> FileReport:
        for sieve in (self.baseline, self.since):
            report = report if sieve is None else sieve(report)
        return report

    def narrowed(self, run: Run) -> Run:
        return replace(run, reports=tuple(self(report) for report in run.reports))

    def held(self, run: Run) -> int:
        """How many of the findings the baseline holds."""
        if self.baseline is None:
            return 0
        return sum(len(r.findings) - len(self.baseline(r).findings) for r in run.reports)


def outdated(known: Baseline, run: Run, settings: Settings) -> tuple[Entry, ...]:
    """The entries that no longer match anything, of those that this run has looked for.

    A rule that is off and a finding that a setting hides say nothing about an entry.
    """
    gone = known.gone(run)
    if not gone:  # nearly always; the rules need not even be loaded then
        return ()
    from epslint import registry  # noqa: PLC0415

    catalogue = registry.load()
    return tuple(_looked_for(gone, known, settings, catalogue))


def _looked_for(
    gone: Iterable[Entry], known: Baseline, settings: Settings, catalogue: Catalogue
) -> Iterable[Entry]:
    for entry in gone:
        path = known.place_of(entry)
        config = settings.of(path.parent)
        if _would_show(entry.code, path, config, catalogue):
            yield entry


def _would_show(code: str, path: Path, config: Config, catalogue: Catalogue) -> bool:
    from epslint import engine  # noqa: PLC0415
    from epslint.rule import Confidence  # noqa: PLC0415
    from epslint.selection import choose, for_file  # noqa: PLC0415

    rule = catalogue.find(code)
    if rule is None or not path.exists():  # neither can come back
        return True
    on = for_file(choose(catalogue, config), config, path).on
    return code in on and engine.shows(config, rule.severity, Confidence.POSSIBLE)
