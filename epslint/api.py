"""epslint as a library: text or paths in, values out. Nothing here prints or exits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from epslint import runner
from epslint.config import Config
from epslint.errors import EpslintError, Failure
from epslint.outcome import FileReport, Repair, Run
from epslint.settings import Settings
from epslint.source import Source
from epslint.task import Amend, Effort, Progress, Task

__all__ = [
    "Amend",
    "Config",
    "Effort",
    "EpslintError",
    "Failure",
    "FileReport",
    "Progress",
    "Repair",
    "Run",
    "Settings",
    "check_paths",
    "check_source",
    "fix_paths",
    "fix_source",
]


def check_source(text: str, filename: str = "<string>", config: Config | None = None) -> FileReport:
    """Check Python code that is at hand as text."""
    from epslint.linter import Linter  # noqa: PLC0415 - it loads the rules, and they load libcst

    return Linter.of(Task()).check(Source.of_text(text, filename), config or Config())


def fix_source(
    text: str,
    filename: str = "<string>",
    config: Config | None = None,
    *,
    unsafe: bool = False,
    amend: Amend | None = None,
) -> Repair:
    """Fix Python code; `.after.text` is the result, `.report` what is left to say about it."""
    from epslint.linter import Linter  # noqa: PLC0415 - the same

    task = Task(fix=True, unsafe=unsafe, amend=amend)
    return Linter.of(task).fix(Source.of_text(text, filename), config or Config())


def check_paths(
    paths: Sequence[Path], settings: Settings | None = None, effort: Effort | None = None
) -> Run:
    """Check files, and the Python files of directories. Writes nothing but the cache."""
    return runner.run(paths, settings or Settings(), Task(), effort or Effort())


def fix_paths(
    paths: Sequence[Path],
    settings: Settings | None = None,
    effort: Effort | None = None,
    *,
    unsafe: bool = False,
    write: bool = True,
    amend: Amend | None = None,
) -> Run:
    """Fix files in place; with `write=False` only say how they would look.

    `amend` has a say on each report, in every round: what it leaves out is neither fixed nor shown.
    It may be asked in another process, so what it says must depend on the report alone.
    """
    task = Task(fix=True, unsafe=unsafe, write=write, amend=amend)
    return runner.run(paths, settings or Settings(), task, effort or Effort())
