"""Narrowing: what is known of other things once a value is known to lie within limits.

`len(x) > 0` tells of x, `mask.sum() > 0` of the n that was given it, `n[n.argmin()] > 0` of n.
"""

from __future__ import annotations

from typing import Protocol

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import UNKNOWN, Fact, Kind, replace
from epslint.analysis.guards.inside import is_place_of_least, told_of_arguments, within_unit
from epslint.analysis.guards.limits import of_extreme
from epslint.analysis.guards.spreads import stretched
from epslint.analysis.keys import called, factors, key_of, only_index, roots_of
from epslint.analysis.made.makers import meaning_of
from epslint.analysis.made.rows import has_same_zeros, tells_of_rows
from epslint.analysis.made.totals import note_counted, note_some
from epslint.analysis.origin import Operand
from epslint.analysis.ranges import Range
from epslint.analysis.uses.ledger import still_means


class Evaluates(Protocol):
    """What guards need of the interpreter."""

    def quietly(self, node: bare.BaseExpression, env: Env) -> Fact: ...

    def is_module(self, node: bare.BaseExpression, env: Env) -> bool: ...


_COUNTING = frozenset({"sum", "count_nonzero"})
_INSIDE_UNIT = Range(-1.0, 1.0, lo_open=True, hi_open=True)
_NUMBERS = frozenset({bare.Integer, bare.Float})
_SIZES = frozenset({"len", "numel", "nelement", "size"})


