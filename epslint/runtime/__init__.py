"""Safe operations, a NaN watcher and a shim, on the same epsilons as the linter.

    import epslint.runtime as er

    loss = er.masked_mean(token_loss, mask)
    with er.watch():
        train_step()

Importing this package loads neither torch nor numpy, nor anything of the linter. What needs torch
loads it on first use, and says which extra to install when it is not there.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from epslint.runtime._extras import missing

if TYPE_CHECKING:
    from epslint.epsilon import Clamp, Role
    from epslint.runtime._births import Birth, WatchError, WatchReport, WatchWarning
    from epslint.runtime._safe import (
        kl_estimate,
        logprob_ratio,
        masked_mean,
        masked_var,
        masked_whiten,
        normalize,
        prob_ratio,
        safe_div,
        safe_exp,
        safe_log,
        safe_rsqrt,
        safe_sqrt,
    )
    from epslint.runtime._shim import ShimReport, shim
    from epslint.runtime._stats import RunningStats
    from epslint.runtime._watch import watch

__all__ = [
    "Birth",
    "Clamp",
    "Role",
    "RunningStats",
    "ShimReport",
    "WatchError",
    "WatchReport",
    "WatchWarning",
    "kl_estimate",
    "logprob_ratio",
    "masked_mean",
    "masked_var",
    "masked_whiten",
    "normalize",
    "prob_ratio",
    "safe_div",
    "safe_exp",
    "safe_log",
    "safe_rsqrt",
    "safe_sqrt",
    "shim",
    "watch",
]

_ROOMS = {
    "epslint.epsilon": ("Clamp", "Role"),
    "epslint.runtime._births": ("Birth", "WatchError", "WatchReport", "WatchWarning"),
    "epslint.runtime._shim": ("ShimReport", "shim"),
    "epslint.runtime._stats": ("RunningStats",),
    "epslint.runtime._watch": ("watch",),
}
_SAFE = "epslint.runtime._safe"
_HOME = {name: room for room, names in _ROOMS.items() for name in names}


if not TYPE_CHECKING:  # A type checker shall see the names above and no others.

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        with missing():
            found: object = getattr(import_module(_HOME.get(name, _SAFE)), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted(__all__)
