"""Patterns of paths, in the syntax of .gitignore."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_PLAIN = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class Globs:
    """Patterns and the directory they start from."""

    root: str
    patterns: tuple[str, ...]

    @classmethod
    def below(cls, root: Path, patterns: tuple[str, ...]) -> Globs:
        return cls(os.path.abspath(root), patterns)

    def verdict(self, path: str | Path, *, directory: bool = False) -> bool | None:
        """True: matched; False: matched by a later `!pattern`; None: no pattern says anything."""
        if not self.patterns:
            return None
        relative = os.path.relpath(path, self.root).replace(os.sep, "/")
        result = _compiled(self.patterns).check_file(relative + "/" if directory else relative)
        return result.include

    def matches(self, path: str | Path, *, directory: bool = False) -> bool:
        """Whether the patterns take in a path, or a folder above it."""
        return bool(self.verdict(path, directory=directory))

    def match_entry(self, entry: os.DirEntry[str]) -> bool:
        """The same for something in a folder that is not matched itself."""
        names, others = _sorted_out(self)
        return entry.name in names or others.matches(entry.path, directory=entry.is_dir())

    def sparing(self, path: Path) -> Globs:
        """These patterns without those that match `path` itself: the user asked for it by name."""
        parts = Path(os.path.abspath(path)).parts
        kept = tuple(
            pattern
            for pattern in self.patterns
            if (_PLAIN.fullmatch(pattern) and pattern not in parts)
            or not replace(self, patterns=(pattern,)).matches(path, directory=True)
        )
        return replace(self, patterns=kept)


@lru_cache(maxsize=256)
def _sorted_out(globs: Globs) -> tuple[frozenset[str], Globs]:
    """The patterns that are mere names, for which a set will do, and the others.

    A `!pattern` takes back what stands before it, so then they stay together.
    """
    if any(pattern.startswith("!") for pattern in globs.patterns):
        return frozenset(), globs
    names = frozenset(filter(_PLAIN.fullmatch, globs.patterns))
    others = tuple(pattern for pattern in globs.patterns if pattern not in names)
    return names, replace(globs, patterns=others)


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - slow to load, and mere names need it not

    return GitIgnoreSpec.from_lines(patterns)
