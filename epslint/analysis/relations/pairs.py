"""Relations: what is known of a result because of what both its operands were made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from epslint.analysis import bare, ranges
from epslint.analysis.fact import Evidence, Fact, Form, Kind, replace
from epslint.analysis.keys import called, key_of, label_of
from epslint.analysis.made.directions import summed_similarity
from epslint.analysis.made.makers import is_made_of, is_some_of, maker
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind, within
from epslint.analysis.relations.forms import is_unknown
from epslint.analysis.relations.moments import of_variance
from epslint.analysis.relations.products import (
    contracted_with_itself,
    dot_with_itself,
    product,
    product_with_itself,
    quotient,
)
from epslint.analysis.relations.sums import is_squared_length, total
from epslint.analysis.transfer import Call, transfer
from epslint.analysis.transfer.call import TOPIC
from epslint.analysis.words.hints import tells_of_advantage
from epslint.analysis.words.labels import tells_of_reference
from epslint.analysis.words.names import ADVANTAGE


def difference(operands: Mapping[str, Operand]) -> Fact | None:
    """Differences that are known because of what both sides are made of."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None or _is_extreme_of_some(y.fact):
        return None
    relations = _DIFFERENCES if y.fact.origin is not None else _DIFFERENCES_BY_NAME
    for relation in relations:
        if (known := relation(x, y)) is not None:
            return known
    return None


def _is_extreme_of_some(fact: Fact) -> bool:
    """`max(x, where=mask)`: what the mask leaves out may be larger, whatever this is called."""
    origin = behind(fact, (Op.SAME, Op.PICK, Op.DETACH))
    return origin is not None and origin.op in (Op.MAX, Op.MIN) and "where" in origin.operands


def _like(fact: Fact, known: Fact) -> Fact:
    return replace(known, dtype=fact.dtype, form=fact.form, grad=fact.grad)


def _from_itself(x: Operand, y: Operand) -> Fact | None:
    """`x - x.detach()` is 0."""
    key = key_of(x.node)
    if key is None or maker(y.fact) != (Op.DETACH, key):
        return None
    return replace(x.fact, range=ranges.point(0.0), kinds=Kind.NONE, huge=Evidence.NONE)


def _from_maximum(x: Operand, y: Operand) -> Fact | None:
    """`x - x.max()`."""
    key = key_of(x.node)
    if key is None or maker(y.fact) != (Op.MAX, key):
        return None
    return _shifted(x, Evidence.PROVEN)


def _from_larger(x: Operand, y: Operand) -> Fact | None:
    """`a - max(a, b)`."""
    key = key_of(x.node)
    if key is None or not _is_larger_of(y.fact, key):
        return None
    return _like(x.fact, Fact(ranges.NONPOSITIVE, ground=Evidence.PROVEN))


def _from_running_maximum(x: Operand, y: Operand) -> Fact | None:
    """What a kernel subtracts that goes through x in blocks: of all of them together the largest
    is then 0. Or the maximum of those that are finite.
    """
    named = _MAXIMUM.search(_spread_out(y.node)) or _is_somebodys_maximum(y.node, x)
    shown = _is_running_maximum(y.fact, x) or _is_mended_maximum(y.fact, x)
    return _shifted(x, Evidence.NAMED) if named or shown else None


def _is_somebodys_maximum(node: bare.BaseExpression, x: Operand) -> bool:
    """`U.max(x, axis=1, keepdims=True)`, of a project that wraps its library."""
    if not isinstance(node, bare.Call) or not _MAXIMUM.search(called(node)):
        return False
    given = [argument.value for argument in node.args if argument.keyword is None]
    return len(given) == 1 and key_of(x.node) == key_of(given[0]) is not None


def _is_mended_maximum(fact: Fact, x: Operand) -> bool:
    """`x[isfinite(x)].max()`, `(x + log(mask)).max()`, and `where(isinf(m), 0, m)` of a maximum."""
    origin, key = behind(fact, (Op.SAME, Op.PICK, Op.DETACH)), key_of(x.node)
    if origin is None or key is None:
        return False
    if origin.op is Op.MAX:
        return is_some_of(origin.operands["x"], key) or is_made_of(fact, key)
    choices = [operand.fact for name, operand in origin.operands.items() if name in ("x", "y")]
    return origin.op is Op.WHERE and any(maker(each) == (Op.MAX, key) for each in choices)


