"""Makers: which operation made a value, seen through rearrangements, and of what."""

from __future__ import annotations

from collections.abc import Collection

from epslint.analysis import bare
from epslint.analysis.fact import Fact
from epslint.analysis.keys import key_of, label_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind
from epslint.analysis.uses.ends import CAPPING
from epslint.analysis.words.hints import tells_of_bound

# A mask as numbers, of whatever type and in whatever shape.
AS_NUMBERS = frozenset({Op.SAME, Op.TO, Op.FLOAT, Op.DOUBLE, Op.HALF, Op.BFLOAT16, Op.INT, Op.BOOL})
_ARRANGING = frozenset({Op.SAME, Op.ITEM, Op.FLOAT, Op.DOUBLE, Op.TO, Op.PICK, Op.SORT})
_SELECTING = frozenset(
    {Op.SAME, Op.PICK, Op.SORT, Op.SELECT, Op.TOP_K, Op.MAX, Op.MIN, Op.TO, Op.FLOAT, Op.ITEM}
)


def maker(fact: Fact) -> tuple[Op | None, str | None]:
    """The operation that made a value, and the key of what it was made of; none where it may have
    been made out of sight.
    """
    origin = fact.origin
    while origin is not None and "x" in origin.operands:
        if fact.elsewhere:
            return None, None
        fact = origin.operands["x"].fact
        inner = fact.origin
        through_detach = origin.op is Op.DETACH and inner is not None and inner.op is Op.MAX
        if origin.op not in _ARRANGING and not through_detach:
            return origin.op, key_of(origin.operands["x"].node)
        origin = inner
    return (None if origin is None else origin.op), None


def undoes_log(exponential: Origin) -> bool:
    """`exp(log(x))` is x again, also where the log was taken in a helper: it cannot overflow."""
    log = behind(exponential.fact("x"), _ARRANGING | {Op.STACK})
    return log is not None and log.op is Op.LOG


def is_one(x: Fact, y: Fact, through: Collection[Op] = ()) -> bool:
    """Whether two values were made by one operation, whatever they were called since."""
    made = behind(x, through)
    return made is not None and made is behind(y, through)


def is_some_of(part: Operand, key: str) -> bool:
    """Whether it is what the key names, or elements of it."""
    return whole_of(part, key) is not None


def whole_of(part: Operand, key: str) -> Operand | None:
    """What the key named when some of its elements were chosen, if these are such."""
    operand: Operand | None = part
    while operand is not None:
        if key_of(operand.node) == key:
            return operand
        origin = operand.fact.origin
        chosen = origin is not None and origin.op in _SELECTING
        operand = origin.operands.get("x") if origin is not None and chosen else None
    return None


# Operations that are written as methods and as functions, of the same module or another.
_SPELLED_TWICE = frozenset(
    {Op.SUM, Op.MEAN, Op.STD, Op.VAR, Op.NORM, Op.MAX, Op.MIN, Op.COUNT_NONZERO, Op.NUMEL, Op.LEN}
)


def meaning_of(fact: Fact) -> str | None:
    """A key for what an expression means, however it is spelled: `x.sum()` and `np.sum(x)`."""
    origin = fact.origin
    if origin is None or origin.op not in _SPELLED_TWICE:
        return None
    given = {name: key_of(operand.node) for name, operand in origin.operands.items()}
    if None in given.values():
        return None
    given = {name: key for name, key in given.items() if not _goes_without_saying(name, key)}
    return f"{origin.op.name}({','.join(f'{name}={given[name]}' for name in sorted(given))})"


def _goes_without_saying(name: str, key: str | None) -> bool:
    """`x.norm(p=2, keepdim=True)` is `x.norm()`, as far as its values go."""
    return name == "keepdim" or (name == "p" and key in _EUCLIDEAN)


_EUCLIDEAN = frozenset({"2", "2.0", "'fro'", '"fro"'})


def is_ceiling(origin: Origin | None) -> bool:
    """Whether an operation puts an upper bound to its result, whichever that is."""
    if origin is not None and origin.op is Op.CALL:
        return is_given_bounds(origin.node)
    if origin is not None and origin.op is Op.STANDARDIZE:
        return True  # of n numbers none is larger than the root of n
    if origin is None or origin.op not in CAPPING:
        return False
    return origin.op is not Op.CLAMP or "max" in origin.operands


def is_held_fixed(fact: Fact) -> bool:
    """`tf.Variable(x, trainable=False)`, `nn.Parameter(x, requires_grad=False)`: what nothing
    learns.
    """
    node = None if fact.origin is None else fact.origin.node
    return isinstance(node, bare.Call) and any(map(_forbids_learning, node.args))


def _forbids_learning(argument: bare.Arg) -> bool:
    named = argument.keyword is not None and argument.keyword.value in _LEARNING
    return named and key_of(argument.value) == "False"


_LEARNING = frozenset({"trainable", "requires_grad"})
_SQUASHING = frozenset({Op.TANH, Op.SIGMOID, Op.HARD_SIGMOID})
_SHIFTING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.SAME})


def is_squashed(origin: Origin | None, steps: int = 6) -> bool:
    """Whether a value is a squashed one, brought to other bounds: `low + scale * (tanh(x) + 1)`."""
    if origin is None or not steps:
        return False
    if origin.op in _SQUASHING:
        return True
    operands = origin.operands.values() if origin.op in _SHIFTING else ()
    return any(is_squashed(operand.fact.origin, steps - 1) for operand in operands)


def is_given_bounds(node: bare.BaseExpression) -> bool:
    """`squashed(log_std, log_std_min, log_std_max)`: who is given bounds keeps to them; and so does
    who only looks something up in what was clipped, `extract(log_variance_clipped, t)`.
    """
    if not isinstance(node, bare.Call):
        return False
    given = (label_of(argument.value) for argument in node.args)
    return any(tells_of_bound(label) for label in given if label)


# What is any number is so in part, in another shape, turned around, or by another scale.
_PASSING = frozenset(
    {
        *(Op.SAME, Op.PICK, Op.SELECT, Op.TO, Op.FLOAT, Op.DOUBLE, Op.HALF, Op.BFLOAT16),
        *(Op.NEG, Op.MUL, Op.DIV, Op.DETACH),
    }
)


def is_of_layer(fact: Fact) -> bool:
    """Whether it is what a layer gives that ends in no activation, on every path that made it."""
    origin = fact.origin
    for _ in range(_STEPS):
        if origin is None or fact.elsewhere or fact.rivals:
            return False
        if origin.op is Op.AFFINE:
            return True
        if origin.op not in _PASSING or "x" not in origin.operands:
            return False
        x, y = origin.fact("x"), origin.fact("y")
        fact = y if x.constant is not None else x
        origin = fact.origin
    return False


_STEPS = 8  # of how a value was made, no more are looked at


def is_made_of(fact: Fact, key: str) -> bool:
    """Whether a value was made of what the key names, step by step, and of nothing else."""
    origin = fact.origin
    for _ in range(_STEPS):
        if origin is None or (x := origin.operands.get("x")) is None:
            return False
        if key_of(x.node) == key:
            return True
        origin = x.fact.origin
    return False
