"""What the loss rules share: the activation that a loss is fed, and the loss without it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from epslint.analysis import bare
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.rewrite import is_primary, rewritten
from epslint.rule import Edit
from epslint.source import Span
from epslint_rules._logarithm import maker


def activation(operand: Operand, ops: AbstractSet[Op]) -> Origin | None:
    """The activation that made an operand, seen through reshapes."""
    origin = maker(operand.fact, through=True)
    return origin if origin is not None and origin.op in ops else None


def fed_with(site: Site, operand: Operand, made: Origin, content: str) -> tuple[Edit, ...] | None:
    """The loss fed with `content` where the activation `made` stood; None where that is out of
    reach: in a helper, or under names that mean something else by now.
    """
    whole = operand.fact.origin
    if whole is None or "x" not in site.repeatable or whole.unit is not made.unit:
        return None
    outer, inner = whole.unit.span(whole.node), made.unit.span(made.node)
    if not outer.start <= inner.start <= inner.end <= outer.end:
        return None
    text = whole.unit.source.text
    after = text[inner.end : outer.end]
    if after and not is_primary(content):
        content = f"({content})"
    return rewritten(site.unit, operand.node, text[outer.start : inner.start] + content + after)


def argument_text(made: Origin) -> str | None:
    """What an activation was applied to, as it is written."""
    argument = made.operands.get("x")
    if argument is None or not isinstance(made.node, bare.Call):
        return None
    return made.unit.source.slice(made.unit.span(argument.node))


def renamed(site: Site, old: str, new: str) -> Edit | None:
    """The edit that gives a library's function, called here as an attribute, another name."""
    func = site.node.func if isinstance(site.node, bare.Call) else None
    if not isinstance(func, bare.Attribute) or func.attr.value != old:
        return None
    return Edit(site.unit.span(func.attr), new)


def closing(site: Site) -> Span:
    """Where another argument of the call would go."""
    assert isinstance(site.node, bare.Call)
    end = site.unit.outer_span(site.node.args[-1].value).end
    return Span(end, end)
