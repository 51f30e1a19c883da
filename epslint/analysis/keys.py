"""Keys: the text of a pure expression without spaces, so that two occurrences can be matched."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import cast

from epslint.analysis import bare

_WORD = re.compile(r"[A-Za-z_]\w*")

_OPERATORS: Mapping[type[bare.Node], str] = MappingProxyType(
    {
        bare.Add: "+",
        bare.Subtract: "-",
        bare.Multiply: "*",
        bare.Divide: "/",
        bare.FloorDivide: "//",
        bare.Modulo: "%",
        bare.Power: "**",
        bare.BitAnd: "&",
        bare.BitOr: "|",
        bare.Minus: "-",
        bare.Not: "not ",
        bare.BitInvert: "~",
        bare.Equal: "==",
        bare.NotEqual: "!=",
        bare.LessThan: "<",
        bare.LessThanEqual: "<=",
        bare.GreaterThan: ">",
        bare.GreaterThanEqual: ">=",
    }
)


@lru_cache(maxsize=4096)  # each is asked for several times, and soon after the first
def key_of(node: bare.BaseExpression) -> str | None:
    """The key of an expression; None where it is not a pure and simple one."""
    reader = _READERS.get(type(node))
    return None if reader is None else reader(node)


def _name(node: bare.Name) -> str:
    return node.value


def _literal(node: bare.Integer | bare.Float | bare.SimpleString) -> str:
    return node.value.replace('"', "'")


def _ellipsis(node: bare.Ellipsis) -> str:
    return "…"  # one character: dots are for attributes


def _attribute(node: bare.Attribute) -> str | None:
    base = key_of(node.value)
    return None if base is None else f"{base}.{node.attr.value}"


def _subscript(node: bare.Subscript) -> str | None:
    base = key_of(node.value)
    indices = [key_of_slice(element.slice) for element in node.slice]
    if base is None or None in indices:
        return None
    return f"{base}[{','.join(map(str, indices))}]"


def key_of_slice(node: bare.BaseSlice) -> str | None:
    if isinstance(node, bare.Index):
        return key_of(node.value)
    bounds = cast(bare.Slice, node)
    ends = [key_of(end) if end is not None else "" for end in (bounds.lower, bounds.upper)]
    if bounds.step is not None or None in ends:
        return None
    return ":".join(str(end) for end in ends)


def _call(node: bare.Call) -> str | None:
    if _is_long(node) or (func := key_of(node.func)) is None:
        return None
    given: list[str] = []
    for argument in node.args:
        value = key_of(argument.value)
        if value is None or argument.star:
            return None
        given.append(f"{argument.keyword.value}={value}" if argument.keyword else value)
    return f"{func}({','.join(given)})"


def _binary(node: bare.BinaryOperation) -> str | None:
    if _is_long(node):
        return None
    operator = _OPERATORS.get(type(node.operator))
    left, right = key_of(node.left), key_of(node.right)
    if operator is None or left is None or right is None:
        return None
    return f"({left}{operator}{right})"


def _is_long(node: bare.BaseExpression) -> bool:
    """Whether so much stands in a row that nobody says it twice; each part would get a key."""
    inner: bare.Node = node
    for _ in range(_LONGEST):
        onwards = _FIRST.get(type(inner))
        if onwards is None:
            return False
        inner = onwards(inner)
    return True


_LONGEST = 48  # 48 terms, or 24 methods
_FIRST: Mapping[type[bare.Node], Callable[..., bare.Node]] = MappingProxyType(
    {
        bare.BinaryOperation: attrgetter("left"),
        bare.Attribute: attrgetter("value"),
        bare.Call: attrgetter("func"),
    }
)


def _unary(node: bare.UnaryOperation) -> str | None:
    operator = _OPERATORS.get(type(node.operator))
    value = key_of(node.expression)
    return None if operator is None or value is None else f"{operator}{value}"


def _comparison(node: bare.Comparison) -> str | None:
    if len(node.comparisons) != 1:
        return None
    target = node.comparisons[0]
    operator = _OPERATORS.get(type(target.operator))
    left, right = key_of(node.left), key_of(target.comparator)
    if operator is None or left is None or right is None:
        return None
    return f"({left}{operator}{right})"


_READERS: Mapping[type[bare.Node], Callable[..., str | None]] = MappingProxyType(
    {
        bare.Name: _name,
        bare.Integer: _literal,
        bare.Float: _literal,
        bare.SimpleString: _literal,
        bare.Ellipsis: _ellipsis,
        bare.Attribute: _attribute,
        bare.Subscript: _subscript,
        bare.Call: _call,
        bare.BinaryOperation: _binary,
        bare.UnaryOperation: _unary,
        bare.Comparison: _comparison,
    }
)


def words_of(node: bare.BaseExpression) -> list[str]:
    """The names in a pure expression, in order, attributes and functions with them."""
    return _WORD.findall(key_of(node) or "")


def roots_of(node: bare.Node) -> Iterator[str]:
    """The names that an expression reads."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if type(current) is bare.Name:
            yield current.value
        elif type(current) is bare.Attribute or type(current) is bare.Arg:
            waiting.append(current.value)
        else:
            waiting.extend(bare.children(current))


