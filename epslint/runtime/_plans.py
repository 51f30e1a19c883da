"""What to check of an operation, read off its schema once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from torch._ops import OpOverload

# Operations that no finite number leaves as NaN or Inf, and why. An Inf in their result was written
# there on purpose (`masked_fill(-inf)`). Views are known by their schema and not listed; a trailing
# `_` is dropped.
_BARREN = {
    "new tensors; `empty` holds garbage, which is nobody's NaN": (
        "empty empty_like empty_strided empty_permuted new_empty new_empty_strided resize set "
        "zeros zeros_like new_zeros ones ones_like new_ones full full_like new_full fill zero "
        "scalar_tensor arange eye lift_fresh lift_fresh_copy "
        "rand rand_like randn randn_like uniform normal bernoulli exponential"
    ),
    "numbers that move": (
        "clone cat stack index index_select gather take embedding masked_select masked_fill "
        "masked_scatter where scatter slice_scatter select_scatter slice_backward select_backward "
        "flip roll repeat tril triu constant_pad_nd reflection_pad1d reflection_pad2d "
        "replication_pad1d replication_pad2d sort topk kthvalue median mode"
    ),
    "numbers that are chosen, bounded or turned round": (
        "max min amax amin maximum minimum fmax fmin cummax cummin max_pool2d_with_indices "
        "max_pool3d_with_indices clamp clamp_min clamp_max relu threshold threshold_backward "
        "hardtanh hardtanh_backward abs neg sign sgn floor ceil round trunc frac nan_to_num "
        "sigmoid sigmoid_backward tanh tanh_backward sin cos erf atan"
    ),
}
_BARREN_OPS = frozenset(name for names in _BARREN.values() for name in names.split())

# Written over whatever was there: the old numbers are no operand.
_OVERWRITES = frozenset({"copy_"})

# Their other outputs are scratch for the backward pass, padded or not written at all.
_FIRST_OUTPUT_ONLY = ("attention", "ctc_loss")


@dataclass(frozen=True, slots=True)
class Plan:
    """Whether an operation is checked, and which arguments it changes in place."""

    checked: bool
    changed: tuple[int, ...] = ()
    first_only: bool = False


@cache
def plan_of(op: OpOverload) -> Plan:
    """The plan for an operation."""
    name = op.overloadpacket.__name__
    changed = () if name in _OVERWRITES else _changed(op)
    if name.rstrip("_") in _BARREN_OPS or _is_view(op) or not (changed or _gives_tensors(op)):
        return Plan(checked=False)
    return Plan(
        checked=True,
        changed=changed,
        first_only=any(word in name for word in _FIRST_OUTPUT_ONLY),
    )


def _is_view(op: OpOverload) -> bool:
    aliases = [result.alias_info for result in op._schema.returns]
    return any(alias is not None and not alias.is_write for alias in aliases)


def _gives_tensors(op: OpOverload) -> bool:
    return any("Tensor" in str(result.type) for result in op._schema.returns)


def _changed(op: OpOverload) -> tuple[int, ...]:
    """Arguments that are read and then written; an `out=`, by keyword, is only written."""
    return tuple(
        position
        for position, argument in enumerate(op._schema.arguments)
        if argument.alias_info is not None
        and argument.alias_info.is_write
        and not argument.kwarg_only
    )
