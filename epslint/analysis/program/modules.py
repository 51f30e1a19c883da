"""Modules: made once and applied later, `self.act = nn.Sigmoid()` and then `self.act(x)`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from epslint.analysis import bare
from epslint.analysis.env import Env
from epslint.analysis.fact import UNKNOWN, Fact, Form, replace
from epslint.analysis.keys import called, dotted
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.program.activations import ACTIVATIONS, activation
from epslint.analysis.transfer import Call, transfer
from epslint.analysis.words.spellings import Spelling
from epslint.outline import Outline
from epslint.source import Source

if TYPE_CHECKING:
    from epslint.analysis.interpreter.calls import Calls
    from epslint.analysis.interpreter.expressions import Expressions

_ACTIVATIONS = {
    "Softmax": Op.SOFTMAX,
    "LogSoftmax": Op.LOG_SOFTMAX,
    "Sigmoid": Op.SIGMOID,
    "LogSigmoid": Op.LOGSIGMOID,
    "ReLU": Op.RELU,
    "Softplus": Op.SOFTPLUS,
    "Tanh": Op.TANH,
    **dict.fromkeys(("LayerNorm", "RMSNorm", "GroupNorm"), Op.STANDARDIZE),
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "BatchNorm3d"), Op.STANDARDIZE),
}
_LOSSES = {
    "MSELoss": Op.ERROR,
    "L1Loss": Op.ERROR,
    "SmoothL1Loss": Op.ERROR,
    "HuberLoss": Op.ERROR,
    "BCELoss": Op.BCE,
    "BCEWithLogitsLoss": Op.BCE_WITH_LOGITS,
    "CrossEntropyLoss": Op.CROSS_ENTROPY,
    "NLLLoss": Op.NLL,
    "KLDivLoss": Op.KL_DIV,
}
# Layers that end in no activation unless they are told one, and where their libraries keep them.
_LAYERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "torch.nn": ("Linear", "LazyLinear", "Bilinear", "Conv1d", "Conv2d", "Conv3d"),
        "flax.linen": ("Dense", "DenseGeneral", "Conv"),
        "haiku": ("Linear", "Conv2D"),
        **dict.fromkeys(
            ("tensorflow.keras.layers", "keras.layers", "tensorflow.layers"),
            ("Dense", "Conv1D", "Conv2D", "Activation"),
        ),
    }
)
_MODULES: Mapping[str, Spelling] = MappingProxyType(
    {
        **{
            f"{library}.{name}": Spelling(Op.AFFINE, ("x",))
            for library, names in _LAYERS.items()
            for name in names
        },
        **{f"torch.nn.{name}": Spelling(op, ("x",)) for name, op in _ACTIVATIONS.items()},
        **{f"torch.nn.{name}": Spelling(op, ("x", "target")) for name, op in _LOSSES.items()},
    }
)
_ENDING = frozenset(ACTIVATIONS.values())
_BY_OP: Mapping[str, Spelling] = MappingProxyType(
    {
        **{op.name: Spelling(op, ("x",)) for op in _ENDING},
        **{spelling.op.name: spelling for spelling in _MODULES.values()},
    }
)
# What the layers of a library give.
_FORMS: Mapping[str, Form] = MappingProxyType(
    {
        "torch": Form.TORCH,
        **dict.fromkeys(("flax", "haiku"), Form.JAX),
        **dict.fromkeys(("tensorflow", "keras"), Form.TENSORFLOW),
    }
)
_CHAINS = frozenset(
    {
        *("torch.nn.Sequential", "flax.linen.Sequential"),
        *("tensorflow.keras.Sequential", "tensorflow.keras.models.Sequential"),
        *("keras.Sequential", "keras.models.Sequential"),
    }
)
# What is made of a graph by naming where it ends.
_GRAPHS = frozenset(
    {
        *("tensorflow.keras.Model", "tensorflow.keras.models.Model"),
        *("keras.Model", "keras.models.Model"),
    }
)
# The methods that apply an instance: torch's, Keras's, and anybody's.
_APPLYING = ("forward", "call", "__call__")
_BY_NAME = frozenset({*_APPLYING, "predict", "predict_on_batch"})
# Without one of these words, or a class with such a method, a file has no modules.
_WORDS = frozenset(
    {*(name.rpartition(".")[2] for name in (*_MODULES, *_CHAINS, *_GRAPHS)), "optim"}
)

# The part of a module's fact that tells what applying it does begins with one of these.
_APPLIED = "()"  # the operation
_LAST = "(…)"  # the last operation of several
_UNSEEN = "(?)"  # the last operation is somebody's own
_FORWARD = "forward "  # a class of this file
_OPTIMIZER = "optimizer"  # of torch itself: what wraps one may clip


class Modules:
    """Evaluates the making of modules and their application."""

    def __init__(self, calls: Calls, expressions: Expressions) -> None:
        self._calls = calls
        self._expressions = expressions

    def eval(self, node: bare.Call, env: Env) -> Fact | None:
        if not self._expressions.model.has_modules:
            return None
        path = dotted(node.func)
        if path is None:
            return self._applied(node, env) if isinstance(node.func, bare.Call) else None
        return self._made(path, node, env) or self._applied(node, env)

    def _made(self, path: str, node: bare.Call, env: Env) -> Fact | None:
        full = self._expressions.resolved(path, env)
        if full is None:
            return self._instance(path, node, env)
        spelling = _MODULES.get(full.replace("tensorflow.compat.v1.", "tensorflow."))
        if spelling is not None:
            key = _APPLIED + spelling.op.name if spelling.op is not Op.AFFINE else _layer(node)
            gives = Fact(form=_FORMS.get(full.partition(".")[0], Form.UNKNOWN))
            return self._module(key, node, env, gives)
        if full.startswith("torch.optim.") and full.rpartition(".")[2][:1].isupper():
            return self._module(_OPTIMIZER, node, env)
        if full in _CHAINS:
            return self._chain(node, env)
        return self._graph(node, env) if full in _GRAPHS else None

    def _module(self, key: str, node: bare.Call, env: Env, gives: Fact = UNKNOWN) -> Fact:
        """A module's settings are the operands of its origin."""
        expressions = self._expressions
        settings = {
            a.keyword.value if a.keyword else str(i): Operand(
                a.value, expressions.eval(a.value, env)
            )
            for i, a in enumerate(node.args)
        }
        origin = expressions.ledger.origin(Op.MODULE, node, settings)
        return Fact(form=Form.OTHER, grad=False, parts=((key, gives),), origin=origin)

    def _chain(self, node: bare.Call, env: Env) -> Fact | None:
        """`nn.Sequential(…, nn.Sigmoid())` ends in a sigmoid of what is not to be seen; to an empty
        one something is added later.
        """
        if not node.args:
            return self._module(_UNSEEN, node, env)
        *_, last = [self._last(argument, env) for argument in node.args]
        applied = None if last is None else _application(last)
        if applied is None:
            return None
        key, gives = applied
        return self._module(key.replace(_APPLIED, _LAST), node, env, gives)

    def _graph(self, node: bare.Call, env: Env) -> Fact | None:
        """`Model(inputs, outputs)` gives what its outputs were made by."""
        given = {a.keyword.value if a.keyword else str(i): a.value for i, a in enumerate(node.args)}
        outputs = given.get("outputs") or given.get("1")
        fact = UNKNOWN if outputs is None else self._expressions.eval(outputs, env)
        if fact.origin is None or fact.origin.op not in _ENDING:
            return None
        return self._module(_LAST + fact.origin.op.name, node, env, Fact(form=fact.form))

    def _last(self, argument: bare.Arg, env: Env) -> Fact | None:
        """The last module of `a`, of `*layers`, of `[a, b]` and of `OrderedDict(pairs)`."""
        value = argument.value
        if isinstance(value, bare.Call) and called(value) == "OrderedDict" and value.args:
            pair = self._expressions.eval(value.args[0].value, env).last
            return None if pair is None else pair.last
        fact = self._expressions.eval(value, env)
        in_a_row = argument.star == "*" or fact.form is Form.LIST
        return fact.last if in_a_row else fact

    def _instance(self, path: str, node: bare.Call, env: Env) -> Fact | None:
        """`Net(…)` of a class here whose instances can be applied."""
        model = self._expressions.model
        owner = model.outline.classes.get(path)
        if owner is None or env.fact(path) is not None:
            return None
        known = {name for each in model.outline.lineage(owner) for name in each.methods}
        method = next((name for name in _APPLYING if name in known), None)
        return None if method is None else self._module(f"{_FORWARD}{path}.{method}", node, env)

    def _applied(self, node: bare.Call, env: Env) -> Fact | None:
        expressions = self._expressions
        module = expressions.eval(node.func, env)
        applied = _application(module)
        if applied is None and type(func := node.func) is bare.Attribute:
            module = expressions.eval(func.value, env)
            applied = self._by_name(module, func.attr.value)
        if applied is None:
            return None
        key, gives = applied
        if key == _UNSEEN:
            origin = expressions.ledger.origin(Op.CALL, node, {})
            return replace(gives, origin=origin, elsewhere=True)
        if key.startswith(_FORWARD):
            name = key.removeprefix(_FORWARD)
            callee = expressions.model.summaries.callee(name, expressions.frame, env)
            return None if callee is None else self._calls.summarised(callee, node, env)
        spelling = _BY_OP[key.removeprefix(_LAST).removeprefix(_APPLIED)]
        operands = self._calls.bound(spelling, node, {}, env)
        if key.startswith(_LAST):
            operands.clear()  # what goes in is not what the last operation is applied to
        fact = transfer(Call(spelling.op, {n: o.fact for n, o in operands.items()}, gives.form))
        if key.startswith(_LAST):
            fact = replace(fact, grad=True)
        operands["module"] = Operand(node.func, module)
        return expressions.ledger.conclude(spelling.op, node, operands, fact, env)

    def _by_name(self, module: Fact, method: str) -> tuple[str, Fact] | None:
        """`net.forward(x)`, and other methods of a class of this file, `net.encode(x)`."""
        applied = _application(module)
        if applied is None or method in _BY_NAME:
            return applied
        key, gives = applied
        path = key.removeprefix(_FORWARD).rpartition(".")[0]
        outline = self._expressions.model.outline
        owner = outline.classes.get(path) if key.startswith(_FORWARD) else None
        if owner is None or not any(method in each.methods for each in outline.lineage(owner)):
            return None
        return f"{_FORWARD}{path}.{method}", gives


