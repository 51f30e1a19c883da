"""The scout: a cheap first look with `ast` that finds what is worth a closer one.

Interpreting costs many times as much as reading, and most functions of most files cannot hold
a hazard. The scout lists the functions, classes, imports and module statements of a file by their
lines and says which of them contain an operation that somebody listens to; only those, and what
they turn out to need, are then interpreted.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import MappingProxyType

from epslint.glance import (
    FunctionNode,
    called_by,
    descend,
    last_name,
    names_read,
    root_of,
    statements,
)
from epslint.sinks import Sinks
from epslint.source import Source
from epslint.syntax import read


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
            if not self.assigns.isdisjoint(_self_changes(body[place], me))
        ]
        return (places + later)[-1]

    @cached_property
    def bounds(self) -> frozenset[str]:
        """The attributes of `self` that it brings back between bounds where they are:
        `self.scale.data.clamp_(-5, 2)`, `self.scale.data = self.scale.data.clamp(-5, 2)`.
        """
        me = self._self
        return frozenset(name for child in self._body for name in _self_bounds(child, me or ""))

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
        return tuple(frozenset(_self_assignments(child, me) if me else ()) for child in self._body)


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


def scout(source: Source, sinks: Sinks) -> Outline:
    """The outline of a file; raises SourceError where there is no reading it."""
    reading = read(source)
    tree = reading.tree
    imports = dict(_imports(tree.body))
    sinks = sinks.under_aliases(imports).under_names_of_modules(tree, source.text)
    defined = _defined(tree.body, sinks)
    outer = [_class(node, sinks, source) for node in _classes(tree.body)]
    inner = [_class(node, sinks, source) for node in _inner_classes(tree.body)]
    loose = _loose(tree.body)
    body = _stretches(loose)
    return Outline(
        imports=imports,
        functions=_by_name(defined),
        defined=defined,
        classes={each.name: each for each in outer},
        owners=(*outer, *inner),
        body=body,
        fields=_fields(body),
        suspect=any(sinks.within(node) for node in loose),
        rebound=_rebound(tree.body) if "global " in source.text else frozenset(),
        newer=reading.newer,
    )


def _defined(body: Sequence[ast.stmt], sinks: Sinks) -> tuple[FunctionOutline, ...]:
    return tuple(_function(node, sinks) for node in body if isinstance(node, FunctionNode))


def _by_name(defined: Sequence[FunctionOutline]) -> dict[str, FunctionOutline]:
    """What a name means after all of them: the last one, but what is read is not what sets it."""
    return {each.name: each for each in defined if not each.is_setter}


def _function(node: FunctionNode, sinks: Sinks) -> FunctionOutline:
    decorators = {last_name(called_by(d)) for d in node.decorator_list}
    return FunctionOutline(
        name=node.name,
        stretch=Stretch(rows_of(node), (node,)),
        suspect=sinks.within(node),
        is_property=bool(decorators & {"property", "cached_property", "lazy_property"}),
        is_setter=bool(decorators & {"setter", "deleter"}),
    )


def _class(node: ast.ClassDef, sinks: Sinks, source: Source) -> ClassOutline:
    loose, defined = _loose(node.body), _defined(node.body, sinks)
    # The body of `class A: x = 1` has no lines of its own.
    body = _stretches(loose if _begins_its_line(node.body[0], source) else [node])
    return ClassOutline(
        name=node.name,
        bases=tuple(name for base in node.bases if (name := last_name(base))),
        methods=_by_name(defined),
        defined=defined,
        fields=_fields(body),
        body=body,
        suspect=any(sinks.within(child) for child in loose),
    )


def _classes(body: Sequence[ast.stmt]) -> list[ast.ClassDef]:
    return [node for node in body if isinstance(node, ast.ClassDef)]


def _inner_classes(body: Sequence[ast.stmt]) -> Iterator[ast.ClassDef]:
    """The classes inside classes: no name of the module means them."""
    for node in _classes(body):
        yield from _classes(node.body)
        yield from _inner_classes(node.body)


def _begins_its_line(node: ast.stmt, source: Source) -> bool:
    before = source.line(node.lineno).encode()[: node.col_offset]
    return not before.strip()


def _loose(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that are executed in place rather than defining something."""
    skipped = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    return [node for node in body if not isinstance(node, skipped)]


