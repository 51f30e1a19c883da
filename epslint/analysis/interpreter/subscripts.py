"""Subscripts: one element, some of them, or those for which a mask holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import UNKNOWN, Evidence, Fact, Form, Kind, replace
from epslint.analysis.guards.comparisons import tells_of_answer
from epslint.analysis.guards.places import Test, said_of, test_of
from epslint.analysis.keys import (
    called,
    crops,
    evaluated,
    is_border,
    keeps_start,
    key_of,
    only_index,
    rearranges,
)
from epslint.analysis.made.filters import filtered, prunes
from epslint.analysis.made.totals import are_some
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.ranges import Range
from epslint.analysis.relations.coordinates import is_of_coordinates
from epslint.analysis.relations.counted import at_the_counted
from epslint.analysis.transfer.arrangement import as_drawn, is_drawn_index
from epslint.analysis.transfer.call import WHOLE
from epslint.analysis.words import hints, names
from epslint.analysis.words.labels import tells_of_extreme
from epslint.analysis.words.libraries import NAMESPACES

if TYPE_CHECKING:
    from epslint.analysis.interpreter.expressions import Expressions


class Subscripts:
    """Evaluates the subscripts of one frame."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def eval(self, node: bare.Subscript, env: Env) -> Fact:
        base = self._expressions.eval(node.value, env)
        key = key_of(node)
        if key is not None and (found := env.fact(key)) is not None:
            return found
        index = only_index(node)
        if index is None:
            return self._picked(node, self._sliced(node, base, env), base.size, env)
        return self._indexed(node, base, index, env)

    def _sliced(self, node: bare.Subscript, base: Fact, env: Env) -> Fact:
        """Slices choose elements of which nothing more is known, but they may hold sites; masks and
        places among them are as good as alone: `x[ok, :]`, `x[rows, columns]`.
        """
        tests: list[Test] = []
        drawn = False
        for element in node.slice:
            for bound in bare.children(element.slice):
                if isinstance(bound, bare.BaseExpression):
                    position = Operand(bound, self._expressions.eval(bound, env))
                    drawn = drawn or is_drawn_index(position.fact)
                    if (test := test_of(position, len(node.slice), env)) is not None:
                        tests.append(test)
        if tests:
            return self.where_true(Operand(node.value, base), tests, env)
        return as_drawn(base, drawn=drawn and _pairs_places(node))

    def where_true(self, operand: Operand, tests: Iterable[Test], env: Env) -> Fact:
        """What is known of the elements for which the tests hold."""
        branch, limits = env.child(), ranges.TOP
        for test in tests:
            limits = limits.meet(said_of(operand.fact, test.operand.fact))
            if test.current:
                self._expressions.guards.assume(test.operand.node, True, branch)
        chosen = self._expressions.quietly(operand.node, branch)
        return chosen if limits == ranges.TOP else chosen.within(limits)

    def _indexed(
        self, node: bare.Subscript, base: Fact, index: bare.BaseExpression, env: Env
    ) -> Fact:
        position = self._expressions.eval(index, env)
        if isinstance(index, bare.SimpleString):
            name = str(evaluated(index.value))
            return self._counted(node, base.part(name), env) or self._entry(node, name, base)
        place = position.constant
        if place is not None and abs(place) < ranges.INF and (part := base.part(int(place))):
            return part
        if base.form is Form.OTHER and names.is_epsilon(called(node.value)):
            return names.EPSILON  # `EPS[x.dtype]`: one for each precision
        if base.form is Form.OTHER:
            return UNKNOWN  # `{torch.float16: 11.0}[dtype]`: what is in it may well be a number
        test = test_of(Operand(index, position), 1, env)
        if test is not None:
            chosen = self.where_true(Operand(node.value, base), [test], env)
            if position.is_any(Kind.MASK):
                return self._selected(node, base, chosen, test.operand, env)
            base = chosen
        base = at_the_counted(base, Operand(index, position), env)
        empty = position.can_be_empty and not are_some(position, env)
        whole = ranges.SOME if base.form is Form.LIST else base.size  # an element has its own
        size = ranges.NONNEGATIVE if empty else whole
        base = as_drawn(base, drawn=is_drawn_index(position))
        return self._picked(node, base, size, env, Operand(index, position))

    def _counted(self, node: bare.Subscript, part: Fact | None, env: Env) -> Fact | None:
        """`self.stats["n"]`, which may have been added to by now."""
        if part is None or not part.zero or not part.is_any(Kind.RUNNING):
            return part
        key = key_of(node)
        moved = key is not None and self._has_moved(key, env)
        return replace(part, zero=Evidence.NONE) if moved else part

    def _has_moved(self, key: str, env: Env) -> bool:
        expressions = self._expressions
        return expressions.model.holdings.has_moved(key, expressions.frame, env)

    def _entry(self, node: bare.Subscript, name: str, base: Fact) -> Fact:
        """`stats["min"]`: of an extreme it matters where it was kept."""
        told = names.named(name)
        if base.is_any(Kind.PARAMETER):
            return base  # each in a ParameterDict is one, whatever it is called
        if told is UNKNOWN and names.is_setting(name, called(node.value)):
            return names.CHOSEN  # `self.config["huber_c"]`
        if told is not UNKNOWN or not tells_of_extreme(name):
            return told
        kept = {"x": Operand(node.value, base)}
        return replace(told, origin=self._expressions.ledger.origin(Op.PICK, node, kept))

    def _picked(
        self,
        node: bare.Subscript,
        base: Fact,
        size: Range,
        env: Env,
        index: Operand | None = None,
    ) -> Fact:
        """Some of the elements: no longer what made them all, so that no fix writes that again."""
        lost = Kind.NONE if rearranges(node) else WHOLE | (Kind.PADS if crops(node) else Kind.NONE)
        if base.is_any(Kind.MASK) and keeps_start(node):
            lost &= ~Kind.PEAKED  # what ends at some step is there at the first
        fact = replace(base, kinds=base.kinds & ~lost, size=size, parts=())
        if base.is_any(Kind.MASK) and is_border(node) and not tells_of_answer(node.value):
            fact = fact.plus(Kind.PADS)  # who looks at one row alone has a frame of padding
        unmade = base.origin is None and (index is None or index.fact.origin is None)
        if unmade and not is_of_coordinates(node):
            return fact
        operands = {"x": Operand(node.value, base)} | ({"index": index} if index else {})
        op = Op.SAME if rearranges(node) else Op.PICK
        return self._expressions.ledger.conclude(op, node, operands, fact, env)

    def _selected(
        self, subscript: bare.Subscript, base: Fact, chosen: Fact, mask: Operand, env: Env
    ) -> Fact:
        """`y[y > 0]`: the elements for which the mask is true, possibly none."""
        operands = {"x": Operand(subscript.value, base), "mask": mask}
        left = filtered(operands["x"], mask)
        pruned = hints.tells_of_weights(called(subscript.value)) and prunes(
            subscript.value, mask, truth=True
        )
        some = pruned or left is not None or mask.fact.is_any(Kind.PEAKED)
        size = ranges.SOME if some else self.count_true(mask.node, env)
        kept = base.kinds & ~WHOLE if left is None else left.kinds
        kinds = kept | (chosen.kinds & Kind.NONZERO)
        fact = replace(chosen, kinds=kinds, size=size, parts=())
        return self._expressions.ledger.conclude(Op.SELECT, subscript, operands, fact, env)

    def count_true(self, mask: bare.BaseExpression, env: Env) -> Range:
        """How many elements of a mask are true: more is known behind `if mask.any():`, and behind
        `if mask.sum() > 1:`.
        """
        key = key_of(mask)
        if key is None:
            return ranges.NONNEGATIVE
        model = self._expressions.model
        libraries = [name for name, full in model.imports.items() if full in NAMESPACES]
        least = 0.0
        for test in (f"{key}.any()", *(f"{name}.any({key})" for name in libraries)):
            if (fact := env.fact(test)) is not None and fact.range.positive:
                least = 1.0
        if (first := env.fact(f"{key}[0]")) is not None and first.range.positive:
            least = 1.0  # `edges[0] = True`
        if (fact := env.fact(f"{key}.sum()")) is not None and fact.range.positive:
            least = max(1.0, fact.range.lo)
        return ranges.at_least(least)


def _pairs_places(node: bare.Subscript) -> bool:
    """`x[rows, columns]`: each row has a place of its own; in `x[:, columns]` it has them all."""
    return sum(isinstance(element.slice, bare.Index) for element in node.slice) > 1
