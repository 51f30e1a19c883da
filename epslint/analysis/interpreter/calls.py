"""Calls: which operation, helper or method a call is, and what it gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import UNKNOWN, DType, Evidence, Fact, Form, Kind, replace
from epslint.analysis.frame import Heard
from epslint.analysis.guards.comparisons import compared
from epslint.analysis.interpreter.method_calls import MethodCalls
from epslint.analysis.interpreter.python_calls import PythonCalls
from epslint.analysis.interpreter.selections import Selections, is_masked
from epslint.analysis.interpreter.sizes import size_now
from epslint.analysis.interpreter.strangers import Strangers, told_by, use_in
from epslint.analysis.keys import called, dotted, evaluated, key_of
from epslint.analysis.made.rows import keeps_order
from epslint.analysis.ops import FINITENESS, Op
from epslint.analysis.origin import Operand
from epslint.analysis.program.counters import moved_key
from epslint.analysis.program.modules import Modules
from epslint.analysis.program.records import Records
from epslint.analysis.program.signature import SETTINGS
from epslint.analysis.program.training import Training
from epslint.analysis.relations.dividends import divided
from epslint.analysis.relations.forms import TELLING, formed
from epslint.analysis.relations.products import unlisted
from epslint.analysis.words import hints
from epslint.analysis.words.full_names import OLD_TENSORS
from epslint.analysis.words.libraries import function
from epslint.analysis.words.operators import is_complete
from epslint.analysis.words.spellings import ALIASES, Spelling

if TYPE_CHECKING:
    from epslint.analysis.frame import Found, Summary
    from epslint.analysis.interpreter.expressions import Expressions


# What one element is too few for.
_CORRECTING = frozenset({Op.STD, Op.VAR, Op.STD_MEAN, Op.VAR_MEAN})
# Who asks whether a value is finite, or makes it so.
_LOOKING = FINITENESS | {Op.NAN_TO_NUM}


# Reductions that can be told where: `jnp.sum(x, where=mask)`.
_MASKABLE = frozenset({Op.SUM, Op.MEAN, Op.STD, Op.VAR, Op.PROD, Op.MAX, Op.MIN})
# Reductions that there is one of for values with NaN among them.
_SKIPPING = _MASKABLE | {Op.MEDIAN}

_REDUCTIONS: Mapping[str, Op] = MappingProxyType(
    {
        "sum": Op.SUM,
        "mean": Op.MEAN,
        "max": Op.MAX,
        "min": Op.MIN,
        "prod": Op.PROD,
        "any": Op.ANY,
        "all": Op.ALL,
    }
)

# What they make of a value depends on bounds that a star hides.
_BOUNDING = frozenset({Op.CLAMP, Op.CLAMP_MIN, Op.CLAMP_MAX, Op.MAXIMUM, Op.MINIMUM})


class Calls:
    """Evaluates the calls of one frame."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        watched = Op.STEP in expressions.model.listening
        self._training = Training(expressions) if watched else None
        self._selections = Selections(expressions)
        self._attempts = (
            self._library,
            PythonCalls(self, expressions).eval,
            self._helper,
            Modules(self, expressions).eval,
            Records(expressions).eval,
            MethodCalls(self, expressions).eval,
        )
        self._strangers = Strangers(expressions)

    def eval(self, node: bare.Call, env: Env) -> Fact:
        if self._training is not None:
            self._training.note(node, env)
        for attempt in self._attempts:
            if (fact := attempt(node, env)) is not None:
                return fact
        return self._strangers.eval(node, env)

    # -- library functions -------------------------------------------------------------------

    def _library(self, node: bare.Call, env: Env) -> Fact | None:
        path = dotted(node.func)
        full = None if path is None else self._full_name(path, env)
        if full is None:
            return None
        found = function(full)
        if found is None or not self.fits(found.spelling, node, 0):
            return None
        if full in OLD_TENSORS and not _is_listed(node):
            return None
        operands = self.bound(found.spelling, node, {}, env)
        if found.spelling.op is Op.REDUCE and _reduction(operands) is Op.REDUCE:
            return None  # by a function, or as an argument says
        if found.form is Form.NUMBER:
            operands = {name: _as_number(operand) for name, operand in operands.items()}
        if found.spelling.op is Op.WHERE and operands.keys() == {"cond"}:
            places = {"x": operands["cond"]}  # `np.where(c)` is `np.nonzero(c)`
            return self.applied(Op.NONZERO, node, places, env, found.form)
        return self.applied(found.spelling.op, node, operands, env, found.form)

    def _full_name(self, path: str, env: Env) -> str | None:
        """The library's name for what is called, also where it goes by another one here:
        `reduce = torch.sum`, or an argument.
        """
        held = env.fact(path)
        return self._expressions.resolved(path, env) if held is None else held.function or None

    @staticmethod
    def fits(spelling: Spelling, node: bare.Call, receivers: int) -> bool:
        positional = receivers + sum(1 for a in node.args if a.keyword is None and not a.star)
        keywords = tuple(a.keyword.value for a in node.args if a.keyword is not None)
        return spelling.bind(positional, keywords)

    def bound(
        self, spelling: Spelling, node: bare.Call, given: dict[str, Operand], env: Env
    ) -> dict[str, Operand]:
        """The arguments of a call under the operation's own parameter names."""
        operands = dict(given)
        free = iter(_positions(spelling, node, len(given))[len(given) :])
        for argument in node.args:
            operand = Operand(argument.value, self._given(argument.value, spelling.op, node, env))
            if argument.star:
                # `clip(x, *limits)`: some bounds, whichever they are.
                limits = free if spelling.op in _BOUNDING else ()
                operands |= dict.fromkeys(limits, Operand(argument.value, UNKNOWN))
                continue
            if argument.keyword is not None:
                name = argument.keyword.value
                alias = name if name in spelling.params else ALIASES.get(name, name)
                operands[name if alias in operands else alias] = operand  # `pad(x, n, value=0)`
            elif (name_ := next(free, None)) is not None:
                operands[name_] = operand
        return operands

    def _given(self, value: bare.BaseExpression, op: Op, node: bare.Call, env: Env) -> Fact:
        if type(value) is bare.List or type(value) is bare.Tuple:
            return self._expressions.collected(value, op, node, env)
        return self._expressions.eval(value, env)

    def applied(
        self, op: Op, node: bare.Call, operands: dict[str, Operand], env: Env, form: Form
    ) -> Fact:
        expressions = self._expressions
        if not is_complete(op, operands):
            return UNKNOWN
        if op in (Op.WHERE, Op.MASKED_FILL):
            fact = self._selections.eval(op, node, operands, env)
            if fact is not None:
                return fact
        if op in _LOOKING and "x" in operands:
            expressions.ledger.mend(operands["x"].fact)
        op = self._meant(op, operands, env)
        operands = self._related(op, operands, env, form)
        fact = expressions.transferred(op, operands, form)
        if op is Op.COMPARE:
            fact = compared(fact, node, operands, env)
        if op in (Op.SUM, Op.COUNT_NONZERO, Op.MEAN) and fact.zero and "dim" not in operands:
            fact = self._if_some_true(fact, operands.get("x"), env)
        if op is Op.TO:
            fact = self._converted(operands)
        elif "dtype" in operands:
            fact = replace(fact, dtype=operands["dtype"].fact.dtype)
        fact = expressions.ledger.conclude(op, node, operands, fact, env)
        expressions.tell(op, operands)
        if op in _SKIPPING and hints.tells_of_skipping_nan(called(node)) and "x" in operands:
            expressions.ledger.note_use(Op.NAN_TO_NUM, node, operands["x"].fact)
        target = operands.get("x" if op is Op.INIT_NORMAL else "out")
        if target is not None:
            self.store(target.node, fact, env)
        return fact

    def _meant(self, op: Op, operands: Mapping[str, Operand], env: Env) -> Op:
        """What an operation is with these arguments."""
        given = (operands[name].fact.dtype for name in ("y", "dtype") if name in operands)
        if op is Op.TO and DType.INT in given:
            return Op.INT  # `x.to(torch.int32)`, `x.astype(int)`
        if op is Op.REDUCE:
            return _reduction(operands)
        if op is not Op.DIV:
            return op
        if "where" in operands and self._spared(operands, env):
            return Op.DIVIDE_NO_NAN  # np.divide(a, b, where=b != 0)
        return Op.FLOORDIV if _is_rounded(operands) else op

    def _related(
        self, op: Op, operands: dict[str, Operand], env: Env, form: Form
    ) -> dict[str, Operand]:
        """The operands, with what is known of them because of each other or of how they came."""
        if op is Op.DIV:
            function = self._expressions.frame.scope.function
            return dict(divided(operands, env, function))
        if op is Op.EINSUM:
            operands = unlisted(operands)
        if op in TELLING and form is not Form.NUMBER:  # `math.log` is of settings
            return dict(formed(op, operands))
        if op in _CORRECTING and (x := operands.get("x")) is not None:
            size = size_now(x, self._expressions, env)
            return {**operands, "x": replace(x, fact=replace(x.fact, size=size))}
        if op in _MASKABLE and is_masked(operands):
            return {**operands, "x": self._selections.reduced_where(operands, env)}
        if op in (Op.PICK, Op.SELECT) and (x := self._selections.taken_from(op, operands, env)):
            return {**operands, "x": x}
        return operands

    def _spared(self, operands: Mapping[str, Operand], env: Env) -> bool:
        """Whether `where=` leaves out the elements that would divide by 0."""
        if (divisor := operands.get("y")) is None:
            return True
        inner = env.child()
        self._expressions.guards.assume(operands["where"].node, True, inner)
        return not self._expressions.quietly(divisor.node, inner).zero

    def _if_some_true(self, fact: Fact, operand: Operand | None, env: Env) -> Fact:
        if operand is None:
            return fact
        node = operand.node
        while (
            isinstance(node, bare.Call)
            and keeps_order(node)
            and isinstance(node.func, bare.Attribute)
        ):
            node = node.func.value
        if self._expressions.subscripts.count_true(node, env).has_zero:
            return fact
        return fact.within(ranges.SOME if fact.is_any(Kind.COUNT) else ranges.POSITIVE)

    @staticmethod
    def _converted(operands: Mapping[str, Operand]) -> Fact:
        """`x.to(torch.float16)`, also by keyword; of `x.to(other)` and `x.to(device)` the dtype is
        not known.
        """
        x = operands["x"].fact
        target = operands.get("dtype") or operands.get("y")
        if target is None or target.fact.dtype is DType.UNKNOWN:
            return x
        grad = x.grad and not target.fact.dtype.discrete
        return replace(x, dtype=target.fact.dtype, grad=grad)

    # -- functions of the same module --------------------------------------------------------

    def _helper(self, node: bare.Call, env: Env) -> Fact | None:
        expressions = self._expressions
        name = dotted(node.func)
        if name is None:
            return None
        callee = expressions.model.summaries.callee(name, expressions.frame, env)
        if callee is None:
            return None
        fact = self.summarised(callee, node, env)
        self._count_up(name, callee, env)
        return told_by(name) if fact is None else fact

    def _count_up(self, name: str, callee: Found, env: Env) -> None:
        """`self.update(x)`: what it adds to has been added to."""
        me, _, method = name.partition(".")
        owner = callee[2]
        if owner is None or me != self._expressions.frame.self_name or method not in owner.methods:
            return
        for attribute in self._expressions.model.counters.moved_by(owner.methods[method]):
            path = f"{me}.{attribute}"
            env.refine(moved_key(path), UNKNOWN, [path])

    def summarised(self, callee: Found, node: bare.Call, env: Env) -> Fact | None:
        """What a function of this file gives for these arguments; None where it is too deep."""
        expressions = self._expressions
        positional = [
            Operand(a.value, expressions.eval(a.value, env)) for a in node.args if a.keyword is None
        ]
        keywords = {
            a.keyword.value: Operand(a.value, expressions.eval(a.value, env))
            for a in node.args
            if a.keyword is not None
        }
        use = use_in(node)
        for operand in (*positional, *keywords.values()):
            expressions.ledger.note_use(use, node, operand.fact)
        starred = any(a.star for a in node.args)
        if expressions.ledger.hears:
            heard = Heard(
                callee[1],
                positional,
                keywords,
                bound=callee[2] is not None,
                starred=starred,
                mode=env.mode,
                said=_said_of((*positional, *keywords.values()), env),
            )
            expressions.frame.calls[node] = heard
        summary = expressions.model.summaries.summarise(
            callee,
            [] if starred else [operand.fact for operand in positional],
            {} if starred else {key: operand.fact for key, operand in keywords.items()},
            env,
            expressions.frame,
        )
        for operand in (*positional, *keywords.values()):
            if operand.fact.constant == 0:
                # Zeros that are there to be filled.
                self._strangers.forget(operand.node, operand.fact, env)
        if summary is None:
            expressions.ledger.note_function(callee[1], node)
            return None
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

    def store(self, target: bare.BaseExpression, fact: Fact, env: Env) -> None:
        """What an operation in place makes of its target: `x.data.clamp_(min=0)` makes it of x."""
        if type(target) is bare.Attribute and target.attr.value == "data":
            target = target.value
            fact = replace(fact, grad=self._expressions.quietly(target, env).grad)
        path = key_of(target)
        if path is not None:
            env.assign(path, fact, self._expressions.model.tick())


