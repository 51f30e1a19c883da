"""Comparisons: which one a call or an expression is, and which of them hold somewhere.

A mask made by such a one has something true in every row, so that its sum is not 0: what is padded
holds something that is not padding, and nobody is of length 0. An answer may be empty, though: its
prompt was too long, or it ended at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.env import Env
from epslint.analysis.fact import Fact, Kind, replace
from epslint.analysis.guards.members import is_taken_from
from epslint.analysis.keys import crops, key_of, words_of
from epslint.analysis.made.makers import is_one, maker
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, layers
from epslint.analysis.words.operators import (
    BELOW,
    MIRRORED,
    OPPOSITE,
    Comparing,
    connective_of,
    operator_of,
)

_PADDING = re.compile(r"(^|_)(pad|padding)(_|$)")
_ANSWER = re.compile(r"(completion|response|answer|label|action|generat|reward|loss)")


def compared(fact: Fact, node: bare.Node, operands: Mapping[str, Operand], env: Env) -> Fact:
    """The result of a comparison, with what is known of it as a whole."""
    x, y, operator = operands.get("x"), operands.get("y"), operator_of(node)
    if x is None or y is None or operator is None:
        return fact
    if (kept := x.fact.kinds & (Kind.PEAKED | Kind.PADS)) and x.fact.is_any(Kind.MASK):
        return fact.plus(kept) if _keeps_what_is_one(operator, y.fact.constant) else fact
    ways = ((x, operator, y), (y, MIRRORED[operator], x))
    somewhere = any(_is_one_of_them(*way, env) or _holds_somewhere(*way) for way in ways)
    return fact.plus(Kind.PEAKED) if somewhere else fact


def caps(test: Fact, truth: bool, value: Fact) -> bool:
    """Whether a value is below some bound where a test is `truth`: `(r >= low) & (r <= high)`."""
    origin = test.origin
    if origin is None or value.origin is None:
        return False
    if origin.op is Op.COMPARE:
        return _is_below(origin, truth, value)
    if origin.op in _FINITE:
        return truth is _FINITE[origin.op] and is_one(origin.fact("x"), value, _UNCHANGED)
    return origin.op is Op.LOGICAL and _caps_together(origin, truth, value)


def _caps_together(origin: Origin, truth: bool, value: Fact) -> bool:
    way = connective_of(origin.node)
    if way is bare.BitInvert:
        return caps(origin.fact("x"), not truth, value)
    sides = [caps(origin.fact(name), truth, value) for name in ("x", "y")]
    # A true `and` makes both true and a false `or` makes both false; else either may be it.
    return way is not None and (any(sides) if (way is bare.BitAnd) == truth else all(sides))


def _is_below(origin: Origin, truth: bool, value: Fact) -> bool:
    operator = operator_of(origin.node)
    if operator is None:
        return False
    holding = operator if truth else OPPOSITE[operator]
    if is_one(origin.fact("x"), value, _UNCHANGED):
        return holding in BELOW
    return MIRRORED[holding] in BELOW and is_one(origin.fact("y"), value, _UNCHANGED)


_FINITE: Mapping[Op, bool] = MappingProxyType({Op.ISFINITE: True, Op.ISINF: False})
_UNCHANGED = frozenset({Op.SAME, Op.DETACH, Op.FLOAT})
_ARRANGED = frozenset({Op.SAME})


_PROMPT = re.compile(r"(^|_)prompt(_|$)")


def tells_of_answer(node: bare.BaseExpression) -> bool:
    """Whether the names in an expression are of what a model answers or is judged by; so is what is
    left of a text without its prompt, `ids[:, prompt_length:]`.
    """
    words = words_of(node)
    rest = isinstance(node, bare.Subscript) and crops(node)
    return any(map(_ANSWER.search, words)) or (rest and any(map(_PROMPT.search, words)))


def _is_one_of_them(x: Operand, operator: Comparing, y: Operand, env: Env) -> bool:
    """`labels == group` for a group out of `np.unique(labels)`, or for each of them at once."""
    wholes = layers(x, _ARRANGED) if operator is bare.Equal else ()
    return any(is_taken_from(whole.node, y.fact, env) for whole in wholes)


def _holds_somewhere(x: Operand, operator: Comparing, y: Operand) -> bool:
    if any(rule(x, operator, y) for rule in _ALWAYS):
        return True
    if tells_of_answer(x.node) or tells_of_answer(y.node):
        return False
    return any(rule(x, operator, y) for rule in _USUALLY)


def _is_not_padding(x: Operand, operator: Comparing, y: Operand) -> bool:
    return operator is bare.NotEqual and _is_padding(y)


def _is_possible(x: Operand, operator: Comparing, y: Operand) -> bool:
    """Something of a distribution is not 0."""
    return operator is bare.GreaterThan and y.fact.constant == 0 and x.fact.is_any(Kind.SIMPLEX)


def _is_itself(x: Operand, operator: Comparing, y: Operand) -> bool:
    """`x == x`, but for NaN."""
    return operator is bare.Equal and key_of(x.node) == key_of(y.node) is not None


def _is_within(x: Operand, operator: Comparing, y: Operand) -> bool:
    """`arange(n) < lengths`."""
    if operator not in BELOW:
        return False
    return maker(x.fact)[0] is Op.ARANGE and x.fact.range.lo == 0 and not y.fact.zero


def _is_extreme(x: Operand, operator: Comparing, y: Operand) -> bool:
    """`x == x.max()`."""
    reaching, key, fact = _REACHING.get(operator), key_of(x.node), y.fact
    if reaching is None or key is None:
        return False
    makers = (maker(replace(fact, origin=origin)) for origin in (fact.origin, *fact.rivals))
    return any(op in reaching and made == key for op, made in makers)


_ALWAYS = (_is_itself, _is_extreme)
_USUALLY = (_is_not_padding, _is_possible, _is_within)  # unless it is of an answer


# The largest element is as large as the largest; by another norm nobody would ask.
_REACHING: Mapping[Comparing, frozenset[Op]] = MappingProxyType(
    {
        bare.Equal: frozenset({Op.MAX, Op.MIN, Op.NORM}),
        bare.GreaterThanEqual: frozenset({Op.MAX, Op.NORM}),
        bare.LessThanEqual: frozenset({Op.MIN}),
    }
)
_EXTREME = re.compile(
    r"(^|_)(max|min|maxi?mum|mini?mum|best|greedy|largest|smallest|highest|lowest)(_|$)"
)


def keeps_best(test: bare.BaseExpression) -> bool:
    """`q[a] == max_q` as a filter: something is as good as the best."""
    if not isinstance(test, bare.Comparison) or len(test.comparisons) != 1:
        return False
    (target,) = test.comparisons
    if type(target.operator) not in _REACHING:
        return False
    sides = (words_of(test.left)[:1], words_of(target.comparator)[:1])
    return any(_EXTREME.search(word) for side in sides for word in side)


def _keeps_what_is_one(operator: Comparing, bound: float | None) -> bool:
    """`attention_mask != 0`, `== 1`, `> 0.5`."""
    if bound is None:
        return False
    above = operator in (bare.GreaterThan, bare.NotEqual) and bound < 1
    return above or (operator in (bare.Equal, bare.GreaterThanEqual) and bound == 1)


def _is_padding(operand: Operand) -> bool:
    words = words_of(operand.node)
    return bool(words) and _PADDING.search(words[-1]) is not None
