"""What a tree is made of, white space apart; and which node of two trees is which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

import libcst as cst

# What a node consists of, white space apart, in the order of the text.
_FIELDS: Mapping[type[cst.CSTNode], tuple[str, ...]] = MappingProxyType(
    {
        cst.AnnAssign: ("target", "annotation", "value"),
        cst.Annotation: ("annotation",),
        cst.Arg: ("keyword", "value"),
        cst.AsName: ("name",),
        cst.Assert: ("test", "msg"),
        cst.Assign: ("targets", "value"),
        cst.AssignTarget: ("target",),
        cst.Attribute: ("value", "attr"),
        cst.AugAssign: ("target", "value"),
        cst.Await: ("expression",),
        cst.BinaryOperation: ("left", "right"),
        cst.BooleanOperation: ("left", "right"),
        cst.Call: ("func", "args"),
        cst.ClassDef: ("decorators", "name", "bases", "keywords", "body"),
        cst.CompFor: ("target", "iter", "ifs", "inner_for_in"),
        cst.CompIf: ("test",),
        cst.Comparison: ("left", "comparisons"),
        cst.ComparisonTarget: ("comparator",),
        cst.Decorator: ("decorator",),
        cst.Del: ("target",),
        cst.Dict: ("elements",),
        cst.DictComp: ("key", "value", "for_in"),
        cst.DictElement: ("key", "value"),
        cst.Element: ("value",),
        cst.Else: ("body",),
        cst.ExceptHandler: ("type", "name", "body"),
        cst.ExceptStarHandler: ("type", "name", "body"),
        cst.Expr: ("value",),
        cst.Finally: ("body",),
        cst.For: ("target", "iter", "body", "orelse"),
        cst.FormattedString: ("parts",),
        cst.FormattedStringExpression: ("expression",),
        cst.From: ("item",),
        cst.FunctionDef: ("decorators", "name", "params", "returns", "body"),
        cst.GeneratorExp: ("elt", "for_in"),
        cst.If: ("test", "body", "orelse"),
        cst.IfExp: ("body", "test", "orelse"),
        cst.IndentedBlock: ("body",),
        cst.Index: ("value",),
        cst.Lambda: ("params", "body"),
        cst.List: ("elements",),
        cst.ListComp: ("elt", "for_in"),
        cst.NamedExpr: ("target", "value"),
        cst.Param: ("name", "annotation", "default"),
        cst.Parameters: ("posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"),
        cst.Raise: ("exc", "cause"),
        cst.Return: ("value",),
        cst.Set: ("elements",),
        cst.SetComp: ("elt", "for_in"),
        cst.SimpleStatementLine: ("body",),
        cst.SimpleStatementSuite: ("body",),
        cst.Slice: ("lower", "upper", "step"),
        cst.StarredDictElement: ("value",),
        cst.StarredElement: ("value",),
        cst.Subscript: ("value", "slice"),
        cst.SubscriptElement: ("slice",),
        cst.Try: ("body", "handlers", "orelse", "finalbody"),
        cst.TryStar: ("body", "handlers", "orelse", "finalbody"),
        cst.Tuple: ("elements",),
        cst.UnaryOperation: ("expression",),
        cst.While: ("test", "body", "orelse"),
        cst.With: ("items", "body"),
        cst.WithItem: ("item", "asname"),
        cst.Yield: ("value",),
    }
)
# These consist of nothing, or of nothing that is ever looked at.
_LEAVES = frozenset(
    {
        cst.Break,
        cst.Continue,
        cst.Ellipsis,
        cst.Float,
        cst.Global,
        cst.Imaginary,
        cst.Import,
        cst.ImportFrom,
        cst.Integer,
        cst.Name,
        cst.Nonlocal,
        cst.ParamStar,
        cst.Pass,
        cst.SimpleString,
    }
)
# Statements on one line, or under one header: it is the statements that matter.
_LINES = (cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.IndentedBlock)


class UnlikeError(Exception):
    """Something that has no bare form, or a full tree that is not the twin of a bare one."""

    def __init__(self) -> None:
        super().__init__("ast and LibCST read these lines differently")


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What a node consists of; of a full tree too, and far quicker than LibCST's own way."""
    kind = type(node)
    if kind in _LEAVES:
        return
    fields = _FIELDS.get(kind)
    if fields is None:
        yield from node.children
        return
    for field in fields:
        value = getattr(node, field)
        kind = type(value)
        if kind is list or kind is tuple:
            yield from value
        elif kind is not str and value is not None and kind is not cst.MaybeSentinel:
            yield value


def twins(
    bare: Iterable[cst.CSTNode], full: Iterable[cst.CSTNode]
) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """The nodes of two trees of the same text, pair by pair."""
    waiting = [(bare, full)]
    while waiting:
        mine, theirs = map(list, map(_opened, waiting.pop()))
        if list(map(_sort, mine)) != list(map(_sort, theirs)):
            raise UnlikeError
        for one, other in zip(mine, theirs, strict=True):
            yield one, other
            waiting.append((_contents(one), _contents(other)))


def _sort(node: cst.CSTNode) -> type[cst.CSTNode]:
    """`ast` makes one text of adjacent ones."""
    return cst.BaseString if isinstance(node, cst.BaseString) else type(node)


def _opened(nodes: Iterable[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """The nodes, those that only hold statements together opened."""
    for node in nodes:
        if isinstance(node, _LINES):
            yield from _opened(node.body)
        else:
            yield node


def _contents(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What a node consists of; of a text, the expressions in it."""
    if isinstance(node, cst.ConcatenatedString):
        yield from _contents(node.left)
        yield from _contents(node.right)
    elif isinstance(node, cst.FormattedString):
        yield from (p for p in node.parts if isinstance(p, cst.FormattedStringExpression))
    else:
        yield from children(node)
