"""Formats of output: one module each, found by looking into this folder.

A format is a module with `render(run) -> str`. Its name is the module's, with `-` for `_`; a module
whose name begins with `_` is no format. `TALKS` says that a person reads it, so that a summary may
follow; a program's format stands alone.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from epslint.outcome import Run


class Format(Protocol):
    """What a format's module holds."""

    TALKS: bool

    def render(self, run: Run) -> str: ...


def names() -> tuple[str, ...]:
    """Every format there is, without loading any."""
    modules = (info.name for info in pkgutil.iter_modules(__path__))
    return tuple(sorted(m.replace("_", "-") for m in modules if not m.startswith("_")))


def load(name: str) -> Format:
    """The format of this name."""
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return cast("Format", module)
