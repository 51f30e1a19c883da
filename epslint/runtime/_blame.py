"""From the operation that gave birth to the rule that would have caught it, and what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass

from epslint.runtime._probe import INF, NAN


@dataclass(frozen=True, slots=True)
class Blame:
    """The rules that flag such a line, the likeliest first, and the way out."""

    codes: tuple[str, ...]
    hint: str


@dataclass(frozen=True, slots=True)
class _Row:
    ops: frozenset[str]
    codes: tuple[str, ...]
    hint: str
    backward: bool | None = None
    kind: str | None = None

    def fits(self, op: str, backward: bool, kinds: frozenset[str]) -> bool:
        return (
            op in self.ops
            and self.backward in (None, backward)
            and (self.kind is None or self.kind in kinds)
        )


def _row(
    ops: str, codes: str, hint: str, *, backward: bool | None = None, kind: str | None = None
) -> _Row:
    return _Row(frozenset(ops.split()), tuple(codes.split()), hint, backward, kind)


_DISCARDED = (
    "an incoming gradient of 0 met an infinite slope: the entry is masked or discarded after the "
    "operation; guard or mask its input instead"
)

# The first row that fits. Of a backward pass the op is that of the forward line.
_ROWS = (
    _row(
        "div log log2 log10 sqrt rsqrt pow reciprocal exp",
        "EPS503 EPS506",
        _DISCARDED,
        backward=True,
        kind=NAN,
    ),
    _row(
        "div true_divide floor_divide remainder fmod",
        "EPS101 EPS102 EPS103",
        "the denominator reaches 0: er.safe_div (of a mask: er.masked_mean), or clamp(min=eps)",
    ),
    _row(
        "reciprocal rsqrt addcdiv",
        "EPS103",
        "the operand reaches 0: er.safe_div, er.safe_rsqrt, or clamp(min=eps)",
    ),
    _row(
        "log log2 log10",
        "EPS201 EPS207 EPS202",
        "the argument reaches 0: er.safe_log, or log_softmax / logsigmoid on the logits",
    ),
    _row("log1p", "EPS204", "the argument reaches -1: clamp it above"),
    _row("xlogy", "EPS208", "p·log p at 0: mask the input, or torch.special.entr"),
    _row(
        "exp exp2 expm1",
        "EPS301 EPS302 EPS306",
        "the exponent is too large for the dtype: clamp it first (er.logprob_ratio, er.safe_exp)",
    ),
    _row(
        "sqrt",
        "EPS501 EPS704",
        "the argument is 0 or slightly negative: er.safe_sqrt, or clamp(min=eps) inside",
    ),
    _row("pow", "EPS502 EPS103", "a negative or fractional power at 0: clamp the base first"),
    _row(
        "std var std_mean var_mean",
        "EPS106",
        "a spread over one element: correction=0, or er.masked_var",
    ),
    _row("mean", "EPS101", "the mean of nothing: er.masked_mean, or guard the empty case"),
    _row(
        "_softmax _log_softmax softmax log_softmax",
        "EPS703",
        "a row is masked entirely: fill with finfo.min, or zero the row",
        kind=NAN,
    ),
    _row(
        "acos asin atanh logit erfinv acosh",
        "EPS504",
        "the argument reaches its bound: clamp to 1 - eps",
    ),
    _row("linalg_vector_norm norm hypot", "EPS505", "a norm at 0: guard it inside"),
    _row("prod cumprod", "EPS402", "a long product: sum logarithms instead"),
    _row(
        "binary_cross_entropy",
        "EPS701",
        "probabilities outside (0, 1): binary_cross_entropy_with_logits",
    ),
    _row(
        "mul", "EPS506 EPS208", "Inf · 0: mask the operand before, not the product after", kind=NAN
    ),
    _row("sub add", "EPS301", "Inf - Inf: bound what became infinite before", kind=NAN),
    _row(
        "_to_copy copy_ to",
        "",
        "the number does not fit the narrower dtype: scale or clamp it before the cast",
        kind=INF,
    ),
)

_OVERFLOW = Blame(
    (),
    "the operands are finite but the result is too large for the dtype: look at what let them "
    "grow (learning rate, missing gradient clipping, initialisation)",
)
_UNKNOWN = Blame((), "no rule of epslint knows this operation as a source of NaN")


def blame(op: str, backward: bool, kinds: frozenset[str]) -> Blame:
    """Who could have said so: `op` is an aten name, or a node's for the backward pass."""
    name = op.rstrip("_")
    for row in _ROWS:
        if row.fits(name, backward, kinds):
            return Blame(row.codes, row.hint)
    return _UNKNOWN if NAN in kinds else _OVERFLOW


def op_of_node(node: str) -> str:
    """`LogSoftmaxBackward0` → `log_softmax`: the forward operation of an autograd node."""
    stem = re.sub(r"Backward\d*$", "", node.rsplit("::", 1)[-1])
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", stem).lower()
