"""Classes written out: what `dataclass` and `cached_property` do when a module is loaded, as code.

The decorator stays, without the methods that it would make: `dataclasses.replace` and `fields` need
what it notes, and rules use them. It goes where a class is not even to be shown or compared, as the
nodes of trees are: there are a hundred kinds of them, and each would take it a moment.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from compiling.rooms import DISMANTLED

# Not `__replace__`, which Python 3.13 makes for each dataclass and mypyc then does not compile.
REPLACING = "replaced_"
_KEPT = "kept_"  # begins the name of what a cached property remembers


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of a dataclass, as code."""

    name: str
    type: str
    default: str | None
    factory: str | None
    compared: bool
    shown: bool
    by_name: bool


def written_out(node: ast.ClassDef) -> list[ast.stmt]:
    """The class, and before it the constants that its constructor needs."""
    constants: list[ast.stmt] = []
    for place, decorator in enumerate(node.decorator_list):
        if _called(decorator) == "dataclass":
            options = _options(decorator)
            if _is_mere(options):
                node.decorator_list = []
                _spell_mere(node)
            else:
                node.decorator_list[place] = _expression("dataclass(init=False, eq=False)")
                constants = list(_spell_out(node, options))
    _keep_properties(node)
    if node.name in DISMANTLED and (names := sorted(_own_attributes(node))):
        node.body.insert(1, _statement(f"__deletable__ = {names!r}"))
    return [*constants, node]


def _own_attributes(node: ast.ClassDef) -> set[str]:
    return {
        each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
    }


# -- dataclasses -----------------------------------------------------------------------------


def _spell_out(node: ast.ClassDef, options: dict[str, bool]) -> Iterator[ast.stmt]:
    fields = list(_fields(node))
    for number, field in enumerate(fields):
        if field.default is not None and "lambda" in field.default:
            constant = f"_{node.name.upper()}_{field.name.upper()}"
            yield _statement(f"{constant} = {field.default}")
            fields[number] = replace(field, default=constant)
    compared = [field.name for field in fields if field.compared]
    if options.get("eq", True):
        node.body.append(_equality(node.name, compared))
        if options.get("frozen", False):
            node.body.append(_hash(compared))
    node.body.append(_constructor(fields, _method(node, "__post_init__") is not None))
    node.body.append(_replacing(node.name, fields))


def _is_mere(options: dict[str, bool]) -> bool:
    """Whether nothing but a constructor, and the names of its fields, is asked for."""
    return not options.get("eq", True) and not options.get("repr", True)


def _spell_mere(node: ast.ClassDef) -> None:
    fields = list(_fields(node))
    names = tuple(field.name for field in fields)
    node.body.append(_statement(f"__match_args__: _ClassVar[tuple[str, ...]] = {names!r}"))
    node.body.append(_constructor(fields, False))


def _fields(node: ast.ClassDef) -> Iterator[_Field]:
    """The fields of a dataclass, whose defaults are taken out of its body."""
    by_name = False
    for statement in list(node.body):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        if ast.unparse(statement.annotation) == "KW_ONLY":
            by_name = True
            node.body.remove(statement)
            continue
        field = _field(statement, by_name)
        statement.value = None if field.shown else _expression("field(repr=False)")
        yield field


def _field(statement: ast.AnnAssign, by_name: bool) -> _Field:
    assert isinstance(statement.target, ast.Name)
    given: dict[str, ast.expr] = {}
    if isinstance(statement.value, ast.Call) and _called(statement.value) == "field":
        given = {str(keyword.arg): keyword.value for keyword in statement.value.keywords}
    elif statement.value is not None:
        given = {"default": statement.value}
    text = {name: ast.unparse(value) for name, value in given.items()}
    return _Field(
        statement.target.id,
        ast.unparse(statement.annotation),
        text.get("default"),
        text.get("default_factory"),
        compared=text.get("compare") != "False",
        shown=text.get("repr") != "False",
        by_name=by_name,
    )


def _constructor(fields: Sequence[_Field], has_more: bool) -> ast.stmt:
    parameters, lines = ["self"], []
    for field in fields:
        if field.by_name and "*" not in parameters:
            parameters.append("*")
        if field.factory is not None:
            parameters.append(f"{field.name}: {field.type} | None = None")
            made = f"{field.factory}() if {field.name} is None else {field.name}"
        else:
            default = "" if field.default is None else f" = {field.default}"
            parameters.append(f"{field.name}: {field.type}{default}")
            made = field.name
        lines.append(f"self.{field.name} = {made}")
    if has_more:
        lines.append("self.__post_init__()")
    return _statement(f"def __init__({', '.join(parameters)}) -> None:", *lines)


def _replacing(owner: str, fields: Sequence[_Field]) -> ast.stmt:
    """A copy with other values; what is not given is told by a value that nobody has."""
    parameters = [f"{field.name}: object = _SAME" for field in fields]
    values = [
        f"{field.name}=self.{field.name} if {field.name} is _SAME "
        f"else _cast({field.type!r}, {field.name})"
        for field in fields
    ]
    return _statement(
        f"def {REPLACING}(self, *, {', '.join(parameters)}) -> {owner}:",
        f"return {owner}({', '.join(values)})",
    )


def _equality(owner: str, names: Sequence[str]) -> ast.stmt:
    same = " and ".join(f"self.{name} == other.{name}" for name in names)
    return _statement(
        "def __eq__(self, other: object) -> bool:",
        f"return isinstance(other, {owner}) and {same}",
    )


def _hash(names: Sequence[str]) -> ast.stmt:
    values = "".join(f"self.{name}, " for name in names)
    return _statement("def __hash__(self) -> int:", f"return hash(({values}))")


# -- properties ------------------------------------------------------------------------------


def _keep_properties(node: ast.ClassDef) -> None:
    """A cached property keeps its value in the dictionary of the object, which a compiled object
    does not have: it gets an attribute for it.
    """
    constructor = _method(node, "__init__")
    for method in [each for each in node.body if isinstance(each, ast.FunctionDef)]:
        if "cached_property" not in map(_called, method.decorator_list):
            continue
        assert constructor is not None
        assert method.returns is not None
        name, kind, kept = method.name, ast.unparse(method.returns), _KEPT + method.name
        method.name, method.decorator_list = f"make_{name}", []
        constructor.body.insert(0, _statement(f"self.{kept}: {kind} | None = None"))
        node.body += [
            _statement(
                "@property",
                f"def {name}(self) -> {kind}:",
                f"if self.{kept} is None: self.{kept} = self.make_{name}()",
                f"return self.{kept}",
            )
        ]


# -- code ------------------------------------------------------------------------------------


def _method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    methods = (each for each in node.body if isinstance(each, ast.FunctionDef))
    return next((each for each in methods if each.name == name), None)


def _called(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return called.id if isinstance(called, ast.Name) else ""


def _options(decorator: ast.expr) -> dict[str, bool]:
    given = decorator.keywords if isinstance(decorator, ast.Call) else []
    return {str(keyword.arg): ast.unparse(keyword.value) == "True" for keyword in given}


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _statement(*lines: str) -> ast.stmt:
    """One statement; what comes after a line with a colon at its end is inside."""
    inside = False
    text = ""
    for line in lines:
        text += f"{'    ' if inside else ''}{line}\n"
        inside = inside or line.endswith(":")
    (statement,) = ast.parse(text).body
    return statement
