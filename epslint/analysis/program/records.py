"""Records: objects of the file's own classes that hold what they are given, field by field."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from epslint.analysis import bare
from epslint.analysis.env import Env
from epslint.analysis.fact import NOT_A_NUMBER, Fact, Part, replace
from epslint.analysis.keys import dotted
from epslint.analysis.ops import Op
from epslint.outline import ClassOutline

if TYPE_CHECKING:
    from epslint.analysis.interpreter.expressions import Expressions

# Classes with these make something of what they are given.
_MAKING = frozenset({"__init__", "__new__", "__post_init__", "__call__", "forward"})


class Records:
    """Evaluates `Sums(total=x.sum(), count=mask.sum())`, of a named tuple or a dataclass."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def eval(self, node: bare.Call, env: Env) -> Fact | None:
        path, outline = dotted(node.func), self._expressions.model.outline
        owner = outline.classes.get(path) if path is not None else None
        if owner is None or path is None or env.fact(path) is not None:
            return None
        lineage = list(outline.lineage(owner))
        if any(argument.star for argument in node.args) or any(map(_makes, lineage)):
            return None
        fields = [name for each in reversed(lineage) for name in _declared(each)]
        return self._holding(node, fields, env) if fields else None

    def _holding(self, node: bare.Call, fields: list[str], env: Env) -> Fact:
        free, parts = iter(fields), list[Part]()
        for argument in node.args:
            name = next(free, None) if argument.keyword is None else argument.keyword.value
            value = self._expressions.eval(argument.value, env)
            self._expressions.ledger.note_use(Op.NAME, node, value)
            # A number that is written there is where a field starts: who knows what it is later.
            if name is not None and value.constant is None:
                parts.append((name, value))
        return replace(NOT_A_NUMBER, parts=tuple(parts))


def _makes(owner: ClassOutline) -> bool:
    return not _MAKING.isdisjoint(owner.methods)


def _declared(owner: ClassOutline) -> list[str]:
    """The fields in the order in which they are declared: `total: Tensor`."""
    written = (statement for stretch in owner.body for statement in stretch.statements)
    return [
        each.target.id
        for each in written
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    ]
