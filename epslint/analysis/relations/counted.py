"""Counts of what there is, taken where it is: `np.bincount(ids)[ids]` is 1 at the least."""

from __future__ import annotations

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import Fact, Kind
from epslint.analysis.keys import key_of, only_index, roots_of
from epslint.analysis.made.makers import is_one
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind
from epslint.analysis.ranges import Range

_ADDING = frozenset({Op.SUM, Op.COUNT_NONZERO})
_CASTS = frozenset({Op.TO, Op.FLOAT, Op.DOUBLE, Op.INT, Op.DETACH, Op.TO_NUMPY})


def at_the_counted(counts: Fact, index: Operand, env: Env) -> Fact:
    """The counts of the very things that an index names."""
    origin = behind(counts, _CASTS)
    if origin is None or not counts.zero:
        return counts
    counted, least = _counted(origin)
    if counted is None or not _is_same(counted, index, origin.clock, env):
        return counts
    return counts.within(least)


def _counted(origin: Origin) -> tuple[Operand | None, Range]:
    """What was counted, and how much each of it adds."""
    operands = origin.operands
    if origin.op is Op.BINCOUNT:
        return (None if "weights" in operands else operands.get("x")), ranges.SOME
    if origin.op is Op.SCATTER_SUM and origin.fact("x").range.positive:
        return operands.get("y"), ranges.POSITIVE
    return None, ranges.TOP


def _is_same(counted: Operand, index: Operand, clock: int, env: Env) -> bool:
    return is_one(counted.fact, index.fact) or _is_unchanged(counted.node, index.node, clock, env)


def is_taken_where_counted(x: Operand, count: Fact, env: Env) -> bool:
    """`x[m] / m.sum()`: where nothing is counted, nothing is divided."""
    index = only_index(x.node) if isinstance(x.node, bare.Subscript) else None
    origin = behind(count, _CASTS)
    if index is None or origin is None or origin.op not in _ADDING or "dim" in origin.operands:
        return False
    # Of whole numbers `x[ids] / ids.sum()` is another matter: a sum of them is no count.
    if not count.is_any(Kind.COUNT):
        return False
    return _is_unchanged(origin.operands["x"].node, index, origin.clock, env)


def _is_unchanged(
    counted: bare.BaseExpression, index: bare.BaseExpression, clock: int, env: Env
) -> bool:
    """Written the same, and of names that still mean what they meant."""
    if (key := key_of(index)) is None or key != key_of(counted):
        return False
    return not any(env.assigned_after(name, clock) for name in roots_of(index))
