"""The numbers the safe operations need, looked up in the hierarchy. Standard library only."""

from __future__ import annotations

import math
from enum import Enum
from typing import TypeVar

from epslint.epsilon import DEFAULT, PRECISIONS, Clamp, Precision, Role

E = TypeVar("E", bound=Enum)

KL_CLAMP = {"k1": Clamp.KL, "k2": Clamp.KL, "k3": Clamp.K3}


def precision_of(dtype: object) -> Precision:
    """The precision of a torch or numpy dtype, by its name."""
    name = str(dtype).removeprefix("torch.")
    try:
        return PRECISIONS[name]
    except KeyError:
        known = ", ".join(PRECISIONS)
        raise TypeError(f"no safe operation for {name}: convert it to one of {known}") from None


def role_of(name: Role | str) -> Role:
    """A row of the hierarchy by its name."""
    return _member(Role, name, "role")


def clamp_of(name: Clamp | str) -> Clamp:
    """A clamp of the hierarchy by its name."""
    return _member(Clamp, name, "clamp")


def _member(kind: type[E], name: E | str, what: str) -> E:
    try:
        return kind(name)
    except ValueError:
        known = ", ".join(member.value for member in kind)
        raise ValueError(f"{what} must be one of {known}, not {name!r}") from None


def epsilon(role: Role | str, given: float | None, dtype: object, power: float = 1.0) -> float:
    """The epsilon of a role in a dtype; a given one is raised to what the dtype can hold.

    One of the dtype's own numbers, so that whoever compares with it sees the same one.
    """
    precision = precision_of(dtype)
    if given is None:
        return _rounded(DEFAULT.epsilon(role_of(role), precision, power), precision)
    if not given > 0.0:
        raise ValueError(f"eps must be positive, not {given}")
    return _rounded(max(given, precision.floor(power)), precision)


def bound(clamp: Clamp | str, given: float | None, dtype: object) -> float:
    """The bound of a clamp in a dtype; a given one is lowered to what exp can take."""
    precision = precision_of(dtype)
    if given is None:
        return DEFAULT.bound(clamp_of(clamp), precision)
    return min(_positive(given), exp_bound(None, dtype))


def exp_bound(given: float | None, dtype: object) -> float:
    """The largest whole argument of exp in a dtype, or a smaller one that was given."""
    limit = float(math.floor(precision_of(dtype).exp_limit))
    return limit if given is None else min(given, limit)


def kl_bound(kind: str, given: float | None, dtype: object) -> float:
    """The bound of a KL estimator's log-ratio."""
    if kind not in KL_CLAMP:
        raise ValueError(f"kind must be one of {', '.join(KL_CLAMP)}, not {kind!r}")
    return bound(KL_CLAMP[kind], given, dtype)


def _rounded(value: float, precision: Precision) -> float:
    """The nearest number that the precision has, if it is a normal one."""
    bits = 1 - round(math.log2(precision.eps))
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(math.ldexp(mantissa, bits)), exponent - bits)


def _positive(given: float) -> float:
    if not given > 0.0:
        raise ValueError(f"bound must be positive, not {given}")
    return given
