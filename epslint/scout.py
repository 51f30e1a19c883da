"""The scout: a cheap first look with `ast` that finds what is worth a closer one.

Interpreting costs many times as much as reading, and most functions of most files cannot hold
a hazard. The scout lists the functions, classes, imports and module statements of a file by their
lines and says which of them contain an operation that somebody listens to; only those, and what
they turn out to need, are then interpreted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import chain
from types import MappingProxyType

from epslint.glance import (
    FunctionNode,
    called_by,
    descend,
    last_name,
    statements,
)
from epslint.outline import ClassOutline, FunctionOutline, Outline, Rows, Stretch, rows_of
from epslint.sinks import Sinks
from epslint.source import Source
from epslint.syntax import read


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
