"""Places: where the nodes of a bare tree stand in the text, by what `ast` says of them.

`ast` leaves a node's own parentheses out, except for tuples and generators, whose parentheses it
takes for a part of them. Whose they are, the tokens of the statement tell.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from epslint.analysis.bare import nodes
from epslint.glance import suites
from epslint.outline import Rows, Stretch, rows_of
from epslint.source import Source, Span
from epslint.tokens import Tokens, UnevenError

At = ast.expr | ast.stmt


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node stands: alone, and with the parentheses that belong to it."""

    inner: Span
    outer: Span


class Places:
    """The places of the nodes of a stretch that `ast` has read."""

    def __init__(self, source: Source, stretch: Stretch) -> None:
        self._source = source
        self._stretch = stretch
        self._read: dict[Rows, Tokens] = {}

    def span(self, node: nodes.Node, at: At) -> Span:
        """Where a node stands, without its own parentheses."""
        if isinstance(node, nodes.BooleanOperation | nodes.Tuple | nodes.GeneratorExp):
            return self.place(node, at).inner
        told = self._told(at)
        if isinstance(at, ast.Attribute) and isinstance(node, nodes.Name):
            return Span(told.end - len(node.value), told.end)
        return told

    def place(self, node: nodes.Node, at: At) -> Place:
        """Where an expression stands, without and with its own parentheses."""
        tokens = self._tokens(at)
        told = self._told(at)
        if isinstance(node, nodes.Tuple | nodes.GeneratorExp):
            inner = tokens.inside(told)
            if inner is None:
                return Place(told, tokens.around(told))
            return Place(inner, tokens.around(told) if tokens.are_own(told) else inner)
        inner = (
            self._both(node) if isinstance(node, nodes.BooleanOperation) else self.span(node, at)
        )
        return Place(inner, tokens.around(inner))

    def _both(self, node: nodes.BooleanOperation) -> Span:
        """From the left operand to the right one: of `a and b and c`, `a and b` is a node too."""
        left, right = node.left.at, node.right.at
        assert left is not None
        assert right is not None
        start, end = self.place(node.left, left).outer, self.place(node.right, right).outer
        return Span(start.start, end.end)

    def _told(self, at: At) -> Span:
        assert at.end_lineno is not None
        assert at.end_col_offset is not None
        return Span(
            self._offset(at.lineno, at.col_offset), self._offset(at.end_lineno, at.end_col_offset)
        )

    def _offset(self, row: int, column: int) -> int:
        """`ast` counts columns in bytes of UTF-8."""
        line = self._source.lines[row - 1]
        if not line.isascii():
            column = len(line.encode()[:column].decode())
        return self._source.offset(row) + column

    def _tokens(self, at: At) -> Tokens:
        rows = self._statement(at)
        if rows not in self._read:
            try:
                self._read[rows] = Tokens(self._source, rows.first, rows.last)
            except UnevenError:  # `a = (b,\n c); d = e`: it begins where another one ends
                whole = self._stretch.rows
                self._read[rows] = Tokens(self._source, whole.first, whole.last)
        return self._read[rows]

    def _statement(self, at: At) -> Rows:
        """The lines of the smallest statement around a place: mostly of the last that has begun."""
        for number in range(bisect_right(self._first_rows, at.lineno) - 1, -1, -1):
            if (at.end_lineno or at.lineno) <= self._statements[number].last:
                return self._statements[number]
        return self._stretch.rows

    @cached_property
    def _statements(self) -> list[Rows]:
        """The lines of all statements, in the order in which they begin; the outer ones first."""
        found: list[Rows] = []
        waiting = list(reversed(self._stretch.statements))
        while waiting:
            statement = waiting.pop()
            found.append(rows_of(statement))
            inner = [each for suite in suites(statement) for each in suite]
            waiting += reversed(inner)
        return sorted(found, key=lambda rows: rows.first)  # handlers stand before what is else

    @cached_property
    def _first_rows(self) -> list[int]:
        return [rows.first for rows in self._statements]
