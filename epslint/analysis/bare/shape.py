"""What a tree consists of, and which node of two trees is which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from epslint.analysis.bare import nodes

# Fields that hold no nodes, or none that is ever looked at.
_APART = frozenset({"operator", "star"})
# These consist of nothing.
_LEAVES = frozenset(
    {
        nodes.Float,
        nodes.Imaginary,
        nodes.Integer,
        nodes.Name,
        nodes.SimpleString,
    }
)


def _fields() -> Iterator[tuple[type[nodes.Node], tuple[str, ...]]]:
    """What the nodes of each kind consist of, in the order of the text."""
    for kind in vars(nodes).values():
        if isinstance(kind, type) and issubclass(kind, nodes.Node) and kind not in _LEAVES:
            written: tuple[str, ...] = getattr(kind, "__match_args__", ())
            yield kind, tuple(field for field in written if field not in _APART)


_FIELDS: Mapping[type[nodes.Node], tuple[str, ...]] = MappingProxyType(
    {**dict.fromkeys(_LEAVES, ()), **dict(_fields())}
)


class UnlikeError(Exception):
    """Something that has no bare form, or a full tree that is not the twin of a bare one."""

    def __init__(self) -> None:
        super().__init__("ast and LibCST read these lines differently")


def children(node: nodes.Node) -> Iterator[nodes.Node]:
    """What a node consists of."""
    for field in _FIELDS[type(node)]:
        value = getattr(node, field)
        kind = type(value)
        if kind is list or kind is tuple:
            yield from value
        elif value is not None:
            yield value


def descendants(node: nodes.Node) -> Iterator[nodes.Node]:
    """A node, and all that is in it."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += children(current)


def twins(
    one: Iterable[nodes.Node], other: Iterable[nodes.Node]
) -> Iterator[tuple[nodes.Node, nodes.Node]]:
    """The nodes of two trees of the same text, pair by pair."""
    waiting = [(list(one), list(other))]
    while waiting:
        mine, theirs = waiting.pop()
        if list(map(type, mine)) != list(map(type, theirs)):
            raise UnlikeError
        for pair in zip(mine, theirs, strict=True):
            yield pair
            waiting.append((list(children(pair[0])), list(children(pair[1]))))
