"""Reading Python: with `ast`, and by way of LibCST what is newer than the Python we run on."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from epslint.source import Source, SourceError

_TOO_DEEP = "is nested too deeply to be read"


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as `ast` reads it, every statement on its own lines."""

    tree: ast.Module
    newer: bool = False  # whether these are not the file's own words but older ones


def read(source: Source) -> Reading:
    """The tree of a file; raises SourceError where there is no reading it."""
    try:
        return Reading(_tree(source))
    except SyntaxError as error:
        flaw = error
    words = _older(source.text)
    if words is not None:
        try:
            return Reading(_tree(Source(source.filename, words)), newer=True)
        except SyntaxError as error:
            flaw = error  # of what is new in the file there is nothing left to complain of
    raise SourceError(_told(flaw))


def plain(source: Source) -> Source:
    """The file, in older words where the Python we run on needs them; rows and columns stay."""
    if reads(source.text):
        return source
    words = _older(source.text)
    return source if words is None else Source(source.filename, words)


def reads(text: str) -> bool:
    """Whether the Python we run on can read it."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _older(text: str) -> str | None:
    from epslint.older import in_older_words  # noqa: PLC0415 - LibCST is slow to load

    return in_older_words(text)


def _tree(source: Source) -> ast.Module:
    try:
        return ast.parse(source.text, source.filename)
    except (RecursionError, MemoryError):
        raise SourceError(f"{_TOO_DEEP}: split its longest expression") from None
    except SyntaxError:
        raise
    except ValueError as error:
        raise SourceError(str(error)) from None


def _told(error: SyntaxError) -> str:
    where = f"line {error.lineno}: " if error.lineno else ""
    if error.msg == "too many nested parentheses":
        return f"{where}{_TOO_DEEP}: {error.msg}"
    return f"{where}syntax error: {error.msg}"
