"""`epslint check` behind its options: run, print, and come to an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epslint import api, cache, printing, summary
from epslint.errors import EpslintError, Failure
from epslint.files import discover, is_forced_out
from epslint.flags import Flags
from epslint.report._text import shown_path
from epslint.scope import Scope, outdated
from epslint.settings import Settings
from epslint.source import Source, SourceError

if TYPE_CHECKING:
    from epslint.baseline import Baseline

STDIN = Path("-")

CLEAN, FINDINGS, ERROR = 0, 1, 2

# What a run cannot do at once: each would undo or hide what another does.
_APART = ("write_baseline", "add_ignore", "fix", "fix_only")
# And what is done once, not again and again.
_ONCE = ("write_baseline", "add_ignore", "show_files")


def watch(paths: Sequence[Path], settings: Settings, flags: Flags) -> int:
    """Run now and after every change of a file, until Ctrl-C."""
    once = [_option(name) for name in _ONCE if getattr(flags, name)]
    if once or STDIN in paths:
        raise EpslintError(f"--watch does not go with {once[0] if once else 'standard input'}")
    from epslint import watching  # noqa: PLC0415 - few runs need it, and all wait for imports

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
    old = _old_baseline(flags.write_baseline)
    scope = Scope() if old else _scope(settings, flags)
    result = _run(paths, settings, flags, scope)
    printing.complain(result, flags)
    if old is not None:
        return _write_baseline(old, result, settings, flags)
    if flags.fixing:
        return _show_repairs(result, flags, to_stderr=STDIN in paths)
    _tell_outdated(scope, result, settings, flags)
    shown = scope.narrowed(result)
    printing.findings(shown, flags, old=scope.held(result))
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
    if flags.statistics and flags.output_format not in printing.COUNTED:
        allowed = ", ".join(printing.COUNTED)
        raise EpslintError(f"--statistics has no {flags.output_format}; use one of {allowed}")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _scope(settings: Settings, flags: Flags) -> Scope:
    """What the options name, or else the configuration of where we are."""
    file = flags.baseline or settings.of(Path.cwd()).baseline
    return Scope.of(None if flags.no_baseline else file, flags.since, unsaved=flags.stdin_filename)


def _run(paths: Sequence[Path], settings: Settings, flags: Flags, scope: Scope) -> api.Run:
    amend = _amendment(scope, flags.add_ignore)
    if STDIN in paths:
        return _run_stdin(settings, flags, amend)
    return _run_paths(paths, settings, flags, amend)


def _amendment(scope: Scope, reason: str | None) -> api.Amend | None:
    """What fixing does to reports before it acts on them."""
    if reason is None:
        return scope if scope.narrow else None
    from epslint import registry  # noqa: PLC0415 - few runs need it, and all wait for imports
    from epslint.add_ignore import AddIgnore  # noqa: PLC0415

    return AddIgnore(reason, registry.load().about_comments, scope)


def _run_paths(
    paths: Sequence[Path], settings: Settings, flags: Flags, amend: api.Amend | None
) -> api.Run:
    progress = None if flags.quiet else printing.Progress.on_terminal()
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
        printing.error(failure)
    return ERROR if found.failures else CLEAN


def _old_baseline(file: Path | None) -> Baseline | None:
    """The baseline that is to be written anew, read first: nothing else is ever overwritten."""
    if file is None:
        return None
    from epslint import baseline  # noqa: PLC0415 - few runs need it, and all wait for imports

    return baseline.load(file) if file.exists() else baseline.Baseline(file)


def _write_baseline(old: Baseline, result: api.Run, settings: Settings, flags: Flags) -> int:
    from epslint import baseline  # noqa: PLC0415 - the same

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
        printing.warn(summary.outdated(gone, shown_path(str(scope.baseline.file))))


def _show_repairs(result: api.Run, flags: Flags, *, to_stderr: bool) -> int:
    if flags.diff:
        printing.diffs(result, flags)
    elif not flags.fix_only:
        printing.findings(result, flags, to_stderr=to_stderr)
    return _exit_code(result, flags)


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
