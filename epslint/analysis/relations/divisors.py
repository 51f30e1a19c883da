"""Divisors that are only called something: what they are is told by what they divide.

A sum over `avg_factor` is an average, and of nothing it is 0 / 0. A vector over `vector_norm` is
made of length 1, `(x - low) / (high - low)` is brought between 0 and 1: the null vector is not, and
nor is what is the same everywhere.
"""

from __future__ import annotations

import re

from epslint.analysis import bare
from epslint.analysis.fact import Fact, Kind
from epslint.analysis.keys import called, entry_of, key_of, label_of, words_of
from epslint.analysis.made.makers import maker
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind, within
from epslint.analysis.relations.forms import KEEPING, is_unknown
from epslint.analysis.words.labels import (
    HIGHEST,
    LOWEST,
    counted_by_name,
    is_union_by_name,
    tells_of_gathering,
    tells_of_measurement,
    tells_of_statistics,
    tells_of_sum,
    tells_of_term_of_loss,
    tells_of_weights_summed,
)
from epslint.analysis.words.names import is_epsilon_for_anything, snake


def told_by_dividend(x: Operand, y: Operand, function: str) -> Kind:
    """What an unknown divisor is, and NONE if the dividend does not say."""
    if _is_span(x, y):
        return Kind.SPAN
    if not is_unknown(y.fact):
        return Kind.NONE
    label = snake(label_of(within(y, KEEPING).node))
    if label and _is_given(y.fact):
        if kind := counted_by_name(label, function):
            return kind if _is_total(x, label) else Kind.NONE
        if is_union_by_name(label_of(x.node), label):
            return Kind.SUM
        if _is_relative_error(x, y, label):
            return Kind.MAGNITUDE
    return Kind.NORM if _is_own_norm(x, y, label) or _is_norm_of(x, y) else Kind.NONE


def _is_relative_error(x: Operand, y: Operand, label: str) -> bool:
    """`(forecast - actual) / actual`: something that is measured is 0 now and then."""
    difference = x.fact.origin
    if difference is None or difference.op is not Op.SUB or not tells_of_measurement(label):
        return False
    key, sides = key_of(y.node), difference.operands.values()
    if key is None or any(side.fact.constant is not None for side in sides):
        return False
    return key in {key_of(side.node) for side in sides}


def _is_given(fact: Fact) -> bool:
    """Whether it came as it is, from a caller or out of something: nothing was computed here."""
    origin = behind(fact, KEEPING)
    if origin is None:
        return True
    return origin.op is Op.CALL and tells_of_gathering(called(origin.node))


def _is_total(x: Operand, divisor: str) -> bool:
    """A sum, or a loss that was summed somewhere else; over weights, what its name tells of."""
    if x.fact.is_any(Kind.SUM) or maker(x.fact)[0] is Op.SUM:
        return True
    words = words_of(x.node)
    weighed = tells_of_weights_summed(divisor) and any(map(tells_of_sum, words))
    return weighed or any(map(tells_of_term_of_loss, words))


_NORM = re.compile(r"(^|_)norms?(_|$)")
_ASKED_FOR = re.compile(r"(^|_)(max|min|clip|target|limit)(_|$)")


def _is_norm(label: str) -> bool:
    """Whether this is what a norm is called, and not one that somebody asks for."""
    return _NORM.search(label) is not None and _ASKED_FOR.search(label) is None


def _is_own_norm(x: Operand, y: Operand, label: str) -> bool:
    """`vector / vector_norm`, `dot(a, b) / (a_norm * b_norm)`, and `weight_norm / update_norm`."""
    product = y.fact.origin
    if product is not None and product.op is Op.MUL:
        factors = product.operands.values()
        norms = all(is_unknown(f.fact) and _is_norm(snake(label_of(f.node))) for f in factors)
        return norms and maker(x.fact)[0] in _INNER
    if not _is_norm(label) or not _is_given(y.fact):
        return False
    stem, above = _NORM.sub("", label).strip("_"), snake(label_of(x.node))
    return bool(stem) and (stem == above or _is_norm(above))


def _is_norm_of(x: Operand, y: Operand) -> bool:
    """`weight / row_norm(weight)`, of a function that is somewhere else: only its name tells."""
    call = within(y, KEEPING).node
    if not isinstance(call, bare.Call) or not call.args or _SAFE.search(snake(called(call))):
        return False
    if any(is_epsilon_for_anything(a.keyword.value) for a in call.args if a.keyword is not None):
        return False
    of = key_of(call.args[0].value)
    return of is not None and of == key_of(x.node) and _is_norm(snake(called(call)))


_SAFE = re.compile(r"(^|_)(safe|stable|smooth\w*|clamp\w*|clip\w*|eps|positive|nonzero)(_|$)")
_INNER = frozenset({Op.DOT, Op.MATMUL, Op.EINSUM, Op.SUM})


def _is_span(x: Operand, y: Operand) -> bool:
    """`(x - low) / (high - low)`, of statistics that were kept: of data that may be constant."""
    above, below = _unscaled(x.fact), y.fact.origin
    if above is None or below is None or not above.op is below.op is Op.SUB:
        return False
    low, high = below.operands.get("y"), below.operands.get("x")
    if low is None or high is None or not (is_unknown(low.fact) and is_unknown(high.fact)):
        return False
    key = key_of(low.node)
    if key is None or key != key_of(above.operands["y"].node):
        return False
    return all(map(_is_kept_statistic, (low, high))) and _are_extremes(low, high)


def _unscaled(fact: Fact) -> Origin | None:
    """The difference in `2 * (x - low)`."""
    origin = fact.origin
    if origin is None or origin.op is not Op.MUL:
        return origin
    factors = [factor.fact for factor in origin.operands.values() if factor.fact.constant is None]
    return factors[0].origin if len(factors) == 1 else origin


def _is_kept_statistic(operand: Operand) -> bool:
    """`stats["min"]`, and what was given that; not a setting, nor the corner of a box."""
    origin = operand.fact.origin
    node = operand.node if origin is None else origin.node
    if isinstance(node, bare.Subscript):
        if entry_of(node) is None:
            return False
    elif not isinstance(node, bare.Attribute):
        return False
    return tells_of_statistics(label_of(node.value))


def _are_extremes(low: Operand, high: Operand) -> bool:
    least, most = snake(label_of(low.node)), snake(label_of(high.node))
    return LOWEST.search(least) is not None and HIGHEST.search(most) is not None
