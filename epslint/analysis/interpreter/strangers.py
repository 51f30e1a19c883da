"""Strangers: calls of what nobody here knows. Names tell a little of what they give."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from epslint.analysis import bare, ranges
from epslint.analysis.env import Env
from epslint.analysis.fact import NOT_A_NUMBER, UNKNOWN, Evidence, Fact, Form, Kind, replace
from epslint.analysis.keys import asked_for, called, dotted, key_of
from epslint.analysis.made.draws import as_distribution, drawn, draws
from epslint.analysis.made.makers import is_given_bounds
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.program.activations import activation, told_to
from epslint.analysis.transfer import Call, transfer
from epslint.analysis.words import hints, names

if TYPE_CHECKING:
    from epslint.analysis.interpreter.expressions import Expressions

# A mask made from lengths has something true in every row: nobody is of length 0.
_OF_LENGTHS = re.compile(
    r"^(?!.*_from_\w*mask)\w*"
    r"(non_?pad\w*mask|(len|lens|lengths?|seq|sequence)_(to_)?mask|mask_(of|from)_(len|seq)\w*)$"
)
_PAD_MASK = Fact(
    range=ranges.UNIT, kinds=Kind.MASK | Kind.PEAKED, ground=Evidence.NAMED, zero=Evidence.NAMED
)
# What a critic says of a batch is neither 0 nor constant. Rewards can be, also those of a model.
_CRITIC = re.compile(r"^(\w+_)?(critic|qf|q_?(net|network|func|function))s?(_?\d)?(_\w+)?$|^q\d?$")
_VALUED = Fact(kinds=Kind.DRAWN)
_TENSOR_CLASS = re.compile(r"Tensor|Array|Variable|Parameter|Series|DataFrame|^[A-Z0-9_]+$")
# The branches of a `cond`, by position or by name, and whether the test holds there.
_BRANCHES: Mapping[str, bool] = MappingProxyType(
    {
        "1": True,
        "true_fun": True,
        "true_fn": True,
        "2": False,
        "false_fun": False,
        "false_fn": False,
    }
)
# Everybody has a `meshgrid` of his own, for the sake of older versions.
_GRIDS = frozenset({"meshgrid", "mesh_grid", "ndgrid"})


# Functions that are layers, and what they end in unless they are told.
_LAYERS: Mapping[str, Op] = MappingProxyType(
    {
        "tensorflow.layers.dense": Op.AFFINE,
        "tensorflow.compat.v1.layers.dense": Op.AFFINE,
        "tensorflow.contrib.layers.fully_connected": Op.RELU,
        "tensorflow.contrib.slim.fully_connected": Op.RELU,
    }
)
_SQUASHING = frozenset({Op.TANH, Op.SIGMOID})


def _ended(node: bare.Call, full: str) -> Op | None:
    """`tf.layers.dense(x, n, activation=tf.tanh)`; not `Dense(n, activation="tanh")`, a layer.
    Functions of others may mean another layer than the last: they are believed if it is bounded.
    """
    if not called(node).islower():
        return None
    if (usual := _LAYERS.get(full)) is not None:
        op = activation(node, usual)
        return None if op is Op.CALL else op
    return next((op for op in told_to(node) if op in _SQUASHING), None)


# After any of these a parameter may be another than it was when it was made.
_LEARNING = frozenset({"step", "fit", "train", "learn", "optimize", "update", "minimize"})
# Whose `param("log_std", …)` gives what is learned; others ask servers and configs in these words.
_GIVING_LIBRARIES = frozenset({"flax", "haiku", "tensorflow", "keras", "tf_keras"})


class Strangers:
    """Evaluates the calls of one frame that are neither operations nor helpers."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def eval(self, node: bare.Call, env: Env) -> Fact:
        if type(node.func) is bare.Call:
            self._expressions.eval(node.func, env)  # `vmap(lambda x: …)(xs)`
        given = self._handed_over(node, env)
        if called(node) in _LEARNING:
            env.turn()
        full = self._expressions.resolved(dotted(node.func) or "", env) or ""
        if full.startswith("pathlib."):
            return NOT_A_NUMBER  # `Path(root) / mask` joins
        if draws(node, given):
            return drawn()
        if (made := self._made(node, full, given, env)) is not None:
            return made
        told = as_distribution(node, full, told_by(_telling(node)))
        if told.huge and is_given_bounds(node):
            told = replace(told, huge=Evidence.NONE)
        known = any(fact.origin is not None for fact in given.values())
        known = known or hints.tells_of_matrix_product(called(node))
        if told.is_any(Kind.MASK) or (told is UNKNOWN and (known or is_given_bounds(node))):
            # What a mask leaves is told by what made it: `make_pad_mask(lengths)`. And what becomes
            # of an argument is told by what becomes of the result, which may keep to bounds.
            return replace(told, origin=self._expressions.ledger.origin(Op.CALL, node, {}))
        return told

    def _handed_over(self, node: bare.Call, env: Env) -> Mapping[str, Fact]:
        """What a stranger is given, by keyword or position; it may come back changed."""
        use, given = use_in(node), dict[str, Fact]()
        for position, argument in enumerate(node.args):
            name = argument.keyword.value if argument.keyword else str(position)
            fact = self._expressions.eval(argument.value, self._branch(node, name, env))
            self._expressions.ledger.note_use(use, node, fact)
            given[name] = fact
            if use is Op.REPORT:
                self._expressions.ledger.note_report(argument.value, fact)
            if fact.constant == 0 or fact.form is Form.LIST:
                self.forget(argument.value, fact, env)
        return given

    def _made(self, node: bare.Call, full: str, given: Mapping[str, Fact], env: Env) -> Fact | None:
        """What a call gives that is an operation under another name, or the first step of one."""
        ledger = self._expressions.ledger
        if called(node) in _GRIDS:
            axes = zip(("x", "y"), node.args, given.values(), strict=False)
            operands = {axis: Operand(a.value, fact) for axis, a, fact in axes}
            return ledger.conclude(Op.GRID, node, operands, UNKNOWN, env)
        title = asked_for(node)
        told = UNKNOWN if title is None else names.named(title)
        if told is not UNKNOWN and self._knows_giving_libraries():
            learned = replace(told, kinds=told.kinds | Kind.PARAMETER)
            return replace(learned, origin=ledger.origin(Op.PARAMETER, node, {}))
        if (ended := _ended(node, full)) is not None:
            return ledger.conclude(ended, node, {}, transfer(Call(ended, {})), env)
        return self._put(node, given, env)

    def _knows_giving_libraries(self) -> bool:
        """Whether the file imports one of the libraries that give parameters by their names."""
        roots = {target.partition(".")[0] for target in self._expressions.model.imports.values()}
        return not roots.isdisjoint(_GIVING_LIBRARIES)

    def _put(self, node: bare.Call, given: Mapping[str, Fact], env: Env) -> Fact | None:
        """`x.at[i].set(y)` of jax: what both are of that is drawn."""
        place = node.func.value if type(node.func) is bare.Attribute else None
        if called(node) != "set" or type(place) is not bare.Subscript or "0" not in given:
            return None
        if type(place.value) is not bare.Attribute or place.value.attr.value != "at":
            return None
        base = self._expressions.quietly(place.value.value, env)
        both = base.kinds & given["0"].kinds & Kind.DRAWN
        return Fact(base.range.join(given["0"].range), kinds=both, form=Form.JAX) if both else None

    def _branch(self, node: bare.Call, name: str, env: Env) -> Env:
        """`lax.cond(n > 0, lambda: x / n, lambda: x)`: what a branch is called under."""
        if name not in _BRANCHES or called(node) != "cond":
            return env
        inner = env.child()
        self._expressions.guards.assume(node.args[0].value, _BRANCHES[name], inner)
        return inner

    def forget(self, node: bare.BaseExpression, fact: Fact, env: Env) -> None:
        """What is handed to a stranger may come back filled: `dist.all_gather(parts, x)`."""
        key = key_of(node)
        if key is not None and env.fact(key) is not None and fact.form is not Form.NUMBER:
            unknown = Fact(form=fact.form, dtype=fact.dtype, grad=fact.grad)
            env.assign(key, unknown, self._expressions.model.tick())


