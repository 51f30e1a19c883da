"""What the logarithm rules share: how the argument of a log was made, and how it is guarded."""

from __future__ import annotations

import libcst as cst

from epslint.analysis.fact import Fact
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.reasons import chain, noun, zero_when
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.rewrite import changes_in_place, epsilon_text, guard
from epslint.rule import Diagnosis, Fix, Grade
from epslint_rules._wording import CONFIDENCE, quoted

# Seen through on the way to the operation that matters.
_ARRANGING = frozenset({Op.SAME, Op.PICK, Op.TO, Op.FLOAT, Op.DOUBLE, Op.DETACH})


def maker(fact: Fact, *, through: bool = False) -> Origin | None:
    """The operation that made a value; with `through`, seen through reshapes and selections."""
    origin = fact.origin
    while through and origin is not None and origin.op in _ARRANGING:
        origin = origin.fact("x").origin
    return origin


def split_sum(origin: Origin, constant: float) -> Operand | None:
    """The other term of `1 + x` or `1 - x`, where the constant is one of the two."""
    x, y = origin.operands.get("x"), origin.operands.get("y")
    if x is None or y is None:
        return None
    if x.fact.constant == constant:
        return y
    return x if origin.op is Op.ADD and y.fact.constant == constant else None


def guarded_log(site: Site, operand: Operand, when: str = "") -> Diagnosis:
    """The finding for a log whose argument can be 0, with an epsilon as its repair."""
    fact = operand.fact
    return Diagnosis(
        span=site.unit.span(operand.node),
        message=f"Log of {quoted(site, operand.node)}, {noun(fact)} in {fact.range}: "
        f"{when or zero_when(fact)}",
        confidence=CONFIDENCE[fact.zero],
        why=chain(fact),
        fix=with_epsilon(site, operand),
    )


def with_epsilon(site: Site, operand: Operand) -> Fix:
    """What can be done for every log: an epsilon inside."""
    role = role_of(site, operand.fact)
    epsilon = epsilon_text(site, role, operand.fact)
    message = f"Add {epsilon} inside the log ({role.value})"
    return Fix(message, Grade.BOUNDED, guard(site, operand, epsilon))


def is_replaceable(site: Site, operand: Operand) -> bool:
    """Whether another function may stand for this log: it is no log2, and `x.log_()` changes no x
    that has a name.
    """
    node = site.node
    if not isinstance(node, cst.Call) or site.operand("base") is not None:
        return False
    name = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
    if not isinstance(name, cst.Name) or name.value.rstrip("_") != "log":
        return False
    return isinstance(operand.node, cst.Call | cst.BinaryOperation) or not changes_in_place(
        site, operand
    )


def repaired_afterwards(site: Site) -> bool:
    """Whether an infinite log is replaced later and nothing is differentiated."""
    return site.chosen is not None and not site.differentiated and not site.chosen["x"].zeroable
