"""What tests/test_pool.py has done in other processes; they load this and nothing else."""

from __future__ import annotations

import os
import signal


def square(number: int) -> int:
    return number * number


def die(number: int) -> int:
    """Some numbers kill the process that is asked about them, each in its own way."""
    if number == 3:
        os._exit(7)
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def large(number: int) -> bytes:
    return bytes(number)
