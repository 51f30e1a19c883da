"""A Python file as text: decoding, positions, and nothing about what it means."""

from __future__ import annotations

import bisect
import io
import tokenize
from dataclasses import dataclass, field
from itertools import accumulate

_MARK = "\ufeff"


class SourceError(Exception):
    """A file that cannot be checked; the message says why and what to do about it."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of the text, in characters: `start` inclusive, `end` exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Location:
    """A place as editors show it: row and column both count from 1."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Source:
    """The text of one file and how its bytes were encoded."""

    filename: str
    text: str
    encoding: str = "utf-8"
    lines: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        lines = tuple(io.StringIO(self.text, newline=""))  # at \n, \r and \r\n, as Python does
        starts = tuple(accumulate((len(line) for line in lines), initial=0))
        object.__setattr__(self, "lines", lines)
        object.__setattr__(self, "_starts", starts)

    def __reduce__(self) -> tuple[type[Source], tuple[str, str, str]]:
        """What follows from the text does not travel between processes."""
        return Source, (self.filename, self.text, self.encoding)

    @classmethod
    def of_text(cls, text: str, filename: str) -> Source:
        """Text that somebody has decoded already. A byte order mark is no part of it: `encode`
        puts it back.
        """
        plain = text.removeprefix(_MARK)
        return cls(filename, plain, "utf-8" if plain == text else "utf-8-sig")

    @classmethod
    def decode(cls, data: bytes, filename: str) -> Source:
        """Read bytes as Python would, or say in one line why that is impossible."""
        if b"\0" in data:
            raise SourceError("contains null bytes: it is not Python text")
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        except SyntaxError as error:
            raise SourceError(f"{error.msg}: save it as UTF-8 or name its encoding") from None
        try:
            return cls(filename, data.decode(encoding), encoding)
        except UnicodeDecodeError as error:
            raise SourceError(
                f"is not valid {encoding} at byte {error.start}: save it as UTF-8 or add a "
                "coding line"
            ) from None

    def encode(self, text: str) -> bytes:
        """New text for this file, in the encoding it came in."""
        return text.encode(self.encoding)

    def location(self, offset: int) -> Location:
        row = max(bisect.bisect_right(self._starts, offset), 1)
        row = min(row, max(len(self.lines), 1))
        return Location(row, offset - self._starts[row - 1] + 1)

    def rows(self, span: Span) -> range:
        """The lines a span touches; an empty one touches the line it stands on."""
        last = self.location(max(span.start, span.end - 1)).row
        return range(self.location(span.start).row, last + 1)

    def offset(self, row: int, column: int = 1) -> int:
        """The offset of a place, both numbers counting from 1."""
        return self._starts[row - 1] + column - 1

    def line(self, row: int) -> str:
        """A line without its line ending."""
        return self.lines[row - 1].rstrip("\r\n") if row <= len(self.lines) else ""

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end]
