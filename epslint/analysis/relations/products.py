"""Products: what is known of products and quotients because of what both operands were made of."""

from __future__ import annotations

from collections.abc import Mapping

from epslint.analysis import bare, ranges
from epslint.analysis.fact import UNKNOWN, Evidence, Fact, Kind, replace
from epslint.analysis.keys import evaluated, key_of
from epslint.analysis.made import filters
from epslint.analysis.made.directions import direction, tempered
from epslint.analysis.made.makers import is_one
from epslint.analysis.made.smoothing import smoothed
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, behind
from epslint.analysis.transfer import Call, transfer


def product_with_itself(operands: Mapping[str, Operand]) -> Fact | None:
    """`x @ x` is the squared length of a vector, and 0 where all of it is; a distribution's is
    not, and exponentials would all have to underflow.
    """
    x, y = operands.get("x"), operands.get("y")
    key = None if x is None else key_of(x.node)
    if x is None or y is None or key is None or key != key_of(y.node):
        return None
    if isinstance(x.node, bare.BinaryOperation) and type(x.node.operator) is bare.Add:
        return None  # what something was added to is not 0 as a whole
    fact = transfer(Call(Op.NORM, {"x": x.fact}))
    if x.fact.is_any(Kind.SIMPLEX):
        return replace(fact, range=ranges.POSITIVE)
    if x.fact.is_any(Kind.PROB | Kind.EXP):
        return None
    return replace(fact, zero=min(fact.zero, Evidence.NAMED))


def _quadratic_form(x: Operand, y: Operand) -> Fact | None:
    """`x.dot(A(x))`, as conjugate gradients and trust regions divide by: 0 where x is."""
    for vector, product in ((x, y), (y, x)):
        made, key = behind(product.fact, (Op.SAME,)), key_of(vector.node)
        call = product.node if made is None else made.node
        if key is None or not isinstance(call, bare.Call) or (made and made.op is not Op.CALL):
            continue
        if key in {key_of(argument.value) for argument in call.args}:
            named = Evidence.NAMED
            return Fact(ranges.REAL, kinds=Kind.NORM, ground=named, zero=named)
    return None


def dot_with_itself(operands: Mapping[str, Operand]) -> Fact | None:
    """The same of `x.dot(x)`; numpy's `x.T.dot(x)` may be of matrices, and of either sign."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None:
        return None
    if (form := _quadratic_form(x, y)) is not None:
        return form
    if not isinstance(x.node, bare.Attribute) or x.node.attr.value != "T":
        return product_with_itself(operands)
    upright = {"x": replace(x, node=x.node.value), "y": y}
    fact = product_with_itself(upright)
    return None if fact is None else replace(fact, range=ranges.TOP)


def contracted_with_itself(operands: Mapping[str, Operand]) -> Fact | None:
    """The same of `einsum("bi,bi->b", x, x)`."""
    equation = operands.get("equation")
    if equation is None or not isinstance(equation.node, bare.SimpleString):
        return None
    taken, _, given = str(evaluated(equation.node.value)).replace(" ", "").partition("->")
    first, _, second = taken.partition(",")
    summed = set(first) - set(given)
    return product_with_itself(operands) if first == second and summed else None


def unlisted(operands: dict[str, Operand]) -> dict[str, Operand]:
    """`einsum("bi,bi->b", [x, y])` is `einsum("bi,bi->b", x, y)`."""
    given = operands.get("x")
    if given is None or "y" in operands or not isinstance(given.node, bare.List):
        return operands
    facts = dict(given.fact.parts)  # none of what is starred or long
    each = [
        Operand(element.value, facts.get(position, UNKNOWN))
        for position, element in enumerate(given.node.elements)
    ]
    return {**operands, **dict(zip(("x", "y"), each, strict=False))} if facts else operands


def square(operands: Mapping[str, Operand]) -> Fact | None:
    """`x * x` is `x ** 2`."""
    x, y = operands.get("x"), operands.get("y")
    if x is None or y is None or type(x.node) is not type(y.node):
        return None
    same = x.fact.origin is not None and x.fact.origin is y.fact.origin
    if not same and (key_of(x.node) is None or key_of(x.node) != key_of(y.node)):
        return None
    return transfer(Call(Op.SQUARE, {"x": x.fact}))


def product(operands: Mapping[str, Operand]) -> Fact | None:
    """Products that are known because of what both factors are made of."""
    return (
        square(operands)
        or _times_square(operands)
        or filters.product(operands)
        or smoothed(operands)
    )


def _times_square(operands: Mapping[str, Operand]) -> Fact | None:
    """`2 * s * s`, which is `2 * (s * s)`."""
    left, y = operands["x"].fact.origin, operands["y"]
    if left is None or left.op is not Op.MUL or left.fact("x").constant is None:
        return None
    squared = square({"x": left.operands["y"], "y": y})
    if squared is None:
        return None
    return transfer(Call(Op.MUL, {"x": left.fact("x"), "y": squared}))


def quotient(operands: Mapping[str, Operand]) -> Fact | None:
    """Quotients that are known because of what both sides of the line are made of."""
    return normalised(operands) or direction(operands) or tempered(operands)


def normalised(operands: Mapping[str, Operand]) -> Fact | None:
    """`p / p.sum(-1, keepdim=True)`: shares, which add up to 1."""
    x, y = operands.get("x"), operands.get("y")
    total = None if y is None else behind(y.fact, _AS_IT_IS)
    if x is None or y is None or total is None or total.op is not Op.SUM:
        return None
    if not x.fact.range.nonnegative:
        return None
    summed = total.operands["x"]
    named_alike = key_of(x.node) == key_of(summed.node) is not None
    handed_over = named_alike and summed.fact.origin is x.fact.origin is None
    if not handed_over and not is_one(summed.fact, x.fact):
        return None  # by now its name may mean something else
    fact = transfer(Call(Op.DIV, {"x": x.fact, "y": replace(y.fact, kinds=Kind.SUM)}))
    kinds = (x.fact.kinds & Kind.PROB) | Kind.SIMPLEX
    return replace(fact.plus(kinds), range=fact.range.meet(ranges.UNIT), huge=Evidence.NONE)


_AS_IT_IS = frozenset({Op.SAME, Op.DETACH, Op.FLOAT})
