"""The form of a module that mypyc compiles well. What it does is the same.

Compiled as they are written, these modules are slower than Python runs them: the constructor that
`dataclasses` makes for a frozen class sets attribute by attribute in Python, and every `Op.ADD` is
looked up twice. So the copy that is compiled has constructors written out, and constants as such.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compiling.classes import REPLACING, written_out
from compiling.constants import with_constants


def compilable(text: str) -> str:
    """The text of a module, rewritten."""
    tree = _Plain().visit(ast.parse(text))
    body: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            body += written_out(statement)
        else:
            body.append(statement)
    tree.body = with_constants(body)
    return ast.unparse(ast.fix_missing_locations(tree))


class _Plain(ast.NodeTransformer):
    """Takes out what is there for the sake of Python alone."""

    def visit_If(self, node: ast.If) -> ast.AST | None:
        """`if not TYPE_CHECKING:` is what only Python can run: short cuts through `__dict__`."""
        if ast.unparse(node.test) == "not TYPE_CHECKING":
            return None
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`self.__dict__["x"] = y` gets around a frozen class, which this one no longer is."""
        (target, *_) = node.targets
        if (
            isinstance(target, ast.Subscript)
            and ast.unparse(target.value) == "self.__dict__"
            and isinstance(target.slice, ast.Constant)
        ):
            attribute = ast.Attribute(
                ast.Name("self", ast.Load()), str(target.slice.value), ast.Store()
            )
            return ast.Assign([attribute], node.value, lineno=node.lineno)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`replace(x, y=z)` is a method of the classes that are written out; and of what
        `isinstance` is to choose from mypyc makes a choice only where it is a tuple.
        """
        self.generic_visit(node)
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called == "isinstance" and isinstance(node.args[1], ast.BinOp):
            node.args[1] = ast.Tuple(list(_alternatives(node.args[1])), ast.Load())
        if called != "replace":
            return node
        method = ast.Attribute(node.args[0], REPLACING, ast.Load())
        return ast.Call(method, [], node.keywords)


def _alternatives(union: ast.expr) -> Iterator[ast.expr]:
    """A and B of `A | B`."""
    if isinstance(union, ast.BinOp):
        yield from _alternatives(union.left)
        yield from _alternatives(union.right)
    else:
        yield union