def mentions(node: bare.Node, path: str) -> bool:
    """Whether an expression reads what goes by a name: `reduced([mean, std])` reads `std`."""
    if isinstance(node, bare.Name | bare.Attribute) and dotted(node) == path:
        return True
    return any(mentions(child, path) for child in bare.children(node))


@cache
def evaluated(literal: str) -> object:
    """The value of a number or text as it is written."""
    return ast.literal_eval(literal)


def is_zero(node: bare.BaseExpression) -> bool:
    """0, as a number that is written."""
    return isinstance(node, bare.Integer | bare.Float) and evaluated(node.value) == 0


def dotted(node: bare.BaseExpression) -> str | None:
    """`torch.nn.functional` as text; None for anything but names and dots."""
    # Nothing stands below these kinds, and this is quicker than isinstance.
    if type(node) is bare.Name:
        return node.value
    if type(node) is bare.Attribute:
        base = dotted(node.value)
        return None if base is None else f"{base}.{node.attr.value}"
    return None


def is_about_identity(node: bare.Comparison) -> bool:
    """`mode == "sum"`, `x is None`: which of several things it is, nothing about a number."""
    if len(node.comparisons) != 1 or dotted(node.left) is None:
        return False
    (target,) = node.comparisons
    other = target.comparator
    if type(target.operator) in (bare.Is, bare.IsNot):
        return dotted(other) is not None
    if type(other) is bare.SimpleString:
        return True
    if isinstance(other, bare.Tuple | bare.List | bare.Set):
        return bool(other.elements) and all(
            isinstance(element.value, bare.SimpleString) for element in other.elements
        )
    return False


def called(node: bare.BaseExpression) -> str:
    """The last name of what is called: `no_grad` of `torch.no_grad()`."""
    func = node.func if type(node) is bare.Call else node
    if type(func) is bare.Attribute:
        return func.attr.value
    return func.value if type(func) is bare.Name else ""


_LEAVING_LABEL = frozenset(
    {
        *("float", "double", "half", "item", "to", "type", "astype", "clone", "detach"),
        *("unsqueeze", "squeeze", "view", "reshape", "expand_as", "type_as"),
    }
)


def only_index(node: bare.Subscript) -> bare.BaseExpression | None:
    """What stands alone between the brackets: no slice, and not one of several."""
    index = node.slice[0].slice
    return index.value if len(node.slice) == 1 and isinstance(index, bare.Index) else None


def entry_of(node: bare.Subscript) -> str | None:
    """`n` of `batch["n"]`."""
    index = only_index(node)
    return str(evaluated(index.value)) if isinstance(index, bare.SimpleString) else None


def label_of(node: bare.BaseExpression) -> str:
    """What a value goes by: `n` of `n`, `self.n`, `batch["n"]`, `n[:, None]`, `n.float()`."""
    if isinstance(node, bare.Subscript):
        entry = entry_of(node)
        return label_of(node.value) if entry is None else entry
    if not isinstance(node, bare.Call):
        return called(node)
    if called(node) not in _LEAVING_LABEL:
        return ""
    if isinstance(node.func, bare.Attribute):
        return label_of(node.func.value)
    return label_of(node.args[0].value) if node.args else ""


# Who gives a parameter by its name, in flax, haiku, tensorflow and keras.
GIVING_PARAMETERS = frozenset({"param", "get_parameter", "get_variable", "add_weight"})


def asked_for(node: bare.Node) -> str | None:
    """What a parameter goes by that is asked for: `self.param("log_std", zeros, shape)`."""
    if type(node) is not bare.Call or called(node) not in GIVING_PARAMETERS:
        return None
    given = {a.keyword.value if a.keyword else str(i): a.value for i, a in enumerate(node.args)}
    title, learned = given.get("name", given.get("0")), given.get("trainable")
    if not isinstance(title, bare.SimpleString) or (learned and key_of(learned) == "False"):
        return None
    text = evaluated(title.value)
    return text if isinstance(text, str) else None


def is_none_test(node: bare.BaseExpression) -> bool:
    """`x is None`."""
    if not isinstance(node, bare.Comparison) or len(node.comparisons) != 1:
        return False
    (target,) = node.comparisons
    return isinstance(target.operator, bare.Is) and dotted(target.comparator) == "None"


# What cuts a tensor into parts that share its memory.
CUTTING = frozenset({"split", "chunk", "unbind", "tensor_split"})
_OF_BOTH = frozenset({"dot", "vdot", "inner", "cross", "matmul", "mul", "multiply"})


