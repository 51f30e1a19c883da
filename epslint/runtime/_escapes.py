"""Which results of a backward formula leave it.

Many formulas of torch divide by zero and mask the NaN right after: `norm`, `std`, `pow`. Such a NaN
is nobody's concern. So a birth in the backward pass counts when its tensor is still in use, as it
was made, after its autograd node is done.
"""

from __future__ import annotations

import sys

import torch
from torch import Tensor

from epslint.runtime._judge import Held, Seen
from epslint.runtime._trail import Node, current_node

# `sys.getrefcount` counts its own argument.
_ARGUMENT = 1
# The tensor, and the Python object for its storage.
_OWN_STORAGE_REFERENCES = 2


class Running:
    """The operations of the autograd node that is running now."""

    def __init__(self) -> None:
        self.node: Node | None = None
        self._ops: list[Seen] = []
        self._inside: set[int] = set()

    def add(self, node: Node, seen: Seen) -> None:
        """Take in an operation of the node."""
        self.node = node
        self._ops.append(seen)

    @property
    def has_ended(self) -> bool:
        """Whether autograd has gone on to something else."""
        return self.node is not None and current_node() is not self.node

    def end(self, waiting: list[Seen]) -> None:
        """Decide what has left the node; `waiting` is everything that we hold on to ourselves."""
        for seen in self._ops:
            if not any(_is_out(output, waiting) for output in seen.outputs):
                self._inside.add(id(seen))
        self.node = None
        self._ops.clear()

    def take_inside(self, seen: Seen) -> bool:
        """Whether an operation's results stayed inside; asked once, when it is judged."""
        inside = id(seen) in self._inside
        self._inside.discard(id(seen))
        return inside


def _is_out(output: Held, waiting: list[Seen]) -> bool:
    if not output.is_there:
        # Written over within the formula: that is how it masks.
        return False
    return _is_autograds(output.tensor) or _is_users(output, waiting)


def _is_autograds(tensor: Tensor) -> bool:
    """Whether autograd has it, or a view of it, as the gradient for another node."""
    # Private to torch; there is no other way to count references in C++.
    references = tensor._use_count()  # type: ignore[attr-defined]  # missing from torch's types
    if references > 1 or tensor.layout != torch.strided:
        return True
    storage = tensor.untyped_storage()
    return torch._C._storage_Use_Count(storage._cdata) > _OWN_STORAGE_REFERENCES


def _is_users(output: Held, waiting: list[Seen]) -> bool:
    """Whether Python code other than ours has it, as after `autograd.grad`."""
    ours = sum(
        held.tensor is output.tensor for seen in waiting for held in (*seen.operands, *seen.outputs)
    )
    # No local name for the tensor in here or in the callers: it would count.
    return sys.getrefcount(output.tensor) > ours + _ARGUMENT
