"""Whether a tensor still holds what it held: in-place operations count up its version."""

from __future__ import annotations

from torch import Tensor

# The version of an operand that the operation itself wrote over: lower than any there is.
GONE = -1


def version_of(tensor: Tensor) -> int:
    """The version of a tensor; views share it with their base."""
    try:
        return tensor._version
    except RuntimeError:
        # Tensors of inference mode count no versions.
        return 0


def is_still(tensor: Tensor, version: int) -> bool:
    """Whether a tensor was not written to since it had this version.

    Of an in-place operation the version counts up only after it has left the dispatch mode: hence
    "at most", and `+ 1` where the result of one is remembered.
    """
    return version_of(tensor) <= version