def _spread_out(node: bare.BaseExpression) -> str:
    """The name in `m_new`, `m_new[:, None]`, `m_new.unsqueeze(-1)`."""
    if isinstance(node, bare.Call) and isinstance(node.func, bare.Attribute):
        node = node.func.value if called(node) == "unsqueeze" else node
    elif isinstance(node, bare.Subscript):
        node = node.value
    return node.value if isinstance(node, bare.Name) else ""


def _is_running_maximum(fact: Fact, x: Operand) -> bool:
    """`maximum(m, x.max())`."""
    origin, key = behind(fact, (Op.SAME, Op.PICK)), key_of(x.node)
    if key is None or origin is None or origin.op not in _UPPER:
        return False
    return any(maker(operand.fact) == (Op.MAX, key) for operand in origin.operands.values())


def _shifted(x: Operand, ground: Evidence) -> Fact:
    return _like(x.fact, Fact(ranges.NONPOSITIVE, kinds=Kind.SHIFTED, ground=ground))


_MAXIMUM = re.compile(r"(^|_)(max(imum)?(_?(score|val|value|logit)s?)?)$|^m_(i|ij|new|curr)$")


def _from_normaliser(x: Operand, y: Operand) -> Fact | None:
    """`x - x.logsumexp()` is log_softmax."""
    op, key = maker(y.fact)
    if op is not Op.LOGSUMEXP or key is None or not is_some_of(x, key):
        return None
    whole = Kind.NORMALISED if key_of(x.node) == key else Kind.NONE
    known = Fact(ranges.NONPOSITIVE, kinds=Kind.LOGPROB | whole, ground=Evidence.PROVEN)
    return _like(x.fact, known)


_LOWER, _UPPER = frozenset({Op.MIN, Op.MINIMUM}), frozenset({Op.MAX, Op.MAXIMUM})


def _between_extremes(x: Operand, y: Operand) -> Fact | None:
    """max − min is a span; min − max is not above 0."""
    (mine, key), (theirs, other) = _extreme(x.fact), _extreme(y.fact)
    if mine is Op.MAXIMUM and theirs is Op.MINIMUM and _among(x, mine) == _among(y, theirs):
        named = Evidence.NAMED
        return _like(x.fact, Fact(ranges.NONNEGATIVE, kinds=Kind.SPAN, ground=named, zero=named))
    if key is None or key != other:
        return None
    if mine is Op.MAX and theirs is Op.MIN:
        proven = Evidence.PROVEN
        zero = proven if not x.fact.is_any(Kind.DRAWN) else _if_dead(x.fact)
        known = Fact(ranges.NONNEGATIVE, kinds=Kind.SPAN, ground=proven, zero=zero)
        return _like(x.fact, known)
    if mine is theirs is Op.MEDIAN and not x.fact.is_any(Kind.DRAWN):
        # Between two quantiles: of data of which most are equal there is nothing.
        named = Evidence.NAMED
        return _like(x.fact, Fact(ranges.REAL, kinds=Kind.SPAN, ground=named, zero=named))
    if mine in _LOWER and theirs in _UPPER:
        return _like(x.fact, Fact(ranges.NONPOSITIVE))
    return None


def _if_dead(extreme: Fact) -> Evidence:
    """Whether the extremes of what a network gives may meet: along an axis, of tensors."""
    made = behind(extreme, _PICKING)
    along = made is not None and "dim" in made.operands and extreme.form is not Form.NUMPY
    return Evidence.NAMED if along and not extreme.is_random else Evidence.NONE


def _extreme(fact: Fact) -> tuple[Op | None, str | None]:
    """Of what a value is the extreme: axis by axis, and of what a mask leaves."""
    op, key = maker(fact)
    origin = behind(fact, _PICKING)
    inner = None if origin is None or origin.op is not op else origin.operands.get("x")
    while op in (Op.MAX, Op.MIN) and inner is not None:
        key, origin = key_of(inner.node), behind(inner.fact, _PICKING)
        if origin is None or origin.op not in (op, Op.MASKED_FILL):
            break
        inner = origin.operands.get("x")
    return op, key


