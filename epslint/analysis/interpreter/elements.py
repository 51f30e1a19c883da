"""Elements: what becomes of x by `x[i] = v`, `x[i] += v` and `x[mask] = v`."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import UNKNOWN, Evidence, Fact, Kind, replace
from epslint.analysis.guards.comparisons import caps
from epslint.analysis.guards.places import is_same, test_of
from epslint.analysis.interpreter.mending import asks_for_finiteness
from epslint.analysis.keys import (
    called,
    crops,
    dotted,
    is_first,
    is_one_place,
    key_of,
    only_index,
    roots_of,
    spares_first,
    spares_start,
)
from epslint.analysis.made.filters import filtered, is_absence, prunes
from epslint.analysis.made.rows import keeps_order
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.relations.shares import is_share_of
from epslint.analysis.words import hints

if TYPE_CHECKING:
    from epslint.analysis.interpreter.expressions import Expressions


class Elements:
    """Gives some elements of what one frame knows their values."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._model = expressions.model
        self._struck: dict[str, str | None] = {}  # the mask under which a name was last set to 0

    def bind(self, target: bare.Subscript, fact: Fact, env: Env) -> None:
        """`x[i] = v`: x becomes what it was or v; `x[x == 0] = v` leaves no 0."""
        path, index = key_of(target.value), only_index(target)
        if path is None:
            self._expressions.ledger.note_use(Op.NAME, target, fact)
        elif isinstance(index, bare.SimpleString):
            self._bind_entry(target, fact, env)
        elif (mask := self._mask_in(target, env)) is not None:
            self._overwrite(target, path, mask, fact, env)
        else:
            self._expressions.ledger.note_use(Op.NAME, target, fact)
            self._bind_some(target, path, fact, env)

    def _mask_in(self, target: bare.Subscript, env: Env) -> Operand | None:
        """The test that chooses the elements: `x[x < eps]`."""
        index = only_index(target)
        if index is None:
            return None
        test = test_of(Operand(index, self._expressions.quietly(index, env)), 1, env)
        return test.operand if test is not None and test.current else None

    def _bind_entry(self, target: bare.Subscript, fact: Fact, env: Env) -> None:
        """`stats["loss"] = v`."""
        if (key := key_of(target)) is not None:
            env.assign(key, fact, self._model.tick())
        report = hints.tells_of_report(called(target.value))
        self._expressions.ledger.note_use(Op.REPORT if report else Op.NAME, target, fact)

    def _bind_some(self, target: bare.Subscript, path: str, fact: Fact, env: Env) -> None:
        before = env.fact(path) or UNKNOWN
        if fact.constant == 0:
            if (key := key_of(target)) is not None and env.fact(key) is not None:
                env.refine(key, fact, roots_of(target))
            return  # some are left out: that is not what the others are
        if _multiplies(target, fact) and self.thin_out(target, env):
            return
        first = self._first(target, path, before, fact, env)
        if before.constant == 0 and fact.range.positive and self._marks(target, fact, env):
            known = Fact(ranges.UNIT, kinds=Kind.MASK, ground=Evidence.PROVEN, zero=Evidence.NAMED)
            after = replace(known, form=before.form, dtype=before.dtype, grad=False)
        elif before.constant == 0:
            # A tensor of zeros that is being filled: its zeros are not what is meant to stay.
            after = replace(fact, form=before.form, zero=Evidence.NONE)
            if fact.constant is None:
                env.drop_zero(path, fact.kinds & Kind.DRAWN)  # nor where the loop begins
        else:
            after = before.join(replace(fact, form=before.form))
            if is_one_place(target) and not fact.range.has_zero:
                # Who overwrites one place of many knows why: `frequency[0] = 1`.
                after = replace(after.minus(Kind.MAGNITUDE), zero=Evidence.NONE)
        env.assign(path, replace(after, size=before.size), self._model.tick())
        if (key := key_of(target)) is not None:
            env.refine(key, fact, roots_of(target))  # until it or its place is another
        if first is not None:
            env.refine(f"{path}[0]", first, roots_of(target.value))

    def _marks(self, target: bare.Subscript, fact: Fact, env: Env) -> bool:
        """`marked[rows, columns] = 1`, `marked[ids] = True`: what is not among them stays 0. Not
        `one_hot[arange(n), y] = 1`, where each row has its own, nor a single place.
        """
        if fact.constant != 1:
            return False
        indices = [e.slice.value for e in target.slice if isinstance(e.slice, bare.Index)]
        if len(indices) < len(target.slice) or any(map(self._counts_up, indices, repeat(env))):
            return False
        paired = len(indices) > 1
        return all(hints.tells_of_several(called(index), paired=paired) for index in indices)

    def _counts_up(self, index: bare.BaseExpression, env: Env) -> bool:
        origin = self._expressions.quietly(index, env).origin
        return origin is not None and origin.op is Op.ARANGE

    def thin_out(self, target: bare.Subscript, env: Env) -> bool:
        """`mask[:, 1:] = mask[:, 1:] * (1 - done[:, :-1])`: what ends an episode ends what comes
        after. By meaning: its first step was there, so that something is left of the mask.
        """
        path = key_of(target.value)
        before = None if path is None or not spares_start(target) else env.fact(path)
        if path is None or before is None or not before.is_any(Kind.MASK):
            return False
        env.assign(path, before.plus(Kind.PEAKED), self._model.tick())
        return True

    @staticmethod
    def _first(
        target: bare.Subscript, path: str, before: Fact, fact: Fact, env: Env
    ) -> Fact | None:
        """What the first element is after `edges[0] = True`, and after `edges[1:] = …` still."""
        if is_first(target):
            return fact
        if not spares_first(target):
            return None
        return env.fact(f"{path}[0]") or (before if before.constant else None)

    def accumulate(self, target: bare.Subscript, fact: Fact, env: Env) -> None:
        """`counts[i] += 1`: the elements that were not reached are still 0.

        Not so of `counts[a:b] += 1`: windows are laid so that they cover everything.
        """
        path = dotted(target.value)
        before = None if path is None else env.fact(path)
        if path is None or before is None:
            self._reach(target, fact, env)
            return
        if before.constant != 0 and (mask := self._mask_in(target, env)) is not None:
            self._overwrite(target, path, mask, fact, env)  # `scale[scale < eps] += eps`
            return
        if before.constant == 0 and before.form.tensor:
            if crops(target):
                env.drop_zero(path)
            touched = replace(
                before,
                range=ranges.NONNEGATIVE if fact.range.nonnegative else ranges.REAL,
                kinds=Kind.SUM,
                zero=Evidence.NONE if crops(target) else Evidence.PROVEN,
            )
            env.assign(path, touched, self._model.tick())
        self._reach(target, fact, env)

    @staticmethod
    def _reach(target: bare.Subscript, fact: Fact, env: Env) -> None:
        """Whatever became of the others, this element is what it was given."""
        if (key := key_of(target)) is not None:
            env.refine(key, fact, roots_of(target))

    def _overwrite(
        self, target: bare.Subscript, path: str, mask: Operand, fact: Fact, env: Env
    ) -> None:
        node = target.value
        before = self._expressions.quietly(node, env)
        self._expressions.ledger.note_use(Op.NAME, target, fact)
        self._expressions.mending.repair(before, mask.node, True, env)
        if fact.constant == 0:
            self._strike(path, mask.node, before)
        kept = env.child()
        self._expressions.guards.assume(mask.node, False, kept)
        rest = self._expressions.quietly(self._copied(node, before, env), kept)
        given = replace(fact, form=rest.form, grad=rest.grad, dtype=rest.dtype)
        after = replaced(before, rest, given)
        if fact.constant == 0:
            after = filtered(Operand(node, before), mask, truth=False) or after
            if before.zero is not Evidence.PROVEN and prunes(node, mask, truth=False):
                after = after.plus(Kind.DRAWN)  # as a whole
        elif fact.constant is not None:
            after = after.plus(before.kinds & Kind.DRAWN)
            if fact.constant > 0 and is_absence(mask):
                after = replace(after, zero=Evidence.NONE)  # who fills what is masked is done
        if fact.constant == -ranges.INF:
            after = after.plus(Kind.STRUCK)
        if fact.constant is not None and asks_for_finiteness(mask.node):
            after = replace(after, origin=before.origin)  # mended where it was not finite
        if caps(mask.fact, False, before):
            # `ratio[ratio > limit] = 0`: what is used from here on is another value.
            self._expressions.ledger.note_use(Op.CLAMP_MAX, target, before)
            after = replace(after, origin=None, rivals=())
        env.assign(path, replace(after, size=before.size), self._model.tick())

    def _copied(self, node: bare.BaseExpression, fact: Fact, env: Env) -> bare.BaseExpression:
        """x, after `y = x.clone()`: what a test says of one of them it says of both."""
        origin = fact.origin
        whole = None if origin is None or fact.rivals else origin.operands.get("x")
        if origin is None or whole is None or not keeps_order(origin.node):
            return node
        now = self._expressions.quietly(whole.node, env)
        return whole.node if is_same(now, fact) else node

    def _strike(self, path: str, mask: bare.BaseExpression, before: Fact) -> None:
        """`p[m] = 0`, then `p = p / p.sum(-1)`, then `p[m] = 0` again: where nothing was left to be
        divided by, nothing is left of the quotient, nor of its gradient.
        """
        key = key_of(mask)
        share = before.origin if is_share_of(path, before) else None
        if share is not None and key is not None and self._struck.get(path) == key:
            rest = share.operands["y"]
            left = Operand(rest.node, replace(rest.fact, zero=Evidence.NONE))
            self._expressions.ledger.reconsider([(share, {"y": left})])
        self._struck[path] = key


