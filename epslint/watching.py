"""`--watch`: check again whenever a file or a configuration file changes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import click

from epslint import printing
from epslint.errors import EpslintError
from epslint.files import discover
from epslint.settings import FILENAMES, Settings
from epslint.summary import plural

Look = frozenset[tuple[str, int, int]]  # every file with its time and size

_PAUSE = 0.3  # seconds between two looks
_SHARE = 0.1  # of the time may go into looking: a large tree is looked at less often


def watch(
    paths: Sequence[Path],
    renewed: Callable[[], Settings],
    check: Callable[[Settings], int],
    *,
    writes: bool = False,
    pause: Callable[[float], None] = time.sleep,
) -> int:
    """Call `check` now and after every change, until Ctrl-C; `writes` says that it changes files.

    Settings are read anew each time. An error is shown, and the next change may mend it.
    """
    seen: Look | None = None
    try:
        while True:
            started = time.monotonic()
            settings = renewed()
            look = _look(paths, settings)
            if look != seen:
                _check(settings, check)
                _announce(look)
                seen = _look(paths, settings) if writes else look
            pause(max(_PAUSE, (time.monotonic() - started) * (1 / _SHARE - 1)))
    except KeyboardInterrupt:
        return 0


def _check(settings: Settings, check: Callable[[Settings], int]) -> None:
    click.clear()
    try:
        check(settings)
    except EpslintError as error:
        printing.error(error)


def _announce(look: Look) -> None:
    number = sum(not name.endswith(FILENAMES) for name, _, _ in look)
    told = f"[{time.strftime('%H:%M:%S')}] Watching {plural(number, 'file')}; Ctrl-C stops."
    click.echo(click.style(told, dim=True), err=True)


def _look(paths: Sequence[Path], settings: Settings) -> Look:
    try:
        files = discover(paths, settings).files
    except EpslintError:  # settings that cannot be read: whoever checks will tell
        files = ()
    folders = {path if path.is_dir() else path.parent for path in (*paths, *files)}
    return frozenset(_stamps([*files, *_configs(folders)]))


def _configs(folders: Iterable[Path]) -> Iterator[Path]:
    above = {parent for folder in folders for parent in (folder.resolve() / "_").parents}
    return (folder / name for folder in above for name in FILENAMES)


def _stamps(files: Iterable[Path]) -> Iterator[tuple[str, int, int]]:
    for file in files:
        try:
            status = os.stat(file)
        except OSError:  # gone, or never there
            continue
        yield str(file), status.st_mtime_ns, status.st_size