_PICKING = (Op.SAME, Op.PICK)


def _among(extreme: Operand, op: Op) -> frozenset[str | None]:
    """What the largest is one of: r, g and b of `maximum(maximum(r, g), b)`."""
    origin = extreme.fact.origin
    if origin is None or origin.op is not op:
        return frozenset({key_of(extreme.node)})
    return frozenset[str | None]().union(*(_among(each, op) for each in origin.operands.values()))


def _from_minimum(x: Operand, y: Operand) -> Fact | None:
    """`x - x.min()`: its least element is 0, and all of them are where all are equal."""
    key = key_of(x.node)
    if key is None or maker(y.fact) != (Op.MIN, key):
        return None
    kinds = Kind.MAGNITUDE | (x.fact.kinds & (Kind.DRAWN | TOPIC))
    known = Fact(ranges.NONNEGATIVE, kinds=kinds, ground=Evidence.PROVEN, zero=Evidence.NAMED)
    return _like(x.fact, known)


def _exponential_less(x: Operand, y: Operand) -> Fact | None:
    """`exp(d) - 1 - d` is not negative, but for rounding."""
    if not _is_exponential_less(x.fact, y):
        return None
    proven, kinds = Evidence.PROVEN, Kind.KL | Kind.CANCELLED
    known = Fact(ranges.REAL, kinds=kinds, ground=proven, zero=proven, huge=y.fact.huge)
    return _like(x.fact, known)


def _advantage(x: Operand, y: Operand) -> Fact | None:
    """`q - v`: what was reached, less what was expected."""
    named = isinstance(x.node, bare.Name | bare.Attribute)
    if not named or not isinstance(y.node, bare.Name | bare.Attribute):
        return None
    if not tells_of_advantage(called(x.node), called(y.node)):
        return None
    return replace(_like(x.fact, ADVANTAGE), grad=x.fact.grad or y.fact.grad)


def _log_ratio_to_reference(x: Operand, y: Operand) -> Fact | None:
    """`logp - reference.detach()`: what a log-probability is compared to is one, too."""
    for logp, other in ((x, y), (y, x)):
        if logp.fact.is_any(Kind.LOGPROB) and is_unknown(other.fact) and _is_reference(other):
            named = Evidence.NAMED
            kinds = Kind.LOGRATIO | Kind.SIGNED
            return _like(logp.fact, Fact(ranges.REAL, kinds=kinds, ground=named, huge=named))
    return None


def _is_reference(operand: Operand) -> bool:
    origin = behind(operand.fact, (Op.SAME, Op.PICK))
    detached = origin is not None and origin.op is Op.DETACH
    return detached or tells_of_reference(label_of(operand.node))


def _is_larger_of(fact: Fact, key: str) -> bool:
    """`torch.maximum(a, b)`, `max(a, max(b, c))`, `a.clamp(min=b)` and
    `maximum(a.detach(), b).clamp(min=c)`: none of them is larger.
    """
    origin = behind(fact, (Op.SAME, Op.DETACH))
    if origin is None or origin.op not in _RAISING or "max" in _given(origin):
        return False
    nested = origin.op is not Op.MAX
    return any(
        key_of(within(each, (Op.DETACH,)).node) == key
        or (nested and _is_larger_of_two(each.fact, key))
        for each in origin.operands.values()
    )


def _is_larger_of_two(fact: Fact, key: str) -> bool:
    """The same of `max(a, b)` alone: what is the largest of a row tells more of the row."""
    return fact.origin is not None and _is_of_two(fact.origin) and _is_larger_of(fact, key)


def _is_of_two(origin: Origin) -> bool:
    """`torch.maximum(a, b)` and `torch.max(a, b)`; b of `torch.max(a, 1)` is an axis."""
    axis = origin.operands.get("dim") if origin.op is Op.MAX else None
    return origin.op is Op.MAXIMUM or (axis is not None and axis.fact.constant is None)


def _given(origin: Origin) -> set[str]:
    """The arguments of an operation that are not None: `a.clamp(0, None)` has no ceiling."""
    return {name for name, each in origin.operands.items() if key_of(each.node) != "None"}


