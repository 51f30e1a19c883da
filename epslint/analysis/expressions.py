"""Expressions: what each of them is known to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import libcst as cst

from epslint.analysis import names, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import (
    NOT_A_NUMBER,
    UNKNOWN,
    DType,
    Evidence,
    Fact,
    Form,
    Kind,
    Part,
    number,
)
from epslint.analysis.frame import Frame
from epslint.analysis.guards import Guards
from epslint.analysis.keys import dotted, key_of, roots_of
from epslint.analysis.ops import DTYPES, Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.analysis.transfer import Call, transfer
from epslint.analysis.transfer.call import WHOLE

if TYPE_CHECKING:
    from epslint.analysis.model import Model

BINARY: Mapping[type[cst.CSTNode], Op] = MappingProxyType(
    {
        cst.Add: Op.ADD,
        cst.Subtract: Op.SUB,
        cst.Multiply: Op.MUL,
        cst.Divide: Op.DIV,
        cst.FloorDivide: Op.FLOORDIV,
        cst.Modulo: Op.MOD,
        cst.Power: Op.POW,
        cst.MatrixMultiply: Op.MATMUL,
        cst.BitAnd: Op.LOGICAL,
        cst.BitOr: Op.LOGICAL,
        cst.BitXor: Op.LOGICAL,
        cst.AddAssign: Op.ADD,
        cst.SubtractAssign: Op.SUB,
        cst.MultiplyAssign: Op.MUL,
        cst.DivideAssign: Op.DIV,
        cst.FloorDivideAssign: Op.FLOORDIV,
        cst.ModuloAssign: Op.MOD,
        cst.PowerAssign: Op.POW,
        cst.MatrixMultiplyAssign: Op.MATMUL,
        cst.BitAndAssign: Op.LOGICAL,
        cst.BitOrAssign: Op.LOGICAL,
    }
)

_CONSTANTS: Mapping[str, Fact] = MappingProxyType(
    {
        "True": number(1, DType.BOOL),
        "False": number(0, DType.BOOL),
        "None": NOT_A_NUMBER,
        "math.pi": number(3.141592653589793),
        "numpy.pi": number(3.141592653589793),
        "torch.pi": number(3.141592653589793),
        "math.e": number(2.718281828459045),
        "numpy.e": number(2.718281828459045),
        "math.inf": number(ranges.INF),
        "numpy.inf": number(ranges.INF),
        "torch.inf": number(ranges.INF),
        "jax.numpy.inf": number(ranges.INF),
        "sys.float_info.epsilon": number(2.0**-52),
        "sys.float_info.min": number(2.0**-1022),
    }
)

_SAME_ATTRIBUTES = frozenset({"T", "mT", "data", "real", "H"})


class ReadsCalls(Protocol):
    """The room next door, which evaluates calls and comes back here for their arguments."""

    def eval(self, node: cst.Call, env: Env) -> Fact: ...


class Expressions:
    """Evaluates the expressions of one frame."""

    def __init__(
        self, model: Model, frame: Frame, calls: Callable[[Expressions], ReadsCalls]
    ) -> None:
        self.model = model
        self.frame = frame
        self.guards = Guards(self)
        self.calls = calls(self)

    # -- entry -------------------------------------------------------------------------------

    def eval(self, node: cst.BaseExpression, env: Env) -> Fact:
        reader = _READERS.get(type(node))
        if reader is None:
            return UNKNOWN
        fact = reader(self, node, env)
        return self._as_guarded(node, fact, env)

    def _as_guarded(self, node: cst.BaseExpression, fact: Fact, env: Env) -> Fact:
        """A condition may have said more of this very expression: `if mask.sum() > 0:`."""
        if isinstance(node, cst.Name) or not (fact.zero or fact.huge):
            return fact
        key = key_of(node)
        guarded = None if key is None else env.fact(key)
        return fact if guarded is None else replace(fact.within(guarded.range), size=guarded.size)

    def quietly(self, node: cst.BaseExpression, env: Env) -> Fact:
        """Evaluate without leaving sites."""
        recording, self.frame.recording = self.frame.recording, False
        try:
            return self.eval(node, env)
        finally:
            self.frame.recording = recording

    def is_module(self, node: cst.BaseExpression, env: Env) -> bool:
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
        node: cst.BaseExpression | cst.AugAssign,
        operands: Mapping[str, Operand],
        env: Env,
        form: Form = Form.UNKNOWN,
    ) -> Fact:
        """The result of an operation, noted as a site."""
        fact = self.transferred(op, operands, form)
        return self.conclude(op, node, operands, fact, env)

    def transferred(self, op: Op, operands: Mapping[str, Operand], form: Form) -> Fact:
        if op is Op.SUB and "x" in operands and "y" in operands:
            if (fact := self._difference(operands["x"], operands["y"])) is not None:
                return fact
        return transfer(Call(op, {name: o.fact for name, o in operands.items()}, form))

    def conclude(
        self,
        op: Op,
        node: cst.BaseExpression | cst.AugAssign,
        operands: Mapping[str, Operand],
        fact: Fact,
        env: Env,
    ) -> Fact:
        """A result whose fact is known: give it its origin, and note the site."""
        if not env.mode.grad and fact.grad:
            fact = replace(fact, grad=False)
        if isinstance(node, cst.BaseExpression):
            origin = self._origin(op, node, operands)
            parts = tuple((key, replace(part, origin=origin)) for key, part in fact.parts)
            fact = replace(fact, origin=origin, parts=parts)
        if self.frame.recording:
            for operand in operands.values():
                self.note_use(op, node, operand.fact)
            if op in self.model.listening:
                self._record(op, node, operands, fact, env)
        return fact

    def _origin(self, op: Op, node: cst.BaseExpression, operands: Mapping[str, Operand]) -> Origin:
        frame = self.frame
        return Origin(op, node, frame.unit, operands, self.model.clock, frame.serial)

    def note_use(self, op: Op, node: cst.CSTNode, fact: Fact) -> None:
        """The value of `fact` goes into an operation."""
        if fact.origin is not None and self.frame.recording:
            self.frame.uses.setdefault(fact.origin.node, {})[node] = op

    def _record(
        self,
        op: Op,
        node: cst.BaseExpression | cst.AugAssign,
        operands: Mapping[str, Operand],
        fact: Fact,
        env: Env,
    ) -> None:
        key = (node, op)
        if self.frame.choosing:
            if (site := self.frame.sites.get(key)) is not None:
                chosen = {name: operand.fact for name, operand in operands.items()}
                self.frame.sites[key] = replace(site, chosen=chosen)
            return
        self.frame.sites[key] = Site(
            op=op,
            node=node,
            unit=self.frame.unit,
            operands=operands,
            result=fact,
            mode=env.mode,
            scope=self.frame.scope,
            hierarchy=self.model.hierarchy,
            repeatable=frozenset(self._repeatable(operands, env)),
        )

    def _repeatable(self, operands: Mapping[str, Operand], env: Env) -> Iterator[str]:
        """The operands whose making could be written here once more and give the same."""
        for name, operand in operands.items():
            origin = operand.fact.origin
            if origin is None or origin.frame != self.frame.serial:
                continue
            if origin.node is operand.node or self.guards.still_means(origin, env):
                yield name

    # -- names and attributes ----------------------------------------------------------------

    def _name(self, node: cst.Name, env: Env) -> Fact:
        name = node.value
        found = env.fact(name)
        if found is not None:
            return found
        if (constant := _CONSTANTS.get(name)) is not None:
            return constant
        if (imported := self.resolved(name, env)) is not None:
            return _library_value(imported)
        return self.model.global_fact(name)

    def _attribute(self, node: cst.Attribute, env: Env) -> Fact:
        path = dotted(node)
        if path is not None:
            if (found := env.fact(path)) is not None:
                return found
            if (imported := self.resolved(path, env)) is not None:
                return _library_value(imported)
            if (own := self._own_attribute(path)) is not None:
                return own
        return self._attribute_of(node, self.eval(node.value, env))

    def _own_attribute(self, path: str) -> Fact | None:
        owner, _, attribute = path.partition(".")
        if self.frame.owner is None or owner != self.frame.self_name or "." in attribute:
            return None
        return self.model.attribute(self.frame.owner, attribute)

    @staticmethod
    def _attribute_of(node: cst.Attribute, base: Fact) -> Fact:
        name = node.attr.value
        if (part := base.part(name)) is not None:
            return part
        if name == "shape" or (name == "size" and base.form is Form.NUMPY):
            return _shape(base)
        if name in _SAME_ATTRIBUTES:
            return replace(base, grad=base.grad and name != "data")
        if name == "dtype":
            return replace(NOT_A_NUMBER, dtype=base.dtype)
        return names.named(name)

    # -- literals ----------------------------------------------------------------------------

    def _number(self, node: cst.Integer | cst.Float, env: Env) -> Fact:
        whole = isinstance(node, cst.Integer)
        try:
            value = float(node.evaluated_value)
        except OverflowError:
            value = ranges.INF
        fact = number(value, DType.INT if whole else DType.UNKNOWN)
        return replace(fact, origin=self._origin(Op.CONSTANT, node, {}))

    def _text(self, node: cst.BaseExpression, env: Env) -> Fact:
        return NOT_A_NUMBER

    def _formatted(self, node: cst.FormattedString, env: Env) -> Fact:
        for part in node.parts:
            if isinstance(part, cst.FormattedStringExpression):
                self.eval(part.expression, env)
        return NOT_A_NUMBER

    def _list(self, node: cst.List | cst.Set | cst.Tuple, env: Env) -> Fact:
        facts = [self.eval(element.value, env) for element in node.elements]
        for fact in facts:
            self.note_use(Op.NAME, node, fact)
        return replace(_collection(facts, node.elements), parts=_positions(facts, node.elements))

    def _dict(self, node: cst.Dict, env: Env) -> Fact:
        parts: list[tuple[int | str, Fact]] = []
        for element in node.elements:
            value = self.eval(element.value, env)
            self.note_use(Op.NAME, node, value)
            if isinstance(element, cst.DictElement) and isinstance(element.key, cst.SimpleString):
                parts.append((str(element.key.evaluated_value), value))
        return replace(NOT_A_NUMBER, parts=tuple(parts))

    # -- operators ---------------------------------------------------------------------------

    def _binary(self, node: cst.BinaryOperation, env: Env) -> Fact:
        op = BINARY.get(type(node.operator))
        left, right = self.eval(node.left, env), self.eval(node.right, env)
        if op is None or Form.OTHER in (left.form, right.form):
            return UNKNOWN  # text formatting, path joins
        operands = {"x": Operand(node.left, left), "y": Operand(node.right, right)}
        return self.apply(op, node, operands, env)

    def _difference(self, x: Operand, y: Operand) -> Fact | None:
        """Differences that are known because of what both sides are made of."""
        left = x.fact
        mine, theirs = _maker(x.fact), _maker(y.fact)
        key = key_of(x.node)
        if key is not None and theirs == (Op.DETACH, key):
            return replace(left, range=ranges.point(0.0), kinds=Kind.NONE, huge=Evidence.NONE)
        if key is not None and theirs == (Op.MAX, key):
            shifted = ranges.NONPOSITIVE
            return Fact(shifted, Kind.SHIFTED, Evidence.PROVEN, form=left.form, grad=left.grad)
        if mine[0] is Op.MAX and theirs[0] is Op.MIN and mine[1] == theirs[1] is not None:
            proven = Evidence.PROVEN
            return Fact(
                ranges.NONNEGATIVE, Kind.SPAN, proven, proven, form=left.form, grad=left.grad
            )
        return None

    def _unary(self, node: cst.UnaryOperation, env: Env) -> Fact:
        fact = self.eval(node.expression, env)
        operands = {"x": Operand(node.expression, fact)}
        if isinstance(node.operator, cst.Minus):
            return self.apply(Op.NEG, node, operands, env)
        if isinstance(node.operator, cst.Plus):
            return fact
        return self.apply(Op.LOGICAL, node, operands, env)

    def _boolean(self, node: cst.BooleanOperation, env: Env) -> Fact:
        left = self.eval(node.left, env)
        conjunction = isinstance(node.operator, cst.And)
        branch = env.child()
        self.guards.assume(node.left, conjunction, branch)
        right = self.eval(node.right, branch)
        if conjunction:
            return right if right.form is Form.UNKNOWN else left.join(right)
        chosen = env.child()
        self.guards.assume(node.left, True, chosen)
        return self.quietly(node.left, chosen).join(right)

    def _comparison(self, node: cst.Comparison, env: Env) -> Fact:
        left = self.eval(node.left, env)
        operands = {"x": Operand(node.left, left)}
        for target in node.comparisons:
            right = self.eval(target.comparator, env)
            operands.setdefault("y", Operand(target.comparator, right))
        return self.apply(Op.COMPARE, node, operands, env)

    def _conditional(self, node: cst.IfExp, env: Env) -> Fact:
        self.eval(node.test, env)
        met, unmet = env.child(), env.child()
        self.guards.assume(node.test, True, met)
        self.guards.assume(node.test, False, unmet)
        return self.eval(node.body, met).join(self.eval(node.orelse, unmet))

    # -- subscripts --------------------------------------------------------------------------

    def _subscript(self, node: cst.Subscript, env: Env) -> Fact:
        base = self.eval(node.value, env)
        key = key_of(node)
        if key is not None and (found := env.fact(key)) is not None:
            return found
        if len(node.slice) != 1 or not isinstance(node.slice[0].slice, cst.Index):
            return base.minus(WHOLE)
        index = node.slice[0].slice.value
        position = self.eval(index, env)
        if isinstance(index, cst.SimpleString):
            name = str(index.evaluated_value)
            return base.part(name) or names.named(name)
        if position.constant is not None and (part := base.part(int(position.constant))):
            return part
        if position.is_any(Kind.MASK):
            return self._selected(node.value, base, index, position, env)
        return replace(base, kinds=base.kinds & ~WHOLE, parts=())

    def _selected(
        self,
        node: cst.BaseExpression,
        base: Fact,
        index: cst.BaseExpression,
        mask: Fact,
        env: Env,
    ) -> Fact:
        """`y[y > 0]`: the elements for which the mask is true, possibly none."""
        branch = env.child()
        self.guards.assume(index, True, branch)
        chosen = self.quietly(node, branch)
        size = ranges.SOME if self.some_true(index, env) else ranges.NONNEGATIVE
        return replace(chosen, kinds=base.kinds & ~WHOLE, size=size, parts=())

    def some_true(self, mask: cst.BaseExpression, env: Env) -> bool:
        """Whether `if mask.any():` or the like has been passed."""
        key = key_of(mask)
        if key is None:
            return False
        tests = (f"{key}.any()", f"torch.any({key})", f"np.any({key})", f"{key}.sum()")
        return any((fact := env.fact(test)) is not None and fact.range.positive for test in tests)

    # -- scopes inside expressions -----------------------------------------------------------

    def _comprehension(self, node: cst.ListComp | cst.SetComp | cst.GeneratorExp, env: Env) -> Fact:
        inner = env.child()
        size = self._bind_for(node.for_in, inner)
        element = self.eval(node.elt, inner)
        return replace(element, form=Form.LIST, size=size, parts=())

    def _dict_comprehension(self, node: cst.DictComp, env: Env) -> Fact:
        inner = env.child()
        self._bind_for(node.for_in, inner)
        self.eval(node.key, inner)
        self.eval(node.value, inner)
        return NOT_A_NUMBER

    def _bind_for(self, loop: cst.CompFor, env: Env) -> ranges.Range:
        """Bind the targets of a comprehension; how many elements it may give."""
        source = self.eval(loop.iter, env)
        self.bind(loop.target, element_of(source), env)
        size = source.size
        for condition in loop.ifs:
            self.eval(condition.test, env)
            self.guards.assume(condition.test, True, env)
            size = ranges.NONNEGATIVE
        if loop.inner_for_in is not None:
            inner = self._bind_for(loop.inner_for_in, env)
            size = size.join(inner) if inner.has_zero else size
        return size

    def _lambda(self, node: cst.Lambda, env: Env) -> Fact:
        inner = env.child()
        for parameter in _parameters(node.params):
            inner.assign(parameter.name.value, names.named(parameter.name.value), self.model.tick())
        self.eval(node.body, inner)
        return NOT_A_NUMBER

    def _walrus(self, node: cst.NamedExpr, env: Env) -> Fact:
        fact = self.eval(node.value, env)
        self.bind(node.target, fact, env)
        return fact

    def _awaited(self, node: cst.Await, env: Env) -> Fact:
        return self.eval(node.expression, env)

    def _yielded(self, node: cst.Yield, env: Env) -> Fact:
        value = node.value.item if isinstance(node.value, cst.From) else node.value
        if value is not None:
            self.eval(value, env)
        return UNKNOWN

    # -- assignment --------------------------------------------------------------------------

    def bind(self, target: cst.BaseExpression, fact: Fact, env: Env) -> None:
        """Give a target its value; tuples part by part."""
        if isinstance(target, cst.Tuple | cst.List):
            self._unpack(target, fact, env)
        elif isinstance(target, cst.StarredElement):
            self.bind(target.value, fact, env)
        elif isinstance(target, cst.Name | cst.Attribute):
            self._bind_path(target, fact, env)
        elif isinstance(target, cst.Subscript):
            self._bind_element(target, fact, env)

    def _unpack(self, target: cst.Tuple | cst.List, fact: Fact, env: Env) -> None:
        for position, element in enumerate(target.elements):
            part = fact.part(position)
            if part is None:
                part = fact if fact.is_any(Kind.SHAPE) else element_of(fact)
            self.bind(element.value, part, env)

    def _bind_path(self, target: cst.Name | cst.Attribute, fact: Fact, env: Env) -> None:
        path = dotted(target)
        if path is None:
            return
        fact = named_if_unknown(path, fact)
        env.assign(path, fact, self.model.tick())
        if isinstance(target, cst.Attribute):
            self.note_use(Op.NAME, target, fact)
        owner, _, attribute = path.partition(".")
        if attribute and owner == self.frame.self_name:
            known = self.frame.attributes.get(attribute)
            self.frame.attributes[attribute] = fact if known is None else known.join(fact)
        if (
            self.frame.recording
            and self.model.tracing
            and (row := self.frame.unit.find_row(target))
        ):
            self.frame.known[row, path] = fact

    def _bind_element(self, target: cst.Subscript, fact: Fact, env: Env) -> None:
        """`x[i] = v`: x becomes what it was or v; `x[x == 0] = v` leaves no 0."""
        path = key_of(target.value)
        if path is None:
            return
        index = target.slice[0].slice
        if len(target.slice) == 1 and isinstance(index, cst.Index):
            if isinstance(index.value, cst.SimpleString):
                key = key_of(target)
                if key is not None:
                    env.assign(key, fact, self.model.tick())
                return
            mask = self.quietly(index.value, env)
            if mask.is_any(Kind.MASK):
                self._overwrite(target.value, path, index.value, fact, env)
                return
        before = env.fact(path) or UNKNOWN
        if before.constant == 0:
            # A tensor of zeros that is being filled: its zeros are not what is meant to stay.
            after = replace(fact, form=before.form, zero=Evidence.NONE)
        else:
            after = before.join(replace(fact, form=before.form))
        env.assign(path, replace(after, size=before.size), self.model.tick())

    def _overwrite(
        self, node: cst.BaseExpression, path: str, mask: cst.BaseExpression, fact: Fact, env: Env
    ) -> None:
        before = self.quietly(node, env)
        self.repair(before, mask, True, env)
        kept = env.child()
        self.guards.assume(mask, False, kept)
        rest = self.quietly(node, kept)
        after = rest.join(replace(fact, form=rest.form, grad=rest.grad, dtype=rest.dtype))
        env.assign(path, replace(after, size=before.size), self.model.tick())

    def repair(self, fact: Fact, test: cst.BaseExpression, truth: bool, env: Env) -> None:
        """Where `test` is `truth` the value is replaced: note it at the site that made the value."""
        origin = fact.origin
        if origin is None or (origin.node, origin.op) not in self.frame.sites:
            return
        site = self.frame.sites[origin.node, origin.op]
        kept = env.child()
        self.guards.assume(test, not truth, kept)
        condition = self.quietly(test, env).origin
        if (
            condition is not None and condition.op in (Op.ISNAN, Op.ISINF, Op.ISFINITE)
        ) or _mentions_infinity(test):
            chosen = {
                name: replace(operand.fact, zero=Evidence.NONE)
                for name, operand in origin.operands.items()
            }
        else:
            chosen = {
                name: self.quietly(operand.node, kept) for name, operand in origin.operands.items()
            }
        self.frame.sites[origin.node, origin.op] = replace(site, chosen=chosen)


def _maker(fact: Fact) -> tuple[Op | None, str | None]:
    """The operation that made a value, seen through rearrangements, and what it was made of."""
    origin = fact.origin
    while origin is not None and "x" in origin.operands:
        inner = origin.operands["x"].fact.origin
        through_detach = origin.op is Op.DETACH and inner is not None and inner.op is Op.MAX
        if origin.op not in (Op.SAME, Op.ITEM, Op.FLOAT, Op.PICK) and not through_detach:
            return origin.op, key_of(origin.operands["x"].node)
        origin = inner
    return None, None


def named_if_unknown(path: str, fact: Fact) -> Fact:
    """A name speaks only where nothing else does."""
    if fact.ground or fact.kinds or fact.range != ranges.TOP or fact.form is Form.OTHER:
        return fact
    told = names.named(path.rpartition(".")[2])
    if told is UNKNOWN:
        return fact
    return replace(
        told,
        dtype=fact.dtype,
        form=fact.form,
        grad=fact.grad and told.grad,
        size=fact.size,
        parts=fact.parts,
        origin=fact.origin,
    )


def element_of(fact: Fact) -> Fact:
    """One element of what is iterated over."""
    if fact.form is Form.LIST:
        return replace(
            fact, form=Form.UNKNOWN, size=ranges.SOME, kinds=fact.kinds & ~WHOLE, parts=()
        )
    if fact.form.tensor:
        return replace(fact, kinds=fact.kinds & ~WHOLE, size=ranges.SOME, parts=())
    return UNKNOWN


def _collection(facts: Sequence[Fact], elements: Sequence[cst.BaseElement]) -> Fact:
    if not facts:
        return Fact(form=Form.LIST, grad=False)  # empty now, and there to be filled
    joined = facts[0]
    for fact in facts[1:]:
        joined = joined.join(fact)
    starred = any(isinstance(element, cst.StarredElement) for element in elements)
    size = ranges.SOME if starred else ranges.point(float(len(facts)))
    return replace(joined, form=Form.LIST, size=size, parts=())


def _positions(facts: Sequence[Fact], elements: Sequence[cst.BaseElement]) -> tuple[Part, ...]:
    """The elements one by one, of a literal short enough to be taken apart again."""
    if len(facts) > 8 or any(isinstance(element, cst.StarredElement) for element in elements):
        return ()
    return tuple(enumerate(facts))


def _shape(base: Fact) -> Fact:
    return transfer(Call(Op.NUMEL, {"x": base}))


def _library_value(path: str) -> Fact:
    if (constant := _CONSTANTS.get(path)) is not None:
        return constant
    name = path.rpartition(".")[2]
    if name in DTYPES and path.partition(".")[0] in ("torch", "numpy", "jax", "tensorflow"):
        return replace(NOT_A_NUMBER, dtype=DType(DTYPES[name]))
    return names.named(name)


def _mentions_infinity(node: cst.BaseExpression) -> bool:
    return any(name in ("inf", "isinf", "isnan", "isfinite") for name in roots_of(node)) or (
        "inf" in (key_of(node) or "")
    )


def _parameters(params: cst.Parameters) -> list[cst.Param]:
    found = [*params.posonly_params, *params.params, *params.kwonly_params]
    if isinstance(params.star_arg, cst.Param):
        found.append(params.star_arg)
    if params.star_kwarg is not None:
        found.append(params.star_kwarg)
    return found


_READERS: Mapping[type[cst.CSTNode], Callable[..., Fact]] = MappingProxyType(
    {
        cst.Name: Expressions._name,
        cst.Attribute: Expressions._attribute,
        cst.Integer: Expressions._number,
        cst.Float: Expressions._number,
        cst.SimpleString: Expressions._text,
        cst.ConcatenatedString: Expressions._text,
        cst.FormattedString: Expressions._formatted,
        cst.Tuple: Expressions._list,
        cst.List: Expressions._list,
        cst.Set: Expressions._list,
        cst.Dict: Expressions._dict,
        cst.BinaryOperation: Expressions._binary,
        cst.UnaryOperation: Expressions._unary,
        cst.BooleanOperation: Expressions._boolean,
        cst.Comparison: Expressions._comparison,
        cst.IfExp: Expressions._conditional,
        cst.Subscript: Expressions._subscript,
        cst.Call: lambda self, node, env: self.calls.eval(node, env),
        cst.ListComp: Expressions._comprehension,
        cst.SetComp: Expressions._comprehension,
        cst.GeneratorExp: Expressions._comprehension,
        cst.DictComp: Expressions._dict_comprehension,
        cst.Lambda: Expressions._lambda,
        cst.NamedExpr: Expressions._walrus,
        cst.Await: Expressions._awaited,
        cst.Yield: Expressions._yielded,
    }
)
