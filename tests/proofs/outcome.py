"""What came out of running a piece of code: values and gradients, all of them in float64."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

Inputs = tuple[object, ...]  # a list is a tensor; anything else stays what it is
Function = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a call: `value 0` is its first, `gradient 0` that of its first input."""

    results: Mapping[str, Tensor] = field(default_factory=dict)
    error: str = ""  # a division by 0 that Python raises

    @property
    def finite(self) -> bool:
        return not self.error and all(bool(r.isfinite().all()) for r in self.results.values())

    def __str__(self) -> str:
        shown = [f"{name} = {result.tolist()}" for name, result in self.results.items()]
        return self.error or ", ".join(shown)


def is_floating(value: object) -> bool:
    """Whether an input is a tensor of floats."""
    return isinstance(value, list) and torch.tensor(value).is_floating_point()


def run_torch(
    function: Function,
    inputs: Inputs,
    dtype: torch.dtype,
    device: torch.device,
    constants: frozenset[int] = frozenset(),
) -> Outcome:
    """Values, and the gradients with respect to every float input that is no constant."""
    arguments = [_tensor(value, dtype, device) for value in inputs]
    leaves = {
        position: argument.requires_grad_()
        for position, argument in enumerate(arguments)
        if isinstance(argument, Tensor)
        and argument.is_floating_point()
        and position not in constants
    }
    try:
        outputs = list(_flat(_quietly(function, arguments)))
    except (ZeroDivisionError, ValueError, RuntimeError) as error:
        return _division_by_zero(error)
    return Outcome({**_values(outputs), **_gradients(outputs, leaves)})


def _tensor(value: object, dtype: torch.dtype, device: torch.device) -> object:
    if not isinstance(value, list):
        return value
    if not is_floating(value):
        return torch.tensor(value, device=device)
    return torch.tensor(value, dtype=torch.float64).to(dtype).to(device)


def run_numpy(function: Function, inputs: Inputs, dtype: torch.dtype) -> Outcome:
    """Values alone: numpy has no gradients."""
    arguments = [_array(value, dtype) for value in inputs]
    try:
        return Outcome(_values(list(_flat(_quietly(function, arguments)))))
    except (ZeroDivisionError, ValueError, RuntimeError) as error:
        return _division_by_zero(error)


def _array(value: object, dtype: torch.dtype) -> object:
    if not isinstance(value, list):
        return value
    name = str(dtype).removeprefix("torch.")
    return np.array(value, dtype=name if is_floating(value) else None)


def _quietly(function: Function, arguments: Sequence[object]) -> object:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*arguments)


def _division_by_zero(error: Exception) -> Outcome:
    """An error is an outcome if it says that a number is no longer one; else it is a mistake."""
    words = ("zero", "ZeroDivisionError", "math domain", "expected a positive input")
    if not any(word in str(error) for word in words):
        raise error
    return Outcome(error=f"{type(error).__name__}: {error}")


def _flat(result: object) -> Iterator[Tensor]:
    if isinstance(result, tuple | list):
        for item in result:
            yield from _flat(item)
    elif isinstance(result, Tensor):
        yield result
    else:
        yield torch.as_tensor(np.asarray(result, dtype=np.float64))


def _values(outputs: list[Tensor]) -> dict[str, Tensor]:
    return {f"value {i}": _plain(output) for i, output in enumerate(outputs)}


def _gradients(outputs: list[Tensor], leaves: Mapping[int, Tensor]) -> dict[str, Tensor]:
    reached = [output for output in outputs if output.requires_grad]
    if not reached or not leaves:
        return {}
    # Not all ones: those give a softmax, for one, no gradient at all.
    weights = [
        torch.linspace(0.5, 1.5, o.numel()).reshape(o.shape).to(o.device, o.dtype) for o in reached
    ]
    found = torch.autograd.grad(reached, list(leaves.values()), weights, allow_unused=True)
    pairs = zip(leaves, found, strict=True)
    return {f"gradient {position}": _plain(g) for position, g in pairs if g is not None}


def _plain(tensor: Tensor) -> Tensor:
    return tensor.detach().cpu().to(torch.float64)
