"""Units: the stretches of a file that the interpreter reads, and where their nodes stand.

A unit is a run of whole lines, such as one method with its decorators. The interpreter is given
its bare tree. Where somebody asks for a place in the text, which is where there is something to
say, `ast` has mostly noted it; where it has not, LibCST reads the lines and is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from epslint.analysis import bare
from epslint.analysis.bare.places import At, Place, Places
from epslint.depth import with_room
from epslint.outline import Stretch
from epslint.source import Source, Span

if TYPE_CHECKING:
    from epslint.analysis.full import FullTree


class Unit:
    """Some lines of a file as a syntax tree; `full`: by LibCST, at once."""

    def __init__(self, source: Source, stretch: Stretch, *, full: bool = False) -> None:
        self.source = source
        self.stretch = stretch
        self._places = Places(source, stretch)
        self._full: FullTree | None = None
        self.body: Sequence[bare.BaseStatement] = self._read(full)

    def _read(self, full: bool) -> Sequence[bare.BaseStatement]:
        if not full:
            with suppress(bare.UnlikeError):
                return bare.statements(self.stretch.statements)
        self._full = self._tree()
        return self._full.body

    def _tree(self) -> FullTree:
        from epslint.analysis.full import FullTree  # noqa: PLC0415 - LibCST, if it must be

        return FullTree(self.source, self.stretch.rows)

    @property
    def length(self) -> int:
        """How many lines these are."""
        return self.stretch.rows.last - self.stretch.rows.first + 1

    @property
    def written(self) -> str:
        """The lines themselves."""
        rows = self.stretch.rows
        return "".join(self.source.lines[rows.first - 1 : rows.last])

    def span(self, node: bare.Node) -> Span:
        """Where a node stands, without its own parentheses."""
        at = _at(node)
        return self._places.span(node, at) if at is not None else self._by_libcst[node].inner

    def outer_span(self, node: bare.BaseExpression) -> Span:
        """Where a node stands with the parentheses that belong to it."""
        return self._place(node).outer

    def parenthesised(self, node: bare.BaseExpression) -> bool:
        """Whether a node has parentheses of its own."""
        place = self._place(node)
        return place.inner != place.outer

    def _place(self, node: bare.BaseExpression) -> Place:
        at = _at(node)
        return self._places.place(node, at) if at is not None else self._by_libcst[node]

    @cached_property
    def _by_libcst(self) -> Mapping[bare.Node, Place]:
        """Where nodes stand of which `ast` does not tell."""
        if self._full is not None:
            return self._full.places
        full = self._tree()
        pairs = with_room(lambda: dict(bare.twins(self.body, full.body)))
        return {
            mine: full.places[theirs] for mine, theirs in pairs.items() if theirs in full.places
        }

    def row(self, node: bare.Node) -> int:
        at = _at(node)
        return at.lineno if at is not None else self.source.location(self.span(node).start).row

    def find_row(self, node: bare.Node) -> int | None:
        """The row of a node that may have been made up by the analysis."""
        return self.row(node) if _at(node) is not None or node in self._by_libcst else None

    def brief(self, node: bare.Node) -> str:
        """A node as messages show it: on one line."""
        return " ".join(self.text(node).split())

    def text(self, node: bare.Node) -> str:
        return self.source.slice(self.span(node))


def _at(node: bare.Node) -> At | None:
    return getattr(node, "at", None)
