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

from epslint import api, baseline, cache, diff, registry, report, summary, watching
from epslint.add_ignore import AddIgnore
from epslint.baseline import Baseline
from epslint.errors import EpslintError, Failure
from epslint.files import discover, is_forced_out
from epslint.outcome import Repair
from epslint.report._text import shown_path
from epslint.scope import Scope, outdated
from epslint.settings import Settings
from epslint.source import Source, SourceError

STDIN = Path("-")

CLEAN, FINDINGS, ERROR = 0, 1, 2

_COUNTED = ("full", "concise", "grouped", "json")  # formats that --statistics has


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
    baseline: Path | None
    write_baseline: Path | None
    since: str | None
    add_ignore: str | None
    no_cache: bool
    cache_dir: Path | None
    exit_zero: bool
    exit_non_zero_on_fix: bool
    quiet: bool
    verbose: bool

    @property
    def fixing(self) -> bool:
        return self.fix or self.fix_only or self.diff or self.add_ignore is not None


# What a run cannot do at once: each would undo or hide what another does.
_APART = ("write_baseline", "add_ignore", "fix", "fix_only")
# And what is done once, not again and again.
_ONCE = ("write_baseline", "add_ignore", "show_files")


def watch(paths: Sequence[Path], settings: Settings, flags: Flags) -> int:
    """Run now and after every change of a file, until Ctrl-C."""
    once = [_option(name) for name in _ONCE if getattr(flags, name)]
    if once or STDIN in paths:
        raise EpslintError(f"--watch does not go with {once[0] if once else 'standard input'}")
    return watching.watch(
        paths,
        settings.renewed,
        lambda fresh: run(paths, fresh, flags),
        writes=flags.fixing and not flags.diff,
    )


def run(paths: Sequence[Path], settings: Settings, flags: Flags) -> int:
    """Check or fix the paths, print what came of it, and return the exit code."""
    _refuse(paths, flags)
    if flags.show_files:
        return _show_files(paths, settings)
    scope = Scope.of(flags.baseline, flags.since, unsaved=flags.stdin_filename)
    old = _old_baseline(flags.write_baseline)
    result = _run(paths, settings, flags, scope)
    _complain(result, flags)
    if old is not None:
        return _write_baseline(old, result, settings, flags)
    if flags.fixing:
        return _show_repairs(result, flags, to_stderr=STDIN in paths)
    _tell_outdated(scope, result, settings, flags)
    shown = scope.narrowed(result)
    _print(shown, flags, old=scope.held(result))
    return _exit_code(shown, flags)


def _refuse(paths: Sequence[Path], flags: Flags) -> None:
    """Stop before anything is read or written when it could not end well."""
    if STDIN in paths and len(paths) > 1:
        raise EpslintError("'-' (standard input) cannot be mixed with paths")
    chosen = [_option(name) for name in _APART if getattr(flags, name)]
    if len(chosen) > 1:
        raise EpslintError(
            f"{chosen[0]} and {chosen[1]} do not go together: run one, then the other"
        )
    for file in (flags.output_file, flags.write_baseline):
        if file is not None and not file.parent.is_dir():
            raise EpslintError(f"{file}: there is no folder {file.parent}; make it first")
    if flags.statistics and flags.output_format not in _COUNTED:
        allowed = ", ".join(_COUNTED)
        raise EpslintError(f"--statistics has no {flags.output_format}; use one of {allowed}")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _run(paths: Sequence[Path], settings: Settings, flags: Flags, scope: Scope) -> api.Run:
    amend = _amendment(scope, flags.add_ignore)
    if STDIN in paths:
        return _run_stdin(settings, flags, amend)
    return _run_paths(paths, settings, flags, amend)


def _amendment(scope: Scope, reason: str | None) -> api.Amend | None:
    """What fixing does to reports before it acts on them."""
    if reason is None:
        return scope if scope.narrow else None
        return None if scope == Scope() else scope
    return AddIgnore(reason, registry.load().about_comments, scope)


