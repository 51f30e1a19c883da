"""Quicker forms of what the standard library does well but slowly.

A run over a code base asks half a million times whether a kind is among kinds, and looks an
operation up as often. `enum` does both in Python; these look the answer up. They change no result.
"""

from __future__ import annotations

from enum import Enum, Flag
from typing import ClassVar, TypeVar, cast

F = TypeVar("F", bound="QuickFlag")


class QuickEnum(Enum):
    """An enumeration whose members are told apart by identity, in sets and mappings too."""

    __hash__ = object.__hash__


class QuickFlag(Flag):
    """A set of flags whose operations look their result up instead of making it.

    `enum` gives every class Flag's own operators unless its body has others, so the body must say
    `__or__ = either` and `__and__ = both`.
    """

    __hash__ = object.__hash__
    _value2member_map_: ClassVar[dict[int, QuickFlag]]  # known to `enum`, but not to mypy

    def meets(self: F, other: F) -> bool:
        """Whether they have a flag in common."""
        return self._value_ & other._value_ != 0


def either(one: F, other: F) -> F:
    return _member(one, one._value_ | other._value_)


def both(one: F, other: F) -> F:
    return _member(one, one._value_ & other._value_)


def _member(like: F, value: int) -> F:
    found = like._value2member_map_.get(value)  # a member finds it at once, its class by detours
    return type(like)(value) if found is None else cast(F, found)


def emptied(room: object) -> None:
    """Take everything out of an object, so that it no longer refers to anything."""
    try:
        vars(room).clear()
    except TypeError:  # compiled: it has no dictionary, and says what it has instead
        names = type(room).__mypyc_attrs__  # type: ignore[attr-defined]  # mypyc's own
        for name in names:
            if hasattr(room, name):
                delattr(room, name)
