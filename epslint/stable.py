"""Stable functions: what each library calls them, for rewrites of unstable formulas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.fact import Form
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.rewrite import added_import, is_primary, rewritten
from epslint.rule import Edit

_PLACES = re.compile(r"<(\w+)>")

# A library's path in braces becomes the name under which the file knows it.
_SPELLED: Mapping[str, Mapping[Form, str]] = MappingProxyType(
    {
        "logsigmoid": {
            Form.TORCH: "{torch.nn.functional}.logsigmoid(<x>)",
            Form.JAX: "{jax.nn}.log_sigmoid(<x>)",
            Form.TENSORFLOW: "{tensorflow}.math.log_sigmoid(<x>)",
            Form.NUMPY: "-{numpy}.logaddexp(0, <minus>)",
        },
        "logsigmoid_of_minus": {
            Form.TORCH: "{torch.nn.functional}.logsigmoid(<minus>)",
            Form.JAX: "{jax.nn}.log_sigmoid(<minus>)",
            Form.TENSORFLOW: "{tensorflow}.math.log_sigmoid(<minus>)",
            Form.NUMPY: "-{numpy}.logaddexp(0, <x>)",
        },
        "softplus": {
            Form.TORCH: "{torch.nn.functional}.softplus(<x>)",
            Form.JAX: "{jax.nn}.softplus(<x>)",
            Form.TENSORFLOW: "{tensorflow}.math.softplus(<x>)",
            Form.NUMPY: "{numpy}.logaddexp(0, <x>)",
        },
        "log1p": {
            Form.TORCH: "{torch}.log1p(<x><out>)",
            Form.JAX: "{jax.numpy}.log1p(<x>)",
            Form.TENSORFLOW: "{tensorflow}.math.log1p(<x>)",
            Form.NUMPY: "{numpy}.log1p(<x><out>)",
            Form.NUMBER: "{math}.log1p(<x>)",
        },
        "expm1": {
            Form.TORCH: "{torch}.expm1(<x><out>)",
            Form.JAX: "{jax.numpy}.expm1(<x>)",
            Form.TENSORFLOW: "{tensorflow}.math.expm1(<x>)",
            Form.NUMPY: "{numpy}.expm1(<x><out>)",
            Form.NUMBER: "{math}.expm1(<x>)",
        },
        "logsumexp": {
            Form.TORCH: "{torch}.logsumexp(<x>, dim=<dim><keepdim><out>)",
            Form.JAX: "{jax.nn}.logsumexp(<x>, axis=<dim><keepdims>)",
            Form.TENSORFLOW: "{tensorflow}.reduce_logsumexp(<x>, axis=<dim><keepdims>)",
            Form.NUMPY: "{numpy}.logaddexp.reduce(<x>, axis=<dim><keepdims><out>)",
        },
        "softmax": {
            Form.TORCH: "{torch}.softmax(<x>, dim=<dim>)",
            Form.JAX: "{jax.nn}.softmax(<x>, axis=<dim>)",
            Form.TENSORFLOW: "{tensorflow}.nn.softmax(<x>, axis=<dim>)",
        },
        "sigmoid": {
            Form.TORCH: "{torch}.sigmoid(<x>)",
            Form.JAX: "{jax.nn}.sigmoid(<x>)",
            Form.TENSORFLOW: "{tensorflow}.sigmoid(<x>)",
        },
        "clip": {
            Form.TORCH: "{torch}.clamp(<x>, <min>, <max>)",
            Form.JAX: "{jax.numpy}.clip(<x>, <min>, <max>)",
            Form.TENSORFLOW: "{tensorflow}.clip_by_value(<x>, <min>, <max>)",
            Form.NUMPY: "{numpy}.clip(<x>, <min>, <max>)",
            Form.NUMBER: "max(<min>, min(<x>, <max>))",
        },
        "maximum": {
            Form.JAX: "{jax.numpy}.maximum(<x>, <y>)",
            Form.TENSORFLOW: "{tensorflow}.maximum(<x>, <y>)",
            Form.NUMPY: "{numpy}.maximum(<x>, <y>)",
        },
        # Of torch alone: the norms of jax and tensorflow have a NaN gradient at 0.
        "vector_norm": {
            Form.TORCH: "{torch}.linalg.vector_norm(<x><arguments>)",
        },
        "where": {
            Form.TORCH: "{torch}.where(<test>, <met>, <unmet>)",
            Form.JAX: "{jax.numpy}.where(<test>, <met>, <unmet>)",
            Form.TENSORFLOW: "{tensorflow}.where(<test>, <met>, <unmet>)",
            Form.NUMPY: "{numpy}.where(<test>, <met>, <unmet>)",
        },
        "exp": {
            Form.TORCH: "{torch}.exp(<x>)",
            Form.JAX: "{jax.numpy}.exp(<x>)",
            Form.TENSORFLOW: "{tensorflow}.exp(<x>)",
            Form.NUMPY: "{numpy}.exp(<x>)",
            Form.NUMBER: "{math}.exp(<x>)",
        },
    }
)

# The same as methods, which only torch has.
_METHODS: Mapping[str, str] = MappingProxyType(
    {
        "log1p": "<x>.log1p()",
        "expm1": "<x>.expm1()",
        "logsumexp": "<x>.logsumexp(dim=<dim><keepdim>)",
        "softmax": "<x>.softmax(dim=<dim>)",
        "sigmoid": "<x>.sigmoid()",
    }
)

# How a library is imported where the file cannot reach it, and the name that it then has.
_IMPORTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "torch": ("import torch", "torch"),
        "torch.nn.functional": ("import torch.nn.functional as F", "F"),
        "jax.nn": ("import jax", "jax.nn"),
        "jax.numpy": ("import jax.numpy as jnp", "jnp"),
        "tensorflow": ("import tensorflow as tf", "tf"),
        "numpy": ("import numpy as np", "np"),
        "math": ("import math", "math"),
    }
)

_ROOTS: Mapping[Form, str] = MappingProxyType(
    {
        Form.TORCH: "torch",
        Form.JAX: "jax.numpy",
        Form.TENSORFLOW: "tensorflow",
        Form.NUMPY: "numpy",
    }
)


def form_at(site: Site) -> Form:
    """The library of a site: what its values say, else the only one that the file imports."""
    form = site.result.form
    if form is not Form.UNKNOWN:
        return form
    reached = [form for form, root in _ROOTS.items() if site.scope.alias(root) is not None]
    if Form.TORCH in reached:
        return Form.TORCH
    return reached[0] if len(reached) == 1 else Form.UNKNOWN


def call(site: Site, function: str, **arguments: str) -> str | None:
    """A call of a stable function in the site's library; None where it cannot be reached."""
    template = _SPELLED[function].get(form_at(site))
    if template is None:
        return None
    path, spelled = _path(template), _filled(template, arguments)
    library = site.scope.alias(path) if path else ""
    return None if library is None else spelled.replace(f"{{{path}}}", library)


