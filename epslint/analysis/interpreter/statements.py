"""Statements: how they change what is known, and along which paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import LAST, NOT_A_NUMBER, UNKNOWN, Evidence, Fact, Form, Kind, replace
from epslint.analysis.frame import Frame
from epslint.analysis.guards.cases import Sides, all_replace, covers_all, remember, sides_of
from epslint.analysis.guards.questions import doubt
from epslint.analysis.interpreter.calls import Calls
from epslint.analysis.interpreter.contexts import Contexts
from epslint.analysis.interpreter.expressions import Expressions
from epslint.analysis.interpreter.loops import Loops
from epslint.analysis.keys import called, dotted, entry_of, key_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.program.lessons import decided
from epslint.analysis.words import hints, names
from epslint.analysis.words.operators import BINARY

if TYPE_CHECKING:
    from epslint.analysis.model import Model

_NEVER = frozenset({"False", "0"})  # `assert False`
# Calls of the code that is read that do not come back: what follows them there is not reached.
_LEAVING = frozenset(
    {
        *("sys.exit", "exit", "quit", "os._exit", "os.abort"),
        "parser.error",  # of the command line: prints how it is used, and exits
        *("pytest.skip", "pytest.fail"),  # in other people's tests; none of ours is skipped here
    }
)


class Interpreter:
    """Executes the statements of one frame."""

    def __init__(self, model: Model, frame: Frame) -> None:
        self.model = model
        self.frame = frame
        self.expressions = Expressions(model, frame, Calls)
        self._loops = Loops(self.expressions, self._suite)
        self._contexts = Contexts(self.expressions, self._suite)
        model.rooms.append(self)

    # -- bodies ------------------------------------------------------------------------------

    def run(self, body: Sequence[bare.BaseStatement], env: Env) -> bool:
        """Execute statements in `env`; whether the end of them is reached."""
        for statement in body:
            handler = _HANDLERS.get(type(statement))
            if handler is not None and not handler(self, statement, env):
                return False
        return True

    def _suite(self, suite: bare.IndentedBlock, env: Env) -> bool:
        return self.run(suite.body, env)

    # -- simple statements -------------------------------------------------------------------

    def _expression(self, node: bare.Expr, env: Env) -> bool:
        self.expressions.eval(node.value, env)
        value = node.value
        return not (isinstance(value, bare.Call) and dotted(value.func) in _LEAVING)

    def _assign(self, node: bare.Assign, env: Env) -> bool:
        for target in node.targets:
            if self._assign_pairwise(target.target, node.value, env):
                return True
        fact = self.expressions.eval(node.value, env)
        for target in node.targets:
            self._bind(target.target, fact, node.value, env)
            if type(node.value) is bare.IfExp:
                self._remember_choice(target.target, node.value, env)
        return True

    def _remember_choice(self, target: bare.BaseExpression, chosen: bare.IfExp, env: Env) -> None:
        """`n = a if wanted else 0`."""
        if (path := dotted(target)) is None:
            return
        sides = env.child(), env.child()
        for side, value, truth in zip(
            sides, (chosen.body, chosen.orelse), (True, False), strict=True
        ):
            self.expressions.guards.assume(chosen.test, truth, side)
            side.assign(path, self.expressions.quietly(value, side), self.model.clock)
        remember(chosen.test, sides_of([path], *sides), env)

    def _assign_pairwise(
        self, target: bare.BaseExpression, value: bare.BaseExpression, env: Env
    ) -> bool:
        """`a, b = x, y` gives each name its own value."""
        if not (type(target) is bare.Tuple and type(value) is bare.Tuple):
            return False
        if len(target.elements) != len(value.elements):
            return False
        facts = [self.expressions.eval(element.value, env) for element in value.elements]
        for left, right, fact in zip(target.elements, value.elements, facts, strict=True):
            self._bind(left.value, fact, right.value, env)
        return True

    def _bind(
        self,
        target: bare.BaseExpression,
        fact: Fact,
        value: bare.BaseExpression | None,
        env: Env,
    ) -> None:
        if type(target) is bare.Name and type(value) is bare.Lambda:
            self.frame.functions[target.value] = value
        elif type(target) is bare.Name:
            self.frame.functions.pop(target.value, None)
        elif type(target) is bare.Attribute:
            if _adds_to(target, fact):
                fact = fact.plus(Kind.RUNNING)
            elif not fact.range.has_zero:
                fact = fact.minus(Kind.RUNNING)  # it is made of a count, and was given a floor
        if value is not None and hints.tells_of_report(called(target)):
            self.expressions.ledger.note_report(value, fact)
        self.expressions.bindings.bind(target, fact, env, value)

    def _annotated(self, node: bare.AnnAssign, env: Env) -> bool:
        if node.value is not None:
            fact = self.expressions.eval(node.value, env)
            self._bind(node.target, fact, node.value, env)
        return True

    def _augmented(self, node: bare.AugAssign, env: Env) -> bool:
        left = self.expressions.eval(node.target, env)
        right = self.expressions.eval(node.value, env)
        op = BINARY.get(type(node.operator))
        if op is None or Form.OTHER in (left.form, right.form):
            self.expressions.bindings.bind(node.target, UNKNOWN, env)
            return True
        if left.form is Form.LIST and op is Op.ADD:
            last = () if right.last is None else ((LAST, right.last),)
            size = left.size + right.size
            grown = replace(left.join(right), form=Form.LIST, size=size, parts=last)
            self.expressions.bindings.bind(node.target, grown, env)
            return True
        operands = {"x": Operand(node.target, left), "y": Operand(node.value, right)}
        fact = self.expressions.apply(op, node, operands, env)
        if op is Op.ADD and left.range == ranges.TOP and not left.kinds and _lifts(right):
            fact = fact.within(ranges.POSITIVE)  # who adds it knows that x is not negative
        if op is Op.ADD and left.form is Form.NUMBER and left.range.has_zero:
            fact = _accumulated(fact, right)
        if op is Op.ADD and self._loops.inside and left.constant == 0 and left.form is Form.NUMBER:
            # What is accumulated over a loop is taken to be something, also under an `if`; a loss
            # over what is counted one by one, if at all, is another matter, as with masks.
            filtered = right.constant == 1 and self._loops.may_be_skipped(env)
            kinds = Kind.COUNT | Kind.PADS if filtered else Kind.NONE
            left_over = Evidence.NAMED if filtered else Evidence.NONE
            env.drop_zero(key_of(node.target) or "", kinds, left_over)
        if isinstance(node.target, bare.Subscript) and entry_of(node.target) is None:
            elements = self.expressions.elements
            if op is not Op.MUL or not elements.thin_out(node.target, env):
                elements.accumulate(node.target, _counted_on(op, fact, right), env)
        else:
            if op is Op.ADD and isinstance(node.target, bare.Attribute):
                fact = fact.plus(Kind.RUNNING)
                if left == UNKNOWN:
                    fact = replace(fact, dtype=right.dtype)  # whole if it starts so, which it tells
            added = replace(fact, origin=_last_added(right))
            self.expressions.bindings.bind(node.target, added, env)
        return True

    def _assert(self, node: bare.Assert, env: Env) -> bool:
        self.expressions.eval(node.test, env)
        self.expressions.guards.assume(node.test, True, env)
        return key_of(node.test) not in _NEVER

    def _return(self, node: bare.Return, env: Env) -> bool:
        fact = NOT_A_NUMBER if node.value is None else self.expressions.eval(node.value, env)
        self.expressions.ledger.note_use(Op.RETURN, self.frame.inner or node, fact)
        self.frame.leave(fact, env)
        return False

    def _raise(self, node: bare.Raise, env: Env) -> bool:
        if node.exc is not None and self.frame.recording:  # nobody learns from what is raised
            self.expressions.eval(node.exc, env)
        return False

    def _delete(self, node: bare.Del, env: Env) -> bool:
        if isinstance(node.target, bare.Name):
            env.assign(node.target.value, UNKNOWN, self.model.tick())
        else:
            self.expressions.eval(node.target, env)
        if isinstance(node.target, bare.Subscript):
            self.expressions.bindings.disorder(node.target.value, env)
        return True

    # -- branches ----------------------------------------------------------------------------

    def _if(self, node: bare.If, env: Env) -> bool:
        """An if with all its elifs, in a loop: such chains can be long."""
        living: list[Env] = []
        rest = env.child()
        branch: bare.If | bare.Else | None = node
        truth: bool | None = None
        while isinstance(branch, bare.If) and not truth:
            # What callers show leaves some branches to nobody.
            truth = decided(branch.test, rest) if self.frame.taught else None
            self.expressions.eval(branch.test, rest)
            doubt(branch.test, rest)
            met = rest.child()
            self.expressions.guards.assume(branch.test, True, met)
            if truth is not False and self._suite(branch.body, met):
                living.append(met.down_to(env))  # before `rest` learns that the test is false
            else:
                self._loops.leave_out(branch.test, rest)
            self.expressions.guards.assume(branch.test, False, rest)
            branch = branch.orelse
        complete = truth or (covers_all(node) and bool(living) and all_replace(living, env))
        if not complete and (branch is None or self._suite(branch.body, rest)):
            living.append(rest)
        sides: Mapping[str, Sides] = {}
        if len(living) == 2 and node.orelse is branch:
            assigned = dict.fromkeys(name for side in living for name, _ in side.assigned())
            sides = sides_of(assigned, *living)
        env.absorb(living)
        remember(node.test, sides, env)
        return bool(living)

    def _match(self, node: bare.Match, env: Env) -> bool:
        self.expressions.eval(node.subject, env)
        living: list[Env] = []
        rest = env.child()
        for case in node.cases:
            branch = rest.child()
            self._enter_case(node.subject, case, branch)
            if self._suite(case.body, branch):
                living.append(branch.down_to(env))
            if case.guard is None and isinstance(case.pattern, bare.MatchValue):
                test = _equal(node.subject, case.pattern.value)
                self.expressions.guards.assume(test, False, rest)
        if not _takes_all(node.cases[-1]):
            living.append(rest)
        env.absorb(living)
        return bool(living)

    def _enter_case(self, subject: bare.BaseExpression, case: bare.MatchCase, env: Env) -> None:
        for name in _captured(case.pattern):
            env.assign(name, names.named(name), self.model.tick())
        if isinstance(case.pattern, bare.MatchValue):
            self.expressions.guards.assume(_equal(subject, case.pattern.value), True, env)
        if case.guard is not None:
            self.expressions.eval(case.guard, env)
            self.expressions.guards.assume(case.guard, True, env)

    # -- definitions -------------------------------------------------------------------------

    def _function(self, node: bare.FunctionDef, env: Env) -> bool:
        self.frame.functions[node.name.value] = node
        if node.decorators:
            self.expressions.ledger.note_function(node, node.name)
        self.model.run_nested(node, env, self.frame)
        return True

    def _class(self, node: bare.ClassDef, env: Env) -> bool:
        """A class inside a function: its methods see what any of them assigns to self."""
        inner = env.child()
        methods = [s for s in node.body.body if isinstance(s, bare.FunctionDef)]
        for statement in node.body.body:
            if not isinstance(statement, bare.FunctionDef):
                self.run([statement], inner)
        attributes: dict[str, Fact] = {}
        for method in methods:
            for name, fact in self.model.run_method(method, inner, self.frame, {}).items():
                attributes[name] = attributes[name].join(fact) if name in attributes else fact
        for method in methods:
            self.model.run_method(method, inner, self.frame, attributes)
        return True

    def _import(self, node: bare.Import | bare.ImportFrom, env: Env) -> bool:
        return True  # the scout has seen every import of the file


def _adds_to(target: bare.Attribute, fact: Fact) -> bool:
    """Whether the value is the target and something more: `self.n = self.n + 1`."""
    origin = fact.origin
    if origin is None or origin.op is not Op.ADD:
        return False
    return key_of(target) in {key_of(operand.node) for operand in origin.operands.values()}


def _counted_on(op: Op, fact: Fact, added: Fact) -> Fact:
    """`counts[i] += 1`: who counts is past 0. Not `logits[i] += 1`."""
    counted = op is Op.ADD and added.constant == 1 and not fact.kinds & ~_TALLIED
    return fact.within(ranges.POSITIVE) if counted else fact


_TALLIED = Kind.SUM | Kind.COUNT | Kind.LENGTH | Kind.RUNNING


def _last_added(fact: Fact) -> Origin | None:
    """What a total is told by; of a quotient that a test let through no more is to be told."""
    if fact.origin is None or fact.is_any(Kind.BELOW):
        return None
    return replace(fact.origin, whole=False)


def _lifts(fact: Fact) -> bool:
    """An epsilon: `x += 1e-8`."""
    return fact.is_any(Kind.EPSILON) and fact.range.lo >= 0


def _accumulated(fact: Fact, added: Fact) -> Fact:
    """A Python number that starts at 0 and is added to is what is added to it."""
    return replace(fact, kinds=added.kinds & ~Kind.SHAPE, ground=added.ground)


def _equal(left: bare.BaseExpression, right: bare.BaseExpression) -> bare.Comparison:
    return bare.Comparison(left, [bare.ComparisonTarget(bare.Equal(), right)])


def _takes_all(case: bare.MatchCase) -> bool:
    """`case _:` and `case name:`."""
    pattern = case.pattern
    return case.guard is None and isinstance(pattern, bare.MatchAs) and pattern.pattern is None


def _captured(pattern: bare.Node) -> Iterator[str]:
    if isinstance(pattern, bare.MatchAs | bare.MatchStar) and pattern.name is not None:
        yield pattern.name.value
    for child in bare.children(pattern):
        yield from _captured(child)


_HANDLERS: Mapping[type[bare.Node], Callable[..., bool]] = MappingProxyType(
    {
        bare.Expr: Interpreter._expression,
        bare.Assign: Interpreter._assign,
        bare.AnnAssign: Interpreter._annotated,
        bare.AugAssign: Interpreter._augmented,
        bare.Assert: Interpreter._assert,
        bare.Return: Interpreter._return,
        bare.Raise: Interpreter._raise,
        bare.Break: lambda self, node, env: self._loops.break_(node, env),
        bare.Continue: lambda self, node, env: self._loops.continue_(node, env),
        bare.Del: Interpreter._delete,
        bare.If: Interpreter._if,
        bare.Match: Interpreter._match,
        bare.For: lambda self, node, env: self._loops.for_(node, env),
        bare.While: lambda self, node, env: self._loops.while_(node, env),
        bare.With: lambda self, node, env: self._contexts.with_(node, env),
        bare.Try: lambda self, node, env: self._contexts.try_(node, env),
        bare.FunctionDef: Interpreter._function,
        bare.ClassDef: Interpreter._class,
        bare.Import: Interpreter._import,
        bare.ImportFrom: Interpreter._import,
    }
)
