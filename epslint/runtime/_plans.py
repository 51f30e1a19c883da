"""What to check of an operation, read off its schema once."""

from __future__ import annotations

from collections.abc import Callable
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

# Numbers that, as the second operand, leave a finite number finite and an Inf an Inf, in every
# dtype: they are neither 0 nor Inf in 16 bits, where 8 more do not make the largest number Inf.
_HARMLESS: dict[str, Callable[[float], bool]] = {
    "add": lambda number: abs(number) <= 8,
    "sub": lambda number: abs(number) <= 8,
    "mul": lambda number: 1e-4 <= abs(number) <= 1,
    "div": lambda number: 1 <= abs(number) <= 1e4,
}

# Written over whatever was there: the old numbers are no operand.
_OVERWRITES = frozenset({"copy_"})

# Their other outputs are scratch for the backward pass, padded or not written at all.
_FIRST_OUTPUT_ONLY = ("attention", "ctc_loss")


@dataclass(frozen=True, slots=True)
class Plan:
    """How to call an operation, whether it is checked, and which arguments it changes in place."""

    call: Callable[..., object]
    checked: bool
    changed: tuple[int, ...] = ()
    changes_first: bool = False
    first_only: bool = False
    harmless: Callable[[float], bool] | None = None

    def is_harmless(self, args: tuple[object, ...], kwargs: dict[str, object]) -> bool:
        """Whether it is called with a number by which nothing can be born."""
        if self.harmless is None or len(args) != 2 or kwargs:
            return False
        number = args[1]
        return isinstance(number, (float, int)) and self.harmless(number)


@cache
def plan_of(op: OpOverload) -> Plan:
    """The plan for an operation."""
    name = op.overloadpacket.__name__
    changed = () if name in _OVERWRITES else _changed(op)
    if name.rstrip("_") in _BARREN_OPS or _is_view(op) or not (changed or _gives_tensors(op)):
        return Plan(_call_of(op), checked=False)
    return Plan(
        _call_of(op),
        checked=True,
        changed=changed,
        changes_first=changed == (0,),
        first_only=any(word in name for word in _FIRST_OUTPUT_ONLY),
        harmless=_HARMLESS.get(name.rstrip("_")),
    )


def _call_of(op: OpOverload) -> Callable[..., object]:
    # What `op(...)` calls in turn. Those with a way of their own, of a subclass, keep it.
    direct: Callable[..., object] = op._op if type(op) is OpOverload else op
    return direct


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
