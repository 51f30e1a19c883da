"""What a watch remembers between operations: those not looked at yet, and tensors it knows."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from epslint.runtime._judge import Seen
from epslint.runtime._versions import version_of

# So many bytes of results may wait; more would be felt as memory of the model.
_WINDOW_BYTES = 256 << 20

# Beyond so many, starting over is cheaper than looking for the dead.
_KNOWN = 100_000


class Window:
    """Operations whose sums are still on the device."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._bytes = 0
        self.waiting: list[Seen] = []

    def add(self, seen: Seen) -> None:
        """Let an operation wait."""
        self.waiting.append(seen)
        for output in seen.outputs:
            self._bytes += output.tensor.numel() * output.tensor.element_size()

    @property
    def is_full(self) -> bool:
        """Whether it is time to look."""
        return len(self.waiting) >= self._length or self._bytes > _WINDOW_BYTES

    def suspects(self) -> list[Seen]:
        """The operations whose sum is not finite, in order; the window is empty afterwards."""
        waiting, self.waiting, self._bytes = self.waiting, [], 0
        finite = _read([one for seen in waiting for one in seen.sums])
        return [seen for seen in waiting if not all(finite[id(one)] for one in seen.sums)]


@dataclass(slots=True)
class _Memory:
    reference: weakref.ref[Tensor]
    version: int


class Known:
    """Tensors changed in place whose last sum we have: they need no other before the next change.

    Known by identity and version, since a write from elsewhere, or through a view, raises it.
    """

    def __init__(self) -> None:
        self._seen: dict[int, _Memory] = {}

    def of(self, tensor: object) -> _Memory | None:
        """What is remembered of it, if no sum of it must be taken before it is changed."""
        memory = self._seen.get(id(tensor))
        if memory is None:
            return None
        alive = memory.reference()
        if alive is None or alive is not tensor or version_of(alive) > memory.version:
            return None
        return memory

    def learn(self, tensor: Tensor) -> None:
        """A sum of it was taken, or will be."""
        memory = self._seen.get(id(tensor))
        if memory is not None and memory.reference() is tensor:
            memory.version = version_of(tensor) + 1
            return
        if len(self._seen) > _KNOWN:
            self._seen.clear()
        self._seen[id(tensor)] = _Memory(weakref.ref(tensor), version_of(tensor) + 1)

    def kept(self, harmless: Callable[..., object], args: tuple[object, ...]) -> object:
        """Run what gives birth to nothing: a tensor known before is known after it."""
        memory = self.of(args[0])
        result = harmless(*args)
        if memory is not None and isinstance(result, Tensor) and result is args[0]:
            memory.version = version_of(result) + 1
        return result

    def forget(self, seen: Seen) -> None:
        """These were bad, or came with what was: ask again."""
        for one in (*seen.operands, *seen.outputs):
            self._seen.pop(id(one.tensor), None)


def _read(sums: list[Tensor]) -> dict[int, bool]:
    """Which sums are finite, with one transfer for each device."""
    by_device: dict[torch.device, list[Tensor]] = {}
    for one in sums:
        by_device.setdefault(one.device, []).append(one)
    finite: dict[int, bool] = {}
    for together in by_device.values():
        # float32, since not every device has more; a sum too large for it is a false alarm.
        flags = torch.stack([one.float() for one in together]).isfinite().tolist()
        finite.update(zip(map(id, together), flags, strict=True))
    return finite
