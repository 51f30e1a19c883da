"""Calls of methods: operations on their receiver, and the few that change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import LAST, UNKNOWN, DType, Evidence, Fact, Form, Kind, replace
from epslint.analysis.interpreter.sizes import is_of_many
from epslint.analysis.keys import CUTTING, called, crops, dotted, evaluated, key_of
from epslint.analysis.made.draws import BY_GENERATORS, log_prob_of, sample_of, tells_of_generator
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.program.modules import extended, is_module
from epslint.analysis.transfer.arrangement import learned
from epslint.analysis.transfer.call import LOGARITHMIC, TOPIC
from epslint.analysis.words.spellings import Spelling, method

if TYPE_CHECKING:
    from epslint.analysis.interpreter.calls import Calls
    from epslint.analysis.interpreter.expressions import Expressions

_OF_OBJECTS = frozenset({Op.LOG_PROB, Op.ENTROPY})  # a distribution's; `tree.sum()` is not ours
_MOVING = frozenset({Op.TO, Op.SAME, Op.FLOAT, Op.HALF, Op.BFLOAT16, Op.DOUBLE})  # a module too
_ONLY_OF_TORCH = frozenset(
    {
        *(Op.EXP, Op.EXPM1, Op.LOG, Op.LOG1P, Op.SQRT, Op.RSQRT, Op.SIGMOID, Op.TANH, Op.RELU),
        *(Op.SOFTMAX, Op.LOG_SOFTMAX),
    }
)
_SWITCHES = frozenset({"keepdim", "unbiased"})
_ONE_BY_ONE = frozenset({"append", "add", "insert"})


class MethodCalls:
    """Evaluates `x.sum()`, `x.clamp_(min=1)`, `xs.append(x)`."""

    def __init__(self, calls: Calls, expressions: Expressions) -> None:
        self._calls = calls
        self._expressions = expressions

    def eval(self, node: bare.Call, env: Env) -> Fact | None:
        func = node.func
        expressions = self._expressions
        if type(func) is not bare.Attribute or expressions.is_module(func.value, env):
            return None
        name = func.attr.value
        path = dotted(func.value)
        if name not in _SPECIAL and method(name) is None and path is not None:
            if (known := env.fact(path)) is not None:
                expressions.ledger.note_use(Op.CALL, node, known)
            return None  # whatever `self.accelerator` is, nothing is known of its `gather`
        receiver = Operand(func.value, expressions.eval(func.value, env))
        special = _SPECIAL.get(name)
        if special is not None and (fact := special(self, node, receiver, env)) is not None:
            return fact
        fact = self._operation(name, node, receiver, env)
        if fact is None:
            expressions.ledger.note_use(Op.CALL, node, receiver.fact)
        return fact

    def _operation(self, name: str, node: bare.Call, operand: Operand, env: Env) -> Fact | None:
        """`x.log()`, and in place `x.log_()`."""
        found = method(name)
        if found is None:
            return None
        spelling, in_place = found
        if spelling.op is Op.LOG and node.args:
            return None  # `logger.log(message)`: a function has a base, a method takes nothing
        if operand.fact.form is Form.OTHER and spelling.op not in _OF_OBJECTS:
            moved = spelling.op in _MOVING and is_module(operand.fact)
            return operand.fact if moved else None
        if not self._calls.fits(spelling, node, 1) or self._is_of_another(spelling, node, env):
            return None
        if spelling.op in (Op.WHERE, Op.FULL):
            return self._where_method(node, operand, env)
        operands = self._calls.bound(spelling, node, {spelling.params[0]: operand}, env)
        fact = self._calls.applied(spelling.op, node, operands, env, self._form(spelling.op))
        if spelling.op is Op.LOG_PROB:
            fact = log_prob_of(operand.fact, fact)
        if in_place:
            self._calls.store(operand.node, fact, env)
        elif name in CUTTING and operand.fact.constant == 0:
            # Zeros that are filled part by part, through what shares their memory.
            env.drop_zero(key_of(operand.node) or "")
        return fact

    def _is_of_another(self, spelling: Spelling, node: bare.Call, env: Env) -> bool:
        """`process.std(t, x)`, `self.mean(obs)`: an object that is no tensor has such a method too,
        and is handed values where a tensor's would be told an axis.
        """
        if "dim" not in spelling.params:
            return False
        if isinstance(node.func, bare.Attribute) and dotted(node.func.value) == "self":
            return True  # a function of the file would have been followed, were it not so long
        given = [a.value for a in node.args if a.keyword is None and not a.star]
        for parameter, value in zip(spelling.params[1:], given, strict=False):
            if parameter in _SWITCHES and not _is_switch(value):
                return True
            if parameter == "dim" and self._expressions.quietly(value, env).form.tensor:
                return True
        return False

    def _form(self, op: Op) -> Form:
        """Of what has this method: `x.log()` is for tensors of torch only."""
        known = op in _ONLY_OF_TORCH and "torch" in self._expressions.model.imports.values()
        return Form.TORCH if known else Form.UNKNOWN

    def _registered(self, node: bare.Call, receiver: Operand, env: Env) -> Fact | None:
        """`self.register_buffer("std", torch.ones(1))` assigns `self.std`."""
        given = [argument.value for argument in node.args]
        if len(given) < 2 or not isinstance(given[0], bare.SimpleString):
            return None
        name = bare.Name(str(evaluated(given[0].value)))
        if name.value.isidentifier():
            fact = self._expressions.eval(given[1], env)
            self._expressions.bindings.bind(bare.Attribute(receiver.node, name), fact, env)
        return UNKNOWN

    def _stated(self, node: bare.Call, receiver: Operand, env: Env) -> Fact | None:
        """`self.add_state("total", default=torch.zeros(n))`: whoever asks a metric has updated it,
        but not with every class. Of a single total nothing is said.
        """
        given = {a.keyword.value if a.keyword else str(i): a.value for i, a in enumerate(node.args)}
        name, default = given.get("0") or given.get("name"), given.get("1") or given.get("default")
        if not isinstance(name, bare.SimpleString) or default is None:
            return None
        fact = self._expressions.eval(default, env)
        attribute = bare.Name(str(evaluated(name.value)))
        if attribute.value.isidentifier():
            stated = fact if is_of_many(fact) else UNKNOWN
            self._expressions.bindings.bind(bare.Attribute(receiver.node, attribute), stated, env)
        return UNKNOWN

    def _where_method(self, node: bare.Call, operand: Operand, env: Env) -> Fact:
        """`x.where(c, y)` keeps x where c holds; `mask.where(a, b)` is not written."""
        spelling = Spelling(Op.WHERE, ("x", "cond", "y"))
        operands = self._calls.bound(spelling, node, {"x": operand}, env)
        return self._calls.applied(Op.WHERE, node, operands, env, Form.UNKNOWN)

    def _asked_for_gradient(self, node: bare.Call, receiver: Operand, env: Env) -> Fact | None:
        """`x.requires_grad_()`: learned from here on; of a module all that it has."""
        if receiver.fact.form is Form.OTHER:
            return None
        asked = [self._expressions.eval(argument.value, env) for argument in node.args]
        if asked and asked[0].constant != 1:
            return receiver.fact
        fact = learned(receiver.fact)
        self._calls.store(receiver.node, fact, env)
        return fact

    def _redrawn(self, node: bare.Call, receiver: Operand, env: Env) -> Fact:
        """`w.normal_(0, 0.02)`."""
        spelling = Spelling(Op.INIT_NORMAL, ("x", "mean", "std"))
        operands = self._calls.bound(spelling, node, {"x": receiver}, env)
        return self._calls.applied(Op.INIT_NORMAL, node, operands, env, Form.UNKNOWN)

    def _drawn(self, node: bare.Call, receiver: Operand, env: Env) -> Fact | None:
        """`rng.normal(size=n)` of a generator, known by its name."""
        name = called(node)
        if not tells_of_generator(called(receiver.node)):
            return None
        spelling = Spelling(*BY_GENERATORS[name], open_ended=True)
        operands = self._calls.bound(spelling, node, {}, env)
        fact = self._calls.applied(spelling.op, node, operands, env, Form.UNKNOWN)
        # Known by a name only: that one element of many is drawn as 0 is not worth a word.
        return replace(fact, zero=Evidence.NONE)

    def _sampled(self, node: bare.Call, receiver: Operand, env: Env) -> Fact | None:
        """`Categorical(probs).sample()`."""
        for argument in node.args:
            self._expressions.eval(argument.value, env)
        return sample_of(receiver.fact) or self._sampled_from(receiver.node, node, env)

    def _sampled_from(self, made: bare.BaseExpression, node: bare.Call, env: Env) -> Fact | None:
        """`Uniform(0, 1).sample()`, where the distribution is written."""
        spelling = _DISTRIBUTIONS.get(called(made)) if isinstance(made, bare.Call) else None
        if spelling is None or not isinstance(made, bare.Call):
            return None
        operands = self._calls.bound(spelling, made, {}, env)
        return self._calls.applied(spelling.op, node, operands, env, Form.UNKNOWN)

    def _copied(self, node: bare.Call, receiver: Operand, env: Env) -> Fact | None:
        """`x.copy_(y)`: what was there before is gone."""
        if not node.args:
            return None
        value = self._expressions.eval(node.args[0].value, env)
        fact = replace(value, form=receiver.fact.form, dtype=receiver.fact.dtype)
        self._calls.store(receiver.node, fact, env)
        return fact

    def _made_like(self, node: bare.Call, receiver: Operand, env: Env) -> Fact | None:
        """`x.new_tensor([eps])`."""
        if not node.args:
            return None
        value = self._expressions.eval(node.args[0].value, env)
        return replace(value, form=Form.TORCH, dtype=receiver.fact.dtype, grad=False, parts=())

    def _drawn_between(self, node: bare.Call, receiver: Operand, env: Env) -> Fact:
        """`noise.uniform_(0, 1)`."""
        spelling = Spelling(Op.RAND, ("x", "min", "max"))
        operands = self._calls.bound(spelling, node, {"x": receiver}, env)
        fact = self._calls.applied(Op.RAND, node, operands, env, receiver.fact.form)
        self._calls.store(receiver.node, fact, env)
        return fact

    def _accumulated(self, node: bare.Call, receiver: Operand, env: Env) -> Fact:
        """`zeros(n).scatter_add_(0, ids, x)`: a sum per group, 0 for a group that gets nothing."""
        added = [Operand(a.value, self._expressions.eval(a.value, env)) for a in node.args]
        if receiver.fact.constant != 0:
            return receiver.fact
        groups = dict(zip(("dim", "y", "x"), added, strict=False))
        source = added[-1].fact if added else UNKNOWN
        fact = replace(
            receiver.fact,
            range=ranges.NONNEGATIVE if source.range.nonnegative else ranges.REAL,
            kinds=Kind.SUM | (source.kinds & (TOPIC | LOGARITHMIC)),
            ground=Evidence.PROVEN,
            zero=Evidence.PROVEN,
            huge=source.huge,
            grad=source.grad,
        )
        fact = self._expressions.ledger.conclude(Op.SCATTER_SUM, node, groups, fact, env)
        self._calls.store(receiver.node, fact, env)
        return fact

    def _added(self, node: bare.Call, receiver: Operand, env: Env) -> Fact | None:
        """`zeros(n).at[ids].add(x)` of jax: the same. Not of a window: they are laid so that they
        cover everything.
        """
        place = receiver.node
        at = place.value if isinstance(place, bare.Subscript) and not crops(place) else None
        if not isinstance(at, bare.Attribute) or at.attr.value != "at" or len(node.args) != 1:
            return self._grown(node, receiver, env)
        if self._expressions.quietly(at.value, env).constant != 0:
            return None
        added = node.args[0].value
        summed = {"x": Operand(added, self._expressions.eval(added, env))}
        return self._calls.applied(Op.SCATTER_SUM, node, summed, env, Form.JAX)

    def _processes(self, node: bare.Call, receiver: Operand, env: Env) -> Fact | None:
        """`device_mesh["dp"].size()`: as many as take part, and this one does."""
        if not called(receiver.node).endswith(("mesh", "group")):
            return None
        for argument in node.args:
            self._expressions.eval(argument.value, env)
        return Fact(ranges.SOME, kinds=Kind.SHAPE, dtype=DType.INT, form=Form.NUMBER, grad=False)

    def _grown(self, node: bare.Call, receiver: Operand, env: Env) -> Fact | None:
        """A list that something is put into, or a chain of layers."""
        held = receiver.fact
        if is_module(held) and node.args:
            layer = self._expressions.eval(node.args[-1].value, env)
            self._calls.store(receiver.node, extended(held, layer), env)
            return UNKNOWN
        if not isinstance(node.func, bare.Attribute):
            return None
        if held.form is not Form.LIST:
            if held.can_be_empty and node.func.attr.value in _ONE_BY_ONE:
                self._expressions.guards.resize(receiver.node, ranges.SOME, env)
            return None
        added = [self._expressions.eval(a.value, env) for a in node.args]
        element = added[-1] if added and node.func.attr.value in _ONE_BY_ONE else UNKNOWN
        joined = element if held.unfilled else held.join(replace(element, form=Form.LIST))
        last = ((LAST, element),) if added and node.func.attr.value == "append" else ()
        fact = replace(joined, form=Form.LIST, size=ranges.SOME, parts=last)
        if held.unfilled:
            env.fill(key_of(receiver.node) or "", fact)
        self._calls.store(receiver.node, fact, env)
        return UNKNOWN

    def _rearranged(self, node: bare.Call, receiver: Operand, env: Env) -> Fact | None:
        """`xs.pop()`, `xs.sort()`; a tensor's are operations."""
        self._expressions.bindings.disorder(receiver.node, env)
        return None


