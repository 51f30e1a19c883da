"""Comparisons: which one a call or an expression is, and which of them hold somewhere.

A mask made by such a one has something true in every row, so that its sum is not 0: what is padded
holds something that is not padding, and nobody is of length 0. An answer may be empty, though: its
prompt was too long, or it ended at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import libcst as cst

from epslint.analysis.fact import Fact, Kind
from epslint.analysis.keys import words_of
from epslint.analysis.operators import MIRRORED, Comparing, operator_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.relations import maker

_PADDING = re.compile(r"(^|_)(pad|padding)(_|$)")
_ANSWER = re.compile(r"(completion|response|answer|label|action|generat|reward|loss)")


def compared(fact: Fact, node: cst.CSTNode, operands: Mapping[str, Operand]) -> Fact:
    """The result of a comparison, with what is known of it as a whole."""
    x, y, operator = operands.get("x"), operands.get("y"), operator_of(node)
    if x is None or y is None or operator is None:
        return fact
    if (kept := x.fact.kinds & (Kind.PEAKED | Kind.PADS)) and x.fact.is_any(Kind.MASK):
        return fact.plus(kept) if _keeps_what_is_one(operator, y.fact.constant) else fact
    somewhere = _holds_somewhere(x, operator, y) or _holds_somewhere(y, MIRRORED[operator], x)
    return fact.plus(Kind.PEAKED) if somewhere else fact


def tells_of_answer(node: cst.BaseExpression) -> bool:
    """Whether the names in an expression are of what a model answers or is judged by."""
    return any(_ANSWER.search(word) for word in words_of(node))


def _holds_somewhere(x: Operand, operator: Comparing, y: Operand) -> bool:
    if tells_of_answer(x.node) or tells_of_answer(y.node):
        return False
    if operator is cst.NotEqual:
        return _is_padding(y)
    if operator in (cst.LessThan, cst.LessThanEqual):
        return maker(x.fact)[0] is Op.ARANGE and x.fact.range.lo == 0 and not y.fact.zero
    return False


def _keeps_what_is_one(operator: Comparing, bound: float | None) -> bool:
    """`attention_mask != 0`, `== 1`, `> 0.5`."""
    if bound is None:
        return False
    above = operator in (cst.GreaterThan, cst.NotEqual) and bound < 1
    return above or (operator in (cst.Equal, cst.GreaterThanEqual) and bound == 1)


def _is_padding(operand: Operand) -> bool:
    words = words_of(operand.node)
    return bool(words) and _PADDING.search(words[-1]) is not None
