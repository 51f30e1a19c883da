"""Attributes: what the statements of a method do to those of its object, read off `ast`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from epslint.glance import FunctionNode, descend, last_name, root_of

# Methods that give their object an attribute of a name: a buffer, the state of a metric.
_REGISTERING = frozenset({"register_buffer", "add_state"})


def self_of(node: FunctionNode) -> str | None:
    """What a method calls its object."""
    arguments = node.args.posonlyargs + node.args.args
    return arguments[0].arg if arguments else None


_SETTING = frozenset({ast.Attribute, ast.Call})  # how an attribute is set


def set_by(node: ast.stmt, me: str) -> Iterator[str]:
    """What is set: `self.n = 0`, `self.register_buffer("n", zeros)`."""
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
            and last_name(child.func) in _REGISTERING
            and child.args
            and isinstance(child.args[0], ast.Constant)
        ):
            yield str(child.args[0].value)


def changed_by(node: ast.stmt, me: str) -> Iterator[str]:
    """What is changed in place: `self.std[small] = 1`, `self.std.clamp_(min=eps)`,
    `self.scale.requires_grad = True`, `self.net.add(layer)`.
    """
    for child in descend(node):
        if isinstance(child, ast.Subscript | ast.Attribute) and _changes(child):
            owner = child.value
            if isinstance(owner, ast.Attribute) and root_of(owner) == me:
                yield owner.attr


# A switch, and what puts another layer behind those of a chain.
_CHANGING = frozenset({"requires_grad", "add", "add_module", "append"})


def _changes(node: ast.Subscript | ast.Attribute) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr.endswith("_") or node.attr in _CHANGING
    return isinstance(node.ctx, ast.Store)


_CLAMPS = frozenset({"clamp", "clip", "clamp_max"})
_CEILINGS = frozenset({"max", "a_max"})
_LIBRARIES = frozenset({"torch", "th", "np", "numpy", "jnp"})


def bounded_by(node: ast.stmt, me: str) -> Iterator[str]:
    """What is brought back between bounds where it is: `self.scale.data.clamp_(-5, 2)`."""
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
