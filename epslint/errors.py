"""What can go wrong, as values and exceptions whose text is meant for the user."""

from __future__ import annotations

from dataclasses import dataclass


class EpslintError(Exception):
    """The run cannot go on; the message says why and what to do about it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that could not be checked or fixed; the other files go on."""

    filename: str
    message: str
    row: int | None = None

    def __str__(self) -> str:
        place = self.filename if self.row is None else f"{self.filename}:{self.row}"
        return f"{place}: {self.message}"
