"""What a proof is made of: trials, each a piece of code, inputs, and how far its fix may move it.

A trial takes its code from the rule's Example unless it names a fixture or brings its own `text`.
In float16 the code is given lines that say so (`x = x.half()`), because a fix can only write the
epsilon of a dtype that it sees; what becomes of float16 that the code does not show is told by
`unseen_float16`, and tested too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from types import MappingProxyType
from typing import TypeVar

import torch
from torch import Tensor

from epslint.epsilon import DEFAULT, PRECISIONS, Role
from tests.proofs import source
from tests.proofs.outcome import Function, Inputs, Outcome, is_floating, run_numpy, run_torch

DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
CPU = torch.device("cpu")

# Why a dtype is left out of a trial.
Reasons = Mapping[torch.dtype, str]
NUMPY_HAS_NO_BFLOAT16: Reasons = MappingProxyType({torch.bfloat16: "numpy has no bfloat16"})
ABSORBED = "1e-8 is 0 in float16"
OVERFLOWS = "exp(20) overflows in float16"


T = TypeVar("T", bound="Trial")


class UnprovenError(AssertionError):
    """A fix that does not do what its rule says."""


@dataclass(frozen=True, slots=True)
class Bound:
    """How far a fix may move a value and its gradient, as parts of the larger of it and 1.

    The effect of an epsilon is `value * epsilon / over`, where `over` is the least size, on the
    ordinary input, of what the epsilon is added to; that of a gradient, `gradient * epsilon /
    over`. Rounding adds `ulps` units of the dtype's own precision.
    """

    epsilon: Role | float | None = None
    over: float = 1.0
    value: float = 1.0
    gradient: float = 2.0  # of 1 / d: it is a pole of order 2
    power: float = 1.0  # the order of the pole by which float16's epsilon is chosen
    ulps: float = 8.0

    def of(self, name: str, dtype: torch.dtype) -> float:
        precision = PRECISIONS[str(dtype).removeprefix("torch.")]
        epsilon = self.epsilon
        if isinstance(epsilon, Role):
            epsilon = DEFAULT.epsilon(epsilon, precision, self.power)
        share = self.value if name.startswith("value") else self.gradient
        return share * (epsilon or 0.0) / self.over + self.ulps * torch.finfo(dtype).eps


EXACT = Bound()


@dataclass(frozen=True, slots=True)
class Code:
    """The same code before a fix and after it."""

    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A function, and where it is written."""

    function: str = ""  # left out where `each` names several
    fixture: str = ""
    text: str = ""
    driver: str = ""  # runs after the code, where `function` is not one that a rule looks at

    def __str__(self) -> str:
        place = self.fixture or ("text" if self.text else "example")
        return f"{place}.{self.function}"

    def excused(self) -> Reasons:
        return {}

    def devices(self) -> bool:
        """Whether the trial is one to repeat on every device."""
        return False

    def code(self, rule: str, dtype: torch.dtype) -> Code:
        before = self.written(rule)
        if dtype is torch.float16:
            before = self.declared(before)
        return Code(before, self.fixed(rule, before))

    def fixed(self, rule: str, text: str) -> str:
        return source.fixed(rule, text)

    def written(self, rule: str) -> str:
        if self.driver:
            return self._whole(rule)
        return source.alone(self._whole(rule), self.function)

    def _whole(self, rule: str) -> str:
        if self.fixture:
            return source.fixture(rule, self.fixture)
        return self.text or source.example(rule)

    def declared(self, text: str) -> str:
        """The code with lines that show that it is in float16."""
        return text

    def prove(self, code: Code, dtype: torch.dtype, device: torch.device = CPU) -> None:
        raise NotImplementedError

    def _load(self, text: str) -> Function:
        function = source.loaded(text, self.driver)[self.function]
        assert callable(function)
        return function


