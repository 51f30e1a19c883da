"""Rewriting: guards as edits of the text, with no more parentheses than Python needs.

Edits insert; they never print a tree again. So comments, line breaks and odd spacing survive, and
the fixes of nested divisions do not touch each other.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.fact import Fact, Form, Kind
from epslint.analysis.keys import key_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.site import Site
from epslint.analysis.unit import Unit
from epslint.epsilon import Precision, Role, Style, spelled
from epslint.rule import Edit
from epslint.source import Source, Span
from epslint.syntax import read

# What stands looser than `+` and must be wrapped before something is added to it.
_LOOSE = (
    bare.IfExp,
    bare.Lambda,
    bare.BooleanOperation,
    bare.Comparison,
    bare.NamedExpr,
    bare.Tuple,
    bare.GeneratorExp,
    bare.Yield,
)
_LOOSE_OPERATORS = (bare.BitAnd, bare.BitOr, bare.BitXor, bare.LeftShift, bare.RightShift)
# What a method can be called on as it is.
_PRIMARY = (bare.Name, bare.Attribute, bare.Call, bare.Subscript, bare.List, bare.ListComp)


class Slot(Enum):
    """What stands around an operand."""

    TIGHT = auto()  # an operator or a dot: an addition needs parentheses
    LOOSE = auto()  # commas, parentheses of a call, the right side of `/=`: it needs none


def slot_of(site: Site, operand: Operand) -> Slot:
    """What stands around an operand, here or where it got its name."""
    alone = is_alone(site.unit, operand.node)
    return Slot.LOOSE if alone else slot_within(site.node, operand.node)


def slot_within(outer: bare.Node, inner: bare.BaseExpression) -> Slot:
    """What stands around `inner`, which is an operand of `outer`."""
    if isinstance(outer, bare.AugAssign):
        return Slot.LOOSE
    if isinstance(outer, bare.Call) and any(a.value is inner for a in outer.args):
        return Slot.LOOSE
    return Slot.TIGHT


# An `eps=1e-5` in the signature is meant for what is averaged, as in a layer norm. Added to one
# number alone it would show in the result.
_AVERAGED = Kind.VAR | Kind.STD | Kind.SUM | Kind.COUNT | Kind.MEAN | Kind.PROB | Kind.NORM
_FAINT = 1e-7  # what float32 does not see beside 1


def epsilon_text(site: Site, role: Role, guarded: Fact, power: float = 1.0) -> str:
    """The epsilon to write: one that the code has a name for if its size fits, else the number.

    `power` is the order of the pole, its gradient's included.
    """
    precision = _narrowest(site, guarded)
    largest = math.inf if guarded.is_any(_AVERAGED) else _FAINT
    for at_hand in site.scope.epsilons:
        if at_hand.value <= largest and site.hierarchy.fits(role, at_hand.value, precision, power):
            return at_hand.text
    return spelled(site.hierarchy.epsilon(role, precision, power))


def _narrowest(site: Site, guarded: Fact) -> Precision | None:
    """The dtype that overflows first: 1 / 1e-8 is the gradient of a float16 numerator, too."""
    facts = [guarded, *(operand.fact for operand in site.operands.values())]
    known = [fact.dtype.precision for fact in facts if fact.dtype.precision is not None]
    return min(known, key=lambda precision: precision.largest, default=None)


def guard(site: Site, operand: Operand, epsilon: str) -> tuple[Edit, ...]:
    """Edits that keep an operand away from 0, in the style of the settings."""
    floored = is_floored(site, operand)
    if changes_in_place(site, operand):
        method = f".clamp_(min={epsilon})" if floored else f".add_({epsilon})"
        return _with_method(site.unit, operand.node, method)
    if floored:
        form = operand.fact.form
        return floor(site.unit, operand.node, epsilon, form, slot_of(site, operand))
    return add(site.unit, operand.node, epsilon, slot_of(site, operand))


def is_floored(site: Site, operand: Operand) -> bool:
    """Whether a guard is a floor rather than an addition.

    By the settings; and for a norm always: a vector over its own norm is of length 1, and with an
    epsilon added to the norm it would be shorter.
    """
    asked = site.hierarchy.style is Style.CLAMP or operand.fact.is_any(Kind.NORM)
    return asked and (operand.fact.form in _FLOORS or changes_in_place(site, operand))


def changes_in_place(site: Site, operand: Operand) -> bool:
    """Whether an operand is what `x.log_()` changes: a guard that makes a copy would lose that."""
    func = site.node.func if isinstance(site.node, bare.Call) else None
    if not isinstance(func, bare.Attribute) or func.value is not operand.node:
        return False
    return func.attr.value.endswith("_")


def add(unit: Unit, node: bare.BaseExpression, term: str, slot: Slot) -> tuple[Edit, ...]:
    """`node + term`, in place of `node`."""
    inner = unit.span(node)
    opening, closing = ("(", ")") if _is_loose(node) else ("", "")
    if slot is Slot.TIGHT and not unit.parenthesised(node):
        opening, closing = "(" + opening, closing + f" + {term})"
    else:
        closing += f" + {term}"
    return tuple(_around(inner, opening, closing))


_LIBRARIES: Mapping[Form, str] = MappingProxyType(
    {Form.TORCH: "torch", Form.JAX: "jax.numpy", Form.NUMPY: "numpy", Form.TENSORFLOW: "tensorflow"}
)


def apart(site: Site, span: Span, value: Operand, epsilon: str) -> Edit | None:
    """`where(d < 0, d - eps, d + eps)` in place of `span`; None where no library is sure."""
    form = value.fact.form
    wanted = [_LIBRARIES[form]] if form in _LIBRARIES else list(_LIBRARIES.values())
    found = [alias for name in wanted if (alias := site.scope.alias(name)) is not None]
    d = site.unit.text(value.node)
    if not found or (len(found) > 1 and "torch" not in found):
        return None
    if "#" in d or not _repeatable(value.node, value.fact):
        return None
    if isinstance(value.node, bare.BinaryOperation):
        d = f"({d})"
    return Edit(span, f"{found[0]}.where({d} < 0, {d} - {epsilon}, {d} + {epsilon})")


def _repeatable(node: bare.BaseExpression, fact: Fact) -> bool:
    """Whether an expression may be written twice: all its calls are known, and draw no numbers."""
    if "(" not in (key_of(node) or "("):
        return True
    origin = fact.origin
    if origin is None or origin.node is not node or origin.op in (Op.RAND, Op.RANDN):
        return False
    return all(_repeatable(operand.node, operand.fact) for operand in origin.operands.values())


_FLOORS = (Form.TORCH, Form.NUMPY, Form.JAX, Form.NUMBER)


def floor(
    unit: Unit, node: bare.BaseExpression, bound: str, form: Form, slot: Slot
) -> tuple[Edit, ...]:
    """`node.clamp(min=bound)`, `node.clip(min=bound)` or `max(node, bound)`, in place of `node`."""
    if form is Form.NUMBER:
        inner = unit.span(node)
        opening, closing = (
            ("(", ")") if isinstance(node, bare.Tuple | bare.GeneratorExp) else ("", "")
        )
        if unit.parenthesised(node):
            return tuple(_around(unit.outer_span(node), "max", f", {bound})", drop_last=1))
        return tuple(_around(inner, f"max({opening}", f"{closing}, {bound})"))
    method = "clamp" if form is Form.TORCH else "clip"
    return _with_method(unit, node, f".{method}(min={bound})")


def _around(span: Span, opening: str, closing: str, *, drop_last: int = 0) -> Iterator[Edit]:
    if opening:
        yield Edit(Span(span.start, span.start), opening)
    yield Edit(Span(span.end - drop_last, span.end), closing)


def rewritten(unit: Unit, node: bare.BaseExpression, content: str) -> tuple[Edit, ...] | None:
    """`content` in place of `node`; None where a comment inside would be lost."""
    span, outer = unit.span(node), unit.outer_span(node)
    text = unit.source.text
    if "#" in text[span.start : span.end]:
        return None
    if not is_primary(content):
        tight = text[outer.end :].lstrip().startswith((".", "[", "(", "**"))
        return (Edit(span, f"({content})" if tight and not unit.parenthesised(node) else content),)
    # The parentheses of what is now a call are not needed, save for `return(x)` and line breaks.
    tidy = text[outer.start + 1 : outer.end - 1] == text[span.start : span.end]
    alone = tidy and not text[: outer.start].endswith(tuple(_WORD))
    return (Edit(outer if alone and unit.parenthesised(node) else span, content),)


def is_primary(text: str) -> bool:
    """Whether something can be done with an expression as it is written: called, indexed, asked for
    an attribute.
    """
    try:
        (statement,) = bare.statements([ast.Expr(ast.parse(text, mode="eval").body)])
    except (SyntaxError, bare.UnlikeError):  # newer than the Python we run on, or than bare trees
        return False
    return isinstance(statement, bare.Expr) and isinstance(statement.value, _PRIMARY)


def is_alone(unit: Unit, node: bare.BaseExpression) -> bool:
    """Whether nothing stands beside an expression that an operator of its own would bind to."""
    if unit.parenthesised(node):
        return True
    text, span = unit.source.text, unit.outer_span(node)
    before, after = text[: span.start].rstrip(" "), text[span.end :].lstrip(" ")
    opened = before.endswith(("(", "return")) or (before.endswith("=") and before[-2:-1] in " \n")
    return opened and after[:1] in ("", "\n", "\r", ")", "#", ";")


_WORD = "abcdefghijklmnopqrstuvwxyz_"


def clamped(
    unit: Unit, node: bare.BaseExpression, low: str, high: str, *, in_place: bool = False
) -> tuple[Edit, ...]:
    """`node.clamp(low, high)`, in place of `node`; a clamp with only a floor gets its ceiling."""
    if (floor_only := _floor_of(node)) is not None:
        end = unit.span(floor_only).end
        return (Edit(Span(end, end), f", max={high}"),)
    return _with_method(unit, node, f".clamp{'_' if in_place else ''}({low}, {high})")


def _floor_of(node: bare.BaseExpression) -> bare.BaseExpression | None:
    """The bound of `x.clamp(min=bound)` or `torch.clamp(x, min=bound)`."""
    if not isinstance(node, bare.Call) or not isinstance(node.func, bare.Attribute):
        return None
    keywords = [a.keyword.value for a in node.args if a.keyword is not None]
    is_clamp = node.func.attr.value == "clamp" and keywords == ["min"] and len(node.args) <= 2
    last = node.args[-1] if is_clamp else None
    return last.value if last is not None and last.keyword is not None else None


def clamped_below(unit: Unit, node: bare.BaseExpression, low: str) -> tuple[Edit, ...]:
    """`node.clamp(min=low)`, in place of `node`."""
    return _with_method(unit, node, f".clamp(min={low})")


def _with_method(unit: Unit, node: bare.BaseExpression, suffix: str) -> tuple[Edit, ...]:
    outer = unit.outer_span(node)
    if isinstance(node, _PRIMARY) or unit.parenthesised(node):
        return (Edit(Span(outer.end, outer.end), suffix),)
    return tuple(_around(outer, "(", f"){suffix}"))


def masked_out(
    unit: Unit, node: bare.BaseExpression, mask: bare.BaseExpression
) -> tuple[Edit, ...] | None:
    """`node.masked_fill(mask == 0, 0.0)` for `node`; None where a comment would come twice."""
    test = unit.text(mask)
    if "#" in test:
        return None
    test = test if isinstance(mask, _PRIMARY) else f"({test})"
    return _with_method(unit, node, f".masked_fill({test} == 0, 0.0)")


def without_wrapper(
    unit: Unit, outer: bare.Call, inner: bare.BaseExpression
) -> tuple[Edit, ...] | None:
    """`inner` alone, where the call `outer` stood around it; None where a comment would be lost."""
    around, kept = unit.span(outer), unit.outer_span(inner)
    before, after = Span(around.start, kept.start), Span(kept.end, around.end)
    dropped = unit.source.slice(before), unit.source.slice(after)
    if not any("#" in text for text in dropped):
        return Edit(before, ""), Edit(after, "")
    if outer.args and outer.args[0].value is inner and "," not in dropped[1]:
        # The comments stand inside the call's parentheses, which may stay.
        return (Edit(unit.outer_span(outer.func), ""),)
    return None


def _is_loose(node: bare.BaseExpression) -> bool:
    if isinstance(node, bare.BinaryOperation):
        return isinstance(node.operator, _LOOSE_OPERATORS)
    if isinstance(node, bare.UnaryOperation):
        return isinstance(node.operator, bare.Not)
    return isinstance(node, _LOOSE)


def added_import(source: Source, statement: str, name: str) -> Edit | None:
    """An import after the others at the top of a file; None where the name means something else."""
    tree = read(source).tree
    if any(name in _names_bound(node) for node in ast.walk(tree)):
        return None
    body = tree.body
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    docstring = [node for node in body[:1] if isinstance(node, ast.Expr)]
    last = max((node.end_lineno or 0 for node in (*docstring, *imports)), default=0)
    at = source.offset(last + 1)
    return Edit(Span(at, at), statement + _newline(source))


def line_before(source: Source, offset: int, statement: str) -> Edit | None:
    """A statement on a line of its own before the one that begins at `offset`; None where something
    else stands before it on that line.
    """
    start = source.text.rfind("\n", 0, offset) + 1
    indent = source.text[start:offset]
    if indent.strip():
        return None
    return Edit(Span(offset, offset), statement + _newline(source) + indent)


def line_after(source: Source, span: Span, target: str, statement: str) -> Edit | None:
    """A statement on a line of its own after `target = …`, where `span` is the right side; None
    where more stands on those lines.
    """
    start = source.text.rfind("\n", 0, span.start) + 1
    end = source.text.find("\n", span.end)
    left, after = source.text[start : span.start], source.text[span.end : end]
    before = re.fullmatch(rf"([ \t]*){re.escape(target)}[ \t]*=[ \t]*", left)
    if before is None or end < 0 or not re.fullmatch(r"[ \t]*(#.*)?\r?", after):
        return None
    return Edit(Span(end + 1, end + 1), before[1] + statement + _newline(source))


def _newline(source: Source) -> str:
    return "\r\n" if "\r\n" in source.text else "\n"


def _names_bound(node: ast.AST) -> tuple[str | None, ...]:
    """The names that a piece of syntax gives a meaning."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.alias(asname=str(name)):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.alias(name=name):
            return (name.partition(".")[0],)
    return ()
