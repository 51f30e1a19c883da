"""The installed rules at work on one file at a time, in this process or in another."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from epslint import engine, fixer, registry
from epslint.config import Config
from epslint.errors import Failure, described
from epslint.outcome import FileReport, Repair
from epslint.registry import Catalogue
from epslint.selection import Ruleset, choose
from epslint.source import Source, SourceError
from epslint.task import Stamp, Target, Task, Visit


@dataclass(frozen=True, slots=True)
class Linter:
    """What is to be done, and for every config met so far the rules that are on."""

    task: Task
    catalogue: Catalogue
    rulesets: dict[Config, Ruleset] = field(default_factory=dict)

    @classmethod
    def of(cls, task: Task) -> Linter:
        """A linter with every rule that is installed."""
        return cls(task, registry.load())

    def prepare(self, configs: Iterable[Config]) -> None:
        """Raise what is wrong with a config before the run starts, and load all it will need."""
        import epslint.analysis  # noqa: F401, PLC0415 - once here, not in every process

        for config in configs:
            self._ruleset(config)

    def visit(self, target: Target) -> Visit:
        """Do what is to be done with a file; whatever goes wrong is the file's failure."""
        try:
            return self._visited(target)
        except SourceError as error:
            reason = str(error)
        except OSError as error:
            reason = f"cannot be read or written: {error.strerror or error}"
        except (Exception, SystemExit) as error:  # must not hide what is wrong in other files
            reason = f"internal error: {described(error)}"
        return failed(target, reason)

    def _visited(self, target: Target) -> Visit:
        data, stamp = target.read()
        source = Source.decode(data, target.filename)
        if not self.task.fix:
            return Visit(_light(self.check(source, target.config)), stamp=stamp)
        repair = self.fix(source, target.config)
        if not repair.changed:
            return Visit(_light(repair.report), stamp=stamp)
        if not self.task.write:
            return Visit(repair.report, repair)
        fixed = source.encode(repair.after.text)
        fixer.write(Path(target.filename), fixed)
        return Visit(repair.report, repair, Stamp.unsettled(fixed))

    def check(self, source: Source, config: Config) -> FileReport:
        """What the rules say about a file."""
        with warnings.catch_warnings():
            # What Python itself says of code it parses, such as a bad escape, is not ours to print.
            warnings.simplefilter("ignore", SyntaxWarning)
            return self.task.amended(engine.check(source, self._ruleset(config), config))

    def fix(self, source: Source, config: Config) -> Repair:
        """A file with its fixes applied."""
        return fixer.repair(source, lambda text: self.check(text, config), unsafe=self.task.unsafe)

    def _ruleset(self, config: Config) -> Ruleset:
        if config not in self.rulesets:
            self.rulesets[config] = choose(self.catalogue, config)
        return self.rulesets[config]


def _light(report: FileReport) -> FileReport:
    """Without the text when there is nothing to show of it: most files need not travel back."""
    return report if report.findings else replace(report, source=None)


def failed(target: Target, reason: str) -> Visit:
    """What is left to say of a file about which nothing could be found out."""
    return Visit(FileReport(target.filename, failures=(Failure(target.filename, reason),)))
