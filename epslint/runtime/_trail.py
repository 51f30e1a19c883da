"""From an operation of the backward pass to the line of the forward pass it belongs to.

Autograd numbers its nodes in the order of their making, and makes a node just before it runs the
operation. So the node that an operation got is the last one numbered when the operation arrives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import torch

from epslint.runtime._frames import Spot, user_spot

# Nodes of older steps are of no use, and a long run makes many.
_REMEMBERED = 200_000


class Node(Protocol):
    """A node of the autograd graph."""

    def name(self) -> str: ...
    def _sequence_nr(self) -> int: ...


# Names and not functions of ours: both are asked for every operation.
# The node whose backward is running on this thread, None in the forward pass.
current_node: Callable[[], Node | None] = torch._C._current_autograd_node
next_number: Callable[[], int] = torch._C._autograd._get_sequence_nr


class Trail:
    """Which line made which node, of the nodes made while watching."""

    __slots__ = ("_spots", "next")

    def __init__(self) -> None:
        self.next: int = next_number()
        self._spots: dict[int, Spot] = {}

    def follow(self) -> None:
        """Remember the line of the operation at hand, if it made a node."""
        number = next_number()
        if number == self.next:
            return
        self.next = number
        spot = user_spot()
        if spot is not None:
            self._spots[number - 1] = spot
            if len(self._spots) > _REMEMBERED:
                self._forget()

    def line_of(self, node: Node) -> Spot | None:
        """Where the forward pass made this node."""
        return self._spots.get(node._sequence_nr())

    def _forget(self) -> None:
        for number in list(self._spots)[: _REMEMBERED // 2]:
            del self._spots[number]
