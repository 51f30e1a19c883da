"""Sinks: what makes a function suspect, and worth a closer look."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from epslint.glance import called_by, descend, last_name, root_of, statements


@dataclass(frozen=True, slots=True)
class Hearsay:
    """What those who read closely know by name alone; whoever knows nothing suspects everything."""

    # Whether a function of this full name is an operation: `torch.log` is, `wandb.log` is not.
    is_operation: Callable[[str], bool] = lambda full: True
    # Whether an attribute, of an owner of that name, was chosen by somebody: `args.temperature`.
    is_setting: Callable[[str, str], bool] = lambda name, owner: False


@dataclass(frozen=True, slots=True)
class Sinks:
    """What makes a function suspect: operators and the names of functions and methods."""

    operators: tuple[type[ast.operator], ...]
    names: frozenset[str]
    makers: frozenset[str] = frozenset()  # classes whose objects are called: `nn.BCELoss`
    hearsay: Hearsay = Hearsay()
    imports: Mapping[str, str] = field(default_factory=dict)  # of the file, local name → full name

    def under_aliases(self, imports: Mapping[str, str]) -> Sinks:
        """After `from torch import log as ln`, `ln` is one of the names too."""
        aliases = {
            local for local, full in imports.items() if full.rpartition(".")[2] in self.names
        }
        return replace(self, names=self.names | aliases, imports=imports)

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
        """Whether there is one in a node: a search that ends with the first. Settings may be
        divided by, as long as nothing here sets them.
        """
        settings: set[str] = set()
        for each in descend(node, _TELLING):
            if _LOOKS[type(each)](self, each):
                setting = self._setting_below(each)
                if setting is None:
                    return True
                settings.add(setting)
        return bool(settings) and not settings.isdisjoint(_attributes_set(node))

    def _setting_below(self, node: ast.AST) -> str | None:
        """What was chosen and is divided by: `loss / self.args.gradient_accumulation_steps`."""
        if not isinstance(node, ast.BinOp | ast.AugAssign) or not isinstance(node.op, _DIVIDING):
            return None
        divisor = node.right if isinstance(node, ast.BinOp) else node.value
        if not isinstance(divisor, ast.Attribute):
            return None
        owner = last_name(called_by(divisor.value))
        return divisor.attr if self.hearsay.is_setting(divisor.attr, owner) else None

    def _is_logging(self, node: ast.Call) -> bool:
        """`self.log(metrics)`, `wandb.log(metrics)`: a tensor's log takes no argument, and these
        are no library of tensors.
        """
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr != "log" or not node.args:
            return False
        library = self.imports.get(root_of(func))
        if library is None:
            return True
        path = ast.unparse(func).partition(".")[2]
        return not self.hearsay.is_operation(f"{library}.{path}")

    def _is_call(self, node: ast.Call) -> bool:
        if last_name(node.func) not in self.names:
            return False
        return not self._is_logging(node) and not self._is_of_literals(node)

    def _is_of_literals(self, node: ast.Call) -> bool:
        """`math.log(4)`; of a method what it is called on is an operand too."""
        function = isinstance(node.func, ast.Name) or root_of(node.func) in self.imports
        return function and bool(node.args) and not node.keywords and all(map(_is_some, node.args))

    def _is_operation(self, node: ast.BinOp) -> bool:
        if not isinstance(node.op, self.operators) or _is_text(node.left):
            return False
        if _is_some(node.left) and _is_some(node.right):
            return False  # `2**20`
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


def _is_some(node: ast.expr) -> bool:
    """A number above 0 that is written out."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, int | float):
        return False
    return 0 < node.value < _LARGE


_LARGE = 88  # exp of more overflows in float32


def _attributes_set(node: ast.AST) -> Iterator[str]:
    for each in descend(node, _ATTRIBUTES):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            yield each.attr


_ATTRIBUTES = frozenset({ast.Attribute})

_DIVIDING = (ast.Div, ast.FloorDiv, ast.Mod)


def _is_safe(operator: ast.operator, right: ast.expr) -> bool:
    """`x / 2` is no hazard whatever x is, and `root / "name"` is a path."""
    if not isinstance(operator, _DIVIDING):
        return False
    if isinstance(right, ast.JoinedStr):
        return True
    return isinstance(right, ast.Constant) and right.value not in (0, False)
