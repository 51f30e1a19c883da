"""Kinds of statements, and of what they consist of.

The fields of a kind are in the order of the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epslint.analysis.bare.nodes.base import BaseExpression, BaseStatement, IndentedBlock, Node
from epslint.analysis.bare.nodes.expressions import Annotation, Arg, From, Name, Parameters
from epslint.analysis.bare.nodes.operators import BaseAugOp


@dataclass(eq=False, repr=False, slots=True)
class Expr(BaseStatement):
    """An expression whose value nobody takes."""

    value: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class AssignTarget(Node):
    """What is assigned to."""

    target: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class Assign(BaseStatement):
    """`target = value`"""

    targets: Sequence[AssignTarget]
    value: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class AnnAssign(BaseStatement):
    """`target: annotation = value`"""

    target: BaseExpression
    annotation: Annotation
    value: BaseExpression | None


@dataclass(eq=False, repr=False, slots=True)
class AugAssign(BaseStatement):
    """`target += value`"""

    target: BaseExpression
    operator: BaseAugOp
    value: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class Del(BaseStatement):
    """`del target`"""

    target: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class Return(BaseStatement):
    """`return value`"""

    value: BaseExpression | None


@dataclass(eq=False, repr=False, slots=True)
class Raise(BaseStatement):
    """`raise exc from cause`"""

    exc: BaseExpression | None
    cause: From | None


@dataclass(eq=False, repr=False, slots=True)
class Assert(BaseStatement):
    """`assert test, msg`"""

    test: BaseExpression
    msg: BaseExpression | None


class Pass(BaseStatement):
    """`pass`, or what means nothing to the analysis: `type X = Y`."""

    __slots__ = ()


class Break(BaseStatement):
    """`break`"""

    __slots__ = ()


class Continue(BaseStatement):
    """`continue`"""

    __slots__ = ()


class Global(BaseStatement):
    """`global x`"""

    __slots__ = ()


class Nonlocal(BaseStatement):
    """`nonlocal x`"""

    __slots__ = ()


class Import(BaseStatement):
    """`import x`, which the scout has read."""

    __slots__ = ()


class ImportFrom(BaseStatement):
    """`from x import y`, which the scout has read."""

    __slots__ = ()


@dataclass(eq=False, repr=False, slots=True)
class Else(Node):
    """`else:`"""

    body: IndentedBlock


@dataclass(eq=False, repr=False, slots=True)
class If(BaseStatement):
    """`if test:`; an `elif` is an `If` in its place."""

    test: BaseExpression
    body: IndentedBlock
    orelse: If | Else | None


@dataclass(eq=False, repr=False, slots=True)
class For(BaseStatement):
    """`for target in iter:`"""

    target: BaseExpression
    iter: BaseExpression
    body: IndentedBlock
    orelse: Else | None


@dataclass(eq=False, repr=False, slots=True)
class While(BaseStatement):
    """`while test:`"""

    test: BaseExpression
    body: IndentedBlock
    orelse: Else | None


@dataclass(eq=False, repr=False, slots=True)
class AsName(Node):
    """`as name`"""

    name: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class WithItem(Node):
    """`item as name`"""

    item: BaseExpression
    asname: AsName | None


@dataclass(eq=False, repr=False, slots=True)
class With(BaseStatement):
    """`with items:`"""

    items: Sequence[WithItem]
    body: IndentedBlock


@dataclass(eq=False, repr=False, slots=True)
class ExceptHandler(Node):
    """`except type as name:`"""

    type: BaseExpression | None
    name: AsName | None
    body: IndentedBlock


@dataclass(eq=False, repr=False, slots=True)
class Finally(Node):
    """`finally:`"""

    body: IndentedBlock


@dataclass(eq=False, repr=False, slots=True)
class Try(BaseStatement):
    """`try:`"""

    body: IndentedBlock
    handlers: Sequence[ExceptHandler]
    orelse: Else | None
    finalbody: Finally | None


class BasePattern(Node):
    """What a case is compared with."""

    __slots__ = ()


@dataclass(eq=False, repr=False, slots=True)
class MatchPattern(BasePattern):
    """A list of patterns, a class, a choice."""

    parts: Sequence[BasePattern]


@dataclass(eq=False, repr=False, slots=True)
class MatchValue(BasePattern):
    """`case value:`"""

    value: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class MatchAs(BasePattern):
    """`case pattern as name:`, `case name:`, `case _:`"""

    pattern: BasePattern | None
    name: Name | None


@dataclass(eq=False, repr=False, slots=True)
class MatchStar(BasePattern):
    """`*name`, `**name`"""

    name: Name | None


@dataclass(eq=False, repr=False, slots=True)
class MatchCase(Node):
    """`case pattern if guard:`"""

    pattern: BasePattern
    guard: BaseExpression | None
    body: IndentedBlock


@dataclass(eq=False, repr=False, slots=True)
class Match(BaseStatement):
    """`match subject:`"""

    subject: BaseExpression
    cases: Sequence[MatchCase]


@dataclass(eq=False, repr=False, slots=True)
class Decorator(Node):
    """`@decorator`"""

    decorator: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class FunctionDef(BaseStatement):
    """`def name(params) -> returns:`"""

    decorators: Sequence[Decorator]
    name: Name
    params: Parameters
    returns: Annotation | None
    body: IndentedBlock


@dataclass(eq=False, repr=False, slots=True)
class ClassDef(BaseStatement):
    """`class name(bases, keywords):`"""

    decorators: Sequence[Decorator]
    name: Name
    bases: Sequence[Arg]
    keywords: Sequence[Arg]
    body: IndentedBlock
