"""What the logarithm rules share: how the argument of a log was made, and how it is guarded."""

from __future__ import annotations

from epslint.analysis import bare
from epslint.analysis.fact import Fact
from epslint.analysis.keys import dotted
from epslint.analysis.learning.words import tells_of_formula
from epslint.analysis.made.indicators import is_picked_out, tells_of_log_density
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind
from epslint.analysis.reasons import chain, noun, zero_when
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.analysis.words.hints import tells_of_own_log
from epslint.rewrite import changes_in_place, epsilon_text, guard, is_floored
from epslint.rule import Diagnosis, Edit, Fix, Grade
from epslint_rules._confidence import if_data_allow
from epslint_rules._wording import quoted

# Seen through on the way to the operation that matters.
ARRANGING = frozenset({Op.SAME, Op.PICK, Op.SORT, Op.TO, Op.FLOAT, Op.DOUBLE, Op.DETACH})


def maker(fact: Fact, *, through: bool = False) -> Origin | None:
    """The operation that made a value; with `through`, seen through reshapes and selections.

    None for what a stranger gave: that it was a call does not say how it was made.
    """
    origin = behind(fact, ARRANGING if through else ())
    return None if origin is None or origin.op is Op.CALL else origin


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
        confidence=if_data_allow(site, fact),
        why=chain(fact),
        fix=with_epsilon(site, operand),
    )


def with_epsilon(site: Site, operand: Operand) -> Fix:
    """What can be done for every log: an epsilon inside."""
    role = role_of(site, operand.fact)
    epsilon = epsilon_text(site, role, operand.fact)
    message = f"Add {epsilon} inside the log ({role.value})"
    if is_floored(site, operand):
        message = f"Take the log of {epsilon} at the least ({role.value})"
    return Fix(message, Grade.BOUNDED, guard(site, operand, epsilon))


def is_replaceable(site: Site, operand: Operand) -> bool:
    """Whether another function may stand for this log: it is no log2, and `x.log_()` changes no x
    that has a name.
    """
    node = site.node
    if not isinstance(node, bare.Call) or site.operand("base") is not None:
        return False
    name = node.func.attr if isinstance(node.func, bare.Attribute) else node.func
    if not isinstance(name, bare.Name) or name.value.rstrip("_") != "log":
        return False
    return isinstance(operand.node, bare.Call | bare.BinaryOperation) or not changes_in_place(
        site, operand
    )


def is_harmless(site: Site) -> bool:
    """Whether an infinite log is replaced later and nothing is differentiated, becomes a whole
    number (the bucket of a distance), or is only read or drawn from. Of a distribution's own
    `log_cdf`, or of what lies outside its support, it is the right answer.
    """
    if site.rounded or site.read_out or site.chosen_by:
        return True
    if site.scope.owner and tells_of_own_log(site.scope.function):
        return True
    if _is_outside_support(site):
        return True
    if site.chosen is None or site.chosen["x"].zeroable:
        return False
    return not site.learned.evidence


def _is_outside_support(site: Site) -> bool:
    """Whether a distribution gives -inf for what it does not give: `log(where(inside, p, 0))`."""
    if not tells_of_log_density(site.scope.function):
        return False
    return any(map(tells_of_formula, site.scope.kin)) and is_picked_out(site.fact("x"))


def log_softmax_for(site: Site, softmax: Origin) -> Edit | None:
    """The edit that turns the name `softmax` into `log_softmax`; not that of a `self.softmax`."""
    func = softmax.node.func if isinstance(softmax.node, bare.Call) else None
    if isinstance(func, bare.Name):
        return _imported_log_softmax(site, softmax, func)
    if not isinstance(func, bare.Attribute) or func.attr.value != "softmax":
        return None
    library = (dotted(func) or "").partition(".")[0] in site.scope.imports
    x = softmax.operands.get("x")
    if not library and (x is None or x.node is not func.value):
        return None
    return Edit(softmax.unit.span(func.attr), "log_softmax")


def _imported_log_softmax(site: Site, softmax: Origin, func: bare.Name) -> Edit | None:
    """After `from torch.nn.functional import softmax`: the library's own name for its sister."""
    library, _, name = site.scope.imports.get(func.value, "").rpartition(".")
    if name != "softmax":
        return None
    sister = site.scope.imported(f"{library}.log_softmax")
    outer = site.scope.alias(library)
    if sister is None and outer is None:
        return None
    return Edit(softmax.unit.span(func), sister or f"{outer}.log_softmax")


def as_log_softmax(site: Site, softmax: Origin) -> str | None:
    """The call of a softmax as one of log_softmax, with the same arguments."""
    edit = log_softmax_for(site, softmax)
    if edit is None:
        return None
    span, text = softmax.unit.span(softmax.node), softmax.unit.source.text
    return text[span.start : edit.span.start] + edit.content + text[edit.span.end : span.end]
