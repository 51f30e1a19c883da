"""Weights: what a function is handed to be learned, as in JAX: `network(x, params=params)`.

A gradient is that of an argument there. What is made without it, by the same network even, is
constant: `value(x)` beside `actor(x, params=params)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from epslint.analysis.fact import Evidence
from epslint.analysis.learning.flow import Flow, Shown, Sources, parsed
from epslint.glance import FunctionNode, walk

_WEIGHTS = "params"


class Weights:
    """The weights of the functions of a file; each function is read once."""

    def __init__(self) -> None:
        self._names: dict[FunctionNode, frozenset[str]] = {}
        self._inner: dict[FunctionNode, tuple[FunctionNode, ...]] = {}

    def are_in(self, function: FunctionNode, text: str, row: int) -> bool:
        """Whether there are weights in an expression on a line, or the function is handed none.

        Of the functions around the line the innermost that is handed any: what the others are
        learning is not its business, though they may call it by the same names.
        """
        for each in self._inside(function):
            if each.lineno <= row <= (each.end_lineno or row) and self._of(each):
                function = each
        names = self._of(function)
        if not names:
            return True
        flow = Flow("", Sources(), dict.fromkeys(names, Shown(Evidence.NAMED, "")))
        flow.run(function.body, row)
        return bool(flow.of(parsed(text)).evidence)

    def _inside(self, function: FunctionNode) -> tuple[FunctionNode, ...]:
        """The functions that are written in this one, outer ones first."""
        if function not in self._inner:
            found = (node for node in walk(function) if isinstance(node, FunctionNode))
            self._inner[function] = tuple(node for node in found if node is not function)
        return self._inner[function]

    def _of(self, function: FunctionNode) -> frozenset[str]:
        if function not in self._names:
            self._names[function] = _weights(function)
        return self._names[function]


def _weights(function: FunctionNode) -> frozenset[str]:
    """The parameters that it hands on as weights; of a function that is written in it, too."""
    nodes = walk(function)
    parameters = {node.arg for node in nodes if isinstance(node, ast.arg)}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    return frozenset(parameters & {name for call in calls for name in _handed_on(call)})


def _handed_on(call: ast.Call) -> Iterator[str]:
    """w of `f(x, params=w)` and `f({"params": w}, x)`."""
    given = [keyword.value for keyword in call.keywords if keyword.arg == _WEIGHTS]
    for argument in call.args[:1]:
        if isinstance(argument, ast.Dict):
            given += [
                value
                for key, value in zip(argument.keys, argument.values, strict=True)
                if isinstance(key, ast.Constant) and key.value == _WEIGHTS
            ]
    yield from (value.id for value in given if isinstance(value, ast.Name))