def _multiplies(target: bare.Subscript, fact: Fact) -> bool:
    """Whether a value is the target times something."""
    origin, key = fact.origin, key_of(target)
    if origin is None or origin.op is not Op.MUL or key is None:
        return False
    return key in {key_of(factor.node) for factor in origin.operands.values()}


def _is_of_distances(before: Fact, kept: Fact, given: Fact) -> bool:
    """`d[d == 0] = 1`: who is afraid of 0 alone knows that d is not negative. Not so of a
    difference.
    """
    if before.kinds or (before.origin is not None and before.origin.op is Op.SUB):
        return False
    afraid = before.range.has_zero and not kept.range.has_zero and kept.range.lo == -ranges.INF
    return afraid and given.constant == 1


def replaced(before: Fact, kept: Fact, given: Fact) -> Fact:
    """A value of which some is `kept` and the rest is now what is `given`.

    Who replaces the rows that are 0 has something better: `x[x.norm(dim=1) < tiny] = other`.
    """
    mended = kept.is_any(Kind.NONZERO) and not before.is_any(Kind.NONZERO)
    after = kept.join(given)
    if _is_of_distances(before, kept, given):
        after = after.within(ranges.POSITIVE)
    if given.range.positive and adds_up(before):
        return after.plus(Kind.NONZERO)  # rows of which nothing is replaced are what they were
    return after.plus(Kind.NONZERO) if mended and given.constant != 0 else after


def adds_up(fact: Fact) -> bool:
    """Whether rows of a value add up to something: those of probabilities that are only called so,
    by meaning, to 1.
    """
    if not fact.range.nonnegative:
        return False
    if fact.is_any(Kind.SIMPLEX | Kind.NONZERO):
        return True
    return fact.is_any(Kind.PROB) and fact.origin is None and not fact.rivals
