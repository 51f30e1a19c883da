"""epslint as a library: text or paths in, values out. Nothing here prints or exits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from epslint import engine, fixer, registry
from epslint.config import Config
from epslint.engine import FileReport
from epslint.errors import EpslintError, Failure
from epslint.files import discover
from epslint.fixer import Repair
from epslint.registry import Catalogue
from epslint.selection import Ruleset, choose
from epslint.settings import Settings
from epslint.source import Source, SourceError

__all__ = [
    "Amend",
    "Config",
    "EpslintError",
    "Failure",
    "FileReport",
    "Repair",
    "Run",
    "Settings",
    "check_paths",
    "check_source",
    "fix_paths",
    "fix_source",
]

Progress = Callable[[int, int], None]
# What a caller makes of a file's report before anyone acts on it: leave findings out, change fixes.
Amend = Callable[[FileReport], FileReport]


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


def check_source(text: str, filename: str = "<string>", config: Config | None = None) -> FileReport:
    """Check Python code that is at hand as text."""
    return _Linter(registry.load()).check(Source(filename, text), config or Config())


def fix_source(
    text: str,
    filename: str = "<string>",
    config: Config | None = None,
    *,
    unsafe: bool = False,
    amend: Amend | None = None,
) -> Repair:
    """Fix Python code; `.after.text` is the result, `.report` what is left to say about it."""
    linter = _Linter(registry.load(), amend)
    return linter.fix(Source(filename, text), config or Config(), unsafe=unsafe)


def check_paths(
    paths: Sequence[Path], settings: Settings | None = None, *, progress: Progress | None = None
) -> Run:
    """Check files, and the Python files of directories. Writes nothing."""
    linter = _Linter(registry.load())

    def visit(source: Source, config: Config) -> _Visit:
        return linter.check(source, config), None

    return linter.over(paths, settings or Settings(), visit, progress)


def fix_paths(
    paths: Sequence[Path],
    settings: Settings | None = None,
    *,
    unsafe: bool = False,
    write: bool = True,
    amend: Amend | None = None,
    progress: Progress | None = None,
) -> Run:
    """Fix files in place; with `write=False` only say how they would look.

    `amend` has a say on each report, in every round: what it leaves out is neither fixed nor shown.
    """
    linter = _Linter(registry.load(), amend)

    def visit(source: Source, config: Config) -> _Visit:
        repair = linter.fix(source, config, unsafe=unsafe)
        if write and repair.changed:
            fixer.write(Path(source.filename), source.encode(repair.after.text))
        return repair.report, repair

    return linter.over(paths, settings or Settings(), visit, progress)


_Visit = tuple[FileReport, Repair | None]


@dataclass(frozen=True, slots=True)
class _Linter:
    """The installed rules, and for every config met so far those of them that are on."""

    catalogue: Catalogue
    amend: Amend | None = None
    rulesets: dict[Config, Ruleset] = field(default_factory=dict)

    def check(self, source: Source, config: Config) -> FileReport:
        report = engine.check(source, self._ruleset(config), config)
        return report if self.amend is None else self.amend(report)

    def fix(self, source: Source, config: Config, *, unsafe: bool) -> Repair:
        return fixer.repair(source, lambda text: self.check(text, config), unsafe=unsafe)

    def _ruleset(self, config: Config) -> Ruleset:
        if config not in self.rulesets:
            self.rulesets[config] = choose(self.catalogue, config)
        return self.rulesets[config]

    def over(
        self,
        paths: Sequence[Path],
        settings: Settings,
        visit: Callable[[Source, Config], _Visit],
        progress: Progress | None,
    ) -> Run:
        """Visit every file, one after the other."""
        found = discover(paths, settings)
        configs = [settings.of(file.parent) for file in found.files]
        for config in configs:
            self._ruleset(config)  # a config that cannot be used stops the run before it starts
        visits = []
        for done, (file, config) in enumerate(zip(found.files, configs, strict=True)):
            if progress is not None:
                progress(done, len(found.files))
            visits.append(_visited(file, config, visit))
        return Run(
            tuple(report for report, _ in visits),
            found.failures,
            found.warnings,
            tuple(repair for _, repair in visits if repair is not None),
        )


def _visited(file: Path, config: Config, visit: Callable[[Source, Config], _Visit]) -> _Visit:
    """Read a file and visit it; what the system refuses becomes the file's failure."""
    try:
        source = Source.decode(file.read_bytes(), str(file))
        return visit(source, config)
    except SourceError as error:
        reason = str(error)
    except OSError as error:
        reason = f"cannot be read or written: {error.strerror or error}"
    return FileReport(str(file), failures=(Failure(str(file), reason),)), None