def _run_paths(
    paths: Sequence[Path], settings: Settings, flags: Flags, amend: api.Amend | None
) -> api.Run:
    progress = None if flags.quiet else _Progress.on_terminal()
    folder = None if flags.no_cache else flags.cache_dir or cache.home(Path.cwd())
    effort = api.Effort(flags.jobs or _cores(), folder, progress)
    try:
        if not flags.fixing:
            return api.check_paths(paths, settings, effort)
        return api.fix_paths(
            paths,
            settings,
            effort,
            unsafe=flags.unsafe_fixes,
            write=not flags.diff,
            amend=amend,
        )
    finally:
        if progress is not None:
            progress.clear()


def _cores() -> int:
    """The cores that this process may use, which on a shared machine are not all there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run_stdin(settings: Settings, flags: Flags, amend: api.Amend | None) -> api.Run:
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
    repair = api.fix_source(source.text, filename, config, unsafe=flags.unsafe_fixes, amend=amend)
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
            _warn(warning)
    for failure in result.all_failures:
        click.echo(f"{click.style('error', fg='red', bold=True)}: {failure}", err=True)


def _warn(text: str) -> None:
    click.echo(f"{click.style('warning', fg='yellow', bold=True)}: {text}", err=True)


def _old_baseline(file: Path | None) -> Baseline | None:
    """The baseline that is to be written anew, read first: nothing else is ever overwritten."""
    if file is None:
        return None
    return baseline.load(file) if file.exists() else Baseline(file)


def _write_baseline(old: Baseline, result: api.Run, settings: Settings, flags: Flags) -> int:
    gone = outdated(old, result, settings)
    new = old.renewed(result, gone)
    baseline.save(new)
    if not flags.quiet:
        click.echo(summary.baseline(new.entries, gone, str(old.file)))
    return ERROR if result.all_failures else CLEAN


def _tell_outdated(scope: Scope, result: api.Run, settings: Settings, flags: Flags) -> None:
    if scope.baseline is None or flags.quiet:
        return
    gone = outdated(scope.baseline, result, settings)
    if gone:
        _warn(summary.outdated(gone, str(scope.baseline.file)))


def _show_repairs(result: api.Run, flags: Flags, *, to_stderr: bool) -> int:
    if flags.diff:
        click.echo(_diffs(result.repairs), nl=False)
        if not flags.quiet:
            click.echo(_would_do(result.repairs, flags), err=True)
    elif not flags.fix_only:
        _print(result, flags, to_stderr=to_stderr)
    return _exit_code(result, flags)


def _print(result: api.Run, flags: Flags, *, old: int = 0, to_stderr: bool = False) -> None:
    """The report, and for a person the summary under it."""
    shape = report.load(flags.output_format)
    text = _statistics(result, shape) if flags.statistics else shape.render(result)
    if shape.TALKS:
        if flags.show_fixes:
            text += summary.applied_fixes(result)
        if not flags.quiet:
            text += "".join(f"{line}\n" for line in [_summary(result, flags, old)] if line)
    if flags.output_file is None:
        click.echo(text, nl=False, err=to_stderr)
    else:
        _save(flags.output_file, click.unstyle(text))


def _summary(result: api.Run, flags: Flags, old: int) -> str:
    if flags.add_ignore is not None:
        return summary.added_ignores(result)
    return summary.summary(result, old)


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


def _would_do(repairs: Sequence[Repair], flags: Flags) -> str:
    number = sum(len(repair.applied) for repair in repairs)
    files = summary.plural(sum(repair.changed for repair in repairs), "file")
    if flags.add_ignore is not None:
        return f"Would add {summary.plural(number, 'ignore')} in {files}."
    if not number:
        return "No fixes to apply."
    return f"Would fix {summary.plural(number, 'finding')} in {files}."


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
