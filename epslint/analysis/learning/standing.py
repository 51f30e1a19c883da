"""Standing: whom a function is for, told by its signature, its place and what it does.

A library's public functions are differentiated by whoever calls them, and nothing in their file
shows it. With types it is said: tensors in, tensors out. Without, it is taken so of a function
that hands back what it made of its arguments and reads no number out of them, unless its name or
its place says that nobody learns from it.
"""

from __future__ import annotations

import ast
import re

from epslint.analysis.learning import words
from epslint.glance import FunctionNode, last_name, walk

_TENSOR = re.compile(r"\b(Tensor|FloatTensor|Array|ArrayLike|jnp\.ndarray)\b")
# Who takes a number out of a tensor, or shows it, learns nothing from it any more.
_READING_OUT = frozenset({"item", "numpy", "tolist", "asarray", "detach", "print", "open"})


def is_for_anybody(function: FunctionNode, filename: str) -> bool:
    """Whether a function of a module maps tensors to tensors, for everybody's use."""
    if function.name.startswith("_"):
        return False
    types = [argument.annotation for argument in _given(function)]
    if function.returns is None and None in types:
        return _maps_quietly(function) and not words.is_aside(function.name, filename)
    return any(map(_is_tensor, types)) and _is_tensor(function.returns)


def _is_tensor(annotation: ast.expr | None) -> bool:
    return annotation is not None and _TENSOR.search(ast.unparse(annotation)) is not None


def _given(function: FunctionNode) -> list[ast.arg]:
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def _maps_quietly(function: FunctionNode) -> bool:
    """Whether something is returned that is no function, and nothing is read out on the way."""
    nodes = list(walk(function))
    if any(isinstance(n, ast.Call) and last_name(n.func) in _READING_OUT for n in nodes):
        return False
    functions = {n.name for n in nodes if isinstance(n, FunctionNode)}
    returned = [n.value for n in nodes if isinstance(n, ast.Return) and n.value is not None]
    return bool(returned) and functions.isdisjoint(map(last_name, returned))