_RAISING = frozenset({Op.MAXIMUM, Op.MAX, Op.CLAMP, Op.CLAMP_MIN, Op.RELU})


def _variance(x: Operand, y: Operand) -> Fact | None:
    """E[x²] − E[x]²: 0 when all values are equal, and then rounding makes it a little less."""
    evidence = of_variance(x, y)
    if not evidence:
        return None
    left, right = x.fact, y.fact
    kinds = Kind.VAR | Kind.CANCELLED | (left.kinds & right.kinds & TOPIC)
    known = Fact(ranges.REAL, kinds=kinds, ground=evidence, zero=evidence)
    form = left.form if left.form is not Form.UNKNOWN else right.form
    return replace(known, dtype=left.dtype, form=form, grad=left.grad or right.grad)


_DIFFERENCES_BY_NAME = (
    _from_running_maximum,
    _exponential_less,
    _advantage,
    _variance,
    _log_ratio_to_reference,
)
_DIFFERENCES = (
    _from_itself,
    _from_maximum,
    _from_larger,
    _from_normaliser,
    _between_extremes,
    _from_minimum,
    *_DIFFERENCES_BY_NAME,
)


def _is_exponential_less(left: Fact, right: Operand) -> bool:
    """`exp(d) - 1` and d, or `exp(d) - d` and 1."""
    outer = left.origin
    if outer is None or outer.op is not Op.SUB:
        return False
    exponential, subtracted = outer.fact("x").origin, outer.operands["y"]
    if exponential is None or exponential.op is not Op.EXP:
        return False
    terms = (subtracted, right) if right.fact.constant == 1 else (right, subtracted)
    argument = key_of(exponential.operands["x"].node)
    return (
        argument is not None and key_of(terms[0].node) == argument and terms[1].fact.constant == 1
    )


def root(operands: Mapping[str, Operand]) -> Fact | None:
    """`sqrt(a**2 + b**2)` is a length, as `hypot(a, b)` is: 0 where both are."""
    x = operands.get("x")
    if x is None or x.fact.zero or not is_squared_length(x.fact):
        return None
    fact = transfer(Call(Op.SQRT, {"x": x.fact}))
    return replace(fact, kinds=fact.kinds | Kind.NORM, zero=Evidence.NAMED)


def length(operands: Mapping[str, Operand]) -> Fact | None:
    """`norm(x + 1e-8)`: where x is 0 it is not; that x is -1e-8 everywhere is no accident."""
    return _of_lifted(Op.NORM, operands) if _is_lifted(operands.get("x")) else None


def summed(operands: Mapping[str, Operand]) -> Fact | None:
    """Sums that are known because of how what is summed was made."""
    return sum_of_lifted(operands) or summed_similarity(operands)


def sum_of_lifted(operands: Mapping[str, Operand]) -> Fact | None:
    """`sum(w + 1e-8)`, of what is not seen to cancel: who adds it knows that w is not negative."""
    x = operands.get("x")
    if x is None or x.fact.is_any(Kind.SIGNED) or not _is_lifted(x):
        return None
    return _of_lifted(Op.SUM, operands)


def _is_lifted(x: Operand | None) -> bool:
    origin = None if x is None else x.fact.origin
    if origin is None or origin.op is not Op.ADD:
        return False
    return any(term.fact.is_any(Kind.EPSILON) for term in origin.operands.values())


def _of_lifted(op: Op, operands: Mapping[str, Operand]) -> Fact:
    facts = {name: operand.fact for name, operand in operands.items()}
    return replace(transfer(Call(op, facts)), zero=Evidence.NONE)


RELATED: Mapping[Op, Callable[[Mapping[str, Operand]], Fact | None]] = MappingProxyType(
    {
        Op.SUB: difference,
        Op.ADD: total,
        Op.MUL: product,
        Op.DIV: quotient,
        Op.DOT: dot_with_itself,
        Op.EINSUM: contracted_with_itself,
        Op.SQRT: root,
        Op.NORM: length,
        Op.SUM: summed,
        Op.MATMUL: product_with_itself,
    }
)
