"""Guards: what a condition teaches about the values in it, along the path where it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from types import MappingProxyType

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import UNKNOWN, Fact, Form, Kind, replace
from epslint.analysis.guards.cases import recall
from epslint.analysis.guards.inside import is_quotient
from epslint.analysis.guards.limits import LEFT_BY, limits_by
from epslint.analysis.guards.narrowing import Narrowing
from epslint.analysis.guards.spreads import alike, apart
from epslint.analysis.keys import (
    called,
    is_about_identity,
    is_none_test,
    key_of,
    roots_of,
)
from epslint.analysis.made.rows import keeps_order
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.ranges import Range
from epslint.analysis.uses.ledger import still_means
from epslint.analysis.words.operators import (
    BELOW,
    COMPARING,
    MIRRORED,
    OPPOSITE,
    Comparing,
    operator_of,
)

_LESS, _PLUS = bare.Subtract(), bare.Add()
_ZERO = ranges.point(0.0)
_TENSORS = frozenset({"Tensor", "ndarray", "Array", "EagerTensor"})
# `(n > 0).all()` and `not (n == 0).any()` speak of every element; what is read is the only one.
_READ = ((name, truth) for name in ("bool", "item") for truth in (True, False))
_OF_EVERY_ELEMENT = frozenset({("all", True), ("any", False), *_READ})


class Guards(Narrowing):
    """Refines environments by conditions."""

    def assume(self, test: bare.BaseExpression, truth: bool, env: Env) -> None:
        """Put into `env` what follows from `test` being true, or false."""
        recall(test, truth, env)
        _ASSUMED.get(type(test), Guards._assume_truthy)(self, test, truth, env)

    def _assume_unary(self, test: bare.UnaryOperation, truth: bool, env: Env) -> None:
        if type(test.operator) in (bare.Not, bare.BitInvert):
            self.assume(test.expression, not truth, env)
        else:
            self._assume_truthy(test, truth, env)

    def _assume_boolean(self, test: bare.BooleanOperation, truth: bool, env: Env) -> None:
        self._assume_both(test.left, test.right, type(test.operator) is bare.And, truth, env)

    def _assume_binary(self, test: bare.BinaryOperation, truth: bool, env: Env) -> None:
        if type(test.operator) in (bare.BitAnd, bare.BitOr):
            self._assume_both(test.left, test.right, type(test.operator) is bare.BitAnd, truth, env)
        else:
            self._assume_truthy(test, truth, env)  # `if tp + fp:`

    def _assume_named(self, test: bare.NamedExpr, truth: bool, env: Env) -> None:
        self.assume(test.target, truth, env)

    def _assume_both(
        self,
        left: bare.BaseExpression,
        right: bare.BaseExpression,
        conjunction: bool,
        truth: bool,
        env: Env,
    ) -> None:
        # A true `and` makes both true and a false `or` makes both false; else either may be it.
        if conjunction == truth:
            self.assume(left, truth, env)
            self.assume(right, truth, env)
        elif truth and is_none_test(left):
            self.assume(right, truth, env)  # `n is None or n > 0`: where it is a number it is that
        else:
            self._assume_either(left, right, truth, env)

    def _assume_either(
        self, left: bare.BaseExpression, right: bare.BaseExpression, truth: bool, env: Env
    ) -> None:
        """`not (a == 0 and b == 0)`: of two that are not negative the sum is not 0."""
        first, second = (
            self._kept_from_zero(left, truth, env),
            self._kept_from_zero(right, truth, env),
        )
        if first is None or second is None:
            return
        for x, y in ((first, second), (second, first)):
            together = bare.BinaryOperation(x, _PLUS, y)
            if (key := key_of(together)) is not None:
                env.refine(key, Fact(range=ranges.POSITIVE), roots_of(together))

    def _kept_from_zero(
        self, test: bare.BaseExpression, truth: bool, env: Env
    ) -> bare.BaseExpression | None:
        """What is positive if this test is `truth`, and 0 otherwise."""
        if not isinstance(test, bare.Comparison) or len(test.comparisons) != 1:
            return None
        subject, inner = test.left, env.child()
        if not self._evaluator.quietly(subject, env).range.nonnegative:
            return None
        self.assume(test, truth, inner)
        return subject if self._evaluator.quietly(subject, inner).range.positive else None

    def _assume_comparison(self, test: bare.Comparison, truth: bool, env: Env) -> None:
        left = test.left
        if (not truth and len(test.comparisons) > 1) or is_about_identity(test):
            return
        for target in test.comparisons:
            operator = type(target.operator)
            if operator in LEFT_BY:
                self._compare(left, operator, target.comparator, truth, env)
            elif operator in (bare.In, bare.NotIn):
                self._belong(left, target.comparator, (operator is bare.In) == truth, env)
            left = target.comparator

    def _compare(
        self,
        left: bare.BaseExpression,
        operator: Comparing,
        right: bare.BaseExpression,
        truth: bool,
        env: Env,
    ) -> None:
        holding = operator if truth else OPPOSITE[operator]
        x, y = (Operand(node, self._evaluator.quietly(node, env)) for node in (left, right))
        for mine, other, sign in ((x, y, holding), (y, x, MIRRORED[holding])):
            if sign in BELOW and mine.fact.is_any(Kind.KL):
                env.mode = replace(env.mode, near=True)  # `if kl > limit: break`
            below = truth and sign in BELOW and is_quotient(mine.fact)
            fact = mine.fact.plus(Kind.BELOW) if below else mine.fact
            self.narrow(mine.node, fact, limits_by(sign, fact, other), env)
        self._separate(left, right, holding, env)
        self.differ(apart(left, holding, right), env)
        self.differ(apart(right, MIRRORED[holding], left), env)

    def _belong(
        self, node: bare.BaseExpression, group: bare.BaseExpression, inside: bool, env: Env
    ) -> None:
        """`n in (1, 2)` and `n not in (0, 1)`."""
        values = [self._evaluator.quietly(element, env).range for element in _elements(group)]
        zero = Operand(node, self._evaluator.quietly(node, env))
        if not inside and zero.fact.constant == 0:
            for element in _elements(group):  # `0 not in counts`, `0 not in (a, b)`
                fact = self._evaluator.quietly(element, env)
                self.narrow(element, fact, limits_by(bare.NotEqual, fact, zero), env)
        if group in _elements(group) or not values:
            return
        limits = ranges.TOP
        if inside:
            limits = reduce(Range.join, values)
        elif any(value.constant == 0 for value in values):
            limits = ranges.REAL.without_zero()
        self.narrow(node, self._evaluator.quietly(node, env), limits, env)

    @staticmethod
    def _separate(
        left: bare.BaseExpression,
        right: bare.BaseExpression,
        holding: Comparing,
        env: Env,
    ) -> None:
        """`high > low` says that `high - low` is above 0, and `low - high` below."""
        for x, y, sign in ((left, right, holding), (right, left, MIRRORED[holding])):
            limits = LEFT_BY[sign](_ZERO)
            difference = bare.BinaryOperation(x, _LESS, y)
            if limits != _ZERO and (key := key_of(difference)) is not None:
                env.refine(key, Fact(range=limits), roots_of(difference))

    def _assume_call(self, test: bare.Call, truth: bool, env: Env) -> None:
        name = called(test)
        given: list[bare.BaseExpression | None] = [*self._arguments(test, env), None, None]
        subject, other = given[:2]
        if subject is None:
            return
        if name in ("is_tensor", "isinstance"):
            self._assume_type(subject, other, truth, env)
            return
        if other is not None and name in COMPARING:
            self._compare(subject, COMPARING[name], other, truth, env)
        elif other is not None and name in ("logical_and", "logical_or"):
            self._assume_both(subject, other, name == "logical_and", truth, env)
        elif other is not None and name == "isclose":
            self._compare(subject, bare.NotEqual, other, not truth, env)
        elif name == "logical_not":
            self.assume(subject, not truth, env)
        else:
            self._assume_truthy(test, truth, env)
            if (name, truth) in _OF_EVERY_ELEMENT:
                self._assume_every(subject, truth, env)
            elif name == "all":
                self._assume_not_every(subject, env)

    def _assume_type(
        self, node: bare.BaseExpression, types: bare.BaseExpression | None, truth: bool, env: Env
    ) -> None:
        """What is not a tensor here is not the one that the code before made; but log-probabilities
        are so in whatever form.
        """
        about_tensors = types is None or any(called(t) in _TENSORS for t in _elements(types))
        key = key_of(node)
        if truth or key is None or not about_tensors:
            return
        fact = self._evaluator.quietly(node, env)
        made = fact.origin is not None and not fact.is_any(Kind.LOGPROB | Kind.LOGRATIO)
        if fact.form.tensor or (fact.form is Form.UNKNOWN and made):
            env.refine(key, UNKNOWN, roots_of(node))

    def _assume_every(self, tested: bare.BaseExpression, truth: bool, env: Env) -> None:
        if isinstance(tested, bare.GeneratorExp):
            self._assume_of_each(tested, truth, env)
        for element in _elements(tested):
            self.assume(element, truth, env)

    def _assume_not_every(self, tested: bare.BaseExpression, env: Env) -> None:
        """`not (labels == ignored).all()`: some are not, and `(labels != ignored).sum()` is above
        0. And where not all are equal to the first, they differ.
        """
        self.differ(alike(tested), env)
        key = key_of(_opposite(tested))
        if key is not None:
            env.refine(f"{key}.any()", Fact(range=ranges.SOME), roots_of(tested))

    def _assume_of_each(self, test: bare.GeneratorExp, truth: bool, env: Env) -> None:
        """`all(n > 0 for n in counts)`: so is every element of the list."""
        loop, key = test.for_in, key_of(test.for_in.iter)
        if key is None or loop.ifs or loop.inner_for_in or not isinstance(loop.target, bare.Name):
            return
        every, inner = self._evaluator.quietly(loop.iter, env), env.child()
        inner.refine(loop.target.value, every)
        self.assume(test.elt, truth, inner)
        each = inner.fact(loop.target.value)
        if every.form is Form.LIST and each is not None:
            env.refine(key, replace(every, range=each.range), roots_of(loop.iter))

    def _assume_truthy(self, node: bare.BaseExpression, truth: bool, env: Env) -> None:
        fact = self._evaluator.quietly(node, env)
        origin = self._condition_behind(node, fact, env)
        if origin is not None and origin.node not in self._behind:
            # Once only: `self.shown = not self.shown` is made of itself.
            self._behind.add(origin.node)
            self.assume(origin.node, truth, env)
            self._behind.discard(origin.node)
        if fact.form is Form.LIST:
            self.resize(node, ranges.SOME if truth else ranges.point(0.0), env)
            return
        limits = ranges.REAL.without_zero() if truth else ranges.point(0.0)
        if fact.range.nonnegative and truth:
            limits = ranges.SOME if fact.whole else ranges.POSITIVE
        self.narrow(node, fact, limits, env)

    @staticmethod
    def _condition_behind(node: bare.BaseExpression, fact: Fact, env: Env) -> Origin | None:
        """The comparison that a name was given, as it is or reshaped, if its names still mean the
        same.
        """
        origin = fact.origin
        while origin is not None and keeps_order(origin.node):
            origin = origin.fact("x").origin
        if origin is None or origin.node is node or origin.op not in (Op.COMPARE, Op.LOGICAL):
            return None
        if fact.form is Form.LIST:
            return None  # a tuple of conditions is true whatever they are
        return origin if still_means(origin, env) else None


_ASSUMED: Mapping[type[bare.Node], Callable[..., None]] = MappingProxyType(
    {
        bare.UnaryOperation: Guards._assume_unary,
        bare.BooleanOperation: Guards._assume_boolean,
        bare.BinaryOperation: Guards._assume_binary,
        bare.Comparison: Guards._assume_comparison,
        bare.NamedExpr: Guards._assume_named,
        bare.Call: Guards._assume_call,
    }
)


def _opposite(test: bare.BaseExpression) -> bare.BaseExpression:
    """`x != y` for `x == y`, `~mask` for a mask."""
    operator = operator_of(test)
    if operator is None or not isinstance(test, bare.Comparison):
        return bare.UnaryOperation(bare.BitInvert(), test)
    other = bare.ComparisonTarget(OPPOSITE[operator](), test.comparisons[0].comparator)
    return bare.Comparison(test.left, [other])


def _elements(node: bare.BaseExpression) -> list[bare.BaseExpression]:
    """What a literal collection is made of; anything else is made of itself."""
    if isinstance(node, bare.Tuple | bare.List | bare.Set):
        return [element.value for element in node.elements]
    return [node]
