"""What a transfer function sees: an operation with the facts of its operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from epslint.analysis import ranges
from epslint.analysis.fact import UNKNOWN, DType, Evidence, Fact, Form, Kind, replace
from epslint.analysis.ops import Op
from epslint.analysis.ranges import Range

# Kinds that tell what a number is about rather than how it was computed: they survive reductions,
# scalings and reshapings, and choose the role of an epsilon.
TOPIC = Kind.REWARD | Kind.ADVANTAGE | Kind.KL
# Kinds that hold only of a tensor as a whole, so that any change of it ends them.
WHOLE = Kind.SHIFTED | Kind.PEAKED | Kind.SIMPLEX | Kind.NORMALISED | Kind.NONZERO | Kind.BELOW
WHOLE |= Kind.HOLED | Kind.UNEVEN | Kind.UNIT
LOGARITHMIC = Kind.LOGPROB | Kind.LOGRATIO


@dataclass(frozen=True, slots=True)
class Call:
    """An operation applied: the facts of its operands by parameter name."""

    op: Op
    facts: Mapping[str, Fact]
    form: Form = Form.UNKNOWN  # of the library whose function it is; unknown for operators

    @property
    def x(self) -> Fact:
        return self.facts.get("x", UNKNOWN)

    @property
    def y(self) -> Fact:
        return self.facts.get("y", UNKNOWN)

    def get(self, name: str) -> Fact | None:
        return self.facts.get(name)

    def constant(self, name: str) -> float | None:
        fact = self.facts.get(name)
        return None if fact is None else fact.constant

    @property
    def result_form(self) -> Form:
        """What holds the result: tensors swallow numbers, a library's function says its own."""
        forms = {fact.form for fact in self.facts.values()}
        for form in (Form.TORCH, Form.JAX, Form.TENSORFLOW, Form.NUMPY):
            if form in forms:
                return form
        if self.form is not Form.UNKNOWN:
            return self.form
        known = [f.form for n, f in self.facts.items() if n in ("x", "y")]
        return Form.NUMBER if known and all(f is Form.NUMBER for f in known) else Form.UNKNOWN


Transfer = Callable[[Call], Fact]


def result(
    call: Call,
    range_: Range = ranges.TOP,
    kinds: Kind = Kind.NONE,
    *,
    ground: Evidence | None = None,
    zero: Evidence = Evidence.NONE,
    huge: Evidence = Evidence.NONE,
    dtype: DType | None = None,
) -> Fact:
    """A new fact with what every operation hands on: form, dtype, gradient."""
    form = call.result_form
    numeric = [f for name, f in call.facts.items() if name in ("x", "y")]
    if ground is None:
        ground = min([f.ground for f in numeric if f.ground], default=Evidence.NONE)
    return Fact(
        range=range_,
        kinds=kinds,
        ground=ground,
        zero=zero,
        huge=huge,
        dtype=promoted(*numeric) if dtype is None else dtype,
        form=form,
        grad=any(f.grad for f in numeric) and form not in (Form.NUMBER, Form.NUMPY),
    )


def like(call: Call, fact: Fact) -> Fact:
    """The same value as `fact`, in the form that the call gives it."""
    form = call.result_form
    return replace(fact, form=form if form is not Form.UNKNOWN else fact.form)


_WIDTH = {
    DType.BOOL: 0,
    DType.INT: 1,
    DType.FLOAT16: 2,
    DType.BFLOAT16: 2,
    DType.FLOAT32: 3,
    DType.FLOAT64: 4,
}


def promoted(*facts: Fact) -> DType:
    """The dtype of an operation on these: Python numbers do not widen a tensor."""
    dtypes = {f.dtype for f in facts if f.form is not Form.NUMBER} or {f.dtype for f in facts}
    if not dtypes or DType.UNKNOWN in dtypes:
        return DType.UNKNOWN
    return max(dtypes, key=_WIDTH.__getitem__)
