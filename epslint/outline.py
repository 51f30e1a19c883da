"""Outlines: what a file is made of, and on which lines that stands."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from epslint.attributes import bounded_by, changed_by, self_of, set_by
from epslint.glance import FunctionNode, names_read


@dataclass(frozen=True, slots=True)
class Rows:
    """Whole lines of the file, both ends included."""

    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Stretch:
    """Statements with the whole lines they stand on."""

    rows: Rows
    statements: tuple[ast.stmt, ...]

    @cached_property
    def read(self) -> frozenset[str]:
        """The names that they look at, other than to give them another value: `x = -x`."""
        return frozenset(names_read(self.statements))


@dataclass(frozen=True, eq=False)
class FunctionOutline:
    """A function or method: where it is, and whether it may contain a site."""

    name: str
    stretch: Stretch
    suspect: bool
    is_property: bool = False
    is_setter: bool = False  # of a property that has its name

    @cached_property
    def assigns(self) -> frozenset[str]:
        """The attributes of `self` that it sets."""
        return frozenset().union(*self._assigns_by_statement)

    @cached_property
    def last_assigning(self) -> int:
        """Which of its statements is the last to set one, or to change what it has set:
        `self.std[self.std < eps] = 1`.
        """
        me, sets = self._self, self._assigns_by_statement
        places = [place for place, names in enumerate(sets) if names]
        if not me or not places:
            return -1
        body, first = self._body, places[-1] + 1
        later = [
            place
            for place in range(first, len(body))
            if not self.assigns.isdisjoint(changed_by(body[place], me))
        ]
        return (places + later)[-1]

    @cached_property
    def bounds(self) -> frozenset[str]:
        """The attributes of `self` that it brings back between bounds where they are:
        `self.scale.data.clamp_(-5, 2)`, `self.scale.data = self.scale.data.clamp(-5, 2)`.
        """
        me = self._self
        return frozenset(name for child in self._body for name in bounded_by(child, me or ""))

    @property
    def _body(self) -> list[ast.stmt]:
        (node,) = self.stretch.statements
        assert isinstance(node, FunctionNode)
        return node.body

    @property
    def _self(self) -> str | None:
        (node,) = self.stretch.statements
        assert isinstance(node, FunctionNode)
        return self_of(node)

    @cached_property
    def _assigns_by_statement(self) -> tuple[frozenset[str], ...]:
        me = self._self
        return tuple(frozenset(set_by(child, me) if me else ()) for child in self._body)


@dataclass(frozen=True, slots=True, eq=False)
class ClassOutline:
    """A class: its methods by name, and the lines of its body that assign names."""

    name: str
    bases: tuple[str, ...]
    methods: Mapping[str, FunctionOutline]
    defined: tuple[FunctionOutline, ...]  # all of them: two may have the same name
    fields: Mapping[str, tuple[Stretch, ...]]
    body: tuple[Stretch, ...]  # of the statements that are no definitions
    suspect: bool  # whether one of those may contain a site


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A file at a glance."""

    imports: Mapping[str, str]  # local name → dotted name
    functions: Mapping[str, FunctionOutline]
    defined: tuple[FunctionOutline, ...]  # all of them: two may have the same name
    classes: Mapping[str, ClassOutline]
    owners: tuple[ClassOutline, ...]  # all of them: also those inside others
    body: tuple[Stretch, ...]  # top-level statements that are no definitions
    fields: Mapping[str, tuple[Stretch, ...]]
    suspect: bool
    rebound: frozenset[str] = frozenset()  # names of the module that functions assign, by `global`
    newer: bool = False  # whether its statements are in older words than the file

    def lineage(self, owner: ClassOutline) -> Iterator[ClassOutline]:
        """The class and those of its bases that are in this file."""
        seen: set[ClassOutline] = set()
        waiting = [owner]
        while waiting:
            each = waiting.pop()
            if each not in seen:
                seen.add(each)
                yield each
                waiting.extend(self.classes[base] for base in each.bases if base in self.classes)


def rows_of(node: ast.stmt) -> Rows:
    """The lines of a statement, its decorators with it."""
    decorators: Collection[ast.expr] = getattr(node, "decorator_list", ())
    first = min([node.lineno, *(d.lineno for d in decorators)])
    return Rows(first, node.end_lineno or node.lineno)