@dataclass(frozen=True, slots=True, kw_only=True)
class Hazard(Trial):
    """Code that is not finite on the adversarial input, and is so after the fix."""

    adversarial: Inputs
    ordinary: Inputs
    bound: Bound = EXACT
    excuses: Reasons = field(default_factory=dict)
    # What the fix does to a value and to a gradient that was finite, if its rule says it does.
    change: Callable[[Tensor], Tensor] = lambda result: result
    meaning: bool = False  # whether the fix changes what ordinary input gives, in no simple way

    def excused(self) -> Reasons:
        return self.excuses

    def run(
        self, function: Function, inputs: Inputs, dtype: torch.dtype, device: torch.device
    ) -> Outcome:
        raise NotImplementedError

    def prove(self, code: Code, dtype: torch.dtype, device: torch.device = CPU) -> None:
        before, after = self._load(code.before), self._load(code.after)
        spoilt = self.run(before, self.adversarial, dtype, device)
        repaired = self.run(after, self.adversarial, dtype, device)
        _require(not spoilt.finite, f"the hazard is none: {spoilt}", code)
        _require(repaired.finite, f"not finite after the fix: {repaired}; before: {spoilt}", code)
        old = self.run(before, self.ordinary, dtype, device)
        new = self.run(after, self.ordinary, dtype, device)
        _require(old.finite, f"the ordinary input is none: {old}", code)
        if self.meaning:
            _require(new.finite, f"not finite after the fix: {new}", code)
        else:
            self.agree(old, new, code, dtype)

    def agree(self, old: Outcome, new: Outcome, code: Code, dtype: torch.dtype) -> None:
        _require(old.results.keys() == new.results.keys(), f"{old} became {new}", code)
        for name, result in old.results.items():
            wanted, got = self.change(result), new.results[name]
            _require(wanted.shape == got.shape, f"{name}: {wanted.shape} became {got.shape}", code)
            scale = max(1.0, float(wanted.abs().max()))
            error = float((got - wanted).abs().max()) / scale
            allowed = self.bound.of(name, dtype)
            _require(
                error <= allowed,
                f"{name} moved by {error:.2e}, allowed is {allowed:.2e}: "
                f"{wanted.tolist()} became {got.tolist()}",
                code,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Torch(Hazard):
    """A hazard of torch: values and gradients, on every device."""

    constants: frozenset[int] = frozenset()  # positions of inputs through which no gradient flows
    # Why float16 is not safe after the fix where the code does not show it; "" if it is.
    unseen_float16: str = ""
    only_cpu: str = ""  # why nothing is shown on other devices

    def devices(self) -> bool:
        return not self.only_cpu

    def declared(self, text: str) -> str:
        if self.driver:
            return text
        return source.declared(text, self.function, _floats(self.ordinary), ".half()")

    def run(
        self, function: Function, inputs: Inputs, dtype: torch.dtype, device: torch.device
    ) -> Outcome:
        return run_torch(function, inputs, dtype, device, self.constants)

    def is_safe_unseen(self, rule: str) -> bool:
        """Whether the fix of code that shows no dtype holds in float16."""
        after = self._load(source.fixed(rule, self.written(rule)))
        return self.run(after, self.adversarial, torch.float16, CPU).finite


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong(Torch):
    """Code that is finite on the adversarial input and wrong: its value, or what it learns."""

    truth: Function  # the same in float64, stably

    def prove(self, code: Code, dtype: torch.dtype, device: torch.device = CPU) -> None:
        before, after = self._load(code.before), self._load(code.after)
        right = self._true(self.adversarial, device)
        spoilt = self.run(before, self.adversarial, dtype, device)
        repaired = self.run(after, self.adversarial, dtype, device)
        _require(_distance(spoilt, right) > 0.1, f"the hazard is none: {spoilt}", code)
        self.agree(right, repaired, code, dtype)
        new = self.run(after, self.ordinary, dtype, device)
        if self.meaning:
            self.agree(self._true(self.ordinary, device), new, code, dtype)
        else:
            self.agree(self.run(before, self.ordinary, dtype, device), new, code, dtype)

    def _true(self, inputs: Inputs, device: torch.device) -> Outcome:
        wide = torch.float32 if device.type == "mps" else torch.float64
        return self.run(self.truth, inputs, wide, device)


def _distance(outcome: Outcome, right: Outcome) -> float:
    """The largest error of a value or gradient, as a part of the larger of it and 1."""
    if not outcome.finite:
        return float("inf")
    return max(
        float((result - right.results[name]).abs().max()) / max(1.0, float(result.abs().max()))
        for name, result in outcome.results.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference(Torch):
    """Code that is finite either way, and that a fix writes as the house does."""

    def prove(self, code: Code, dtype: torch.dtype, device: torch.device = CPU) -> None:
        _require(code.before != code.after, "the fix changes nothing", code)
        before, after = self._load(code.before), self._load(code.after)
        repaired = self.run(after, self.adversarial, dtype, device)
        _require(repaired.finite, f"not finite after the fix: {repaired}", code)
        old, new = (self.run(f, self.ordinary, dtype, device) for f in (before, after))
        self.agree(old, new, code, dtype)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numpy(Hazard):
    """A hazard of numpy: values alone, on the CPU."""

    def excused(self) -> Reasons:
        return {**NUMPY_HAS_NO_BFLOAT16, **self.excuses}

    def declared(self, text: str) -> str:
        cast = ".astype(np.float16)"
        return source.declared(text, self.function, _floats(self.ordinary), cast)

    def run(
        self, function: Function, inputs: Inputs, dtype: torch.dtype, device: torch.device
    ) -> Outcome:
        return run_numpy(function, inputs, dtype)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy(Trial):
    """Code that loses the digits of a small x, and does not after the fix."""

    truth: Callable[[Decimal], Decimal]
    ordinary: tuple[float, ...] = (0.25, 0.5, 1.5, 3.0)
    ulps: float = 4.0

    # In units of the dtype's precision: absorbed by a 1, hardly absorbed, and half of it.
    _SMALL = (0.3, 2.4, 10.3)

    def devices(self) -> bool:
        return True

    def prove(self, code: Code, dtype: torch.dtype, device: torch.device = CPU) -> None:
        before, after = self._load(code.before), self._load(code.after)
        eps = torch.finfo(dtype).eps
        small = [factor * eps for factor in self._SMALL]
        lost, kept = (self._error(f, small, dtype, device) / eps for f in (before, after))
        _require(lost > 10 * self.ulps, f"no digits are lost: {lost:.1f} ulp", code)
        _require(kept <= self.ulps, f"digits are still lost: {kept:.1f} ulp", code)
        inputs = (list(self.ordinary),)
        agreement = Torch(function=self.function, adversarial=(), ordinary=inputs)
        old, new = (run_torch(f, inputs, dtype, device) for f in (before, after))
        agreement.agree(old, new, code, dtype)

    def _error(
        self, function: Function, small: list[float], dtype: torch.dtype, device: torch.device
    ) -> float:
        """The largest relative error, against 50 decimal digits."""
        x = torch.tensor(small, dtype=torch.float64).to(dtype)
        got = run_torch(function, (x.tolist(),), dtype, device)
        with localcontext() as context:
            context.prec = 50
            wanted = [float(self.truth(Decimal(v))) for v in x.tolist()]
        exact = torch.tensor(wanted, dtype=torch.float64)
        return float(((got.results["value 0"] - exact) / exact).abs().max())


@dataclass(frozen=True, slots=True, kw_only=True)
class SameSyntax(Trial):
    """A fix that changes comments and nothing that runs."""

    def excused(self) -> Reasons:
        return dict.fromkeys(DTYPES[1:], "a comment has no dtype")

    def written(self, rule: str) -> str:
        return self._whole(rule)

    def fixed(self, rule: str, text: str) -> str:
        return source.fixed(rule, text, alone=False)

    def prove(self, code: Code, dtype: torch.dtype, device: torch.device = CPU) -> None:
        _require(code.before != code.after, "the fix changes nothing", code)
        trees = [ast.dump(ast.parse(text)) for text in (code.before, code.after)]
        _require(trees[0] == trees[1], "the fix changes more than comments", code)


def _floats(inputs: Inputs) -> list[int]:
    return [position for position, value in enumerate(inputs) if is_floating(value)]


def _require(holds: bool, complaint: str, code: Code) -> None:
    if not holds:
        raise UnprovenError(f"{complaint}\n--- before\n{code.before}--- after\n{code.after}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The trials of a rule's fix, and the words of its documentation that they hold it to."""

    code: str
    documented: str
    trials: tuple[Trial, ...]


def each(trial: T, *functions: str) -> tuple[T, ...]:
    """The same trial of several functions."""
    return tuple(replace(trial, function=function) for function in functions)
