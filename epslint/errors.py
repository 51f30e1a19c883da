"""What can go wrong, as values and exceptions whose text is meant for the user."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType


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


def described(error: BaseException) -> str:
    """An error of our own as a report shows it: what it is, what it says, and where it arose."""
    try:
        said = str(error)
    except Exception as worse:  # the text may be that of a broken object
        said = f"(its text cannot be shown: {type(worse).__name__})"
    return f"{type(error).__name__}: {said}{_place(error.__traceback__)}"


def _place(trace: TracebackType | None) -> str:
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})"
