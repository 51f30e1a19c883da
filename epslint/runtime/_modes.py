"""What our dispatch modes share."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Our own questions are no operations of the user: an outer mode must not see them.
unseen = torch._C._DisableTorchDispatch
outer_modes: Callable[[], int] = torch._C._len_torch_dispatch_stack


class QuietMode(TorchDispatchMode):
    """A dispatch mode into which dynamo does not look.

    torch keeps dynamo out of `__torch_dispatch__` with a wrapper that costs more than all a watch
    does for an operation. The mark on the code object says the same to the frame evaluator, once.
    """

    def __init_subclass__(cls) -> None:
        handler = cls.__dict__["__torch_dispatch__"]
        super().__init_subclass__()  # type: ignore[no-untyped-call]
        if _skip(handler):
            cls.__torch_dispatch__ = handler  # type: ignore[method-assign]


def is_wrapper(kind: type) -> bool:
    """Whether a tensor subclass has a dispatch of its own, and is to unwrap itself first."""
    dispatch = getattr(kind, "__torch_dispatch__", None)
    return dispatch is not None and dispatch is not torch._C._disabled_torch_dispatch_impl


def _skip(function: FunctionType) -> bool:
    """Mark a function, and all it calls, as none of dynamo's business; False if torch cannot."""
    evaluator = torch._C._dynamo.eval_frame
    if not hasattr(evaluator, "set_code_exec_strategy"):
        return False
    skip = evaluator._FrameAction.SKIP
    strategy = evaluator._FrameExecStrategy(skip, skip)
    evaluator.set_code_exec_strategy(function.__code__, strategy)
    return True
