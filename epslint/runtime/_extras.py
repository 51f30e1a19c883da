"""What to install when an optional library is not there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_EXTRAS = {"torch": "torch", "numpy": "numpy"}


@contextmanager
def missing() -> Iterator[None]:
    """Turn "No module named 'torch'" into the command that helps."""
    try:
        yield
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(error.name or "")
        if extra is None:
            raise
        raise ImportError(
            f'this part of epslint.runtime needs {error.name}: pip install "epslint[{extra}]"',
            name=error.name,
        ) from error
