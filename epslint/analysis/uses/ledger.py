"""The ledger: where the interpretation of a frame notes its operations and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from epslint.analysis import bare
from epslint.analysis.env import Env
from epslint.analysis.fact import DType, Evidence, Fact, Kind, replace
from epslint.analysis.frame import Frame
from epslint.analysis.keys import roots_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Choice, Scope, Site
from epslint.analysis.words.literals import entries

if TYPE_CHECKING:
    from epslint.analysis.model import Model


def still_means(origin: Origin, env: Env) -> bool:
    """Whether a value is what its expression would give here: the names are names of here and not
    bound again since, and nothing was added to it.
    """
    return (
        origin.whole
        and origin.frame in env.frames
        and not any(env.assigned_after(name, origin.clock) for name in roots_of(origin.node))
    )


# Operations whose result is not finite only because an operand is not.
_CARRYING = frozenset(
    {
        *(Op.SAME, Op.PICK, Op.SORT, Op.TO, Op.FLOAT),
        *(Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG),
    }
)
# What replaces some elements leaves others to be replaced because they are not finite.
_MENDED = _CARRYING | {Op.WHERE, Op.MASKED_FILL}
# What is divided by goes into a reciprocal, whichever operation that is written as.
_DIVIDED_BY = MappingProxyType(
    {(Op.DIV, "y"): Op.RECIPROCAL, (Op.ADDCDIV, "y"): Op.RECIPROCAL, (Op.RSQRT, "x"): Op.RECIPROCAL}
)
_FAR = 16  # operations back is where nobody looks for the reason any more

# What torch.autocast does in the lower precision, and what it does in float32 all the same.
_LOWERED = frozenset({Op.MATMUL, Op.DOT, Op.EINSUM})
_IN_FLOAT32 = frozenset(
    {
        *(Op.EXP, Op.EXPM1, Op.LOG, Op.LOG1P, Op.POW, Op.RSQRT, Op.RECIPROCAL, Op.SOFTPLUS),
        *(Op.SOFTMAX, Op.LOG_SOFTMAX, Op.SUM, Op.PROD, Op.CUMSUM, Op.CUMPROD, Op.NORM),
        *(Op.CROSS_ENTROPY, Op.NLL, Op.KL_DIV, Op.BCE_WITH_LOGITS, Op.NORMALIZE, Op.COSINE),
    }
)


def _use_as(name: str, op: Op, operands: Mapping[str, Operand]) -> Op:
    """What is done with an operand, told by the others."""
    if op is Op.CLAMP and "max" not in operands:
        return Op.CLAMP_MIN
    if op is Op.MUL:
        other = operands.get("y" if name == "x" else "x")
        return Op.WEIGH if other is not None and other.fact.range.nonnegative else op
    if op is Op.DIV and name == "x" and "y" in operands and (operands["y"].fact.constant or 0) > 0:
        return Op.WEIGH  # `x / 2` is `0.5 * x`
    return _DIVIDED_BY.get((op, name), op)


def _autocast(op: Op, fact: Fact, lowered: DType) -> Fact:
    if op in _LOWERED:
        return replace(fact, dtype=lowered)
    return replace(fact, dtype=DType.FLOAT32) if op in _IN_FLOAT32 else fact


def _told_too(
    facts: Mapping[str, Fact] | None, site: Site, told: Mapping[str, Operand]
) -> Mapping[str, Fact] | None:
    """Operands as they are where a test holds, with what was told of them, if that test said
    nothing.
    """
    if facts is None:
        return None
    same = {name for name in told if facts.get(name) == site.operands[name].fact}
    return {name: told[name].fact if name in same else fact for name, fact in facts.items()}


class Ledger:
    """The entries of one frame."""

    def __init__(self, model: Model, frame: Frame) -> None:
        self._model = model
        self._frame = frame

    def conclude(
        self,
        op: Op,
        node: bare.BaseExpression | bare.AugAssign,
        operands: Mapping[str, Operand],
        fact: Fact,
        env: Env,
    ) -> Fact:
        """A result whose fact is known: give it its origin, and note the site."""
        if not env.mode.grad and fact.grad:
            fact = replace(fact, grad=False)
        if env.mode.autocast is not DType.UNKNOWN:
            fact = _autocast(op, fact, env.mode.autocast)
        if isinstance(node, bare.BaseExpression):
            origin = self.origin(op, node, operands)
            if fact.parts:
                parts = tuple((key, replace(part, origin=origin)) for key, part in fact.parts)
                fact = replace(fact, parts=parts)
            fact = replace(fact, origin=origin, rivals=(), elsewhere=False)
        if self._frame.recording:
            for name, operand in operands.items():
                self.note_use(_use_as(name, op, operands), node, operand.fact)
            if op in self._model.listening:
                self._record(op, node, operands, fact, env)
        return fact

    def origin(self, op: Op, node: bare.BaseExpression, operands: Mapping[str, Operand]) -> Origin:
        frame = self._frame
        return Origin(op, node, frame.unit, operands, self._model.clock, frame.serial)

    def note_use(self, op: Op, node: bare.Node, fact: Fact) -> None:
        """The value of `fact` goes into an operation."""
        if fact.origin is not None and self._frame.recording:
            if fact.is_any(Kind.BELOW) and not self._frame.choosing:
                op = Op.COMPARE  # what a test lets through here is finite: no more comes of it
            for origin in (fact.origin, *fact.rivals):
                self._frame.uses.setdefault(origin.node, {})[node] = op

    def note_report(self, node: bare.BaseExpression, fact: Fact) -> None:
        """The values of a dictionary are written down for people: `metrics = {"kl": kl}`."""
        for name, value in entries(node):
            if (part := fact.part(name)) is not None:
                self.note_use(Op.REPORT, node, part)
                self.note_report(value, part)

    def note_function(self, node: bare.Node, user: bare.Node) -> None:
        """An inner function is handed on: who calls it, and what for, is not seen."""
        if self._frame.recording:
            self._frame.uses.setdefault(node, {})[user] = Op.NAME

    @property
    def hears(self) -> bool:
        """Whether calls are noted, for what they show of the parameters of those who are called."""
        return self._frame.recording and not self._frame.choosing

    def _record(
        self,
        op: Op,
        node: bare.BaseExpression | bare.AugAssign,
        operands: Mapping[str, Operand],
        fact: Fact,
        env: Env,
    ) -> None:
        key = (node, op)
        if self._frame.choosing:
            if (site := self._frame.sites.get(key)) is not None:
                chosen = {name: operand.fact for name, operand in operands.items()}
                choice = self._frame.choosing
                self._frame.sites[key] = replace(site, chosen=chosen, choice=choice)
            return
        self._frame.sites[key] = Site(
            op=op,
            node=node,
            unit=self._frame.unit,
            operands=operands,
            result=fact,
            mode=env.mode,
            scope=self._scope(env),
            hierarchy=self._model.hierarchy,
            repeatable=frozenset(self._repeatable(operands, env)),
        )

    def _scope(self, env: Env) -> Scope:
        """The frame's scope, without the epsilons whose names mean something else by now."""
        scope = self._frame.scope
        kept = tuple(
            epsilon
            for epsilon in scope.epsilons
            if (fact := env.fact(epsilon.text)) is None or fact.constant == epsilon.value
        )
        return scope if kept == scope.epsilons else replace(scope, epsilons=kept)

    def _repeatable(self, operands: Mapping[str, Operand], env: Env) -> Iterator[str]:
        """The operands whose making could be written here once more and give the same."""
        for name, operand in operands.items():
            origin = operand.fact.origin
            if origin is None or origin.frame != self._frame.serial:
                continue
            if origin.node is operand.node or still_means(origin, env):
                yield name

    def mend(self, fact: Fact) -> None:
        """Whatever is not finite of a value is replaced: note it at the sites that made it."""
        for origin in self.makers(fact, _MENDED):
            chosen = {
                name: replace(operand.fact, zero=Evidence.NONE)
                for name, operand in origin.operands.items()
            }
            self.choose(origin, chosen)

    def choose(
        self, origin: Origin, chosen: Mapping[str, Fact], choice: Choice | None = None
    ) -> None:
        """Note at the site that made a value how its operands are where the value is kept."""
        key = (origin.node, origin.op)
        site = self._frame.sites[key]
        if choice is not None and site.chosen is not None and site.choice is None:
            return  # whatever was not finite has been replaced before
        if site.choice is None or not site.choice.inline:
            self._frame.sites[key] = replace(site, chosen=chosen, choice=choice)

    def reconsider(self, told: Iterable[tuple[Origin, Mapping[str, Operand]]]) -> None:
        """What came after operations tells more of their operands."""
        for origin, operands in told:
            key = (origin.node, origin.op)
            if (site := self._frame.sites.get(key)) is not None:
                self._frame.sites[key] = replace(
                    site,
                    operands={**site.operands, **operands},
                    chosen=_told_too(site.chosen, site, operands),
                    masked=_told_too(site.masked, site, operands),
                )

    def note_mask(self, origin: Origin, masked: Mapping[str, Fact], mask: Choice) -> None:
        """Note at the site that made a value how its operands are where a mask keeps it."""
        key = (origin.node, origin.op)
        self._frame.sites[key] = replace(self._frame.sites[key], masked=masked, mask=mask)

    def makers(self, fact: Fact, carrying: frozenset[Op] = _CARRYING) -> Iterator[Origin]:
        """The noted operations that a value owes its being finite to."""
        seen: set[Origin] = set()
        waiting = [fact.origin, *fact.rivals]
        while waiting and len(seen) < _FAR:
            origin = waiting.pop()
            if origin is None or origin in seen:
                continue
            seen.add(origin)
            if (origin.node, origin.op) in self._frame.sites:
                yield origin
            if origin.op in carrying:
                for operand in origin.operands.values():
                    waiting += (operand.fact.origin, *operand.fact.rivals)
