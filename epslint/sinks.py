"""Sinks: what makes a function suspect, and worth a closer look."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from epslint.glance import called_by, descend, last_name, root_of, statements


@dataclass(frozen=True, slots=True)
class Sinks:
    """What makes a function suspect: operators and the names of functions and methods."""

    operators: tuple[type[ast.operator], ...]
    names: frozenset[str]
    makers: frozenset[str] = frozenset()  # classes whose objects are called: `nn.BCELoss`
    imported: frozenset[str] = frozenset()  # the names of the file's imports

    def under_aliases(self, imports: Mapping[str, str]) -> Sinks:
        """After `from torch import log as ln`, `ln` is one of the names too."""
        aliases = {
            local for local, full in imports.items() if full.rpartition(".")[2] in self.names
        }
        return replace(self, names=self.names | aliases, imported=frozenset(imports))

    def under_names_of_modules(self, tree: ast.Module, text: str) -> Sinks:
        """After `self.loss = nn.BCELoss()`, `loss` is one of the names too."""
        if not any(maker in text for maker in self.makers):
            return self
        made = {
            last_name(target)
            for node in statements(tree.body)
            if isinstance(node, ast.Assign) and last_name(called_by(node.value)) in self.makers
            for target in node.targets
        }
        return replace(self, names=self.names | self.makers | made)

    def within(self, node: ast.AST) -> bool:
        """Whether there is one in a node: a search that ends with the first."""
        return any(_LOOKS[type(each)](self, each) for each in descend(node, _TELLING))

    def _is_logging(self, node: ast.Call) -> bool:
        """`self.log(metrics)`: a tensor's log takes no argument, and `self` is no library."""
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "log" or not node.args:
            return False
        return root_of(node.func) not in self.imported

    def _is_call(self, node: ast.Call) -> bool:
        return last_name(node.func) in self.names and not self._is_logging(node)

    def _is_operation(self, node: ast.BinOp) -> bool:
        if not isinstance(node.op, self.operators) or _is_text(node.left):
            return False
        return not _is_safe(node.op, node.right)

    def _is_assignment(self, node: ast.AugAssign) -> bool:
        return isinstance(node.op, self.operators) and not _is_safe(node.op, node.value)


_LOOKS: Mapping[type, Callable[..., bool]] = MappingProxyType(
    {
        ast.Call: Sinks._is_call,
        ast.BinOp: Sinks._is_operation,
        ast.AugAssign: Sinks._is_assignment,
    }
)
_TELLING = frozenset(_LOOKS)


def _is_text(node: ast.expr) -> bool:
    """`"%d of %d" % (i, n)` is no division."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


_DIVIDING = (ast.Div, ast.FloorDiv, ast.Mod)


def _is_safe(operator: ast.operator, right: ast.expr) -> bool:
    """`x / 2` is no hazard whatever x is, and `root / "name"` is a path."""
    if not isinstance(operator, _DIVIDING):
        return False
    if isinstance(right, ast.JoinedStr):
        return True
    return isinstance(right, ast.Constant) and right.value not in (0, False)
