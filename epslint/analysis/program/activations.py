"""Activations: what a layer ends in, where it is told: `Dense(n, activation="softmax")`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.keys import called, evaluated
from epslint.analysis.ops import Op

# By a function of that name, or by the word.
ACTIVATIONS: Mapping[str, Op] = MappingProxyType(
    {
        "softmax": Op.SOFTMAX,
        "log_softmax": Op.LOG_SOFTMAX,
        "sigmoid": Op.SIGMOID,
        "hard_sigmoid": Op.HARD_SIGMOID,
        "log_sigmoid": Op.LOGSIGMOID,
        "tanh": Op.TANH,
        "relu": Op.RELU,
        "softplus": Op.SOFTPLUS,
        "exponential": Op.EXP,
        "linear": Op.AFFINE,
        "None": Op.AFFINE,
    }
)
_KEYWORDS = frozenset({"activation", "activation_fn", "act"})
_PLACES: Mapping[str, int] = MappingProxyType(
    {"Activation": 0, "Dense": 1, "dense": 2, "fully_connected": 2}
)


def activation(layer: bare.Call, usual: Op = Op.AFFINE) -> Op:
    """What a layer ends in: what is usual unless it is told, and CALL where that is somebody's own
    function, of which nothing is known.
    """
    place = _PLACES.get(called(layer))
    by_place = layer.args[place] if place is not None and len(layer.args) > place else None
    if by_place is not None and by_place.keyword is None:
        return _activation(by_place)
    return next(told_to(layer), usual)


def told_to(function: bare.Call) -> Iterator[Op]:
    """The activations that any function is told of by their keyword."""
    for argument in function.args:
        if argument.keyword is not None and argument.keyword.value in _KEYWORDS:
            yield _activation(argument)


def _activation(argument: bare.Arg) -> Op:
    """Softmax of `"softmax"`, of `tf.nn.softmax` and of `keras.activations.softmax`."""
    value = argument.value
    word = evaluated(value.value) if type(value) is bare.SimpleString else called(value)
    return ACTIVATIONS.get(str(word), Op.CALL)
