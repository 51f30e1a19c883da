"""The scout: a cheap first look with `ast` that finds what is worth a closer one.

LibCST costs fourteen times as much as `ast` per line, and most functions of most files cannot hold
a hazard. The scout lists the functions, classes, imports and module statements of a file by their
lines and says which of them contain an operation that somebody listens to; only those, and what
they turn out to need, are then parsed in full.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from epslint.source import Source, SourceError

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Rows:
    """Whole lines of the file, both ends included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class FunctionOutline:
    """A function or method: where it is, and whether it may contain a site."""

    name: str
    rows: Rows
    suspect: bool
    assigns: frozenset[str]  # attributes of `self` that it sets
    is_property: bool = False


@dataclass(frozen=True, slots=True)
class ClassOutline:
    """A class: its methods by name, and the lines of its body that assign names."""

    name: str
    bases: tuple[str, ...]
    methods: Mapping[str, FunctionOutline]
    fields: Mapping[str, tuple[Rows, ...]]
    body: tuple[Rows, ...]  # of the statements that are no definitions
    suspect: bool  # whether one of those may contain a site


@dataclass(frozen=True, slots=True)
class Outline:
    """A file at a glance."""

    imports: Mapping[str, str]  # local name → dotted name
    functions: Mapping[str, FunctionOutline]
    classes: Mapping[str, ClassOutline]
    body: tuple[Rows, ...]  # top-level statements that are no definitions
    fields: Mapping[str, tuple[Rows, ...]]
    suspect: bool


@dataclass(frozen=True, slots=True)
class Sinks:
    """What makes a function suspect: operators and the names of functions and methods."""

    operators: tuple[type[ast.operator], ...]
    names: frozenset[str]
    makers: frozenset[str] = frozenset()  # classes whose objects are called: `nn.BCELoss`

    def under_aliases(self, imports: Mapping[str, str]) -> Sinks:
        """After `from torch import log as ln`, `ln` is one of the names too."""
        aliases = {
            local for local, full in imports.items() if full.rpartition(".")[2] in self.names
        }
        return replace(self, names=self.names | aliases)

    def under_names_of_modules(self, tree: ast.Module, text: str) -> Sinks:
        """After `self.loss = nn.BCELoss()`, `loss` is one of the names too."""
        if not any(maker in text for maker in self.makers):
            return self
        made = {
            _last_name(target)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and _last_name(_called(node.value)) in self.makers
            for target in node.targets
        }
        return replace(self, names=self.names | self.makers | made)

    def within(self, node: ast.AST) -> bool:
        return any(self._is_one(child) for child in ast.walk(node))

    def _is_one(self, node: ast.AST) -> bool:
        if isinstance(node, ast.BinOp | ast.AugAssign):
            return isinstance(node.op, self.operators) and not _is_text(node)
        if isinstance(node, ast.Call):
            return _last_name(node.func) in self.names
        return False


def scout(source: Source, sinks: Sinks) -> Outline:
    """The outline of a file; raises SourceError where there is no reading it."""
    tree = _parsed(source)
    imports = dict(_imports(tree))
    sinks = sinks.under_aliases(imports).under_names_of_modules(tree, source.text)
    functions = {n.name: _function(n, sinks) for n in tree.body if isinstance(n, FunctionNode)}
    classes = {n.name: _class(n, sinks) for n in tree.body if isinstance(n, ast.ClassDef)}
    loose = _loose(tree.body)
    return Outline(
        imports=imports,
        functions=functions,
        classes=classes,
        body=_grouped(loose),
        fields=_fields(loose),
        suspect=any(sinks.within(node) for node in loose),
    )


def _parsed(source: Source) -> ast.Module:
    try:
        return ast.parse(source.text, source.filename)
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        raise SourceError(f"{where}{_plain(error.msg)}") from None
    except (RecursionError, MemoryError):
        raise SourceError("is nested too deeply to be read: split its longest expression") from None
    except ValueError as error:
        raise SourceError(str(error)) from None


def _plain(message: str) -> str:
    if message == "too many nested parentheses":
        return "is nested too deeply to be read: too many nested parentheses"
    return f"syntax error: {message}"


def _function(node: FunctionNode, sinks: Sinks) -> FunctionOutline:
    decorators = {_last_name(_called(d)) for d in node.decorator_list}
    return FunctionOutline(
        name=node.name,
        rows=_rows(node),
        suspect=sinks.within(node),
        assigns=frozenset(_self_assignments(node)),
        is_property=bool(decorators & {"property", "cached_property", "lazy_property"}),
    )


def _class(node: ast.ClassDef, sinks: Sinks) -> ClassOutline:
    loose = _loose(node.body)
    return ClassOutline(
        name=node.name,
        bases=tuple(name for base in node.bases if (name := _last_name(base))),
        methods={n.name: _function(n, sinks) for n in node.body if isinstance(n, FunctionNode)},
        fields=_fields(loose),
        body=_grouped(loose),
        suspect=any(sinks.within(child) for child in loose),
    )


def _loose(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that are executed in place rather than defining something."""
    skipped = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    return [node for node in body if not isinstance(node, skipped)]


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                root = item.name.partition(".")[0]
                yield (item.asname, item.name) if item.asname else (root, root)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for item in node.names:
                yield item.asname or item.name, f"{node.module}.{item.name}"


def _fields(statements: list[ast.stmt]) -> dict[str, tuple[Rows, ...]]:
    fields: dict[str, tuple[Rows, ...]] = {}
    for statement in statements:
        for name in _assigned(statement):
            fields[name] = (*fields.get(name, ()), _rows(statement))
    return fields


def _assigned(statement: ast.stmt) -> set[str]:
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _self_assignments(node: FunctionNode) -> Iterator[str]:
    arguments = node.args.posonlyargs + node.args.args
    if not arguments:
        return
    me = arguments[0].arg
    for child in ast.walk(node):
        if (
            isinstance(child, ast.Attribute)
            and isinstance(child.ctx, ast.Store)
            and isinstance(child.value, ast.Name)
            and child.value.id == me
        ):
            yield child.attr
        elif (
            isinstance(child, ast.Call)
            and _last_name(child.func) == "register_buffer"
            and child.args
            and isinstance(child.args[0], ast.Constant)
        ):
            yield str(child.args[0].value)


def _rows(node: ast.stmt) -> Rows:
    decorators: Collection[ast.expr] = getattr(node, "decorator_list", ())
    first = min([node.lineno, *(d.lineno for d in decorators)])
    return Rows(first, node.end_lineno or node.lineno)


def _grouped(statements: list[ast.stmt]) -> tuple[Rows, ...]:
    """One entry per statement, statements that share a line (`a = 1; b = 2`) together."""
    groups: list[Rows] = []
    for rows in map(_rows, statements):
        if groups and rows.first <= groups[-1].last:
            groups[-1] = Rows(groups[-1].first, max(rows.last, groups[-1].last))
        else:
            groups.append(rows)
    return tuple(groups)


def _is_text(node: ast.BinOp | ast.AugAssign) -> bool:
    """`"%d of %d" % (i, n)` is no division."""
    left = node.left if isinstance(node, ast.BinOp) else None
    return isinstance(left, ast.Constant) and isinstance(left.value, str)


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""