def _layer(node: bare.Call) -> str:
    """What applying a layer does, of which the last thing it does matters."""
    ended = activation(node)
    if ended is Op.CALL:
        return _UNSEEN
    return (_APPLIED if ended is Op.AFFINE else _LAST) + ended.name


def may_be_in(source: Source, outline: Outline) -> bool:
    """Whether a file makes modules, or has classes that are modules."""
    if any(not owner.methods.keys().isdisjoint(_APPLYING) for owner in outline.owners):
        return True
    return any(name in source.text for name in _WORDS)


def makers(telling: frozenset[Op]) -> Iterator[str]:
    """The classes of those modules that are worth a look wherever they are applied."""
    for name, op in (*_LOSSES.items(), ("Softmax", Op.SOFTMAX)):
        if op in telling:
            yield name


def is_optimizer(fact: Fact) -> bool:
    return fact.part(_OPTIMIZER) is not None


def is_module(fact: Fact) -> bool:
    """Whether it is known what applying it does."""
    return any(_is_application(key) for key, _ in fact.parts)


def extended(chain: Fact, layer: Fact) -> Fact:
    """`model.add(Dense(n, activation="softmax"))`: what a chain of layers does from here on."""
    key, gives = _application(layer) or (_UNSEEN, UNKNOWN)
    return replace(chain, parts=((key.replace(_APPLIED, _LAST), gives),))


def _application(module: Fact) -> tuple[str, Fact] | None:
    """What applying it does, and what is known of the result whatever goes in."""
    found = ((str(key), gives) for key, gives in module.parts if _is_application(key))
    return next(found, None)


def _is_application(key: int | str) -> bool:
    return isinstance(key, str) and key.startswith((_APPLIED, _LAST, _UNSEEN, _FORWARD))
