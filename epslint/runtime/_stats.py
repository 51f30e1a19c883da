"""Running mean and variance of a stream, in torch or numpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic

from epslint.epsilon import DEFAULT, Role
from epslint.runtime import _guards
from epslint.runtime._safe import ArrayT, _backend, safe_div

# Squares of deviations up to this stay finite in float64, of which state is made.
_FAR = 1e150
_FAR_IN_FLOAT32 = 1e18


class RunningStats(Generic[ArrayT]):
    """Mean and variance of all items seen so far, merged batch by batch (Chan et al.).

    `shape` is the shape of one item; the other, leading dimensions of a batch are its items. The
    count starts at the hierarchy's 1e-24 instead of 0, with variance 1: nothing divides by zero
    before the first batch, and nothing of it is left after. State lives on the device of the first
    batch, in float64 (float32 on MPS), and is updated without synchronising with it.
    """

    def __init__(self, shape: tuple[int, ...] = (), *, role: Role | str = Role.COUNT) -> None:
        self._shape = shape
        self._start = DEFAULT.epsilon(_guards.role_of(role))
        self._state: tuple[ArrayT, ArrayT, ArrayT] | None = None

    def update(self, batch: ArrayT) -> None:
        """Take a batch in. No gradient is kept; an empty batch changes nothing."""
        ops = _backend(batch)
        items = ops.as_state(batch).reshape((-1, *self._shape))
        number = items.shape[0]
        far = _FAR if items.dtype.itemsize == 8 else _FAR_IN_FLOAT32
        items = items.clip(-far, far)
        batch_mean = (items / max(number, 1)).sum(0)
        batch_spread = ((items - batch_mean) ** 2).sum(0)
        count, mean, spread = self._state or self._fresh(ops.no_state(batch, self._shape))
        delta = batch_mean - mean
        total = count + number
        # The old share of delta² first: both factors large at once is what overflows.
        self._state = (
            total,
            mean + delta * (number / total),
            spread + batch_spread + delta * (count / total) * delta * number,
        )

    @property
    def count(self) -> ArrayT:
        """How many items were seen, plus the start."""
        return self._seen()[0]

    @property
    def mean(self) -> ArrayT:
        """The mean of the items seen."""
        return self._seen()[1]

    @property
    def var(self) -> ArrayT:
        """The variance of the items seen."""
        count, _, spread = self._seen()
        variance: ArrayT = spread / count
        return variance

    @property
    def std(self) -> ArrayT:
        """The square root of the variance."""
        deviation: ArrayT = self.var**0.5
        return deviation

    def normalize(
        self, x: ArrayT, *, role: Role | str = Role.REWARD, eps: float | None = None
    ) -> ArrayT:
        """`(x - mean) / std` with the divisor at least `eps`, in the dtype of `x`."""
        ops = _backend(x)
        x = ops.floating(x)
        count, mean, spread = self._state or self._fresh(ops.no_state(x, self._shape))
        epsilon = _guards.epsilon(role, eps, x.dtype)
        white = safe_div(ops.as_wide(x) - mean, (spread / count) ** 0.5, eps=epsilon)
        narrowed: ArrayT = ops.narrow(white, x.dtype)
        return narrowed

    def state_dict(self) -> dict[str, ArrayT]:
        """The state, to save; empty before the first batch."""
        if self._state is None:
            return {}
        return dict(zip(("count", "mean", "spread"), self._state, strict=True))

    def load_state_dict(self, state: Mapping[str, ArrayT]) -> None:
        """Take up a state that was saved."""
        self._state = (state["count"], state["mean"], state["spread"]) if state else None

    def _fresh(self, zero: ArrayT) -> tuple[ArrayT, ArrayT, ArrayT]:
        return zero + self._start, zero, zero + self._start

    def _seen(self) -> tuple[ArrayT, ArrayT, ArrayT]:
        if self._state is None:
            raise RuntimeError("RunningStats has seen no batch yet: call update() first")
        return self._state
