"""Binding: what an assignment makes of its targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import UNKNOWN, Evidence, Fact, Form, Kind, replace
from epslint.analysis.guards.members import distinct
from epslint.analysis.guards.places import coordinate
from epslint.analysis.interpreter.titles import titled, was_guarded
from epslint.analysis.keys import CUTTING, called, dotted, mentions
from epslint.analysis.ops import Op
from epslint.analysis.origin import Origin
from epslint.analysis.transfer.arrangement import learned
from epslint.analysis.transfer.call import WHOLE

if TYPE_CHECKING:
    from epslint.analysis.interpreter.expressions import Expressions


class Bindings:
    """Gives the targets of one frame their values."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._model = expressions.model
        self._frame = expressions.frame

    def bind(
        self,
        target: bare.BaseExpression,
        fact: Fact,
        env: Env,
        source: bare.BaseExpression | None = None,
    ) -> None:
        """Give a target its value; tuples part by part. `source` is how the value is written."""
        binder = _TARGETS.get(type(target))
        if binder is not None:
            binder(self, target, fact, env, source)

    def _unpack(
        self,
        target: bare.Tuple | bare.List,
        fact: Fact,
        env: Env,
        source: bare.BaseExpression | None,
    ) -> None:
        for position, element in enumerate(target.elements):
            part = fact.part(position)
            if part is None:
                part = fact if fact.is_any(Kind.SHAPE) else self._element(element.value, fact)
                part = coordinate(fact, len(target.elements)) or part
                # `mean, log_std = actor(x)`: who makes both at once knows what they are for.
                elsewhere = fact.origin is None or fact.origin.op is Op.CALL
                part = replace(part, elsewhere=elsewhere, origin=_of_part(part))
            self.bind(element.value, part, env, source)

    def bind_each(self, target: bare.BaseExpression, source: Fact, env: Env) -> None:
        """Give the target of a loop the elements of what is iterated over."""
        self.bind(target, self._element(target, source), env)

    def _element(self, target: bare.BaseExpression, source: Fact) -> Fact:
        element = _element_of(source)
        if element.origin is not source.origin:
            self._expressions.ledger.note_use(Op.NAME, target, source)  # out of sight from here on
        return element

    def disorder(self, node: bare.BaseExpression, env: Env) -> None:
        """A list of which something is taken: what was where is not known any more."""
        path = dotted(node)
        held = None if path is None else env.fact(path)
        if held is not None and held.form is Form.LIST and held.parts:
            self.bind(node, replace(held, parts=()), env)

    def _bind_path(
        self,
        target: bare.Name | bare.Attribute,
        fact: Fact,
        env: Env,
        source: bare.BaseExpression | None,
    ) -> None:
        path = dotted(target)
        if path is None:
            return
        named = titled(path, fact)
        if named is not fact and named.zero:  # the name says more than the value does
            named = _as_before(path, named, env, source)
        fact = named
        env.assign(path, fact, self._model.tick())
        if type(target) is bare.Attribute:
            self._expressions.ledger.note_use(Op.NAME, target, fact)
            if target.attr.value == "requires_grad":
                self._ask_for_gradient(target.value, fact, env)
        owner, _, attribute = path.partition(".")
        if attribute and owner == self._frame.self_name:
            known = self._frame.attributes.get(attribute)
            self._frame.attributes[attribute] = fact if known is None else known.join(fact)
        if (
            self._frame.recording
            and self._model.tracing
            and (row := self._frame.unit.find_row(target))
        ):
            self._frame.known[row, path] = fact

    def _ask_for_gradient(self, node: bare.BaseExpression, asked: Fact, env: Env) -> None:
        """`x.requires_grad = True`: from here on it is learned, wherever it starts."""
        path = dotted(node)
        known = None if path is None else env.fact(path)
        if known is not None and known.form is not Form.OTHER and asked.constant == 1:
            self.bind(node, learned(known), env)


def _as_before(path: str, now: Fact, env: Env, source: bare.BaseExpression | None) -> Fact:
    """`std = x.std() + 1e-8`, then `std = reduced(std)`, of which only the name tells: what went in
    was kept from 0, and so is what comes out.
    """
    before = env.fact(path)
    if before is None or source is None or not was_guarded(before, now):
        return now
    return replace(now, zero=Evidence.NONE) if mentions(source, path) else now


def _is_cut(fact: Fact) -> bool:
    """`d.chunk(2)`: each part is as d, whichever library d is of; `frame[names]` may be a table."""
    return fact.origin is not None and called(fact.origin.node) in CUTTING


def _of_part(part: Fact) -> Origin | None:
    """What made all of it made this part of it, too; but its expression is not the part."""
    return None if part.origin is None else replace(part.origin, whole=False)


def _element_of(fact: Fact) -> Fact:
    """One element of what is iterated over."""
    if distinct(fact) is not None:
        return replace(UNKNOWN, origin=fact.origin)
    if fact.form is Form.LIST:
        return replace(
            fact, form=Form.UNKNOWN, size=ranges.SOME, kinds=fact.kinds & ~WHOLE, parts=()
        )
    if fact.form.tensor or _is_cut(fact):
        return replace(fact, kinds=fact.kinds & ~WHOLE, size=ranges.SOME, parts=())
    return Fact(kinds=fact.kinds & Kind.DRAWN)  # each of what two critics say


_TARGETS: Mapping[type[bare.Node], Callable[..., None]] = MappingProxyType(
    {
        bare.Name: Bindings._bind_path,
        bare.Attribute: Bindings._bind_path,
        bare.Subscript: lambda self, target, fact, env, _: self._expressions.elements.bind(
            target, fact, env
        ),
        bare.Tuple: Bindings._unpack,
        bare.List: Bindings._unpack,
    }
)
