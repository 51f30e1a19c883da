"""What a watch remembers between operations: those not looked at yet, and tensors it knows."""

from __future__ import annotations

import weakref

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
        self._bytes += sum(
            output.tensor.numel() * output.tensor.element_size() for output in seen.outputs
        )

    @property
    def is_full(self) -> bool:
        """Whether it is time to look."""
        return len(self.waiting) >= self._length or self._bytes > _WINDOW_BYTES

    def suspects(self) -> list[Seen]:
        """The operations whose sum is not finite, in order; the window is empty afterwards."""
        waiting, self.waiting, self._bytes = self.waiting, [], 0
        finite = _read([one for seen in waiting for one in seen.sums])
        return [seen for seen in waiting if not all(finite[id(one)] for one in seen.sums)]


class Known:
    """Tensors changed in place whose last sum we have: they need no other before the next change.

    Known by identity and version, since a write from elsewhere, or through a view, raises it.
    """

    def __init__(self) -> None:
        self._tensors: dict[int, weakref.ref[Tensor]] = {}
        self._versions: dict[int, int] = {}

    def unknown(self, tensors: list[Tensor]) -> list[Tensor]:
        """Those of which a sum must be taken before they are changed."""
        return [tensor for tensor in tensors if not self._knows(tensor)]

    def learn(self, tensors: list[Tensor]) -> None:
        """A sum of these is being taken."""
        if len(self._tensors) > _KNOWN:
            self._tensors.clear()
            self._versions.clear()
        for tensor in tensors:
            key = id(tensor)
            known = self._tensors.get(key)
            if known is None or known() is not tensor:
                self._tensors[key] = weakref.ref(tensor)
            self._versions[key] = version_of(tensor) + 1

    def forget(self, seen: Seen) -> None:
        """These were bad, or came with what was: ask again."""
        for one in (*seen.operands, *seen.outputs):
            self._tensors.pop(id(one.tensor), None)

    def _knows(self, tensor: Tensor) -> bool:
        key = id(tensor)
        known = self._tensors.get(key)
        return known is not None and known() is tensor and version_of(tensor) <= self._versions[key]


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
