"""What the user wants done with the findings, as the options of `epslint check` say it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


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
    no_baseline: bool
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
