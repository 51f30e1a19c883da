"""What stays the same about a finding while the code around it moves.

A finding is known by its file, its rule and the text of its lines without comments and blanks; not
by line numbers, which every edit above it changes.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from epslint.rule import Finding
from epslint.source import Source

# Strings are matched only so that a # inside one is not taken for a comment.
_STRING_OR_COMMENT = re.compile(
    r"""(?P<string>"(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*') | (?P<comment>\#.*)""", re.VERBOSE
)


def snippet(source: Source, finding: Finding) -> str:
    """The lines of a finding, as one line, without comments."""
    rows = source.rows(finding.span)
    return " ".join(" ".join(_uncommented(source.line(row)) for row in rows).split())


def squeezed(text: str) -> str:
    """A snippet without any blanks, so that it survives a formatter too."""
    return "".join(text.split())


def fingerprints(path: str, source: Source, findings: Iterable[Finding]) -> Iterator[str]:
    """One for each finding of a file; equal lines are told apart by their order."""
    seen: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        key = finding.code, squeezed(snippet(source, finding))
        seen[key] += 1
        told = "\0".join((path, *key, str(seen[key])))
        yield hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _uncommented(line: str) -> str:
    return _STRING_OR_COMMENT.sub(lambda match: match["string"] or "", line)