def use_in(node: bare.Call) -> Op:
    """What is done with the arguments of an unknown function: `wandb.log({"kl": kl})`,
    `metrics["kl"].append(kl)`.
    """
    holder = node.func.value if type(node.func) is bare.Attribute else None
    while type(holder) is bare.Subscript:
        holder = holder.value
    return _use_by(called(node), "" if holder is None else called(holder), dotted(node.func) or "")


@cache
def _use_by(name: str, owner: str, path: str) -> Op:
    if hints.tells_of_skipping_nan(name):
        return Op.NAN_TO_NUM
    if hints.tells_of_reporting(name) or hints.tells_of_report(owner):
        return Op.REPORT
    return Op.ROUND if hints.tells_of_rounding(path) else Op.CALL


def _telling(node: bare.Call) -> str:
    """The name that tells what a call gives: `initializers.lecun_normal()(key, shape)`."""
    func = node.func.func if type(node.func) is bare.Call else node.func
    path = dotted(func) or ""
    if called(node) == "apply" and isinstance(node.func, bare.Attribute):
        module = called(node.func.value)  # flax's, with its parameters; torch's is a class
        return module if module.islower() else called(node)
    return path if hints.tells_of_initialiser(path) else called(node)


@cache
def told_by(name: str) -> Fact:
    """What the name of a function says of its result; a class gives an object."""
    if hints.tells_of_initialiser(name):
        return hints.INITIALISED
    last = name.rpartition(".")[2]
    if _OF_LENGTHS.search(last):
        return _PAD_MASK
    if _CRITIC.search(names.snake(last)):
        return _VALUED
    if last[:1].isupper() and not hints.tells_of_matrix_product(last):
        return UNKNOWN if _TENSOR_CLASS.search(last) else NOT_A_NUMBER
    return UNKNOWN if last == "fn" else names.named(last)  # a function; beside tp, a count