def _is_switch(node: bare.BaseExpression) -> bool:
    """Whether this may be True or False: anything but a value by the name of one."""
    return not isinstance(node, bare.Name) or node.value in _TRUTHS or "keep" in node.value


_TRUTHS = frozenset({"True", "False", "unbiased"})

_DISTRIBUTIONS: Mapping[str, Spelling] = MappingProxyType(
    {
        "Uniform": Spelling(Op.RAND, ("min", "max")),
    }
)
_Special = Callable[[MethodCalls, bare.Call, Operand, Env], "Fact | None"]

_SPECIAL: Mapping[str, _Special] = MappingProxyType(
    {
        "register_buffer": MethodCalls._registered,
        "add_state": MethodCalls._stated,
        "requires_grad_": MethodCalls._asked_for_gradient,
        "normal_": MethodCalls._redrawn,
        "uniform_": MethodCalls._drawn_between,
        "copy_": MethodCalls._copied,
        **dict.fromkeys(("sample", "rsample"), MethodCalls._sampled),
        **dict.fromkeys(BY_GENERATORS, MethodCalls._drawn),
        "size": MethodCalls._processes,
        "new_tensor": MethodCalls._made_like,
        **dict.fromkeys((*_ONE_BY_ONE, "extend", "update"), MethodCalls._grown),
        **dict.fromkeys(("pop", "remove", "clear", "reverse", "sort"), MethodCalls._rearranged),
        "add": MethodCalls._added,
        "add_module": MethodCalls._grown,
        **dict.fromkeys(
            ("scatter_add_", "index_add_", "scatter_reduce_", "scatter_add", "index_add"),
            MethodCalls._accumulated,
        ),
    }
)
