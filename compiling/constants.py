"""Constants as such: what is looked up at each use is looked up once, when a module is loaded.

mypyc knows a value that is `Final` by its place in memory; any other global, and the attributes of
enumerations and of other modules, it looks up by name, which Python itself remembers how to do.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

# Enumerations and modules whose attributes stay what they are; of `ast` only the kinds of nodes.
_OPEN = ("Op", "Kind", "Form", "DType", "Evidence", "ranges")
_OPEN_FOR_KINDS = ("ast",)
# Modules that are compiled themselves: what is imported from them by name, mypyc knows.
_COMPILED = {"bare": "epslint.analysis.bare", "nodes": "epslint.analysis.bare.nodes"}
_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
_NEEDED = "from typing import ClassVar as _ClassVar, Final as _Final, cast as _cast"  # new names
_SAME = "_SAME: _Final = object()"


def with_constants(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements of a module, with its constants declared and those of others fetched."""
    places = [i for i, each in enumerate(body) if isinstance(each, ast.Import | ast.ImportFrom)]
    if not places:
        return list(body)
    start = places[-1] + 1
    fetched = _Fetched({name for place in places for name in _imported(body[place])})
    later = [fetched.visit(each) for each in body[start:]]
    first = 0 if ast.get_docstring(ast.Module(list(body), [])) is None else 1
    while isinstance(body[first], ast.ImportFrom) and "__future__" in ast.unparse(body[first]):
        first += 1
    return [
        *body[:first],
        *ast.parse(_NEEDED).body,
        *body[first:start],
        *ast.parse(_SAME).body,
        *ast.parse("\n".join(fetched.lines())).body,
        *_declared(later),
    ]


def _imported(statement: ast.stmt) -> Iterator[str]:
    assert isinstance(statement, ast.Import | ast.ImportFrom)
    for alias in statement.names:
        yield alias.asname or alias.name


class _Fetched(ast.NodeTransformer):
    """Notes the constants of others that functions use, and gives them names of this module."""

    def __init__(self, imported: set[str]) -> None:
        self._imported = imported
        self._names: dict[str, tuple[str, str]] = {}
        self._depth = 0

    def lines(self) -> Iterator[str]:
        for name, (owner, attribute) in sorted(self._names.items()):
            if owner in _COMPILED:
                yield f"from {_COMPILED[owner]} import {attribute} as {name}"
            else:
                yield f"{name}: _Final = {owner}.{attribute}"

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Only what is done often is worth it: the bodies of functions, not their signatures."""
        self._depth += 1
        node.body = [self.visit(each) for each in node.body]
        self._depth -= 1
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The first argument of `cast` is a type."""
        if ast.unparse(node.func) in ("cast", "_cast") and len(node.args) == 2:
            node.args[1] = self.visit(node.args[1])
            return node
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        if not self._depth or owner not in self._imported or not _is_constant(owner, node.attr):
            return self.generic_visit(node)
        name = f"_{owner.upper()}_{node.attr}"
        self._names[name] = (owner, node.attr)
        return ast.Name(name, ast.Load())


def _is_constant(owner: str, name: str) -> bool:
    if owner in _COMPILED:
        return True
    if owner in _OPEN_FOR_KINDS:
        return name[0].isupper()
    return owner in _OPEN and _CONSTANT.fullmatch(name) is not None


def _declared(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, with `Final` for names that are written as constants and bound once."""
    bound = Counter(name for each in body for name in _bound(each))
    for statement in body:
        (name, *_) = (*_bound(statement), "")
        if bound[name] != 1 or _CONSTANT.fullmatch(name) is None:
            yield statement
        elif isinstance(statement, ast.AnnAssign):
            kind = ast.unparse(statement.annotation)
            statement.annotation = ast.parse(f"_Final[{kind}]", mode="eval").body
            yield statement
        elif isinstance(statement, ast.Assign) and not _is_type_variable(statement.value):
            target, final = ast.Name(name, ast.Store()), ast.Name("_Final", ast.Load())
            yield ast.AnnAssign(target, final, statement.value, simple=1)
        else:
            yield statement


def _bound(statement: ast.stmt) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    yield from (target.id for target in targets if isinstance(target, ast.Name))


def _is_type_variable(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func) == "TypeVar"
