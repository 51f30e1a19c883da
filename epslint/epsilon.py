"""The hierarchy: which epsilon and which clamp belongs to which place.

The one table of the project. The linter's fixes and the runtime's safe operations both read it, so
what `--fix` writes is what `epslint.runtime` does. Standard library only, and nothing of epslint.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType


class Role(Enum):
    """What a guarded value is for; the value is the name under `[tool.epslint.epsilon]`."""

    MASKED = "masked"
    REWARD = "reward"
    DIVERGENCE = "divergence"
    COUNT = "count"
    RATIO = "ratio"
    LOG_RATIO = "log-ratio"
    PROBABILITY = "probability"
    GENERAL = "general"


class Clamp(Enum):
    """Which log-ratio is bounded; the value is the name under `[tool.epslint.clamp]`."""

    K3 = "k3"
    KL = "kl"
    POLICY = "policy"


class Style(Enum):
    """How a fix writes its guard: `x + eps`, or `x.clamp(min=eps)`."""

    ADD = "add"
    CLAMP = "clamp"


@dataclass(frozen=True, slots=True)
class Tier:
    """The epsilon of a role, and the range in which another one does the same job."""

    value: float
    at_least: float
    at_most: float

    def fits(self, epsilon: float) -> bool:
        """Whether an epsilon that is already at hand may stand in for this tier's value."""
        return self.at_least <= epsilon <= self.at_most


@dataclass(frozen=True, slots=True)
class Precision:
    """What a floating-point format can hold."""

    name: str
    eps: float
    tiny: float
    largest: float

    @property
    def exp_limit(self) -> float:
        """The largest argument whose exp is still finite."""
        return math.log(self.largest)

    def floor(self, power: float = 1.0) -> float:
        """The smallest power of ten `x` for which `x ** -power` is still finite.

        In float16 1e-8 is 0, and the reciprocal of the smallest normal number overflows: 1e-4.
        """
        return 10.0 ** math.ceil(-math.log10(self.largest) / power)

    def rounded(self, value: float) -> float:
        """The nearest number that the format can hold: 1e-8 is 0 in float16, 1 - 1e-8 is 1 in
        float32.
        """
        if value == 0 or not math.isfinite(value):
            return value
        _, exponent = math.frexp(value)
        step = max(math.ldexp(self.eps, exponent - 1), self.tiny * self.eps)
        nearest = round(value / step) * step
        return nearest if abs(nearest) <= self.largest else math.copysign(math.inf, value)

    @property
    def beside_one(self) -> float:
        """The smallest power of ten that is still there after it was added to 1, or taken off."""
        return 10.0 ** math.ceil(math.log10(self.eps / 2))


FLOAT16 = Precision("float16", eps=2.0**-10, tiny=2.0**-14, largest=65504.0)
BFLOAT16 = Precision("bfloat16", eps=2.0**-7, tiny=2.0**-126, largest=3.3895313892515355e38)
FLOAT32 = Precision("float32", eps=2.0**-23, tiny=2.0**-126, largest=3.4028234663852886e38)
FLOAT64 = Precision("float64", eps=2.0**-52, tiny=2.0**-1022, largest=1.7976931348623157e308)

PRECISIONS: Mapping[str, Precision] = MappingProxyType(
    {p.name: p for p in (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)}
)

_TIERS: Mapping[Role, Tier] = MappingProxyType(
    {
        Role.MASKED: Tier(1e-8, at_least=1e-12, at_most=1e-5),
        Role.REWARD: Tier(1e-6, at_least=1e-9, at_most=1e-4),
        Role.DIVERGENCE: Tier(1e-9, at_least=1e-12, at_most=1e-6),
        Role.COUNT: Tier(1e-24, at_least=1e-30, at_most=1e-3),
        Role.RATIO: Tier(1e-8, at_least=1e-8, at_most=1e-5),
        Role.LOG_RATIO: Tier(1e-8, at_least=1e-12, at_most=1e-5),
        Role.PROBABILITY: Tier(1e-8, at_least=1e-12, at_most=1e-5),
        Role.GENERAL: Tier(1e-8, at_least=1e-12, at_most=1e-5),
    }
)

_CLAMPS: Mapping[Clamp, float] = MappingProxyType(
    {Clamp.K3: 10.0, Clamp.KL: 40.0, Clamp.POLICY: 20.0}
)


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Role × precision → epsilon, and clamp × precision → bound."""

    tiers: Mapping[Role, Tier] = field(default_factory=lambda: _TIERS)
    clamps: Mapping[Clamp, float] = field(default_factory=lambda: _CLAMPS)
    style: Style = Style.ADD

    def epsilon(self, role: Role, precision: Precision | None = None, power: float = 1.0) -> float:
        """The epsilon for a role: never below what the precision can hold.

        `power` is the order of the pole that is guarded, its gradient included: 1 for the gradient
        of log, 1.5 for that of rsqrt.
        """
        value = self.tiers[role].value
        return value if precision is None else max(value, precision.floor(power))

    def fits(
        self, role: Role, epsilon: float, precision: Precision | None = None, power: float = 1.0
    ) -> bool:
        """Whether `epsilon`, found in the code, does the job of the role's own."""
        if precision is FLOAT16:
            floor = precision.floor(power)
            return floor <= epsilon <= max(floor, self.tiers[role].at_most)
        return self.tiers[role].fits(epsilon)

    def bound(
        self, clamp: Clamp, precision: Precision | None = None, *, weighed: bool = False
    ) -> float:
        """The bound of a log-ratio: never above what exp can take in the precision.

        `weighed`: exp(d) is multiplied by d, as in a divergence; that overflows earlier.
        """
        value = self.clamps[clamp]
        if precision is None:
            return value
        limit = precision.exp_limit
        return min(value, math.floor(limit - math.log(limit) if weighed else limit))

    def override(self, epsilons: Mapping[Role, float], clamps: Mapping[Clamp, float]) -> Hierarchy:
        """This hierarchy with values from the configuration put in."""
        tiers = {role: _overridden(tier, epsilons.get(role)) for role, tier in self.tiers.items()}
        return replace(
            self,
            tiers=MappingProxyType(tiers),
            clamps=MappingProxyType({**self.clamps, **clamps}),
        )


def _overridden(tier: Tier, value: float | None) -> Tier:
    if value is None:
        return tier
    return replace(
        tier,
        value=value,
        at_least=min(tier.at_least, value),
        at_most=max(tier.at_most, value),
    )


DEFAULT = Hierarchy()


def spelled(value: float) -> str:
    """A number as a person writes it: 1e-8, not 1e-08."""
    if value == int(value) and abs(value) < 1e6:
        return f"{value:.1f}"
    mantissa, _, exponent = f"{value:.6e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    power = int(exponent)
    return f"{mantissa}e{power}" if not -3 <= power <= 3 else f"{value:g}"
