"""Work spread over processes. It knows nothing of what the work is.

The heaviest tasks go first, so that no long one is left when all others are done; light ones travel
in bunches. Each process answers task by task, so that when one dies it is known over which task;
that task is reported, another process takes its place, and the rest goes on.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.context import ForkContext, SpawnContext

    _Context = ForkContext | SpawnContext

Task = TypeVar("Task")
Result = TypeVar("Result")

_BUNCHES = 16  # for each process: few enough to cost nothing, enough to end together
# Seconds. A Ctrl-C that comes in the instant before the waiting begins is not heard until it ends.
_LISTENING = 0.5
_PATIENCE = 5.0  # seconds that a process gets to end before it is killed


@dataclass(frozen=True, slots=True)
class Died:
    """The answer to a task whose process did not live to give one."""

    reason: str


def spread(
    work: Callable[[Task], Result], tasks: Sequence[Task], weights: Sequence[int], jobs: int
) -> Iterator[tuple[int, Result | Died]]:
    """The result of each task with its number, as they come in.

    However this ends, also by Ctrl-C, no process is left behind.
    """
    crew = _Crew(work, tasks, deque(_bunches(weights, jobs)), _context())
    try:
        with _unburdened():
            for _ in range(min(jobs, len(crew.bunches))):
                crew.hire()
        while crew.hands:
            ready = wait([hand.line for hand in crew.hands], _LISTENING)
            for hand in [hand for hand in crew.hands if hand.line in ready]:
                yield crew.hear(hand)
    finally:
        crew.dismiss()


def _bunches(weights: Sequence[int], jobs: int) -> Iterator[list[int]]:
    """The numbers of the tasks, heaviest first, in bunches of about the same weight."""
    enough = sum(weights) / (jobs * _BUNCHES)
    bunch: list[int] = []
    weight = 0
    for number in sorted(range(len(weights)), key=lambda n: -weights[n]):
        bunch.append(number)
        weight += weights[number]
        if weight >= enough:
            yield bunch
            bunch, weight = [], 0
    if bunch:
        yield bunch


@dataclass(slots=True)
class _Hand:
    """One process, the line to it, and the tasks it has not answered yet."""

    process: BaseProcess
    line: Connection
    open: deque[int]


@dataclass(slots=True)
class _Crew(Generic[Task, Result]):
    """The processes, and the bunches that none of them has taken yet."""

    work: Callable[[Task], Result]
    tasks: Sequence[Task]
    bunches: deque[list[int]]
    context: _Context
    hands: list[_Hand] = field(default_factory=list)
    # Kept from `__del__` until the work is done: a Ctrl-C that falls into one is lost.
    closed: list[Connection] = field(default_factory=list)

    def hire(self) -> None:
        """Start a process and give it something to do."""
        with _interrupts_held():
            hand = self._start()
        self._feed(hand)

    def _start(self) -> _Hand:
        ours, theirs = self.context.Pipe()
        # A forked process inherits our ends of all lines. It must close them: as long as one is
        # open anywhere, nobody at the other end learns that we are gone.
        inherited = [hand.line for hand in self.hands] if self._forks() else []
        lines = (theirs, [*inherited, ours] if self._forks() else [])
        process = self.context.Process(
            target=_serve, args=(*lines, self.work, self.tasks), daemon=True
        )
        process.start()
        self._close(theirs)
        self.hands.append(_Hand(process, ours, deque()))
        return self.hands[-1]

    def hear(self, hand: _Hand) -> tuple[int, Result | Died]:
        """The next answer of a process that has one, or is dead."""
        try:
            number, result = hand.line.recv()
        except (EOFError, OSError):
            return self._bury(hand)
        hand.open.remove(number)
        if not hand.open:
            self._feed(hand)
        return number, result

    def _feed(self, hand: _Hand) -> None:
        if not self.bunches:
            self._let_go(hand)
            return
        hand.open.extend(self.bunches.popleft())
        with suppress(OSError):  # it is dead already: the next answer, which is none, will tell
            hand.line.send(list(hand.open))

    def _bury(self, hand: _Hand) -> tuple[int, Died]:
        """Blame the task in hand, put the others back, and take on another process for them."""
        self._let_go(hand)
        number = hand.open.popleft()
        if hand.open:
            self.bunches.appendleft(list(hand.open))
        if self.bunches:
            self.hire()
        return number, Died(_last_words(hand.process))

    def _let_go(self, hand: _Hand) -> None:
        self.hands.remove(hand)
        self._close(hand.line)
        hand.process.join(_PATIENCE)

    def dismiss(self) -> None:
        for hand in self.hands:
            hand.process.terminate()
        for hand in self.hands:
            hand.process.join(_PATIENCE)
            hand.process.kill()
            hand.line.close()

    def _close(self, line: Connection) -> None:
        line.close()
        self.closed.append(line)

    def _forks(self) -> bool:
        return self.context.get_start_method() == "fork"


def _context() -> _Context:
    """Fork where it is safe: what is loaded here is then loaded there, for nothing.

    It is not on macOS, whose libraries may break in the child, and not beside other threads, whose
    locks would stay locked.
    """
    safe = hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1
    return multiprocessing.get_context("fork") if safe else multiprocessing.get_context("spawn")


@contextmanager
def _unburdened() -> Iterator[None]:
    """Let the collector forget what is loaded already, so that forks share its memory."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C is for the parent: a new process must not hear it before it knows to be deaf."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    line: Connection,
    not_ours: Sequence[Connection],
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
) -> None:
    """The life of a process: take numbers, answer each, until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()
    for other in not_ours:
        other.close()
    with suppress(EOFError, OSError):  # the parent has gone, or has no more for us
        while True:
            for number in line.recv():
                line.send((number, work(tasks[number])))


def _follow_parent() -> None:
    """End with the parent, also in the middle of a task, when it is killed and cannot say so."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _last_words(process: BaseProcess) -> str:
    code = process.exitcode
    if code is not None and code < 0:
        with suppress(ValueError):  # a number that is no signal
            return f"its process was killed by {signal.Signals(-code).name}"
    return f"its process ended with exit code {code}"
