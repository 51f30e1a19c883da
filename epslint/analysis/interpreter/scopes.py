"""Scopes inside expressions: comprehensions, lambdas, and names that are bound on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import NOT_A_NUMBER, UNKNOWN, Fact, Form, Kind, Part, replace
from epslint.analysis.guards.comparisons import keeps_best
from epslint.analysis.guards.members import gathers_keys, is_key_of_some
from epslint.analysis.keys import called
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.program.signature import parameters
from epslint.analysis.words import names

if TYPE_CHECKING:
    from epslint.analysis.interpreter.expressions import Expressions

# What every model has some of, also some that learn.
_OWN_PARTS = frozenset({"parameters", "named_parameters", "modules", "named_modules", "children"})


class InnerScopes:
    """Evaluates what has names of its own inside an expression."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._comprehensions: list[Env] = []  # the environments around those being evaluated

    def comprehension(
        self, node: bare.ListComp | bare.SetComp | bare.GeneratorExp, env: Env
    ) -> Fact:
        inner = env.child().turn()
        self._comprehensions.append(env)
        size = self._bind_for(node.for_in, inner)
        element = self._expressions.eval(node.elt, inner)
        self._comprehensions.pop()
        self._expressions.ledger.note_use(Op.SELECT, node, element)
        operand = Operand(node.elt, element)
        origin = self._expressions.ledger.origin(Op.SELECT, node, {"x": operand})
        if gathers_keys(node.elt, node.for_in):
            rows = Operand(node.for_in.iter, UNKNOWN)
            origin = self._expressions.ledger.origin(Op.UNIQUE, node, {"x": rows})
        if self._is_key_of_some(node.elt, node.for_in, inner):
            element = element.plus(Kind.PEAKED)
        parts = self._taken_apart(node, env)
        return replace(element, form=Form.LIST, size=size, parts=parts, origin=origin)

    def _taken_apart(
        self, node: bare.ListComp | bare.SetComp | bare.GeneratorExp, env: Env
    ) -> tuple[Part, ...]:
        """`a, b = (f(x) for x in (a, b))`."""
        loop = node.for_in
        if not isinstance(loop.iter, bare.Tuple | bare.List) or loop.ifs or loop.inner_for_in:
            return ()
        if not isinstance(loop.target, bare.Name):
            return ()
        source = self._expressions.quietly(loop.iter, env)
        return self._one_by_one(loop.target.value, source, node.elt, env)

    def mapped(self, function: bare.Lambda, source: Fact, env: Env) -> Fact:
        """`map(lambda x: x.view(n, -1), (a, b))`."""
        self.function(function, env)
        (parameter,) = parameters(function.params)
        parts = self._one_by_one(parameter.name.value, source, function.body, env)
        return Fact(form=Form.LIST, size=source.size, parts=parts)

    def _one_by_one(
        self, name: str, source: Fact, body: bare.BaseExpression, env: Env
    ) -> tuple[Part, ...]:
        """What comes of each element of a literal collection."""
        parts: list[Part] = []
        for key, part in source.parts if source.form is Form.LIST else ():
            inner = env.child()
            inner.assign(name, part, self._expressions.model.tick())
            parts.append((key, self._expressions.quietly(body, inner)))
        return tuple(parts)

    def dict_comprehension(self, node: bare.DictComp, env: Env) -> Fact:
        inner = env.child()
        self._bind_for(node.for_in, inner)
        self._expressions.eval(node.key, inner)
        value = self._expressions.eval(node.value, inner)
        self._expressions.ledger.note_use(Op.NAME, node, value)
        return NOT_A_NUMBER

    def _bind_for(self, loop: bare.CompFor, env: Env) -> ranges.Range:
        """Bind the targets of a comprehension; how many elements it may give."""
        source = self._expressions.eval(loop.iter, env)
        self._expressions.enter(loop.iter, env)
        self._expressions.bindings.bind_each(loop.target, source, env)
        size = source.size
        for condition in loop.ifs:
            self._expressions.eval(condition.test, env)
            self._expressions.guards.assume(condition.test, True, env)
            if keeps_best(condition.test) or is_set_up(loop.iter):
                continue
            if not self._is_key_of_some(condition.test, loop, env):
                size = ranges.NONNEGATIVE
        if loop.inner_for_in is not None:
            inner = self._bind_for(loop.inner_for_in, env)
            size = size.join(inner) if inner.has_zero else size
        return size

    def _is_key_of_some(self, test: bare.BaseExpression, loop: bare.CompFor, env: Env) -> bool:
        if not isinstance(test, bare.Comparison):
            return False
        return is_key_of_some(test, loop, self._expressions.quietly(test.left, env), env)

    def function(self, node: bare.Lambda, env: Env) -> Fact:
        inner = env.child().turn()
        for parameter in parameters(node.params):
            inner.assign(
                parameter.name.value,
                names.named(parameter.name.value),
                self._expressions.model.tick(),
            )
        value = self._expressions.eval(node.body, inner)
        self._expressions.ledger.note_use(Op.RETURN, node, value)
        return NOT_A_NUMBER

    def walrus(self, node: bare.NamedExpr, env: Env) -> Fact:
        """`(n := x.sum())`; inside a comprehension the name belongs to the function around it."""
        fact = self._expressions.eval(node.value, env)
        self._expressions.bindings.bind(node.target, fact, env)
        for scope in self._comprehensions:
            self._expressions.bindings.bind(node.target, fact, scope)
        return fact


def is_set_up(node: bare.BaseExpression) -> bool:
    """Whether there is something of each sort in a collection: an object's own parts, and what the
    author wrote down himself, `[c for c in CLASSES if not c.ignored]`.
    """
    name = called(node)
    return name in _OWN_PARTS or (isinstance(node, bare.Name) and name.isupper() and len(name) > 1)
