"""What a run prints: findings, sentences about them, and complaints."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from epslint import diff, report, summary
from epslint.errors import EpslintError
from epslint.flags import Flags
from epslint.outcome import Repair, Run
from epslint.report._text import shown_path

COUNTED = ("full", "concise", "grouped", "json")  # formats that --statistics has


def warn(text: str) -> None:
    click.echo(f"{click.style('warning', fg='yellow', bold=True)}: {text}", err=True)


def error(text: object) -> None:
    click.echo(f"{click.style('error', fg='red', bold=True)}: {text}", err=True)


def complain(result: Run, flags: Flags) -> None:
    """Say on stderr what is not a finding; errors also when the user wants quiet."""
    if flags.verbose:
        for checked in result.reports:
            click.echo(f"checked {shown_path(checked.filename)}", err=True)
    if not flags.quiet:
        for warning in result.warnings:
            warn(warning)
    for failure in result.all_failures:
        error(failure)


def findings(result: Run, flags: Flags, *, old: int = 0, to_stderr: bool = False) -> None:
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


def _summary(result: Run, flags: Flags, old: int) -> str:
    if flags.add_ignore is not None:
        return summary.added_ignores(result)
    return summary.summary(result, old)


def _statistics(result: Run, shape: report.Format) -> str:
    rows = summary.counts(result)
    if shape.TALKS:
        return summary.statistics(rows)
    return json.dumps([asdict(row) for row in rows], indent=2) + "\n"


def _save(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EpslintError(f"{path}: the report cannot be written: {error.strerror}") from None


def diffs(result: Run, flags: Flags) -> None:
    """What would change, as a patch, and under it how much that is."""
    changed = [repair for repair in result.repairs if repair.changed]
    patches = (diff.unified(r.before, r.after, shown_path(r.before.filename)) for r in changed)
    click.echo("".join(patches), nl=False)
    if not flags.quiet:
        click.echo(_would_do(changed, flags), err=True)


def _would_do(changed: Sequence[Repair], flags: Flags) -> str:
    number = sum(len(repair.applied) for repair in changed)
    files = summary.plural(len(changed), "file")
    if flags.add_ignore is not None:
        return f"Would add {summary.plural(number, 'ignore')} in {files}."
    if not number:
        return "No fixes to apply."
    return f"Would fix {summary.plural(number, 'finding')} in {files}."


class Progress:
    """How far a long run is, on one line of the terminal that is wiped at the end."""

    PATIENCE = 1.0  # seconds: a short run needs no telling

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._shown = 0.0

    @classmethod
    def on_terminal(cls) -> Progress | None:
        return cls() if sys.stderr.isatty() else None

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._start > self.PATIENCE and now - self._shown > 0.1:
            self._shown = now
            click.echo(f"\r{done}/{total} files", nl=False, err=True)

    def clear(self) -> None:
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True, color=True)
