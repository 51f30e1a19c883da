"""Expressions: what each of them is known to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import (
    NOT_A_NUMBER,
    UNKNOWN,
    Fact,
    Form,
    Kind,
    replace,
)
from epslint.analysis.frame import Frame
from epslint.analysis.guards.comparisons import compared
from epslint.analysis.guards.conditions import Guards
from epslint.analysis.interpreter.binding import Bindings
from epslint.analysis.interpreter.elements import Elements
from epslint.analysis.interpreter.logic import Logic
from epslint.analysis.interpreter.mending import Mending
from epslint.analysis.interpreter.scopes import InnerScopes
from epslint.analysis.interpreter.subscripts import Subscripts
from epslint.analysis.keys import called, dotted, end_of_range, evaluated, key_of
from epslint.analysis.made.makers import AS_NUMBERS, meaning_of
from epslint.analysis.made.totals import is_of_positives
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, behind
from epslint.analysis.relations.dividends import divided
from epslint.analysis.relations.forms import (
    Told,
    formed,
    opposed,
    taken_for_loss,
    weighed_by_target,
)
from epslint.analysis.relations.pairs import RELATED
from epslint.analysis.transfer import Call, transfer
from epslint.analysis.uses.ledger import Ledger, still_means
from epslint.analysis.words import names
from epslint.analysis.words.literals import (
    CONSTANTS,
    collection,
    library_value,
    literal_number,
)
from epslint.analysis.words.operators import BINARY

if TYPE_CHECKING:
    from epslint.analysis.model import Model


# What hands the elements of a collection on, one by one.
_WALKING = frozenset(
    {"enumerate", "reversed", "sorted", "list", "tuple", "range", "len", "items", "values", "keys"}
)
# What an operation tells of those before it.
_TELLING_LATER: Mapping[Op, Callable[[Operand, Operand], Iterator[Told]]] = MappingProxyType(
    {
        Op.ADD: opposed,
        Op.SUB: opposed,
        Op.MUL: weighed_by_target,
        Op.KL_DIV: taken_for_loss,
        Op.NLL: taken_for_loss,
    }
)
_SAME_ATTRIBUTES = frozenset({"T", "mT", "data", "real", "H"})


class ReadsCalls(Protocol):
    """The room next door, which evaluates calls and comes back here for their arguments."""

    def eval(self, node: bare.Call, env: Env) -> Fact: ...


class Expressions:
    """Evaluates the expressions of one frame."""

    def __init__(
        self, model: Model, frame: Frame, calls: Callable[[Expressions], ReadsCalls]
    ) -> None:
        self.model = model
        self.frame = frame
        self.ledger = Ledger(model, frame)
        self.guards = Guards(self)
        self.bindings = Bindings(self)
        self.elements = Elements(self)
        self.mending = Mending(self)
        self.logic = Logic(self)
        self.subscripts = Subscripts(self)
        self.scopes = InnerScopes(self)
        self.calls = calls(self)
        model.rooms += (self, self.calls)

    # -- entry -------------------------------------------------------------------------------

    def eval(self, node: bare.BaseExpression, env: Env) -> Fact:
        reader = _READERS.get(type(node))
        if reader is None:
            return UNKNOWN
        fact = reader(self, node, env)
        # Of a sum the dividend may tell later that it can be 0: `(x * w).sum() / w.sum()`.
        hazardous = fact.zero or fact.huge or fact.is_any(Kind.SUM)
        if hazardous and type(node) is not bare.Name:
            return self._as_guarded(node, fact, env)
        return fact

    @staticmethod
    def _as_guarded(node: bare.BaseExpression, fact: Fact, env: Env) -> Fact:
        """A condition may have said more of this very expression: `if mask.sum() > 0:`."""
        key, meaning = key_of(node), meaning_of(fact)
        guarded = None if key is None else env.fact(key)
        if guarded is None and meaning is not None:
            guarded = env.fact(meaning)
        return fact if guarded is None else replace(fact.within(guarded.range), size=guarded.size)

    def quietly(self, node: bare.BaseExpression, env: Env) -> Fact:
        """Evaluate without leaving sites."""
        recording, self.frame.recording = self.frame.recording, False
        try:
            return self.eval(node, env)
        finally:
            self.frame.recording = recording

    def enter(self, node: bare.BaseExpression, env: Env) -> None:
        """A loop over `node` is under way: there is something in it. If it is the object's own,
        what is counted as it is filled has moved.
        """
        if (bound := end_of_range(node)) is not None:
            self.guards.narrow(bound, self.quietly(bound, env), ranges.SOME, env)
        while isinstance(node, bare.Call) and called(node) in _WALKING:
            receiver = node.func.value if isinstance(node.func, bare.Attribute) else None
            inner = node.args[0].value if node.args else receiver
            if inner is None:
                return
            node = inner
        self.guards.resize(node, ranges.SOME, env)
        path = dotted(node.value if isinstance(node, bare.Subscript) else node) or ""
        if self.frame.self_name and path.startswith(f"{self.frame.self_name}."):
            env.mode = replace(env.mode, gathered=True)

    def is_module(self, node: bare.BaseExpression, env: Env) -> bool:
        root = dotted(node)
        return root is not None and self.resolved(root, env) is not None

    def resolved(self, name: str, env: Env) -> str | None:
        """The full dotted name behind an import alias, unless a local value hides it."""
        root, dot, rest = name.partition(".")
        target = self.model.imports.get(root)
        if target is None or env.fact(root) is not None:
            return None
        return target + dot + rest

    # -- operations --------------------------------------------------------------------------

    def apply(
        self,
        op: Op,
        node: bare.BaseExpression | bare.AugAssign,
        operands: Mapping[str, Operand],
        env: Env,
        form: Form = Form.UNKNOWN,
    ) -> Fact:
        """The result of an operation, noted as a site."""
        if op is Op.DIV:
            operands = divided(operands, env, self.frame.scope.function)
        elif op is Op.POW:
            operands = formed(op, operands)
        fact = self.transferred(op, operands, form)
        if op is Op.COMPARE:
            fact = compared(fact, node, operands, env)
        return self.ledger.conclude(op, node, operands, fact, env)

    def tell(self, op: Op, operands: Mapping[str, Operand]) -> None:
        """Note what an operation tells of those that made its operands."""
        if op in _TELLING_LATER and self.frame.recording and len(operands) > 1:
            first, second, *_ = operands.values()
            self.ledger.reconsider(_TELLING_LATER[op](first, second))

    def transferred(self, op: Op, operands: Mapping[str, Operand], form: Form) -> Fact:
        related = RELATED.get(op)
        if related is not None and (fact := related(operands)) is not None:
            return fact
        return transfer(Call(op, {name: o.fact for name, o in operands.items()}, form))

    # -- names and attributes ----------------------------------------------------------------

    def _name(self, node: bare.Name, env: Env) -> Fact:
        name = node.value
        found = env.fact(name)
        if found is not None:
            return self._measured_again(found, env)
        if (constant := CONSTANTS.get(name)) is not None:
            return constant
        if (imported := self.resolved(name, env)) is not None:
            return library_value(imported)
        if (inner := self.frame.functions.get(name)) is not None:
            self.ledger.note_function(inner, node)
        return self.model.holdings.of_module(name)

    def _measured_again(self, fact: Fact, env: Env) -> Fact:
        """`n = len(xs)`, then `if not xs: return`: what is learnt of xs since is learnt of n. So is
        it of their sum, and of a root.
        """
        origin = fact.origin
        if origin is None or not fact.zero:
            return fact
        if is_of_positives(origin, env):
            return fact.within(ranges.POSITIVE)
        if (
            not fact.is_any(Kind.LENGTH)
            or origin.op not in (Op.LEN, Op.NUMEL)
            or not still_means(origin, env)
        ):
            return fact
        return fact.within(self.quietly(origin.operands["x"].node, env).size)

    def _attribute(self, node: bare.Attribute, env: Env) -> Fact:
        path = dotted(node)
        if path is not None:
            if (found := env.fact(path)) is not None:
                return found
            if (imported := self.resolved(path, env)) is not None:
                return library_value(imported)
            if (own := self.model.holdings.own(path, self.frame, env)) is not None:
                return own
        return self._attribute_of(node, self.eval(node.value, env))

    @staticmethod
    def _attribute_of(node: bare.Attribute, base: Fact) -> Fact:
        name = node.attr.value
        if (part := base.part(name)) is not None:
            return part
        if name == "shape" or (name == "size" and (base.form is Form.NUMPY or base.can_be_empty)):
            return _shape(base)
        if name == "parent" and base.form is Form.OTHER:
            return base  # of a path
        if name in _SAME_ATTRIBUTES:
            return replace(base, grad=base.grad and name != "data")
        if name == "dtype":
            return replace(NOT_A_NUMBER, dtype=base.dtype)
        return names.named_attribute(name, called(node.value))

    # -- literals ----------------------------------------------------------------------------

    def _number(self, node: bare.Integer | bare.Float, env: Env) -> Fact:
        fact = literal_number(node.value)
        return replace(fact, origin=self.ledger.origin(Op.CONSTANT, node, {}))

    def _text(self, node: bare.BaseExpression, env: Env) -> Fact:
        return NOT_A_NUMBER

    def _formatted(self, node: bare.FormattedString, env: Env) -> Fact:
        for part in node.parts:
            self.ledger.note_use(Op.REPORT, node, self.eval(part.expression, env))
        return NOT_A_NUMBER

    def _list(self, node: bare.List | bare.Set | bare.Tuple, env: Env) -> Fact:
        return self.collected(node, Op.NAME, node, env)

    def collected(
        self, node: bare.List | bare.Set | bare.Tuple, use: Op, user: bare.Node, env: Env
    ) -> Fact:
        """A collection whose elements go into `user`: those of `torch.stack([a, b])`."""
        facts = [self.eval(element.value, env) for element in node.elements]
        for fact in facts:
            self.ledger.note_use(use, user, fact)
        return collection(facts, node.elements)

    def _dict(self, node: bare.Dict, env: Env) -> Fact:
        parts: list[tuple[int | str, Fact]] = []
        for element in node.elements:
            value = self.eval(element.value, env)
            self.ledger.note_use(Op.NAME, node, value)
            if isinstance(element, bare.DictElement) and isinstance(element.key, bare.SimpleString):
                parts.append((str(evaluated(element.key.value)), value))
        return replace(NOT_A_NUMBER, parts=tuple(parts))

    # -- operators ---------------------------------------------------------------------------

    def _binary(self, node: bare.BinaryOperation, env: Env) -> Fact:
        op = BINARY.get(type(node.operator))
        left, right = self.eval(node.left, env), self.eval(node.right, env)
        if op is None or Form.OTHER in (left.form, right.form):
            return UNKNOWN  # text formatting, path joins
        if op is Op.MUL and Form.LIST in (left.form, right.form):
            # `[0] * n` is there to be filled.
            return Fact(form=Form.LIST, grad=False)
        operands = {"x": Operand(node.left, left), "y": Operand(node.right, right)}
        if op is Op.MUL and self.frame.recording:
            self._masked(left, right, env)
            self._masked(right, left, env)
        fact = self.apply(op, node, operands, env)
        self.tell(op, operands)
        if op is Op.SUB and type(node.left) is type(node.right) is bare.Name:
            return self._as_guarded(node, fact, env)  # under `if high > low:`
        return fact

    def _masked(self, value: Fact, mask: Fact, env: Env) -> None:
        """A value times a comparison, as it is or as numbers: `log(x) * (x > 0).float()`."""
        if value.origin is None or not mask.is_any(Kind.MASK):
            return
        origin = behind(mask, AS_NUMBERS)
        if origin is not None and origin.op is Op.COMPARE and still_means(origin, env):
            self.mending.mask(value, Operand(origin.node, mask), env)

    def _unary(self, node: bare.UnaryOperation, env: Env) -> Fact:
        fact = self.eval(node.expression, env)
        operands = {"x": Operand(node.expression, fact)}
        if isinstance(node.operator, bare.Minus):
            return self.apply(Op.NEG, node, operands, env)
        if isinstance(node.operator, bare.Plus):
            return fact
        return self.apply(Op.LOGICAL, node, operands, env)

    # -- the rest ----------------------------------------------------------------------------

    def _awaited(self, node: bare.Await, env: Env) -> Fact:
        return self.eval(node.expression, env)

    def _yielded(self, node: bare.Yield, env: Env) -> Fact:
        value = node.value.item if isinstance(node.value, bare.From) else node.value
        if value is not None:
            self.ledger.note_use(Op.RETURN, node, self.eval(value, env))
        return UNKNOWN


def _shape(base: Fact) -> Fact:
    return transfer(Call(Op.NUMEL, {"x": base}))


_READERS: Mapping[type[bare.Node], Callable[..., Fact]] = MappingProxyType(
    {
        bare.Name: Expressions._name,
        bare.Attribute: Expressions._attribute,
        bare.Integer: Expressions._number,
        bare.Float: Expressions._number,
        bare.SimpleString: Expressions._text,
        bare.FormattedString: Expressions._formatted,
        bare.Tuple: Expressions._list,
        bare.List: Expressions._list,
        bare.Set: Expressions._list,
        bare.Dict: Expressions._dict,
        bare.BinaryOperation: Expressions._binary,
        bare.UnaryOperation: Expressions._unary,
        bare.BooleanOperation: lambda self, node, env: self.logic.boolean(node, env),
        bare.Comparison: lambda self, node, env: self.logic.comparison(node, env),
        bare.IfExp: lambda self, node, env: self.logic.conditional(node, env),
        bare.Subscript: lambda self, node, env: self.subscripts.eval(node, env),
        bare.Call: lambda self, node, env: self.calls.eval(node, env),
        bare.ListComp: lambda self, node, env: self.scopes.comprehension(node, env),
        bare.SetComp: lambda self, node, env: self.scopes.comprehension(node, env),
        bare.GeneratorExp: lambda self, node, env: self.scopes.comprehension(node, env),
        bare.DictComp: lambda self, node, env: self.scopes.dict_comprehension(node, env),
        bare.Lambda: lambda self, node, env: self.scopes.function(node, env),
        bare.NamedExpr: lambda self, node, env: self.scopes.walrus(node, env),
        bare.Await: Expressions._awaited,
        bare.Yield: Expressions._yielded,
    }
)
