"""Kinds of expressions, and of what they consist of.

The fields of a kind are in the order of the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epslint.analysis.bare.nodes.base import BaseElement, BaseExpression, BaseSlice, Node
from epslint.analysis.bare.nodes.operators import (
    BaseBinaryOp,
    BaseBooleanOp,
    BaseCompOp,
    BaseUnaryOp,
)


@dataclass(eq=False, repr=False, slots=True)
class Name(BaseExpression):
    """A name, also one that is no expression: that of an attribute or of an argument."""

    value: str


@dataclass(eq=False, repr=False, slots=True)
class Integer(BaseExpression):
    """A whole number, as it is written."""

    value: str


@dataclass(eq=False, repr=False, slots=True)
class Float(BaseExpression):
    """A number with a point or an exponent, as it is written."""

    value: str


@dataclass(eq=False, repr=False, slots=True)
class Imaginary(BaseExpression):
    """`2j`"""

    value: str


class Ellipsis(BaseExpression):
    """`...`"""

    __slots__ = ()


@dataclass(eq=False, repr=False, slots=True)
class SimpleString(BaseExpression):
    """A text in its quotes, bytes too."""

    value: str


class Unread(BaseExpression):
    """An expression of a kind that is newer than this analysis: nothing is known of it."""

    __slots__ = ()


@dataclass(eq=False, repr=False, slots=True)
class FormattedStringExpression(Node):
    """What stands in the braces of a formatted text."""

    expression: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class FormattedString(BaseExpression):
    """`f"{x}"`: the braces in it."""

    parts: Sequence[FormattedStringExpression]


@dataclass(eq=False, repr=False, slots=True)
class Attribute(BaseExpression):
    """`value.attr`"""

    value: BaseExpression
    attr: Name


@dataclass(eq=False, repr=False, slots=True)
class Arg(Node):
    """One argument of a call; `star` is `*`, `**` or nothing."""

    star: str
    keyword: Name | None
    value: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class Call(BaseExpression):
    """`func(args)`"""

    func: BaseExpression
    args: Sequence[Arg]


@dataclass(eq=False, repr=False, slots=True)
class Index(BaseSlice):
    """`x[value]`, `x[*value]`"""

    star: str | None
    value: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class Slice(BaseSlice):
    """`x[lower:upper:step]`"""

    lower: BaseExpression | None
    upper: BaseExpression | None
    step: BaseExpression | None


@dataclass(eq=False, repr=False, slots=True)
class SubscriptElement(Node):
    """One of the slices of a subscript."""

    slice: BaseSlice


@dataclass(eq=False, repr=False, slots=True)
class Subscript(BaseExpression):
    """`value[slice]`; `x[(a, b)]` is `x[a, b]`."""

    value: BaseExpression
    slice: Sequence[SubscriptElement]


@dataclass(eq=False, repr=False, slots=True)
class BinaryOperation(BaseExpression):
    """`left + right`"""

    left: BaseExpression
    operator: BaseBinaryOp
    right: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class UnaryOperation(BaseExpression):
    """`-expression`"""

    operator: BaseUnaryOp
    expression: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class BooleanOperation(BaseExpression):
    """`left and right`"""

    left: BaseExpression
    operator: BaseBooleanOp
    right: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class ComparisonTarget(Node):
    """What something is compared with, and how."""

    operator: BaseCompOp
    comparator: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class Comparison(BaseExpression):
    """`left < one <= other`"""

    left: BaseExpression
    comparisons: Sequence[ComparisonTarget]


@dataclass(eq=False, repr=False, slots=True)
class IfExp(BaseExpression):
    """`body if test else orelse`"""

    body: BaseExpression
    test: BaseExpression
    orelse: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class NamedExpr(BaseExpression):
    """`target := value`"""

    target: BaseExpression
    value: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class Await(BaseExpression):
    """`await expression`"""

    expression: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class From(Node):
    """`yield from item`, `raise x from item`"""

    item: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class Yield(BaseExpression):
    """`yield value`"""

    value: BaseExpression | From | None


class Element(BaseElement):
    """One of a collection."""

    __slots__ = ()


class StarredElement(BaseElement):
    """`*value` in a collection."""

    __slots__ = ()


@dataclass(eq=False, repr=False, slots=True)
class List(BaseExpression):
    """`[a, b]`"""

    elements: Sequence[BaseElement]


@dataclass(eq=False, repr=False, slots=True)
class Tuple(BaseExpression):
    """`a, b`"""

    elements: Sequence[BaseElement]


@dataclass(eq=False, repr=False, slots=True)
class Set(BaseExpression):
    """`{a, b}`"""

    elements: Sequence[BaseElement]


@dataclass(eq=False, repr=False, slots=True)
class DictElement(Node):
    """`key: value`"""

    key: BaseExpression
    value: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class StarredDictElement(Node):
    """`**value`"""

    value: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class Dict(BaseExpression):
    """`{a: b, **c}`"""

    elements: Sequence[DictElement | StarredDictElement]


@dataclass(eq=False, repr=False, slots=True)
class CompIf(Node):
    """`if test` in a comprehension."""

    test: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class CompFor(Node):
    """`for target in iter` in a comprehension."""

    target: BaseExpression
    iter: BaseExpression
    ifs: Sequence[CompIf]
    inner_for_in: CompFor | None


@dataclass(eq=False, repr=False, slots=True)
class ListComp(BaseExpression):
    """`[elt for …]`"""

    elt: BaseExpression
    for_in: CompFor


@dataclass(eq=False, repr=False, slots=True)
class SetComp(BaseExpression):
    """`{elt for …}`"""

    elt: BaseExpression
    for_in: CompFor


@dataclass(eq=False, repr=False, slots=True)
class GeneratorExp(BaseExpression):
    """`(elt for …)`"""

    elt: BaseExpression
    for_in: CompFor


@dataclass(eq=False, repr=False, slots=True)
class DictComp(BaseExpression):
    """`{key: value for …}`"""

    key: BaseExpression
    value: BaseExpression
    for_in: CompFor


@dataclass(eq=False, repr=False, slots=True)
class Annotation(Node):
    """What a name is said to be."""

    annotation: BaseExpression


@dataclass(eq=False, repr=False, slots=True)
class Param(Node):
    """One parameter of a function."""

    name: Name
    annotation: Annotation | None
    default: BaseExpression | None


class ParamStar(Node):
    """The `*` after which parameters have names."""

    __slots__ = ()


@dataclass(eq=False, repr=False, slots=True)
class Parameters(Node):
    """The parameters of a function."""

    posonly_params: Sequence[Param]
    params: Sequence[Param]
    star_arg: Param | ParamStar | None
    kwonly_params: Sequence[Param]
    star_kwarg: Param | None


@dataclass(eq=False, repr=False, slots=True)
class Lambda(BaseExpression):
    """`lambda params: body`"""

    params: Parameters
    body: BaseExpression