def _imports(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    """The imports among statements, in whatever they are nested."""
    for node in statements(body):
        if isinstance(node, ast.Import):
            for item in node.names:
                root = item.name.partition(".")[0]
                yield _meant(item.asname, item.name) if item.asname else (root, root)
        elif isinstance(node, ast.ImportFrom):
            for item in node.names:
                local, home = item.asname or item.name, "" if node.level else node.module
                if home:
                    yield _meant(local, f"{home}.{item.name}")
                elif local in _BY_CONVENTION:
                    yield local, _BY_CONVENTION[local]


# What these are called they are, wherever they are handed on from: `from project.compat import tf`.
_BY_CONVENTION = MappingProxyType(
    {"torch": "torch", "np": "numpy", "jnp": "jax.numpy", "jax": "jax", "tf": "tensorflow"}
)
# Libraries that go by such a name and are meant themselves: `import jax.numpy as np`.
_THEMSELVES = frozenset(
    {"torch", "numpy", "jax", "tensorflow", "autograd", "cupy", "keras", "mxnet", "paddle"}
)


def _meant(local: str, full: str) -> tuple[str, str]:
    """A local name, and the library that is meant by it."""
    if full.partition(".")[0] in _THEMSELVES:
        return local, full
    return local, _BY_CONVENTION.get(local, full)


def _rebound(body: Sequence[ast.stmt]) -> frozenset[str]:
    declarations = (node for node in statements(body) if isinstance(node, ast.Global))
    return frozenset(name for node in declarations for name in node.names)


def _fields(body: Sequence[Stretch]) -> dict[str, tuple[Stretch, ...]]:
    fields: dict[str, tuple[Stretch, ...]] = {}
    for stretch in body:
        for name in dict.fromkeys(chain.from_iterable(map(_assigned, stretch.statements))):
            fields[name] = (*fields.get(name, ()), stretch)
    return fields


_NAMES = frozenset({ast.Name})


def _assigned(statement: ast.stmt) -> Iterator[str]:
    return (
        node.id
        for node in descend(statement, _NAMES)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


# Methods that give their object an attribute of a name: a buffer, the state of a metric.
REGISTERING = frozenset({"register_buffer", "add_state"})


def self_of(node: FunctionNode) -> str | None:
    """What a method calls its object."""
    arguments = node.args.posonlyargs + node.args.args
    return arguments[0].arg if arguments else None


_SETTING = frozenset({ast.Attribute, ast.Call})  # how an attribute is set


def _self_assignments(node: ast.stmt, me: str) -> Iterator[str]:
    for child in descend(node, _SETTING):
        if (
            isinstance(child, ast.Attribute)
            and isinstance(child.ctx, ast.Store)
            and isinstance(child.value, ast.Name)
            and child.value.id == me
        ):
            yield child.attr
        elif (
            isinstance(child, ast.Call)
            and last_name(child.func) in REGISTERING
            and child.args
            and isinstance(child.args[0], ast.Constant)
        ):
            yield str(child.args[0].value)


def _self_changes(node: ast.stmt, me: str) -> Iterator[str]:
    """What is changed in place: `self.std[small] = 1`, `self.std.clamp_(min=eps)`,
    `self.scale.requires_grad = True`.
    """
    for child in descend(node):
        if isinstance(child, ast.Subscript | ast.Attribute) and _changes(child):
            owner = child.value
            if isinstance(owner, ast.Attribute) and root_of(owner) == me:
                yield owner.attr


def _changes(node: ast.Subscript | ast.Attribute) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr.endswith("_") or node.attr == "requires_grad"
    return isinstance(node.ctx, ast.Store)


_CLAMPS = frozenset({"clamp", "clip", "clamp_max"})
_CEILINGS = frozenset({"max", "a_max"})
_LIBRARIES = frozenset({"torch", "th", "np", "numpy", "jnp"})


def _self_bounds(node: ast.stmt, me: str) -> Iterator[str]:
    for child in descend(node):
        if (place := _bounded_in_place(child)) is not None:
            yield from _own(place, me)


def _bounded_in_place(node: ast.AST) -> ast.expr | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        copied = name == "copy_" and any(map(_is_bounded, node.args))
        clamped = name.endswith("_") and _is_ceiling(name.removesuffix("_"), node)
        return node.func.value if copied or clamped else None
    if isinstance(node, ast.Assign) and _is_bounded(node.value):
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and target.attr == "data":
            return target.value
    return None


def _is_bounded(node: ast.expr) -> bool:
    """`x.clamp(-5, 2)`, `torch.clamp(x, -5, 2)`."""
    return isinstance(node, ast.Call) and _is_ceiling(last_name(node.func), node)


def _is_ceiling(name: str, call: ast.Call) -> bool:
    """Whether a clamp has an upper bound: a floor alone lets everything through that overflows."""
    if name not in _CLAMPS:
        return False
    function = root_of(call.func) in _LIBRARIES  # which is handed the value, too
    above = name == "clamp_max" or len(call.args) > 1 + function
    return above or any(keyword.arg in _CEILINGS for keyword in call.keywords)


def _own(node: ast.expr, me: str) -> Iterator[str]:
    """The attribute of `me` that this is, or the data of."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.value
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == me:
        yield node.attr


def rows_of(node: ast.stmt) -> Rows:
    """The lines of a statement, its decorators with it."""
    decorators: Collection[ast.expr] = getattr(node, "decorator_list", ())
    first = min([node.lineno, *(d.lineno for d in decorators)])
    return Rows(first, node.end_lineno or node.lineno)


def _stretches(statements: list[ast.stmt]) -> tuple[Stretch, ...]:
    """One for each statement, statements that share a line (`a = 1; b = 2`) together."""
    groups: list[Stretch] = []
    for statement in statements:
        rows = rows_of(statement)
        if groups and rows.first <= groups[-1].rows.last:
            last = groups.pop()
            rows = Rows(last.rows.first, max(rows.last, last.rows.last))
            groups.append(Stretch(rows, (*last.statements, statement)))
        else:
            groups.append(Stretch(rows, (statement,)))
    return tuple(groups)
