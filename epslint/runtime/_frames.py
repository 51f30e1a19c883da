"""Whose line is it: the innermost frame that is neither torch's, Python's nor ours."""

from __future__ import annotations

import linecache
import os
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from types import CodeType, FrameType, TracebackType

import torch

# A code object and an instruction in it: all that must be kept of a frame that will be gone.
Spot = tuple[CodeType, int]

_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_STDLIB = sysconfig.get_path("stdlib") + os.sep
_PACKAGES = tuple(
    os.path.join(_STDLIB, name) + os.sep for name in ("site-packages", "dist-packages")
)


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the user's code."""

    file: str
    line: int
    function: str
    source: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def user_spot() -> Spot | None:
    """Where the user's code stands now; None on a thread that runs none of it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if _is_users(frame.f_code.co_filename):
            return frame.f_code, frame.f_lasti
        frame = frame.f_back
    return None


def place_of(spot: Spot) -> Place:
    """The line of a spot, read from disk only now."""
    code, instruction = spot
    line = next(
        (line for start, end, line in code.co_lines() if line and start <= instruction < end),
        code.co_firstlineno,
    )
    source = linecache.getline(code.co_filename, line).strip()
    return Place(code.co_filename, line, code.co_name, source)


def end_before_ours(trace: TracebackType | None) -> None:
    """Let a traceback end where it leaves for our own frames: they explain nothing."""
    last = None
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_OURS):
            last = trace
        trace = trace.tb_next
    if last is not None:
        last.tb_next = None


@cache
def _is_users(filename: str) -> bool:
    if filename.startswith(("<frozen", _OURS, _TORCH)):
        return False
    return filename.startswith(_PACKAGES) or not filename.startswith(_STDLIB)
