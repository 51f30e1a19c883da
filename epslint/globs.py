"""Patterns of paths, in the syntax of .gitignore."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from pathspec import GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class Globs:
    """Patterns and the directory they start from."""

    root: str
    patterns: tuple[str, ...]

    @classmethod
    def below(cls, root: Path, patterns: tuple[str, ...]) -> Globs:
        return cls(os.path.abspath(root), patterns)

    def verdict(self, path: Path, *, directory: bool = False) -> bool | None:
        """True: matched; False: matched by a later `!pattern`; None: no pattern says anything."""
        relative = os.path.relpath(path, self.root).replace(os.sep, "/")
        result = _compiled(self.patterns).check_file(relative + "/" if directory else relative)
        return result.include

    def matches(self, path: Path, *, directory: bool = False) -> bool:
        return bool(self.verdict(path, directory=directory))

    def sparing(self, path: Path) -> Globs:
        """These patterns without those that match `path` itself: the user asked for it by name."""
        kept = tuple(
            pattern
            for pattern in self.patterns
            if not replace(self, patterns=(pattern,)).matches(path, directory=True)
        )
        return replace(self, patterns=kept)


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(patterns)
