"""`epslint check` behind its options: run, print, and come to an exit code."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from epslint import api, diff, report, summary
from epslint.errors import EpslintError, Failure
from epslint.files import discover, is_forced_out
from epslint.outcome import Repair
from epslint.report._text import shown_path
from epslint.settings import Settings
from epslint.source import Source, SourceError

STDIN = Path("-")

CLEAN, FINDINGS, ERROR = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Flags:
    """What the user wants done with the findings."""

    fix: bool
    unsafe_fixes: bool
    fix_only: bool
    diff: bool
    show_fixes: bool
    show_files: bool
    stdin_filename: str | None
    output_format: str
    output_file: Path | None
    statistics: bool
    jobs: int | None
    exit_zero: bool
    exit_non_zero_on_fix: bool
    quiet: bool
    verbose: bool

    @property
    def fixing(self) -> bool:
        return self.fix or self.fix_only or self.diff


def run(paths: Sequence[Path], settings: Settings, flags: Flags) -> int:
    """Check or fix the paths, print what came of it, and return the exit code."""
    if flags.show_files:
        return _show_files(paths, settings)
    if STDIN in paths and len(paths) > 1:
        raise EpslintError("'-' (standard input) cannot be mixed with paths")
    stdin = STDIN in paths
    result = _run_stdin(settings, flags) if stdin else _run_paths(paths, settings, flags)
    _complain(result, flags)
    if flags.diff:
        click.echo(_diffs(result.repairs), nl=False)
        if not flags.quiet:
            click.echo(_would_fix(result.repairs), err=True)
    elif not flags.fix_only:
        _print(result, flags, to_stderr=stdin and flags.fixing)
    return _exit_code(result, flags)


def _run_paths(paths: Sequence[Path], settings: Settings, flags: Flags) -> api.Run:
    progress = None if flags.quiet else _Progress.on_terminal()
    effort = api.Effort(jobs=flags.jobs or _cores(), progress=progress)
    try:
        if not flags.fixing:
            return api.check_paths(paths, settings, effort)
        return api.fix_paths(
            paths, settings, effort, unsafe=flags.unsafe_fixes, write=not flags.diff
        )
    finally:
        if progress is not None:
            progress.clear()


def _cores() -> int:
    """The cores that this process may use, which on a shared machine are not all there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run_stdin(settings: Settings, flags: Flags) -> api.Run:
    filename = flags.stdin_filename or "<stdin>"
    data = sys.stdin.buffer.read()
    if flags.stdin_filename and is_forced_out(Path(filename), settings):
        _write_stdout(data if flags.fixing and not flags.diff else b"")
        return api.Run(())
    config = settings.of(Path(flags.stdin_filename or ".").parent)
    try:
        source = Source.decode(data, filename)
    except SourceError as error:
        return api.Run((api.FileReport(filename, failures=(Failure(filename, str(error)),)),))
    if not flags.fixing:
        return api.Run((api.check_source(source.text, filename, config),))
    repair = api.fix_source(source.text, filename, config, unsafe=flags.unsafe_fixes)
    if not flags.diff:
        _write_stdout(source.encode(repair.after.text))
    return api.Run((repair.report,), repairs=(repair,))


def _write_stdout(data: bytes) -> None:
    """Bytes, not text: the encoding and the line ends are the file's, not the terminal's."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _show_files(paths: Sequence[Path], settings: Settings) -> int:
    found = discover(paths, settings)
    for file in found.files:
        click.echo(file)
    for failure in found.failures:
        click.echo(f"error: {failure}", err=True)
    return ERROR if found.failures else CLEAN


def _complain(result: api.Run, flags: Flags) -> None:
    """Say on stderr what is not a finding; errors also when the user wants quiet."""
    if flags.verbose:
        for checked in result.reports:
            click.echo(f"checked {shown_path(checked.filename)}", err=True)
    if not flags.quiet:
        for warning in result.warnings:
            click.echo(f"{click.style('warning', fg='yellow', bold=True)}: {warning}", err=True)
    for failure in result.all_failures:
        click.echo(f"{click.style('error', fg='red', bold=True)}: {failure}", err=True)


def _print(result: api.Run, flags: Flags, *, to_stderr: bool) -> None:
    """The report, and for a person the summary under it."""
    shape = report.load(flags.output_format)
    text = _statistics(result, shape) if flags.statistics else shape.render(result)
    if shape.TALKS:
        if flags.show_fixes:
            text += summary.applied_fixes(result)
        if not flags.quiet:
            text += "".join(f"{line}\n" for line in [summary.summary(result)] if line)
    if flags.output_file is None:
        click.echo(text, nl=False, err=to_stderr)
    else:
        _save(flags.output_file, click.unstyle(text))


def _statistics(result: api.Run, shape: report.Format) -> str:
    rows = summary.counts(result)
    if shape.TALKS:
        return summary.statistics(rows)
    return json.dumps([asdict(row) for row in rows], indent=2) + "\n"


def _save(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EpslintError(f"{path}: the report cannot be written: {error.strerror}") from None


def _exit_code(result: api.Run, flags: Flags) -> int:
    """An error beats findings: what could not be checked must not look checked."""
    if result.all_failures:
        return ERROR
    fixed = any(repair.changed for repair in result.repairs)
    if flags.diff or flags.fix_only:
        failed = fixed and (flags.diff or flags.exit_non_zero_on_fix)
    else:
        failed = any(r.fails for r in result.reports) or (fixed and flags.exit_non_zero_on_fix)
    return FINDINGS if failed and not flags.exit_zero else CLEAN


def _diffs(repairs: Sequence[Repair]) -> str:
    return "".join(
        diff.unified(repair.before, repair.after, shown_path(repair.before.filename))
        for repair in repairs
        if repair.changed
    )


def _would_fix(repairs: Sequence[Repair]) -> str:
    number = sum(len(repair.applied) for repair in repairs)
    files = sum(repair.changed for repair in repairs)
    if not number:
        return "No fixes to apply."
    return f"Would fix {number} finding{'s'[: number > 1]} in {files} file{'s'[: files > 1]}."


class _Progress:
    """How far a long run is, on one line of the terminal that is wiped at the end."""

    PATIENCE = 1.0  # seconds: a short run needs no telling

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._shown = 0.0

    @classmethod
    def on_terminal(cls) -> _Progress | None:
        return cls() if sys.stderr.isatty() else None

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._start > self.PATIENCE and now - self._shown > 0.1:
            self._shown = now
            click.echo(f"\r{done}/{total} files", nl=False, err=True)

    def clear(self) -> None:
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True, color=True)
