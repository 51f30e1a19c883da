"""Unified diffs of repaired files."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

import click

from epslint.source import Source

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_CONTEXT = 3


def unified(before: Source, after: Source, name: str) -> str:
    """What changed, in the shape that `patch` reads, coloured for those who look."""
    return "".join(_styled(line) for line in _lines(before.lines, after.lines, name))


def _lines(old: tuple[str, ...], new: tuple[str, ...], name: str) -> Iterator[str]:
    """As difflib.unified_diff, but blank lines do not confuse it: it takes them for junk."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    groups = list(matcher.get_grouped_opcodes(_CONTEXT))
    if groups:
        yield f"--- {name}\n"
        yield f"+++ {name}\n"
    for group in groups:
        _, i1, _, j1, _ = group[0]
        _, _, i2, _, j2 = group[-1]
        yield f"@@ -{_range(i1, i2)} +{_range(j1, j2)} @@\n"
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                yield from (_ended(f" {line}") for line in old[a1:a2])
            else:
                yield from (_ended(f"-{line}") for line in old[a1:a2])
                yield from (_ended(f"+{line}") for line in new[b1:b2])


def _range(start: int, stop: int) -> str:
    length = stop - start
    first = start + 1 if length else start  # an empty range stands before its line
    return str(first) if length == 1 else f"{first},{length}"


def _ended(line: str) -> str:
    return line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n"


def _styled(line: str) -> str:
    colour = _COLOURS.get(line[0])
    return click.style(line, fg=colour) if colour else line
