"""Members: is a value one of those that there are, so that something is equal to it, or has it."""

from __future__ import annotations

from epslint.analysis import bare
from epslint.analysis.env import Env
from epslint.analysis.fact import Fact
from epslint.analysis.keys import key_of, roots_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Origin, behind

# What hands the members of a collection on, one by one.
_ONE_BY_ONE = frozenset({Op.SAME, Op.DETACH, Op.FLOAT, Op.SORT, Op.ITEM, Op.TO_LIST, Op.TO_NUMPY})


def is_taken_from(whole: bare.BaseExpression, value: Fact, env: Env) -> bool:
    """Whether a value is one of the different ones that there are in `whole`."""
    made = distinct(value)
    if made is None or made.frame not in env.frames:
        return False
    source = made.operands["x"]
    if key_of(source.node) == key_of(whole) is not None:
        return not any(env.assigned_after(name, made.clock) for name in roots_of(whole))
    return is_taken_from(whole, source.fact, env)  # `set(key for row in rows for key in row)`


def distinct(value: Fact) -> Origin | None:
    """Which operation gave the different values that it is one of, or all of: `np.unique(x)`."""
    made = behind(value, _ONE_BY_ONE)
    return made if made is not None and made.op is Op.UNIQUE and "x" in made.operands else None


def is_key_of_some(test: bare.BaseExpression, loop: bare.CompFor, key: Fact, env: Env) -> bool:
    """`key in row` as it is asked of each row of `rows`, for a key out of
    `{key for row in rows for key in row}`: one of them has it.
    """
    if not isinstance(test, bare.Comparison) or len(test.comparisons) != 1:
        return False
    (target,) = test.comparisons
    if not isinstance(target.operator, bare.In) or loop.inner_for_in is not None:
        return False
    same = key_of(target.comparator) == key_of(loop.target) is not None
    return same and is_taken_from(loop.iter, key, env)


def gathers_keys(element: bare.BaseExpression, loop: bare.CompFor) -> bool:
    """`{key for row in rows for key in row}`."""
    inner = loop.inner_for_in
    if inner is None or inner.inner_for_in is not None or loop.ifs or inner.ifs:
        return False
    row, rows = key_of(loop.target), inner.iter
    if isinstance(rows, bare.Call) and isinstance(rows.func, bare.Attribute) and not rows.args:
        rows = rows.func.value if rows.func.attr.value == "keys" else rows
    same = key_of(element) == key_of(inner.target) is not None
    return same and row is not None and key_of(rows) == row
