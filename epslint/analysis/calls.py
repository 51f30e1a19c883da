"""Calls: which operation, helper or method a call is, and what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import libcst as cst

from epslint.analysis import names, ops, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import UNKNOWN, DType, Evidence, Fact, Form, Kind, number
from epslint.analysis.keys import dotted, key_of
from epslint.analysis.ops import ALIASES, Op, Spelling
from epslint.analysis.origin import Operand
from epslint.analysis.transfer import Call, transfer
from epslint.analysis.transfer.arrangement import lowered, raised
from epslint.analysis.transfer.call import LOGARITHMIC, TOPIC

if TYPE_CHECKING:
    from epslint.analysis.expressions import Expressions
    from epslint.analysis.frame import Summary

# Modules that are made once and applied later: `self.act = nn.Softmax(-1)`, then `self.act(x)`.
_MODULES: Mapping[str, Op] = MappingProxyType(
    {
        "torch.nn.Softmax": Op.SOFTMAX,
        "torch.nn.LogSoftmax": Op.LOG_SOFTMAX,
        "torch.nn.Sigmoid": Op.SIGMOID,
        "torch.nn.LogSigmoid": Op.LOGSIGMOID,
        "torch.nn.ReLU": Op.RELU,
        "torch.nn.Softplus": Op.SOFTPLUS,
        "torch.nn.Tanh": Op.TANH,
    }
)

_APPLIED = "()"  # the part of a module's fact that tells what applying it gives
_FILLERS = frozenset({"append", "add", "extend", "insert", "update"})
_ACCUMULATORS = frozenset(
    {"scatter_add_", "index_add_", "scatter_reduce_", "scatter_add", "index_add"}
)


class Calls:
    """Evaluates the calls of one frame."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def eval(self, node: cst.Call, env: Env) -> Fact:
        for attempt in (self._library, self._python, self._helper, self._method, self._made):
            if (fact := attempt(node, env)) is not None:
                return fact
        return self._unknown(node, env)

    # -- library functions -------------------------------------------------------------------

    def _library(self, node: cst.Call, env: Env) -> Fact | None:
        path = dotted(node.func)
        full = None if path is None else self._expressions.resolved(path, env)
        if full is None:
            return None
        if (module := _MODULES.get(full)) is not None:
            template = transfer(Call(module, {}, Form.TORCH))
            return Fact(form=Form.OTHER, grad=False, parts=((_APPLIED, template),))
        function = ops.function(full)
        if function is None or not self._fits(function.spelling, node, 0):
            return None
        operands = self._bound(function.spelling, node, {}, env)
        return self._applied(function.spelling.op, node, operands, env, function.form)

    @staticmethod
    def _fits(spelling: Spelling, node: cst.Call, receivers: int) -> bool:
        positional = receivers + sum(1 for a in node.args if a.keyword is None and not a.star)
        keywords = tuple(a.keyword.value for a in node.args if a.keyword is not None)
        return spelling.bind(positional, keywords)

    def _bound(
        self, spelling: Spelling, node: cst.Call, given: dict[str, Operand], env: Env
    ) -> dict[str, Operand]:
        """The arguments of a call under the operation's own parameter names."""
        operands = dict(given)
        free = iter(spelling.params[len(given) :])
        for argument in node.args:
            operand = Operand(argument.value, self._expressions.eval(argument.value, env))
            if argument.star:
                continue
            if argument.keyword is not None:
                name = argument.keyword.value
                operands[name if name in spelling.params else ALIASES.get(name, name)] = operand
            elif (name_ := next(free, None)) is not None:
                operands[name_] = operand
        return operands

    def _applied(
        self, op: Op, node: cst.Call, operands: dict[str, Operand], env: Env, form: Form
    ) -> Fact:
        expressions = self._expressions
        if op in (Op.WHERE, Op.MASKED_FILL):
            fact = self._chosen(op, operands, env)
            if fact is not None:
                return expressions.conclude(op, node, operands, fact, env)
        if op is Op.NAN_TO_NUM and "x" in operands:
            self._repaired(operands["x"].fact)
        if "where" in operands and op is Op.DIV:
            op = Op.DIVIDE_NO_NAN  # np.divide(a, b, where=b != 0)
        fact = expressions.transferred(op, operands, form)
        if op in (Op.SUM, Op.COUNT_NONZERO, Op.MEAN) and fact.zero:
            fact = self._if_some_true(fact, operands.get("x"), env)
        if "dtype" in operands:
            fact = replace(fact, dtype=operands["dtype"].fact.dtype)
        elif op is Op.TO:
            fact = self._converted(operands)
        fact = expressions.conclude(op, node, operands, fact, env)
        if "out" in operands:
            self._store(operands["out"].node, fact, env)
        return fact

    def _if_some_true(self, fact: Fact, operand: Operand | None, env: Env) -> Fact:
        if operand is None or not self._expressions.some_true(operand.node, env):
            return fact
        return fact.within(ranges.SOME if fact.is_any(Kind.COUNT) else ranges.POSITIVE)

    @staticmethod
    def _converted(operands: Mapping[str, Operand]) -> Fact:
        """`x.to(torch.float16)`; of `x.to(other)` and `x.to(device)` the dtype is not known."""
        x = operands["x"].fact
        target = operands.get("y")
        if target is None or target.fact.dtype is DType.UNKNOWN:
            return x
        grad = x.grad and not target.fact.dtype.discrete
        return replace(x, dtype=target.fact.dtype, grad=grad)

    # -- selections --------------------------------------------------------------------------

    def _chosen(self, op: Op, operands: Mapping[str, Operand], env: Env) -> Fact | None:
        """`where(c, a, b)` is a where c holds and b where it does not."""
        test, met, unmet = _branches(op, operands)
        if test is None or met is None or unmet is None:
            return None
        first = self._where(test, True, met, env)
        second = self._where(test, False, unmet, env)
        expressions = self._expressions
        expressions.repair(unmet.fact, test.node, True, env)
        expressions.repair(met.fact, test.node, False, env)
        joined = first.join(second)
        if -ranges.INF in (first.constant, second.constant):
            joined = joined.plus(Kind.STRUCK)
        forms = {first.form, second.form} & {Form.TORCH, Form.NUMPY, Form.JAX, Form.TENSORFLOW}
        return replace(joined, form=forms.pop() if len(forms) == 1 else joined.form)

    def _where(self, test: Operand, truth: bool, branch: Operand, env: Env) -> Fact:
        expressions, frame = self._expressions, self._expressions.frame
        inner = env.child()
        expressions.guards.assume(test.node, truth, inner)
        choosing, frame.choosing = frame.choosing, True
        try:
            return expressions.eval(branch.node, inner)
        finally:
            frame.choosing = choosing

    def _repaired(self, fact: Fact) -> None:
        """`nan_to_num` over a value: the site that made it is mended, in value."""
        sites = self._expressions.frame.sites
        origin = fact.origin
        if origin is None or (origin.node, origin.op) not in sites:
            return
        harmless = {
            name: replace(operand.fact, zero=Evidence.NONE)
            for name, operand in origin.operands.items()
        }
        key = (origin.node, origin.op)
        sites[key] = replace(sites[key], chosen=harmless)

    # -- Python's own ------------------------------------------------------------------------

    def _python(self, node: cst.Call, env: Env) -> Fact | None:
        if not isinstance(node.func, cst.Name) or env.fact(node.func.value) is not None:
            return None
        name = node.func.value
        if name in ("max", "min"):
            return self._extreme(name, node, env)
        if name == "float" and len(node.args) == 1:
            text = node.args[0].value
            if isinstance(text, cst.SimpleString):
                return _spelled_number(str(text.evaluated_value))
        if name == "range":
            return self._counting(node, env)
        if name in ("enumerate", "zip"):
            return self._paired(name, node, env)
        spelling = ops.BUILTINS.get(name)
        if spelling is None or not self._fits(spelling, node, 0):
            return None
        operands = self._bound(spelling, node, {}, env)
        return self._applied(spelling.op, node, operands, env, _scalar_form(operands))

    def _extreme(self, name: str, node: cst.Call, env: Env) -> Fact:
        """max(n, 1): the larger of its arguments, or of the elements of the only one."""
        positional = [a for a in node.args if a.keyword is None]
        operands = [Operand(a.value, self._expressions.eval(a.value, env)) for a in positional]
        op = Op.MAXIMUM if name == "max" else Op.MINIMUM
        if len(operands) != 2:
            named = {"x": operands[0]} if operands else {}
            if len(operands) > 2:
                return self._folded(op, node, operands, env)
            return self._applied(
                Op.MAX if name == "max" else Op.MIN, node, named, env, Form.UNKNOWN
            )
        both = {"x": operands[0], "y": operands[1]}
        return self._applied(op, node, both, env, Form.UNKNOWN)

    def _folded(self, op: Op, node: cst.Call, operands: list[Operand], env: Env) -> Fact:
        combine = raised if op is Op.MAXIMUM else lowered
        fact = operands[0].fact
        for operand in operands[1:]:
            fact = combine(fact, operand.fact)
        return self._expressions.conclude(op, node, {"x": operands[0]}, fact, env)

    def _counting(self, node: cst.Call, env: Env) -> Fact:
        facts = [self._expressions.eval(argument.value, env) for argument in node.args]
        start = facts[0].range.lo if len(facts) > 1 else 0.0
        if len(facts) > 2:
            return Fact(form=Form.LIST, dtype=DType.INT, grad=False)
        counted = ranges.at_least(start) if start > -ranges.INF else ranges.TOP
        # A loop variable starts at 0 on purpose; what is divided by it is rarely meant to be.
        return Fact(range=counted, form=Form.LIST, dtype=DType.INT, grad=False)

    def _paired(self, name: str, node: cst.Call, env: Env) -> Fact:
        facts = [self._expressions.eval(argument.value, env) for argument in node.args]
        return UNKNOWN if name == "zip" or not facts else Fact(form=Form.OTHER, grad=False)

    # -- functions of the same module --------------------------------------------------------

    def _helper(self, node: cst.Call, env: Env) -> Fact | None:
        expressions = self._expressions
        name = dotted(node.func)
        if name is None:
            return None
        callee = expressions.model.callee(name, expressions.frame, env)
        if callee is None:
            return None
        positional = [
            Operand(a.value, expressions.eval(a.value, env)) for a in node.args if a.keyword is None
        ]
        keywords = {
            a.keyword.value: Operand(a.value, expressions.eval(a.value, env))
            for a in node.args
            if a.keyword is not None
        }
        for operand in (*positional, *keywords.values()):
            expressions.note_use(Op.CALL, node, operand.fact)
        starred = any(a.star for a in node.args)
        summary = expressions.model.summarise(
            callee,
            [] if starred else [operand.fact for operand in positional],
            {} if starred else {key: operand.fact for key, operand in keywords.items()},
            env,
            expressions.frame,
        )
        if summary is None:
            return _told_by(name)
        self._learn(summary, positional, keywords, env)
        return replace(summary.value, grad=summary.value.grad and env.mode.grad)

    def _learn(
        self, summary: Summary, positional: list[Operand], keywords: dict[str, Operand], env: Env
    ) -> None:
        """A helper that returns has let its arguments through: `require_positive(n)`."""
        given = {**{str(i): o for i, o in enumerate(positional)}, **keywords}
        for parameter, known in summary.arguments.items():
            operand = given.get(parameter)
            if operand is not None and known.range != operand.fact.range:
                guards = self._expressions.guards
                guards.narrow(operand.node, operand.fact, known.range, env)

    # -- methods -----------------------------------------------------------------------------

    def _method(self, node: cst.Call, env: Env) -> Fact | None:
        func = node.func
        expressions = self._expressions
        if not isinstance(func, cst.Attribute) or expressions.is_module(func.value, env):
            return None
        name = func.attr.value
        if name == "register_buffer":
            return self._registered(node, func.value, env)
        receiver = expressions.eval(func.value, env)
        if name in _ACCUMULATORS:
            return self._accumulated(node, func.value, receiver, env)
        if name in _FILLERS and receiver.form is Form.LIST:
            return self._grown(node, func.value, receiver, name, env)
        found = ops.method(name)
        if found is None or receiver.form is Form.OTHER:
            return None
        spelling, in_place = found
        if not self._fits(spelling, node, 1):
            return None
        operand = Operand(func.value, receiver)
        if spelling.op in (Op.WHERE, Op.FULL):
            return self._where_method(node, operand, env)
        operands = self._bound(spelling, node, {spelling.params[0]: operand}, env)
        fact = self._applied(spelling.op, node, operands, env, Form.UNKNOWN)
        if in_place:
            self._store(func.value, fact, env)
        return fact

    def _registered(self, node: cst.Call, owner: cst.BaseExpression, env: Env) -> Fact | None:
        """`self.register_buffer("std", torch.ones(1))` assigns `self.std`."""
        given = [argument.value for argument in node.args]
        if len(given) < 2 or not isinstance(given[0], cst.SimpleString):
            return None
        name = cst.Name(str(given[0].evaluated_value))
        if name.value.isidentifier():
            fact = self._expressions.eval(given[1], env)
            self._expressions.bind(cst.Attribute(owner, name), fact, env)
        return UNKNOWN

    def _where_method(self, node: cst.Call, operand: Operand, env: Env) -> Fact:
        """`x.where(c, y)` keeps x where c holds; `mask.where(a, b)` is not written."""
        spelling = Spelling(Op.WHERE, ("x", "cond", "y"))
        operands = self._bound(spelling, node, {"x": operand}, env)
        return self._applied(Op.WHERE, node, operands, env, Form.UNKNOWN)

    def _store(self, target: cst.BaseExpression, fact: Fact, env: Env) -> None:
        path = key_of(target)
        if path is not None:
            env.assign(path, fact, self._expressions.model.tick())

    def _accumulated(
        self, node: cst.Call, target: cst.BaseExpression, receiver: Fact, env: Env
    ) -> Fact:
        """`zeros(n).scatter_add_(…)`: a sum per group, 0 for a group that gets nothing."""
        added = [self._expressions.eval(a.value, env) for a in node.args]
        if receiver.constant != 0:
            return receiver
        source = added[-1] if added else UNKNOWN
        fact = replace(
            receiver,
            range=ranges.NONNEGATIVE if source.range.nonnegative else ranges.REAL,
            kinds=Kind.SUM | (source.kinds & (TOPIC | LOGARITHMIC)),
            ground=Evidence.PROVEN,
            zero=Evidence.PROVEN,
            huge=source.huge,
            grad=source.grad,
        )
        fact = self._expressions.conclude(
            Op.SCATTER_SUM, node, {"x": Operand(target, receiver)}, fact, env
        )
        self._store(target, fact, env)
        return fact

    def _grown(
        self, node: cst.Call, target: cst.BaseExpression, receiver: Fact, name: str, env: Env
    ) -> Fact:
        """A list that something is put into."""
        added = [self._expressions.eval(a.value, env) for a in node.args]
        element = added[-1] if added and name in ("append", "add", "insert") else UNKNOWN
        empty = receiver.range == ranges.TOP and not receiver.kinds
        joined = element if empty else receiver.join(replace(element, form=Form.LIST))
        fact = replace(joined, form=Form.LIST, size=ranges.SOME, parts=())
        self._store(target, fact, env)
        return UNKNOWN

    # -- the rest ----------------------------------------------------------------------------

    def _made(self, node: cst.Call, env: Env) -> Fact | None:
        """A module applied: `self.act(x)` with `self.act = nn.Sigmoid()`."""
        if not isinstance(node.func, cst.Name | cst.Attribute | cst.Call):
            return None
        applied = self._expressions.eval(node.func, env).part(_APPLIED)
        if applied is None:
            return None
        for argument in node.args:
            self._expressions.eval(argument.value, env)
        return applied

    def _unknown(self, node: cst.Call, env: Env) -> Fact:
        for argument in node.args:
            fact = self._expressions.eval(argument.value, env)
            self._expressions.note_use(Op.CALL, node, fact)
            if fact.constant == 0 or fact.form is Form.LIST:
                self._forget(argument.value, fact, env)
        name = node.func.attr.value if isinstance(node.func, cst.Attribute) else dotted(node.func)
        return _told_by(name or "")

    def _forget(self, node: cst.BaseExpression, fact: Fact, env: Env) -> None:
        """What is handed to a stranger may come back filled: `dist.all_gather(parts, x)`."""
        key = key_of(node)
        if key is not None and env.fact(key) is not None and fact.form is not Form.NUMBER:
            unknown = Fact(form=fact.form, dtype=fact.dtype, grad=fact.grad)
            env.assign(key, unknown, self._expressions.model.tick())


def _branches(
    op: Op, operands: Mapping[str, Operand]
) -> tuple[Operand | None, Operand | None, Operand | None]:
    """The condition, the value where it holds, the value where it does not."""
    if op is Op.WHERE:
        return operands.get("cond"), operands.get("x"), operands.get("y")
    return operands.get("mask"), operands.get("value"), operands.get("x")


def _spelled_number(text: str) -> Fact:
    """`float("-inf")`."""
    try:
        return number(float(text))
    except ValueError:
        return UNKNOWN


def _scalar_form(operands: Mapping[str, Operand]) -> Form:
    x = operands.get("x")
    if x is None or x.fact.form.tensor or x.fact.form is Form.UNKNOWN:
        return Form.UNKNOWN
    return Form.NUMBER


def _told_by(name: str) -> Fact:
    """What the name of a function says of its result; a class gives an object."""
    last = name.rpartition(".")[2]
    return UNKNOWN if last[:1].isupper() else names.named(last)
