"""Stable functions: what each library calls them, for rewrites of unstable formulas."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis.fact import Form
from epslint.analysis.site import Site

# A library's path in braces becomes the name under which the file knows it.
_SPELLED: Mapping[str, Mapping[Form, str]] = MappingProxyType(
    {
        "logsigmoid": {
            Form.TORCH: "{torch.nn.functional}.logsigmoid(<x>)",
            Form.JAX: "{jax.nn}.log_sigmoid(<x>)",
            Form.TENSORFLOW: "{tensorflow}.math.log_sigmoid(<x>)",
            Form.NUMPY: "-{numpy}.logaddexp(0, -(<x>))",
        },
        "logsigmoid_of_minus": {
            Form.TORCH: "{torch.nn.functional}.logsigmoid(-(<x>))",
            Form.JAX: "{jax.nn}.log_sigmoid(-(<x>))",
            Form.TENSORFLOW: "{tensorflow}.math.log_sigmoid(-(<x>))",
            Form.NUMPY: "-{numpy}.logaddexp(0, <x>)",
        },
        "softplus": {
            Form.TORCH: "{torch.nn.functional}.softplus(<x>)",
            Form.JAX: "{jax.nn}.softplus(<x>)",
            Form.TENSORFLOW: "{tensorflow}.math.softplus(<x>)",
            Form.NUMPY: "{numpy}.logaddexp(0, <x>)",
        },
        "log1p": {
            Form.TORCH: "{torch}.log1p(<x>)",
            Form.JAX: "{jax.numpy}.log1p(<x>)",
            Form.TENSORFLOW: "{tensorflow}.math.log1p(<x>)",
            Form.NUMPY: "{numpy}.log1p(<x>)",
            Form.NUMBER: "{math}.log1p(<x>)",
        },
        "expm1": {
            Form.TORCH: "{torch}.expm1(<x>)",
            Form.JAX: "{jax.numpy}.expm1(<x>)",
            Form.TENSORFLOW: "{tensorflow}.math.expm1(<x>)",
            Form.NUMPY: "{numpy}.expm1(<x>)",
            Form.NUMBER: "{math}.expm1(<x>)",
        },
        "logsumexp": {
            Form.TORCH: "{torch}.logsumexp(<x>, dim=<dim><keepdim>)",
            Form.JAX: "{jax.nn}.logsumexp(<x>, axis=<dim><keepdims>)",
            Form.TENSORFLOW: "{tensorflow}.reduce_logsumexp(<x>, axis=<dim><keepdims>)",
            Form.NUMPY: "{numpy}.logaddexp.reduce(<x>, axis=<dim><keepdims>)",
        },
        "softmax": {
            Form.TORCH: "{torch}.softmax(<x>, dim=<dim>)",
            Form.JAX: "{jax.nn}.softmax(<x>, axis=<dim>)",
            Form.TENSORFLOW: "{tensorflow}.nn.softmax(<x>, axis=<dim>)",
        },
        "clip": {
            Form.TORCH: "{torch}.clamp(<x>, <min>, <max>)",
            Form.JAX: "{jax.numpy}.clip(<x>, <min>, <max>)",
            Form.TENSORFLOW: "{tensorflow}.clip_by_value(<x>, <min>, <max>)",
            Form.NUMPY: "{numpy}.clip(<x>, <min>, <max>)",
            Form.NUMBER: "max(<min>, min(<x>, <max>))",
        },
        "nonnegative": {
            Form.TENSORFLOW: "{tensorflow}.maximum(<x>, 0.0)",
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
    for name, text in arguments.items():
        template = template.replace(f"<{name}>", text)
    opening, brace, rest = template.partition("{")
    if not brace:
        return template
    path, _, tail = rest.partition("}")
    library = site.scope.alias(path)
    return None if library is None else opening + library + tail