def replaced(
    site: Site, function: str, *, method: bool = False, **arguments: str
) -> tuple[Edit, ...] | None:
    """A stable function in place of a site, in the site's own style, with the import it needs.

    None where an argument of the site would be lost: `log(x, where=…)`, `sub(x, 1, alpha=2)`.
    """
    template = _METHODS.get(function) if method else _SPELLED[function].get(form_at(site))
    if template is None or not isinstance(site.node, bare.BaseExpression) or _starred(site.node):
        return None
    lost = site.operands.keys() - {"x", "y"} - ({"out"} if "<out>" in template else set())
    if lost:
        return None
    if (out := site.operand("out")) is not None:
        arguments["out"] = f", out={site.unit.text(out.node)}"
    if method:
        arguments["x"] = _as_receiver(arguments["x"])
    path = _path(template)
    library = site.scope.alias(path) if path else ""
    reached = (library, ()) if library is not None else _import(site, path)
    if reached is None:
        return None
    text = _filled(template, arguments).replace(f"{{{path}}}", reached[0])
    rewriting = rewritten(site.unit, site.node, text)
    return None if rewriting is None else (*reached[1], *rewriting)


def is_method(origin: Origin | Site, operand: Operand) -> bool:
    """Whether an operation is written as a method of its operand: `x.exp()`."""
    func = origin.node.func if isinstance(origin.node, bare.Call) else None
    return isinstance(func, bare.Attribute) and func.value is operand.node


def is_plain(origin: Origin) -> bool:
    """Whether what made a value has no argument that a rewriting would lose."""
    known = {"x", "y", "dim", "keepdim", "module"}
    return origin.operands.keys() <= known and not _starred(origin.node)


def _starred(node: bare.BaseExpression) -> bool:
    return isinstance(node, bare.Call) and any(argument.star for argument in node.args)


def _path(template: str) -> str:
    """The library of a template, without its braces."""
    return template.partition("{")[2].partition("}")[0]


def _filled(template: str, arguments: Mapping[str, str]) -> str:
    for name in _PLACES.findall(template):
        template = template.replace(f"<{name}>", arguments.get(name, ""))
    return template


def _as_receiver(text: str) -> str:
    return text if is_primary(text) else f"({text})"


def _import(site: Site, path: str) -> tuple[str, tuple[Edit, ...]] | None:
    """What a library is called once it is imported, and the edit that does so; None where that
    name is taken.
    """
    statement, name = _IMPORTS[path]
    edit = added_import(site.unit.source, statement, name.partition(".")[0])
    return None if edit is None else (name, (edit,))
