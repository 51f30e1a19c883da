"""Flow: which names of a function carry something that is learned.

Read off the statements above the place, whatever their paths: a name that ever carried it is
taken to. That is coarse, but only whoever asks about a gradient pays for it, and a gradient that is
cut on one path and not on another is one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from epslint.analysis.fact import Evidence
from epslint.analysis.words.names import UNDIFFERENTIATED
from epslint.glance import children, last_name, walk
from epslint.syntax import reads


@dataclass(frozen=True, slots=True)
class Shown:
    """That a gradient is taken: how it is known, what says so, and on which line."""

    evidence: Evidence
    text: str
    row: int | None = None
    presumed: bool = False  # of a function that has no types, because nothing speaks against it
    offered: bool = False  # only that a function is there for anybody, who may never differentiate

    @property
    def firm(self) -> bool:
        """Whether it is shown well enough to doubt what somebody has done about the value."""
        return bool(self.evidence) and not self.presumed


NOT_SHOWN = Shown(Evidence.NONE, "")


def better(first: Shown, second: Shown) -> Shown:
    return second if second.evidence > first.evidence else first


@dataclass(frozen=True, slots=True)
class Sources:
    """What a class learns: its parameters by name, its submodules, which are called."""

    parameters: Mapping[str, Shown] = field(default_factory=dict)
    submodules: Mapping[str, Shown] = field(default_factory=dict)


# Calls and attributes that nothing flows back through.
_CUTTING = frozenset(
    {
        *("detach", "item", "numpy", "tolist", "argmax", "argmin", "argsort", "long", "int"),
        *("bool", "size", "numel", "dim", "len", "stop_gradient", "zeros_like", "ones_like"),
        *("rand_like", "floor", "round", "ceil"),
        *("randn_like", "full_like", "empty_like", "isnan", "isfinite", "nonzero", "no_grad"),
    }
)
_CUT = frozenset({"data", "shape", "dtype", "device", "grad", "ndim", "requires_grad"})
PARAMETERS = frozenset(
    {"Parameter", "ParameterDict", "ParameterList", "PyroParam", "UninitializedParameter"}
)
_LEARNED_CALLS = PARAMETERS | {"requires_grad_"}
_GROWING = frozenset({"append", "extend", "insert", "add"})
_PASSES = 3  # through the statements, until nothing is new: loops feed names back


class Flow:
    """What the names of one function carry."""

    def __init__(self, me: str, sources: Sources, start: Mapping[str, Shown]) -> None:
        self._me = me
        self._sources = sources
        self._names: dict[str, Shown] = dict(start)

    def run(self, body: list[ast.stmt], until: int) -> None:
        """Follow what is assigned above a line."""
        assignments = [pair for pair in _assignments(body) if pair[1].lineno <= until]
        for _ in range(_PASSES):
            before = dict(self._names)
            for target, value in assignments:
                self._assign(target, self.of(value))
            if before == self._names:
                return

    def _assign(self, target: ast.expr, shown: Shown) -> None:
        if not shown.evidence:
            return
        for node in walk(target):
            if isinstance(node, ast.Name):
                known = self._names.get(node.id, NOT_SHOWN)
                self._names[node.id] = better(known, shown)
            if isinstance(node, ast.Subscript):
                return  # of `x[i] = v` only x is changed, which comes first

    def of(self, node: ast.AST) -> Shown:
        """How it is known that an expression is learned."""
        reader = _READERS.get(type(node))
        return reader(self, node) if reader is not None else self._among(children(node))

    def _among(self, nodes: Iterable[ast.AST]) -> Shown:
        best = NOT_SHOWN
        for node in nodes:
            best = better(best, self.of(node))
        return best

    def _name(self, node: ast.Name) -> Shown:
        return self._names.get(node.id, NOT_SHOWN)

    def _attribute(self, node: ast.Attribute) -> Shown:
        if node.attr in _CUT:
            return NOT_SHOWN
        if self._is_mine(node):
            return self._sources.parameters.get(node.attr, NOT_SHOWN)
        return self.of(node.value)

    def _is_mine(self, node: ast.expr) -> bool:
        return (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == self._me != ""
        )

    def _call(self, node: ast.Call) -> Shown:
        name = last_name(node.func)
        if name in _CUTTING:
            return NOT_SHOWN
        if name in _LEARNED_CALLS or (name == "grad" and _keeps_graph(node)):
            return Shown(Evidence.PROVEN, f"`{name}` asks for gradients", node.lineno)
        func = node.func
        if isinstance(func, ast.Attribute) and self._is_mine(func):
            made = self._sources.submodules.get(func.attr, NOT_SHOWN)
            return better(made, self._among([*node.args, *node.keywords]))
        return self._among(children(node))


def _cut(flow: Flow, node: ast.AST) -> Shown:
    return NOT_SHOWN


_READERS: Mapping[type[ast.AST], Callable[..., Shown]] = MappingProxyType(
    {
        ast.Name: Flow._name,
        ast.Attribute: Flow._attribute,
        ast.Call: Flow._call,
        ast.Compare: _cut,
        ast.Constant: _cut,
        ast.Lambda: _cut,
        ast.Subscript: lambda flow, node: flow.of(node.value),
        ast.IfExp: lambda flow, node: better(flow.of(node.body), flow.of(node.orelse)),
    }
)


def _keeps_graph(node: ast.Call) -> bool:
    return any(k.arg == "create_graph" and getattr(k.value, "value", True) for k in node.keywords)


def _assignments(body: list[ast.stmt]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is given to what, but for what is done without a gradient."""
    waiting: list[ast.AST] = [*reversed(body)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.With) and any(_is_without_gradient(i) for i in node.items):
            continue
        yield from _given(node)
        waiting.extend(reversed(children(node)))


def _given(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Assign):
        yield from (pair for target in node.targets for pair in _paired(target, node.value))
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.For | ast.comprehension):
        yield node.target, node.iter
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield from ((node.func.value, grown) for grown in node.args if _grows(node.func))


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """`a, b = x, y` gives each name its own value."""
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        yield target, value
    elif len(target.elts) == len(value.elts):
        yield from zip(target.elts, value.elts, strict=True)


def _grows(function: ast.Attribute) -> bool:
    return function.attr in _GROWING and isinstance(function.value, ast.Name)


def _is_without_gradient(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and last_name(call.func) in UNDIFFERENTIATED


def parsed(text: str) -> ast.AST:
    """An expression, or what stands for one, as `ast` reads it."""
    if reads(f"({text})"):
        return ast.parse(f"({text})", mode="eval").body
    # `x /= y` is a statement; and of what is newer than this Python nothing is shown.
    return ast.parse(text if reads(text) else "")
