"""Depth: room for code that is nested more deeply than Python's stack.

A chain of three thousand `elif` is nested three thousand levels deep in the tree. The usual stack
is enough for nearly every file, so a larger one is only asked for when it was not.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from epslint.source import SourceError

_FRAMES = 60_000
_STACK = 512 * 1024 * 1024  # address space; pages that are not touched cost nothing

T = TypeVar("T")


def with_room(work: Callable[[], T]) -> T:
    """The result of `work`, on a larger stack if the usual one does not hold it."""
    try:
        return work()
    except RecursionError:
        return _on_large_stack(work)


def _on_large_stack(work: Callable[[], T]) -> T:
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK)
    sys.setrecursionlimit(max(limit, _FRAMES))
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if failure and isinstance(failure[0], RecursionError):
        raise SourceError("is nested too deeply to be checked: split its longest expression")
    if failure:
        raise failure[0]
    return outcome[0]
