"""Bare trees, of those that LibCST has read.

They are for files that `ast` cannot read, because Python is older than the code in them; and for
tests, in which LibCST is the judge of what the other way to bare trees makes of a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import libcst as cst

from epslint.analysis.bare import nodes


class Reading:
    """Makes bare nodes, and notes which node of LibCST's each of them was."""

    def __init__(self) -> None:
        self.pairs: dict[nodes.Node, cst.CSTNode] = {}

    def statements(self, body: Iterable[cst.CSTNode]) -> list[nodes.BaseStatement]:
        """Statements; what only holds them together on a line is left out."""
        made: list[nodes.BaseStatement] = []
        for statement in body:
            if isinstance(statement, cst.SimpleStatementLine):
                made += self.statements(statement.body)
            else:
                node = self._node(statement)
                assert isinstance(node, nodes.BaseStatement)
                made.append(node)
        return made

    def _node(self, full: cst.CSTNode) -> nodes.Node:
        made = _READINGS.get(type(full).__name__, Reading._as_named)(self, full)
        self.pairs[made] = full
        return made

    def _expression(self, full: cst.BaseExpression) -> nodes.BaseExpression:
        made = self._node(full)
        assert isinstance(made, nodes.BaseExpression)
        return made

    # -- what is the same, field by field ----------------------------------------------------

    def _as_named(self, full: cst.CSTNode) -> nodes.Node:
        kind: type[nodes.Node] | None = getattr(nodes, type(full).__name__, None)
        if kind is not None:
            return self._as(kind, full)
        return nodes.Unread() if isinstance(full, cst.BaseExpression) else nodes.Pass()

    def _as(self, kind: type[nodes.Node], full: cst.CSTNode) -> nodes.Node:
        fields: tuple[str, ...] = getattr(kind, "__match_args__", ())
        return kind(*(self._value(getattr(full, field)) for field in fields))

    def _value(self, value: object) -> object:
        if isinstance(value, cst.CSTNode):
            return self._node(value)
        if isinstance(value, list | tuple):
            return [self._value(each) for each in value]
        return None if isinstance(value, cst.MaybeSentinel) else value

    def _try(self, full: cst.CSTNode) -> nodes.Node:
        """`except*` is an `except`."""
        return self._as(nodes.Try, full)

    def _handler(self, full: cst.CSTNode) -> nodes.Node:
        return self._as(nodes.ExceptHandler, full)

    # -- what is something else --------------------------------------------------------------

    def _block(self, full: cst.BaseSuite) -> nodes.Node:
        return nodes.IndentedBlock(self.statements(full.body))

    def _nothing(self, full: cst.CSTNode) -> nodes.Node:
        """`type X = Y` makes no value."""
        return nodes.Pass()

    def _text(self, full: cst.BaseString) -> nodes.Node:
        """`ast` makes one text of adjacent ones; and of a text, what is in braces is read."""
        strings = list(_adjacent(full))
        if all(isinstance(string, cst.SimpleString) for string in strings):
            return nodes.SimpleString(repr(getattr(full, "evaluated_value", "")))
        parts = [part for string in strings for part in getattr(string, "parts", ())]
        inside = [part.expression for part in parts if hasattr(part, "expression")]
        return nodes.FormattedString(
            [nodes.FormattedStringExpression(self._expression(each)) for each in inside]
        )

    def _subscript(self, full: cst.Subscript) -> nodes.Node:
        """`x[(a, b)]` is `x[a, b]`: that is all that `ast` says of it."""
        listed = _listed(full.slice)
        if not listed:
            return self._as(nodes.Subscript, full)
        slices = [
            nodes.Index(
                "*" if isinstance(element, cst.StarredElement) else None,
                self._expression(element.value),
            )
            for element in listed
        ]
        value = self._expression(full.value)
        return nodes.Subscript(value, [nodes.SubscriptElement(each) for each in slices])

    def _comprehension(self, full: cst.ListComp | cst.SetComp | cst.GeneratorExp) -> nodes.Node:
        """`[*row for row in rows]`: of what is in the rows."""
        kind = getattr(nodes, type(full).__name__)
        elt = full.elt.value if isinstance(full.elt, cst.StarredElement) else full.elt
        made: nodes.Node = kind(self._expression(elt), self._node(full.for_in))
        return made

    def _annotation(self, full: cst.Annotation) -> nodes.Node:
        """`*args: *Ts`"""
        told = full.annotation
        return nodes.Annotation(
            self._expression(told.value if isinstance(told, cst.StarredElement) else told)
        )

    def _pattern(self, full: cst.CSTNode) -> nodes.Node:
        """A list of patterns, a mapping, a class, a choice, `None`."""
        parts = [self._node(part) for part in _parts(full)]
        rest = getattr(full, "rest", None)
        if rest is not None:
            parts.append(nodes.MatchStar(nodes.Name(rest.value)))
        return nodes.MatchPattern([part for part in parts if isinstance(part, nodes.BasePattern)])


def _adjacent(node: cst.BaseString) -> Iterator[cst.BaseString]:
    while isinstance(node, cst.ConcatenatedString):
        yield node.left
        node = node.right
    yield node


def _listed(slices: Sequence[cst.SubscriptElement]) -> Sequence[cst.BaseElement]:
    """The elements of the one tuple that stands in the brackets."""
    (first, *others) = slices
    index = first.slice
    alone = not others and isinstance(first.comma, cst.MaybeSentinel)
    if not alone or not isinstance(index, cst.Index) or not isinstance(index.value, cst.Tuple):
        return ()
    return index.value.elements


def _parts(full: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The patterns that a pattern consists of."""
    for field in ("patterns", "kwds", "elements"):
        for element in getattr(full, field, ()):
            held: cst.CSTNode = getattr(element, "pattern", getattr(element, "value", element))
            yield held


# By name: what LibCST knows depends on its version.
_READINGS: Mapping[str, Callable[..., nodes.Node]] = MappingProxyType(
    {
        "Annotation": Reading._annotation,
        "ConcatenatedString": Reading._text,
        "ExceptStarHandler": Reading._handler,
        "FormattedString": Reading._text,
        "GeneratorExp": Reading._comprehension,
        "IndentedBlock": Reading._block,
        "ListComp": Reading._comprehension,
        "MatchClass": Reading._pattern,
        "MatchList": Reading._pattern,
        "MatchMapping": Reading._pattern,
        "MatchOr": Reading._pattern,
        "MatchSingleton": Reading._pattern,
        "MatchTuple": Reading._pattern,
        "SetComp": Reading._comprehension,
        "SimpleStatementSuite": Reading._block,
        "Subscript": Reading._subscript,
        "TemplatedString": Reading._text,
        "TryStar": Reading._try,
        "TypeAlias": Reading._nothing,
    }
)
