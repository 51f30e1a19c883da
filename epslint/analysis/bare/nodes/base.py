"""What all nodes have in common."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass


class Node:
    """A piece of code; two of them are the same where they are one object."""

    __slots__ = ("at",)

    # What `ast` knows of the place, where it knows it. It is set when the code is read: what the
    # analysis makes up has none, not even None.
    at: ast.expr | ast.stmt | None


class BaseExpression(Node):
    """What has a value."""

    __slots__ = ()


class BaseStatement(Node):
    """What is done."""

    __slots__ = ()


@dataclass(eq=False, repr=False, slots=True)
class BaseElement(Node):
    """One of a collection, or all of another one."""

    value: BaseExpression


class BaseSlice(Node):
    """What stands between the brackets of a subscript, or between two commas there."""

    __slots__ = ()


@dataclass(eq=False, repr=False, slots=True)
class IndentedBlock(Node):
    """The statements under a header."""

    body: Sequence[BaseStatement]
