"""Bare trees: LibCST's nodes without white space, made from what `ast` has read.

LibCST takes ten times as long as `ast` for the same lines, most of it for spaces, commas and
parentheses that the interpreter never looks at. A bare node has the fields that mean something and
no others, so the interpreter cannot tell the difference; a field it has no business with is not
there and says so loudly. Where a place in the text is asked for, which is where a rule has found
something, the lines are parsed in full and `twins` says which node is which.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar, cast

import libcst as cst

N = TypeVar("N", bound=cst.CSTNode)

Statement = cst.BaseStatement | cst.BaseSmallStatement

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


# -- which node is which -----------------------------------------------------------------------


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


# -- making them -------------------------------------------------------------------------------


def _maker(kind: type[N], *fields: str) -> Callable[..., N]:
    """Makes nodes of a kind with these fields and no others, and without validating them."""
    new = object.__new__
    setters = tuple(getattr(kind, field).__set__ for field in fields)
    if len(setters) == 1:
        (first,) = setters

        def made_of_one(value: object) -> N:
            node = new(kind)
            first(node, value)
            return node

        return made_of_one
    if len(setters) == 2:
        first, second = setters

        def made_of_two(one: object, two: object) -> N:
            node = new(kind)
            first(node, one)
            second(node, two)
            return node

        return made_of_two

    def made(*values: object) -> N:
        node = new(kind)
        for setter, value in zip(setters, values, strict=True):
            setter(node, value)
        return node

    return made


_annotation = _maker(cst.Annotation, "annotation")
_arg = _maker(cst.Arg, "value", "keyword", "star")
_as_name = _maker(cst.AsName, "name")
_assign_target = _maker(cst.AssignTarget, "target")
_attribute_node = _maker(cst.Attribute, "value", "attr")
_binary_node = _maker(cst.BinaryOperation, "left", "operator", "right")
_block = _maker(cst.IndentedBlock, "body")
_boolean_node = _maker(cst.BooleanOperation, "left", "operator", "right")
_call_node = _maker(cst.Call, "func", "args")
_comp_for = _maker(cst.CompFor, "target", "iter", "ifs", "inner_for_in")
_comp_if = _maker(cst.CompIf, "test")
_comparison_target = _maker(cst.ComparisonTarget, "operator", "comparator")
_decorator = _maker(cst.Decorator, "decorator")
_dict_element = _maker(cst.DictElement, "key", "value")
_element = _maker(cst.Element, "value")
_else = _maker(cst.Else, "body")
_finally = _maker(cst.Finally, "body")
_float = _maker(cst.Float, "value")
_formatted_expression = _maker(cst.FormattedStringExpression, "expression")
_from = _maker(cst.From, "item")
_imaginary = _maker(cst.Imaginary, "value")
_index = _maker(cst.Index, "value", "star")
_integer = _maker(cst.Integer, "value")
_name_node = _maker(cst.Name, "value")
_param = _maker(cst.Param, "name", "annotation", "default")
_parameters_node = _maker(
    cst.Parameters, "posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"
)
_slice_node = _maker(cst.Slice, "lower", "upper", "step")
_starred = _maker(cst.StarredElement, "value")
_starred_item = _maker(cst.StarredDictElement, "value")
_string = _maker(cst.SimpleString, "value")
_subscript_element = _maker(cst.SubscriptElement, "slice")
_tuple_node = _maker(cst.Tuple, "elements")
_with_item = _maker(cst.WithItem, "item", "asname")

# An operator is its class; one of each will do.
_OPERATORS: Mapping[type[ast.AST], cst.CSTNode] = MappingProxyType(
    {
        ast.Add: cst.Add(),
        ast.Sub: cst.Subtract(),
        ast.Mult: cst.Multiply(),
        ast.MatMult: cst.MatrixMultiply(),
        ast.Div: cst.Divide(),
        ast.Mod: cst.Modulo(),
        ast.Pow: cst.Power(),
        ast.LShift: cst.LeftShift(),
        ast.RShift: cst.RightShift(),
        ast.BitOr: cst.BitOr(),
        ast.BitXor: cst.BitXor(),
        ast.BitAnd: cst.BitAnd(),
        ast.FloorDiv: cst.FloorDivide(),
        ast.Invert: cst.BitInvert(),
        ast.Not: cst.Not(),
        ast.UAdd: cst.Plus(),
        ast.USub: cst.Minus(),
        ast.And: cst.And(),
        ast.Or: cst.Or(),
        ast.Eq: cst.Equal(),
        ast.NotEq: cst.NotEqual(),
        ast.Lt: cst.LessThan(),
        ast.LtE: cst.LessThanEqual(),
        ast.Gt: cst.GreaterThan(),
        ast.GtE: cst.GreaterThanEqual(),
        ast.Is: cst.Is(),
        ast.IsNot: cst.IsNot(),
        ast.In: cst.In(),
        ast.NotIn: cst.NotIn(),
    }
)
_IN_PLACE: Mapping[type[ast.operator], cst.BaseAugOp] = MappingProxyType(
    {
        ast.Add: cst.AddAssign(),
        ast.Sub: cst.SubtractAssign(),
        ast.Mult: cst.MultiplyAssign(),
        ast.MatMult: cst.MatrixMultiplyAssign(),
        ast.Div: cst.DivideAssign(),
        ast.Mod: cst.ModuloAssign(),
        ast.Pow: cst.PowerAssign(),
        ast.LShift: cst.LeftShiftAssign(),
        ast.RShift: cst.RightShiftAssign(),
        ast.BitOr: cst.BitOrAssign(),
        ast.BitXor: cst.BitXorAssign(),
        ast.BitAnd: cst.BitAndAssign(),
        ast.FloorDiv: cst.FloorDivideAssign(),
    }
)


def binary(
    left: cst.BaseExpression, operator: cst.BaseBinaryOp, right: cst.BaseExpression
) -> cst.BinaryOperation:
    """An operation that nobody wrote: the difference of two values that were compared, say."""
    return _binary_node(left, operator, right)


def statements(nodes: Iterable[ast.stmt]) -> list[Statement]:
    """Bare statements; raises UnlikeError where there is something that has no bare form."""
    return [_statement(node) for node in nodes]


def _statement(node: ast.stmt) -> Statement:
    try:
        make = _STATEMENTS[type(node)]
    except KeyError:
        raise UnlikeError from None
    return make(node)


def _expression(node: ast.expr) -> cst.BaseExpression:
    try:
        make = _EXPRESSIONS[type(node)]
    except KeyError:
        raise UnlikeError from None
    return make(node)


def _optional(node: ast.expr | None) -> cst.BaseExpression | None:
    return None if node is None else _expression(node)


def _suite(nodes: Sequence[ast.stmt]) -> cst.IndentedBlock:
    return _block(statements(nodes))


def _otherwise(nodes: Sequence[ast.stmt]) -> cst.Else | None:
    return _else(_suite(nodes)) if nodes else None


def _elements(nodes: Sequence[ast.expr]) -> list[cst.BaseElement]:
    return [
        _starred(_expression(node.value))
        if isinstance(node, ast.Starred)
        else _element(_expression(node))
        for node in nodes
    ]


# -- expressions -------------------------------------------------------------------------------


def _constant(node: ast.Constant) -> cst.BaseExpression:
    value = node.value
    make = _CONSTANTS[type(value)]
    return make(value)


def _whole(value: int) -> cst.Integer:
    # A number of thousands of digits cannot be written out in decimals: Python forbids it.
    return _integer(str(value) if value.bit_length() < 1000 else hex(value))


def _decimal(value: float) -> cst.Float:
    return _float("1e999" if value == float("inf") else repr(value))


_CONSTANTS: Mapping[type, Callable[..., cst.BaseExpression]] = MappingProxyType(
    {
        str: lambda value: _string(repr(value)),
        bytes: lambda value: _string(repr(value)),
        bool: lambda value: _name_node(repr(value)),
        type(None): lambda value: _name_node("None"),
        int: _whole,
        float: _decimal,
        complex: lambda value: _imaginary(repr(value)),
        type(...): lambda value: object.__new__(cst.Ellipsis),
    }
)


def _name(node: ast.Name) -> cst.Name:
    return _name_node(node.id)


def _attribute(node: ast.Attribute) -> cst.Attribute:
    return _attribute_node(_expression(node.value), _name_node(node.attr))


def _call(node: ast.Call) -> cst.Call:
    # `ast` keeps keywords apart; `f(a=1, *rest)` is read from left to right.
    arguments = [
        _arg(_expression(a.value), None, "*")
        if isinstance(a, ast.Starred)
        else _arg(_expression(a), None, "")
        for a in node.args
    ]
    if node.keywords:
        named = [_keyword(keyword) for keyword in node.keywords]
        places = [*map(_place, node.args), *map(_place, node.keywords)]
        order = sorted(range(len(places)), key=places.__getitem__)
        together = arguments + named
        arguments = [together[i] for i in order]
    return _call_node(_expression(node.func), arguments)


def _place(node: ast.expr | ast.keyword) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _keyword(node: ast.keyword) -> cst.Arg:
    if node.arg is None:
        return _arg(_expression(node.value), None, "**")
    return _arg(_expression(node.value), _name_node(node.arg), "")


def _binary(node: ast.BinOp) -> cst.BinaryOperation:
    # A sum of a thousand terms is a thousand deep on its left: down in a loop, and up again.
    spine = [node]
    while isinstance(spine[-1].left, ast.BinOp):
        spine.append(spine[-1].left)
    made = _expression(spine[-1].left)
    for each in reversed(spine):
        made = _binary_node(made, _OPERATORS[type(each.op)], _expression(each.right))
    return cast(cst.BinaryOperation, made)


def _unary(node: ast.UnaryOp) -> cst.UnaryOperation:
    return _unary_node(_OPERATORS[type(node.op)], _expression(node.operand))


_unary_node = _maker(cst.UnaryOperation, "operator", "expression")


def _boolean(node: ast.BoolOp) -> cst.BooleanOperation:
    operator = _OPERATORS[type(node.op)]
    made = _expression(node.values[0])
    for value in node.values[1:]:
        made = _boolean_node(made, operator, _expression(value))
    return cast(cst.BooleanOperation, made)


_comparison_node = _maker(cst.Comparison, "left", "comparisons")


def _comparison(node: ast.Compare) -> cst.Comparison:
    targets = [
        _comparison_target(_OPERATORS[type(operator)], _expression(right))
        for operator, right in zip(node.ops, node.comparators, strict=True)
    ]
    return _comparison_node(_expression(node.left), targets)


def _subscript(node: ast.Subscript) -> cst.Subscript:
    index = node.slice
    parts = _listed(index) if isinstance(index, ast.Tuple) and index.elts else [index]
    return _subscript_node(
        _expression(node.value), [_subscript_element(_slice(part)) for part in parts]
    )


_subscript_node = _maker(cst.Subscript, "value", "slice")


def _listed(node: ast.Tuple) -> list[ast.expr]:
    """The elements of `x[a, b]`.

    `x[(a, b)]` has one element, and `x[(a), (b)]` two: which it is `ast` does not say.
    """
    first, last = node.elts[0], node.elts[-1]
    begins_inside = (node.lineno, node.col_offset) != (first.lineno, first.col_offset)
    ends_inside = (node.end_lineno, node.end_col_offset) != (last.end_lineno, last.end_col_offset)
    if begins_inside and ends_inside:
        raise UnlikeError
    return node.elts


def _slice(node: ast.expr) -> cst.BaseSlice:
    if isinstance(node, ast.Slice):
        return _slice_node(_optional(node.lower), _optional(node.upper), _optional(node.step))
    if isinstance(node, ast.Starred):
        return _index(_expression(node.value), "*")
    return _index(_expression(node), None)


def _formatted(node: ast.JoinedStr) -> cst.FormattedString:
    return _formatted_node(
        [
            _formatted_expression(_expression(part.value))
            for part in node.values
            if isinstance(part, ast.FormattedValue)
        ]
    )


_formatted_node = _maker(cst.FormattedString, "parts")
_dict_node = _maker(cst.Dict, "elements")


def _dict(node: ast.Dict) -> cst.Dict:
    return _dict_node(
        [
            _starred_item(_expression(value))
            if key is None
            else _dict_element(_expression(key), _expression(value))
            for key, value in zip(node.keys, node.values, strict=True)
        ]
    )


def _for_in(generators: Sequence[ast.comprehension]) -> cst.CompFor:
    inner: cst.CompFor | None = None
    for each in reversed(generators):
        ifs = [_comp_if(_expression(test)) for test in each.ifs]
        inner = _comp_for(_expression(each.target), _expression(each.iter), ifs, inner)
    assert inner is not None, "a comprehension has a for"
    return inner


def _comprehension(
    make: Callable[..., cst.BaseExpression],
) -> Callable[[ast.ListComp | ast.SetComp | ast.GeneratorExp], cst.BaseExpression]:
    def made(node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> cst.BaseExpression:
        return make(_expression(node.elt), _for_in(node.generators))

    return made


def _collection(
    make: Callable[..., cst.BaseExpression],
) -> Callable[[ast.List | ast.Tuple | ast.Set], cst.BaseExpression]:
    def made(node: ast.List | ast.Tuple | ast.Set) -> cst.BaseExpression:
        return make(_elements(node.elts))

    return made


_dict_comp = _maker(cst.DictComp, "key", "value", "for_in")
_if_exp = _maker(cst.IfExp, "test", "body", "orelse")
_lambda = _maker(cst.Lambda, "params", "body")
_named_expr = _maker(cst.NamedExpr, "target", "value")
_await = _maker(cst.Await, "expression")
_yield = _maker(cst.Yield, "value")


def _parameters(node: ast.arguments) -> cst.Parameters:
    positional = [*node.posonlyargs, *node.args]
    bare: list[ast.expr | None] = [None] * (len(positional) - len(node.defaults))
    named = [
        _parameter(arg, default)
        for arg, default in zip(positional, [*bare, *node.defaults], strict=True)
    ]
    only = [
        _parameter(arg, default)
        for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
    ]
    split = len(node.posonlyargs)
    star: cst.Param | cst.ParamStar | None = None
    if node.vararg is not None:
        star = _parameter(node.vararg, None)
    elif only:
        star = object.__new__(cst.ParamStar)
    rest = None if node.kwarg is None else _parameter(node.kwarg, None)
    return _parameters_node(named[:split], named[split:], star, only, rest)


def _parameter(node: ast.arg, default: ast.expr | None) -> cst.Param:
    return _param(_name_node(node.arg), _annotated(node.annotation), _optional(default))


def _annotated(node: ast.expr | None) -> cst.Annotation | None:
    return None if node is None else _annotation(_expression(node))


_EXPRESSIONS: Mapping[type[ast.expr], Callable[..., cst.BaseExpression]] = MappingProxyType(
    {
        ast.Attribute: _attribute,
        ast.Await: lambda node: _await(_expression(node.value)),
        ast.BinOp: _binary,
        ast.BoolOp: _boolean,
        ast.Call: _call,
        ast.Compare: _comparison,
        ast.Constant: _constant,
        ast.Dict: _dict,
        ast.DictComp: lambda node: _dict_comp(
            _expression(node.key), _expression(node.value), _for_in(node.generators)
        ),
        ast.GeneratorExp: _comprehension(_maker(cst.GeneratorExp, "elt", "for_in")),
        ast.IfExp: lambda node: _if_exp(
            _expression(node.test), _expression(node.body), _expression(node.orelse)
        ),
        ast.JoinedStr: _formatted,
        ast.Lambda: lambda node: _lambda(_parameters(node.args), _expression(node.body)),
        ast.List: _collection(_maker(cst.List, "elements")),
        ast.ListComp: _comprehension(_maker(cst.ListComp, "elt", "for_in")),
        ast.Name: _name,
        ast.NamedExpr: lambda node: _named_expr(_expression(node.target), _expression(node.value)),
        ast.Set: _collection(_maker(cst.Set, "elements")),
        ast.SetComp: _comprehension(_maker(cst.SetComp, "elt", "for_in")),
        ast.Starred: lambda node: _starred(_expression(node.value)),
        ast.Subscript: _subscript,
        ast.Tuple: _collection(_tuple_node),
        ast.UnaryOp: _unary,
        ast.Yield: lambda node: _yield(_optional(node.value)),
        ast.YieldFrom: lambda node: _yield(_from(_expression(node.value))),
    }
)


# -- statements --------------------------------------------------------------------------------


def _targets(nodes: Sequence[ast.expr]) -> list[cst.AssignTarget]:
    return [_assign_target(_expression(node)) for node in nodes]


def _deleted(node: ast.Delete) -> cst.Del:
    if len(node.targets) == 1:
        return _del(_expression(node.targets[0]))
    return _del(_tuple_node(_elements(node.targets)))


def _if(node: ast.If) -> cst.If:
    """An `if` with its `elif`s, from the last to the first: such chains can be long."""
    chain = [node]
    while _is_elif(chain[-1]):
        chain.append(cast(ast.If, chain[-1].orelse[0]))
    otherwise: cst.If | cst.Else | None = _otherwise(chain[-1].orelse)
    for each in reversed(chain):
        otherwise = _if_node(_expression(each.test), _suite(each.body), otherwise)
    return cast(cst.If, otherwise)


def _is_elif(node: ast.If) -> bool:
    """An `elif` stands where its `if` does; an `if` under an `else` is indented."""
    if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
        return False
    return node.orelse[0].col_offset == node.col_offset


def _with(node: ast.With | ast.AsyncWith) -> cst.With:
    items = [
        _with_item(
            _expression(item.context_expr),
            None if item.optional_vars is None else _as_name(_expression(item.optional_vars)),
        )
        for item in node.items
    ]
    return _with_node(items, _suite(node.body))


def _try(make: Callable[..., N], make_handler: Callable[..., cst.CSTNode]) -> Callable[..., N]:
    def made(node: ast.Try) -> N:
        handlers = [
            make_handler(
                _suite(each.body),
                _optional(each.type),
                None if each.name is None else _as_name(_name_node(each.name)),
            )
            for each in node.handlers
        ]
        final = _finally(_suite(node.finalbody)) if node.finalbody else None
        return make(_suite(node.body), handlers, _otherwise(node.orelse), final)

    return made


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> cst.FunctionDef:
    return _function_node(
        _name_node(node.name),
        _parameters(node.args),
        _suite(node.body),
        [_decorator(_expression(each)) for each in node.decorator_list],
        _annotated(node.returns),
    )


def _class(node: ast.ClassDef) -> cst.ClassDef:
    bases = [
        _arg(_expression(base.value), None, "*")
        if isinstance(base, ast.Starred)
        else _arg(_expression(base), None, "")
        for base in node.bases
    ]
    return _class_node(
        _name_node(node.name),
        _suite(node.body),
        bases,
        [_keyword(keyword) for keyword in node.keywords],
        [_decorator(_expression(each)) for each in node.decorator_list],
    )


def _raise(node: ast.Raise) -> cst.Raise:
    cause = None if node.cause is None else _from(_expression(node.cause))
    return _raise_node(_optional(node.exc), cause)


def _for(node: ast.For | ast.AsyncFor) -> cst.For:
    return _for_node(
        _expression(node.target),
        _expression(node.iter),
        _suite(node.body),
        _otherwise(node.orelse),
    )


_del = _maker(cst.Del, "target")
_if_node = _maker(cst.If, "test", "body", "orelse")
_with_node = _maker(cst.With, "items", "body")
_function_node = _maker(cst.FunctionDef, "name", "params", "body", "decorators", "returns")
_class_node = _maker(cst.ClassDef, "name", "body", "bases", "keywords", "decorators")
_raise_node = _maker(cst.Raise, "exc", "cause")
_for_node = _maker(cst.For, "target", "iter", "body", "orelse")
_while_node = _maker(cst.While, "test", "body", "orelse")
_assert = _maker(cst.Assert, "test", "msg")
_assign = _maker(cst.Assign, "targets", "value")
_ann_assign = _maker(cst.AnnAssign, "target", "annotation", "value")
_aug_assign = _maker(cst.AugAssign, "target", "operator", "value")
_expr = _maker(cst.Expr, "value")
_return = _maker(cst.Return, "value")
_handler_fields = ("body", "type", "name")
_try_fields = ("body", "handlers", "orelse", "finalbody")


def _empty(kind: type[N]) -> Callable[[ast.stmt], N]:
    return lambda node: object.__new__(kind)


_STATEMENTS: Mapping[type[ast.stmt], Callable[..., Statement]] = MappingProxyType(
    {
        ast.AnnAssign: lambda node: _ann_assign(
            _expression(node.target), _annotated(node.annotation), _optional(node.value)
        ),
        ast.Assert: lambda node: _assert(_expression(node.test), _optional(node.msg)),
        ast.Assign: lambda node: _assign(_targets(node.targets), _expression(node.value)),
        ast.AsyncFor: _for,
        ast.AsyncFunctionDef: _function,
        ast.AsyncWith: _with,
        ast.AugAssign: lambda node: _aug_assign(
            _expression(node.target), _IN_PLACE[type(node.op)], _expression(node.value)
        ),
        ast.Break: _empty(cst.Break),
        ast.ClassDef: _class,
        ast.Continue: _empty(cst.Continue),
        ast.Delete: _deleted,
        ast.Expr: lambda node: _expr(_expression(node.value)),
        ast.For: _for,
        ast.FunctionDef: _function,
        ast.Global: _empty(cst.Global),
        ast.If: _if,
        ast.Import: _empty(cst.Import),
        ast.ImportFrom: _empty(cst.ImportFrom),
        ast.Nonlocal: _empty(cst.Nonlocal),
        ast.Pass: _empty(cst.Pass),
        ast.Raise: _raise,
        ast.Return: lambda node: _return(_optional(node.value)),
        ast.Try: _try(_maker(cst.Try, *_try_fields), _maker(cst.ExceptHandler, *_handler_fields)),
        ast.While: lambda node: _while_node(
            _expression(node.test), _suite(node.body), _otherwise(node.orelse)
        ),
        ast.With: _with,
    }
)