def _as_number(operand: Operand) -> Operand:
    """An argument of `math`: what is no measurement turned into a number is a setting."""
    fact = operand.fact
    given = fact.form in (Form.UNKNOWN, Form.LIST)
    if not given or not fact.kinds or fact.kinds & ~SETTINGS:
        return operand
    if fact.is_any(Kind.STD | Kind.VAR) and fact.ground is Evidence.PROVEN:
        return operand
    return replace(operand, fact=replace(fact, kinds=Kind.NONE, zero=Evidence.NONE))


def _said_of(operands: Iterable[Operand], env: Env) -> dict[str, Mapping[str, Fact]]:
    keys = dict.fromkeys(key for each in operands if (key := key_of(each.node)) is not None)
    return {key: said for key in keys if (said := env.said_of(key))}


def _reduction(operands: Mapping[str, Operand]) -> Op:
    """What `einops.reduce(x, "b n -> b", "sum")` is."""
    asked = operands.get("reduction")
    if asked is None or not isinstance(asked.node, bare.SimpleString):
        return Op.REDUCE
    return _REDUCTIONS.get(str(evaluated(asked.node.value)), Op.REDUCE)


def _is_rounded(operands: Mapping[str, Operand]) -> bool:
    """`torch.div(a, b, rounding_mode="floor")` is `a // b`."""
    mode = operands.get("rounding_mode")
    return mode is not None and isinstance(mode.node, bare.SimpleString)


def _positions(spelling: Spelling, node: bare.Call, receivers: int) -> tuple[str, ...]:
    """The parameters in the order of the arguments. `p.addcdiv_(-rate, grad, denom)`: of old, the
    factor came first; today it has to be named.
    """
    positional = receivers + sum(1 for argument in node.args if argument.keyword is None)
    is_old = spelling.op is Op.ADDCDIV and positional == len(spelling.params)
    return ("acc", "value", "x", "y") if is_old else spelling.params


def _is_listed(node: bare.Call) -> bool:
    """`torch.Tensor([1])`; `torch.Tensor(3)` holds whatever was there."""
    return bool(node.args) and isinstance(node.args[0].value, bare.List | bare.Tuple)
