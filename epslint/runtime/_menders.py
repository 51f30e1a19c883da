"""What an operation gives in place of a NaN or Inf, by the hierarchy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import torch
from torch import Tensor
from torch._ops import OpOverload, OpOverloadPacket

from epslint.epsilon import Clamp, Role
from epslint.runtime import _guards
from epslint.runtime._blame import op_of_node
from epslint.runtime._probe import leaves_in


@dataclass(frozen=True, slots=True)
class Call:
    """An operation in its functional form, what it was called with, and the plain result.

    `target` is what the result is to be written to, of an operation in place or with `out=`.
    """

    name: str
    op: OpOverloadPacket
    args: tuple[object, ...]
    kwargs: Mapping[str, object]
    plain: Tensor
    target: Tensor | None

    def eps(self, power: float = 1.0) -> float:
        """The epsilon for a value of which nothing else is known."""
        return _guards.epsilon(Role.GENERAL, None, self.plain.dtype, power)

    def first(self) -> Tensor:
        """The first operand of an operation on a tensor."""
        tensor = self.args[0]
        assert isinstance(tensor, Tensor)
        return tensor

    def with_args(self, *args: object, **changed: object) -> Tensor:
        """The same operation on other operands; the options stay."""
        rest = self.args[len(args) :]
        result: Tensor = self.op(*args, *rest, **{**self.kwargs, **changed})
        return result

    def deliver(self, result: Tensor) -> Tensor:
        """Hand a result over as the operation would have."""
        if self.target is None:
            return result
        if self.target.shape != result.shape:
            self.target.resize_(result.shape)
        return self.target.copy_(result)


Fix = Callable[[Call], Tensor]


@dataclass(frozen=True, slots=True)
class Mender:
    """How a family of operations is mended.

    `by_element`: each number of the result comes from one of each operand, so that an Inf that was
    handed in, and is meant, can be told from one that was made. `handed_in` is how many operands
    were handed in: the others, and all plain numbers, are torch's own.
    """

    family: str
    fix: Fix
    by_element: bool = True
    handed_in: int | None = None


def _divide(call: Call) -> Tensor:
    num, den = call.args[:2]
    return call.with_args(num, _away(den, call.eps()))


def _reciprocal(call: Call) -> Tensor:
    return call.with_args(_away(call.first(), call.eps()))


def _floored(power: float = 1.0) -> Fix:
    return lambda call: call.with_args(call.first().clamp(min=call.eps(power)))


def _log1p(call: Call) -> Tensor:
    # 1e-8 - 1 is -1 in float32: the smallest step that is none.
    step = max(call.eps(), torch.finfo(call.plain.dtype).eps)
    return call.with_args(call.first().clamp(min=step - 1.0))


def _capped(call: Call) -> Tensor:
    return call.with_args(call.first().clamp(max=_exp_bound(call.plain.dtype)))


def _exp_bound(dtype: torch.dtype) -> float:
    """Where an exponent that overflowed is cut: small enough that sums and squares survive."""
    return _guards.bound(Clamp.KL, None, dtype)


def _power(call: Call) -> Tensor:
    base, exponent = call.args[:2]
    if not isinstance(base, Tensor):
        return call.with_args(_away(base, call.eps()), exponent)
    # A negative base has no fractional power; a zero one no negative power.
    positive = base.clamp(min=call.eps())
    return call.with_args(
        torch.where(call.plain.isnan(), positive, _away(base, call.eps())), exponent
    )


def _spread(call: Call) -> Tensor:
    return call.with_args(correction=0)


def _softmax(call: Call) -> Tensor:
    # A row with a NaN stays one: NaN · 0 is NaN.
    return _log_softmax(call) * 0


def _log_softmax(call: Call) -> Tensor:
    x = call.first()
    return call.with_args(x.clamp(min=torch.finfo(x.dtype).min))


def _away(x: object, eps: float) -> Tensor | float:
    """A denominator, kept away from 0 on its own side."""
    if isinstance(x, Tensor):
        return x.abs().clamp(min=eps).copysign(x)
    assert isinstance(x, (int, float))
    return x if abs(x) >= eps else eps


_MENDERS: Mapping[str, Mender] = MappingProxyType(
    {
        "div": Mender("div", _divide),
        "reciprocal": Mender("div", _reciprocal),
        "log": Mender("log", _floored()),
        "log2": Mender("log", _floored()),
        "log10": Mender("log", _floored()),
        "log1p": Mender("log", _log1p),
        "exp": Mender("exp", _capped),
        "exp2": Mender("exp", _capped),
        "expm1": Mender("exp", _capped),
        "sqrt": Mender("sqrt", _floored()),
        "rsqrt": Mender("rsqrt", _floored(1.5)),
        "pow": Mender("pow", _power),
        "std": Mender("std", _spread, by_element=False),
        "var": Mender("std", _spread, by_element=False),
        "_softmax": Mender("softmax", _softmax, by_element=False),
        "_log_softmax": Mender("softmax", _log_softmax, by_element=False),
    }
)

FAMILIES: tuple[str, ...] = tuple(dict.fromkeys(mender.family for mender in _MENDERS.values()))

# In the backward pass of these operations the product of two finite factors may overflow besides.
_BACKWARD_OPS = frozenset((*_MENDERS, "mul"))


@cache
def mender_of(op: OpOverload) -> Mender | None:
    """How the result of an operation is mended in the forward pass."""
    return _MENDERS.get(_stem(op))


@cache
def backward_mender_of(op: OpOverload, node: str) -> Mender | None:
    """The same in the backward pass of such an operation: there, what cannot be computed is 0."""
    forward_op = op_of_node(node)
    forward = _MENDERS.get(forward_op) or _MENDERS.get(f"_{forward_op}")
    if forward is None or _stem(op) not in _BACKWARD_OPS:
        return None
    # The formulas of torch have numbers of their own there, like `log(0)` in that of pow; that of
    # std multiplies with a NaN tensor when there is one element.
    return Mender(
        family=forward.family,
        fix=lambda call: torch.zeros_like(call.plain),
        handed_in=1 if forward.family == "std" else 2,
    )


def call_of(op: OpOverload, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Call:
    """Run an operation in the form that writes over nothing."""
    name = _stem(op)
    packet: OpOverloadPacket = getattr(torch.ops.aten, name)
    options = {key: value for key, value in kwargs.items() if key != "out"}
    in_place = name != op.overloadpacket.__name__
    target = args[0] if in_place else kwargs.get("out")
    return Call(
        name=name,
        op=packet,
        args=args,
        kwargs=options,
        plain=packet(*args, **options),
        target=target if isinstance(target, Tensor) else None,
    )


def capped_by(node: str, dtype: torch.dtype) -> float | None:
    """What a capped exponential gave: where its backward pass meets it, it has no slope."""
    if not node.startswith("Exp"):
        return None
    op = op_of_node(node)
    if op not in _MENDERS:
        return None
    bound = torch.tensor(_exp_bound(dtype), dtype=dtype)
    return float(getattr(torch, op)(bound))


def mended(mender: Mender, call: Call, capped: float | None = None) -> tuple[Tensor, Tensor]:
    """The result with what was born in it replaced, and where that was."""
    fixed = mender.fix(call)
    born = ~call.plain.isfinite()
    operands, numbers = leaves_in((call.args, call.kwargs))
    if mender.by_element:
        for operand in operands[: mender.handed_in]:
            born = born & operand.isfinite()
        if mender.handed_in is None and not all(map(math.isfinite, numbers)):
            born = torch.zeros_like(born)
        largest = torch.finfo(fixed.dtype).max
        fixed = fixed.clamp(-largest, largest)
    if capped is not None:
        for operand in operands:
            born = born | (operand == capped)
    born = born & fixed.isfinite()
    return torch.where(born, fixed, call.plain), born


def _stem(op: OpOverload) -> str:
    """`div` of `div_`; names of other libraries than torch's own are none of ours."""
    name: str = op.overloadpacket.__name__
    if op.namespace != "aten":
        return ""
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name
