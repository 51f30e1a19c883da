"""Wholes: is a value a whole number, whatever its type.

`arange(n).float()` is one for every element, and so are differences and magnitudes of such: nothing
of 1 + k is lost. Asked of the few values whose digits matter, so it is read off how they were made.
"""

from __future__ import annotations

import re

from epslint.analysis.fact import Fact, Kind, replace
from epslint.analysis.keys import called
from epslint.analysis.made.makers import AS_NUMBERS
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.words.names import snake

_COUNTED = Kind.COUNT | Kind.SHAPE | Kind.LENGTH
_CASTING = frozenset({Op.FLOAT, Op.DOUBLE, Op.HALF, Op.BFLOAT16})
# What gives whole numbers of whole numbers.
_KEEPING = AS_NUMBERS | {
    *(Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.ABS, Op.SIGN, Op.SQUARE),
    *(Op.SUM, Op.CUMSUM, Op.MAX, Op.MIN, Op.MAXIMUM, Op.MINIMUM, Op.RELU),
    *(Op.PICK, Op.SELECT, Op.SORT, Op.STACK, Op.GRID, Op.DETACH, Op.AS_TENSOR, Op.TO_NUMPY),
}
_MAKING = frozenset(
    {
        *(Op.INT, Op.BOOL, Op.FLOORDIV, Op.COMPARE, Op.LOGICAL, Op.ONE_HOT, Op.NONZERO),
        *(Op.COUNT_NONZERO, Op.BINCOUNT, Op.ARGMAX, Op.ARGREDUCE, Op.MULTINOMIAL),
    }
)
_OF_TWO = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.MAXIMUM, Op.MINIMUM, Op.GRID})
# What is named so and made a float was a whole number before; durations are in frames.
_INTEGERS = re.compile(
    r"(^|_)(targets?|labels?|durations?|durs?|ids?|idx|index|indices|tokens?|ranks?|"
    r"positions?|steps?|timesteps?|hops?|degrees?|distances?_in_\w+)$"
)
_FAR = 12


def is_whole(operand: Operand, far: int = _FAR) -> bool:
    """Whether every element is a whole number."""
    fact = operand.fact
    if fact.whole or fact.is_any(_COUNTED):
        return True
    origin = fact.origin
    if origin is None or not far:
        return bool(fact.parts) and all(_is_part_whole(operand, part) for _, part in fact.parts)
    if origin.op is Op.ARANGE:
        return all(_is_integer(each.fact) for each in _bounds(origin))
    if origin.op in _MAKING:
        return True
    if origin.op in _CASTING and _is_called_integer(origin):
        return True
    values = _made_of(origin) if origin.op in _KEEPING else []
    return bool(values) and all(is_whole(each, far - 1) for each in values)


def _made_of(origin: Origin) -> list[Operand]:
    """The values that an operation is done with; its other operands are axes, types, places."""
    wanted = ("x", "y") if origin.op in _OF_TWO else ("x",)
    return [origin.operands[name] for name in wanted if name in origin.operands]


def _is_part_whole(whole: Operand, part: Fact) -> bool:
    """Of what is listed: `stack([rows, columns])`."""
    return is_whole(replace(whole, fact=part), _FAR // 2)


def _bounds(origin: Origin) -> list[Operand]:
    return [origin.operands[name] for name in ("start", "end", "step") if name in origin.operands]


def _is_integer(fact: Fact) -> bool:
    """A bound of a count: a fraction is seen to be one."""
    return fact.constant is None or fact.constant == fact.constant // 1


def _is_called_integer(cast: Origin) -> bool:
    x = cast.operands.get("x")
    return x is not None and _INTEGERS.search(snake(called(x.node))) is not None