def factors(node: bare.BaseExpression) -> frozenset[str]:
    """The vectors that a product is made of, each of them in all of its terms: where it is not 0,
    none of them is.
    """
    if type(node) is bare.BinaryOperation:
        left, right = factors(node.left), factors(node.right)
        if isinstance(node.operator, bare.Multiply | bare.MatrixMultiply):
            return left | right
        return left & right if isinstance(node.operator, bare.Add | bare.Subtract) else frozenset()
    if type(node) is bare.Call and called(node) in _OF_BOTH:
        receiver = [node.func.value] if isinstance(node.func, bare.Attribute) else []
        found = (factors(each) for each in (*receiver, *(a.value for a in node.args)))
        return frozenset().union(*found)
    base = node.value if type(node) is bare.Subscript else node
    path = dotted(base)
    return frozenset() if path is None else frozenset({path})


def crops(node: bare.Subscript) -> bool:
    """Whether a slice leaves something out: `mask[:, 1:]` does, `mask[:, :, 0]` has each row."""
    slices = (element.slice for element in node.slice)
    return any(isinstance(s, bare.Slice) and (s.lower or s.upper) is not None for s in slices)


def rearranges(node: bare.Subscript) -> bool:
    """Whether a subscript leaves nothing out: `x[:, None]`, `x[::-1]`, `x[..., None]`."""
    return not crops(node) and all(map(_takes_all, (element.slice for element in node.slice)))


def _takes_all(part: bare.BaseSlice) -> bool:
    if isinstance(part, bare.Slice):
        return part.step is None or key_of(part.step) == "-1"
    index = cast(bare.Index, part).value
    return isinstance(index, bare.Ellipsis) or (
        isinstance(index, bare.Name) and index.value == "None"
    )


def is_border(node: bare.Subscript) -> bool:
    """`mask[:, 0, :]`: the first row or column of each, and all of it."""
    slices = [element.slice for element in node.slice]
    firsts = [s for s in slices if isinstance(s, bare.Index) and key_of(s.value) == "0"]
    whole = [s for s in slices if isinstance(s, bare.Slice)]
    return len(firsts) == 1 and len(whole) == len(slices) - 1 > 1 and not crops(node)


def is_one_place(node: bare.Subscript) -> bool:
    """`x[3]`, and in each row `x[:, 0]`, `x[..., -1]`."""
    indices = [element.slice for element in node.slice]
    whole = [s for s in indices if isinstance(s, bare.Slice) or _is_ellipsis(s)]
    fixed = [s for s in indices if isinstance(s, bare.Index) and _is_whole_number(s.value)]
    return bool(fixed) and len(fixed) + len(whole) == len(indices) and not crops(node)


def _is_ellipsis(node: bare.BaseSlice) -> bool:
    return isinstance(node, bare.Index) and isinstance(node.value, bare.Ellipsis)


def _is_whole_number(node: bare.BaseExpression) -> bool:
    inner = node.expression if isinstance(node, bare.UnaryOperation) else node
    return isinstance(inner, bare.Integer)


def is_first(node: bare.Subscript) -> bool:
    """`x[0]`."""
    return len(node.slice) == 1 and key_of(node) == f"{key_of(node.value)}[0]"


def spares_first(node: bare.Subscript) -> bool:
    """`x[1:]`."""
    return len(node.slice) == 1 and _is_rest(node.slice[0].slice)


def spares_start(node: bare.Subscript) -> bool:
    """`x[:, 1:]`: the rest of each row."""
    *rows, last = (element.slice for element in node.slice)
    return bool(rows) and all(map(_takes_all, rows)) and _is_rest(last)


def keeps_start(node: bare.Subscript) -> bool:
    """`x[:, :-1]`: of each row all but its end."""
    parts = [element.slice for element in node.slice]
    starts = all(isinstance(part, bare.Slice) and part.lower is None for part in parts)
    return starts and all(map(_takes_all, parts))


def _is_rest(part: bare.BaseSlice) -> bool:
    if not isinstance(part, bare.Slice) or part.upper is not None:
        return False
    return isinstance(part.lower, bare.Integer) and part.lower.value != "0"


def end_of_range(node: bare.BaseExpression) -> bare.BaseExpression | None:
    """n of `range(n)`, `range(1, n)` and `range(1, n + 1)`: in such a loop it is 1 at the least."""
    if not isinstance(node, bare.Call) or called(node) != "range" or len(node.args) not in (1, 2):
        return None
    *start, end = (argument.value for argument in node.args)
    if not all(isinstance(number, bare.Integer) for number in start):
        return None
    if start and isinstance(end, bare.BinaryOperation) and isinstance(end.operator, bare.Add):
        more, first = end.right, start[0]
        if isinstance(more, bare.Integer) and key_of(more) == key_of(first) != "0":
            end = end.left
    return end if not isinstance(end, bare.Integer) else None
