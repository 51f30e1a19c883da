"""What our dispatch modes share."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ContextDecorator
from types import FunctionType, TracebackType
from typing import ClassVar, Generic, TypeVar

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Our own questions are no operations of the user: an outer mode must not see them.
unseen = torch._C._DisableTorchDispatch
outer_modes: Callable[[], int] = torch._C._len_torch_dispatch_stack


class _Forks:
    """How many forks this process is away from the first: asking the system takes longer."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        self.count += 1


forks = _Forks()


class QuietMode(TorchDispatchMode):
    """A dispatch mode into which dynamo does not look.

    torch keeps dynamo out of `__torch_dispatch__` with a wrapper that costs more than all a watch
    does for an operation. The mark on the code object says the same to the frame evaluator, once.
    """

    def __init_subclass__(cls) -> None:
        handler = cls.__dict__["__torch_dispatch__"]
        super().__init_subclass__()  # type: ignore[no-untyped-call]  # untyped in torch
        if _skip(handler):
            cls.__torch_dispatch__ = handler  # type: ignore[method-assign]  # ours instead of the wrapped one


Report = TypeVar("Report")
Mode = TypeVar("Mode", bound=QuietMode)


class Switch(ContextDecorator, Generic[Report, Mode]):
    """What is on inside a `with`, or while a decorated function runs, and off after it."""

    noun: ClassVar[str]

    def __init__(self, report: Report) -> None:
        self.report = report
        self._mode: Mode | None = None

    def _started(self) -> Mode:
        """A mode for one stretch of being on."""
        raise NotImplementedError  # abstract: each switch has a mode of its own

    def _ended(self, mode: Mode, error: BaseException | None) -> None:
        """What is to be done once it is off again."""
        raise NotImplementedError  # abstract: each switch has a mode of its own

    def __enter__(self) -> Report:
        if self._mode is not None:
            raise RuntimeError(f"this {self.noun} is on already: make another one to nest")
        self._mode = self._started()
        self._mode.__enter__()  # type: ignore[no-untyped-call]  # torch's, and untyped there
        return self.report

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        mode, self._mode = self._mode, None
        if mode is None:
            raise RuntimeError(f"this {self.noun} is not on")
        mode.__exit__(kind, error, trace)  # type: ignore[no-untyped-call]  # torch's, and untyped
        self._ended(mode, error)


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