class Narrowing:
    """Notes in environments what limits tell."""

    def __init__(self, evaluator: Evaluates) -> None:
        self._evaluator = evaluator
        self._behind: set[bare.Node] = set()  # what the value being narrowed was made by

    def assume(self, test: bare.BaseExpression, truth: bool, env: Env) -> None:
        raise NotImplementedError  # abstract: what a test says is the guards' to know

    def narrow(self, node: bare.BaseExpression, fact: Fact, limits: Range, env: Env) -> None:
        """Note that the value of `node` lies within `limits`."""
        if limits == ranges.TOP:
            return
        if type(node) is bare.NamedExpr:
            node = node.target
        self._narrow_inside(node, limits, env)
        key = key_of(node)
        if key is None or type(node) in _NUMBERS:
            return
        narrowed = fact.within(limits)
        env.refine(key, narrowed, roots_of(node))
        if limits.positive:
            note_counted(fact, env)
        origin = fact.origin
        if type(node) is bare.Call:
            meaning = meaning_of(fact) if origin is not None and origin.node is node else None
            if meaning is not None:
                self._narrow_namesakes(meaning, limits, env)
                env.refine(meaning, narrowed, roots_of(node))
        if origin is None or origin.node is node or not still_means(origin, env):
            return
        if (behind := key_of(origin.node)) is not None and behind != key:
            env.refine(behind, narrowed, roots_of(origin.node))
        if origin.node in self._behind:
            return  # `self.n = int(self.n)`: the attribute is made of itself
        self._behind.add(origin.node)
        self._narrow_inside(origin.node, limits, env)
        self._behind.discard(origin.node)

    @staticmethod
    def _narrow_namesakes(meaning: str, limits: Range, env: Env) -> None:
        """`if mask.sum() > 0:` tells of n too, where `n = mask.sum()` came before."""
        for name in env.meant.get(meaning, ()):
            fact = env.fact(name)
            if fact is None or fact.origin is None or meaning_of(fact) != meaning:
                continue
            if still_means(fact.origin, env):
                env.refine(name, fact.within(limits))

    def _narrow_inside(self, node: bare.BaseExpression, limits: Range, env: Env) -> None:
        """From `len(x) > 0` to x, from `n.item() > 0` to n, from `abs(x) > 0` to x."""
        if not limits.has_zero:
            self._narrow_factors(node, env)
            self.differ(stretched(node), env)
            if (cosine := within_unit(node)) is not None:
                self.narrow(cosine, self._evaluator.quietly(cosine, env), _INSIDE_UNIT, env)
            for key in factors(node):
                if (fact := env.fact(key)) is not None:
                    env.refine(key, fact.plus(Kind.DRAWN))  # as a whole: elements may be 0
        if type(node) is bare.Subscript and _is_shape(node.value):
            assert isinstance(node.value, bare.Attribute)
            self.resize(node.value.value, limits, env)
        elif type(node) is bare.Subscript:
            if not limits.has_zero:
                note_some(Operand(node.value, self._evaluator.quietly(node.value, env)), env)
            self._narrow_above_least(node, limits, env)
        elif type(node) is bare.Call:
            self._narrow_argument(node, limits, env)

    def _narrow_factors(self, node: bare.BaseExpression, env: Env) -> None:
        """`if a * b == 0: return`: from here on neither is 0."""
        waiting = _factors(node)
        while waiting:
            factor = waiting.pop()
            if inner := _factors(factor):
                waiting += inner
            else:
                fact = self._evaluator.quietly(factor, env)
                self.narrow(factor, fact, ranges.REAL.without_zero(), env)

    def differ(self, node: bare.BaseExpression | None, env: Env) -> None:
        """Note that not all elements of `node` are equal."""
        if node is None or (key := key_of(node)) is None:
            return
        fact = self._evaluator.quietly(node, env)
        env.refine(key, fact.plus(Kind.UNEVEN), roots_of(node))

    def _narrow_above_least(self, node: bare.Subscript, limits: Range, env: Env) -> None:
        """From `n[n.argmin()] > 0` to n."""
        index, beyond = only_index(node), of_extreme("min", limits)
        if index is None or beyond is None:
            return
        origin = self._evaluator.quietly(index, env).origin
        if origin is None or not still_means(origin, env) or not is_place_of_least(origin, node):
            return
        self.narrow(node.value, self._evaluator.quietly(node.value, env), beyond, env)

    def _narrow_argument(self, node: bare.Call, limits: Range, env: Env) -> None:
        name, arguments = called(node), self._arguments(node, env)
        if not arguments:
            return
        subject = arguments[0]
        if name in _SIZES:
            self.resize(subject, limits, env)
        elif told := told_of_arguments(node, arguments, limits):
            for argument, within in told:
                self.narrow(argument, self._evaluator.quietly(argument, env), within, env)
        elif name in _COUNTING and limits.hi <= 0:
            self._assume_none(subject, env)
        elif not limits.has_zero and tells_of_rows(node, arguments):
            self._fill_rows(subject, env)

    def _assume_none(self, counted: bare.BaseExpression, env: Env) -> None:
        """`(n == 0).sum() == 0`: it holds of no element."""
        if self._evaluator.quietly(counted, env).is_any(Kind.MASK):
            self.assume(counted, False, env)

    def _fill_rows(self, node: bare.BaseExpression, env: Env) -> None:
        """`x.norm(dim=-1) > 0`, `x.abs().sum(1) > 0`: there is something in each row of x."""
        while (inner := self._same_zeros(node, env)) is not None:
            node = inner
        if (key := key_of(node)) is not None:
            fact = self._evaluator.quietly(node, env)
            env.refine(key, fact.plus(Kind.NONZERO), roots_of(node))

    def _same_zeros(self, node: bare.BaseExpression, env: Env) -> bare.BaseExpression | None:
        """What is 0 where `node` is: x of `x.abs()` and of `x ** 2`."""
        if isinstance(node, bare.BinaryOperation) and isinstance(node.operator, bare.Power):
            return node.left if isinstance(node.right, bare.Integer | bare.Float) else None
        if isinstance(node, bare.Call) and has_same_zeros(node):
            return next(iter(self._arguments(node, env)), None)
        return None

    def _arguments(self, node: bare.Call, env: Env) -> list[bare.BaseExpression]:
        """What a call is about: the receiver of a method, then its arguments."""
        arguments = [argument.value for argument in node.args]
        func = node.func
        if isinstance(func, bare.Attribute) and not self._evaluator.is_module(func.value, env):
            return [func.value, *arguments]
        return arguments

    def resize(self, node: bare.BaseExpression, limits: Range, env: Env) -> None:
        """Note how many elements `node` has."""
        key = key_of(node)
        if key is None:
            return
        fact = self._evaluator.quietly(node, env) or UNKNOWN
        size = fact.size.meet(limits)
        env.refine(key, replace(fact, size=limits if size.empty else size), roots_of(node))


def _factors(node: bare.BaseExpression) -> list[bare.BaseExpression]:
    if type(node) is bare.BinaryOperation and type(node.operator) is bare.Multiply:
        return [node.left, node.right]
    return []


def _is_shape(node: bare.BaseExpression) -> bool:
    return isinstance(node, bare.Attribute) and node.attr.value == "shape"
