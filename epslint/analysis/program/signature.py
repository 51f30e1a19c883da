"""Signatures: what the head of a function tells of its parameters and of how it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from epslint.analysis import bare, ranges
from epslint.analysis.env import Mode
from epslint.analysis.fact import NOT_A_NUMBER, UNKNOWN, Evidence, Fact, Form, Kind, replace
from epslint.analysis.frame import Callee, Summary
from epslint.analysis.keys import called, dotted
from epslint.analysis.words import hints, names

T = TypeVar("T")

_OF_OPTIMIZERS = frozenset({"grads", "gradients", "updates", "opt_state"})

_ANNOTATED: Mapping[str, Form] = MappingProxyType(
    {
        "torch.Tensor": Form.TORCH,
        "torch.FloatTensor": Form.TORCH,
        "torch.LongTensor": Form.TORCH,
        "torch.BoolTensor": Form.TORCH,
        "numpy.ndarray": Form.NUMPY,
        "jax.Array": Form.JAX,
        "jax.numpy.ndarray": Form.JAX,
        "tensorflow.Tensor": Form.TENSORFLOW,
        "int": Form.NUMBER,
        "float": Form.NUMBER,
        "str": Form.OTHER,
        "bytes": Form.OTHER,
        "dict": Form.OTHER,
        "pathlib.Path": Form.OTHER,
    }
)


# What a name says of data; of a single number it says which setting it is.
SETTINGS = Kind.PROB | Kind.RATIO | Kind.STD | Kind.VAR


def parameters(params: bare.Parameters) -> list[bare.Param]:
    """The parameters that have names of their own, `*args` and `**kwargs` left out."""
    return [*params.posonly_params, *params.params, *params.kwonly_params]


def matched(
    node: Callee, positional: Sequence[Fact], keywords: Mapping[str, Fact], *, bound: bool
) -> dict[str, Fact]:
    given = passed(node, positional, keywords, bound=bound)
    # An argument about which nothing is known is no better than the parameter's own name.
    return {name: fact for name, fact in given.items() if fact != UNKNOWN}


def passed(
    node: Callee, positional: Sequence[T], keywords: Mapping[str, T], *, bound: bool
) -> dict[str, T]:
    """The arguments of a call under the names of the parameters they go to."""
    accepting = _positional(node, bound=bound)
    given = dict(zip(accepting, positional, strict=False))
    accepted = {*accepting, *(p.name.value for p in node.params.kwonly_params)}
    given.update({name: value for name, value in keywords.items() if name in accepted})
    return given


def _positional(node: Callee, *, bound: bool) -> list[str]:
    """The names that positional arguments go to; a bound method's own self is not among them."""
    found = [p.name.value for p in (*node.params.posonly_params, *node.params.params)]
    if bound and isinstance(node, bare.FunctionDef) and not _is_static(node):
        return found[1:]
    return found


def by_position(summary: Summary, node: Callee, *, bound: bool) -> Summary:
    """The arguments of a summary under their positions as well as their names."""
    positions = {
        str(index): summary.arguments[name]
        for index, name in enumerate(_positional(node, bound=bound))
        if name in summary.arguments
    }
    return replace(summary, arguments={**summary.arguments, **positions})


def parameter_fact(name: str, default: Fact | None) -> Fact:
    """What a parameter is when the caller is not known: what its default or its name tells."""
    told = names.named(name)
    if default is None or default.constant is None or default.dtype.precision is not None:
        return told
    if told is names.EPSILON:
        return replace(default, kinds=Kind.EPSILON, ground=Evidence.NAMED)
    if told != UNKNOWN and not (told.is_any(SETTINGS) and default.constant > 0):
        return told
    if default.constant > 0 and hints.tells_of_threshold(name):
        return default  # it is set once, next to what it is a threshold of
    if default.constant > 0:
        # A setting is positive by its meaning unless the code shows otherwise.
        return Fact(range=ranges.POSITIVE, ground=Evidence.NAMED, dtype=default.dtype, grad=False)
    # 0 may stand for "nothing yet"; `low=-2.0` is one number, of either sign.
    return Fact(form=Form.NUMBER, grad=False) if default.constant < 0 else UNKNOWN


def annotated(parameter: bare.Param, fact: Fact, imports: Mapping[str, str]) -> Fact:
    """`x: torch.Tensor` says what holds the value."""
    if parameter.annotation is None:
        return fact
    name = dotted(parameter.annotation.annotation) or ""
    root, dot, rest = name.partition(".")
    form = _ANNOTATED.get(imports.get(root, root) + dot + rest)
    if form is Form.OTHER:
        return NOT_A_NUMBER  # whatever it is called: `probs: str` is the name of a file
    if form is Form.NUMBER and fact.is_any(SETTINGS):
        # `pixel_std: float` is a setting
        limits = ranges.UNIT if fact.is_any(Kind.PROB) else ranges.POSITIVE
        return Fact(range=limits, form=form, grad=False)
    return fact if form is None else replace(fact, form=form)


def self_name(node: bare.FunctionDef) -> str:
    found = [*node.params.posonly_params, *node.params.params]
    return found[0].name.value if found and not _is_static(node) else ""


def _is_static(node: bare.FunctionDef) -> bool:
    return "staticmethod" in _decorators(node)


def _decorators(node: bare.FunctionDef) -> list[str]:
    return [called(decorator.decorator) for decorator in node.decorators]


def _is_kernel(node: bare.FunctionDef) -> bool:
    """A kernel's gradient is another kernel, which somebody wrote."""
    functions = (_function_of(decorator.decorator) for decorator in node.decorators)
    return any(dotted(function) == "triton.jit" for function in functions)


def _function_of(node: bare.BaseExpression) -> bare.BaseExpression:
    return node.func if isinstance(node, bare.Call) else node


def _takes_gradients(node: bare.FunctionDef) -> bool:
    """What is handed gradients or their updates is a step of an optimizer."""
    return any(p.name.value in _OF_OPTIMIZERS for p in parameters(node.params))


def mode_inside(node: Callee, outer: Mode) -> Mode:
    """The mode of a function that is written inside another one."""
    return mode_of(node, replace(outer, grad=outer.grad or outer.around, around=False))


def mode_of(node: Callee, outer: Mode | None = None, owner: str = "") -> Mode:
    mode = outer or Mode()
    if not isinstance(node, bare.FunctionDef) or not mode.grad:
        return mode
    unlearned = any(d in names.UNDIFFERENTIATED for d in _decorators(node))
    unlearned = unlearned or _is_kernel(node) or _takes_gradients(node)
    if unlearned or hints.tells_of_statistic(node.name.value) or hints.tells_of_statistic(owner):
        return replace(mode, grad=False)
    return mode
