"""watch(): tells where a NaN or Inf was born.

A dispatch mode sees every operation below autograd, those of the backward pass too: autograd hands
the modes of the thread that called `backward()` on to its own threads.

A result is checked by its sum (`_probe.probe`). On the CPU the sum is read at once. On a device it
stays there: the operation goes into a window, and one transfer reads the sums of the whole window.
The window holds its operands and results until then, so that a failure can be told exactly; it is
read early when it holds too many bytes.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass
from typing import Literal, TypeAlias

from torch import Tensor
from torch._ops import OpOverload

from epslint.runtime._births import Birth, WatchError, WatchReport, WatchWarning
from epslint.runtime._escapes import Running
from epslint.runtime._frames import end_before_ours, user_spot
from epslint.runtime._judge import Kinds, Seen, Sighting
from epslint.runtime._modes import (
    QuietMode,
    Switch,
    forks,
    is_wrapper,
    outer_modes,
    unseen,
)
from epslint.runtime._plans import Plan, plan_of
from epslint.runtime._probe import (
    INF,
    NAN,
    are_finite_now,
    is_finite_at_a_glance,
    outputs_in,
    probe,
)
from epslint.runtime._trail import Trail, current_node, next_number
from epslint.runtime._versions import version_of
from epslint.runtime._window import Known, Window

On: TypeAlias = Literal["raise", "warn", "record"]

_ON = ("raise", "warn", "record")
_WINDOW = 64

# Births that seem to have stayed within a backward formula are kept in case they did not.
_UNCONFIRMED = 16


def watch(*, on: On = "raise", infs: bool = True, check_every: int | None = None) -> Watch:
    """Watch the operations of a `with` block, or of a decorated function, on this thread.

    `on`: raise `WatchError` at the first birth, warn at each, or only record them in the report
    that `with … as report` gives. `infs=False` looks for NaN only. `check_every` is how many
    operations may pass before results are looked at: on the CPU every one is looked at at once, on
    other devices 64 share one synchronisation, unless it is given.
    """
    if on not in _ON:
        raise ValueError(f"on must be one of {', '.join(_ON)}, not {on!r}")
    if check_every is not None and check_every < 1:
        raise ValueError(f"check_every must be at least 1, not {check_every}")
    return Watch(_Settings(on, infs, check_every), WatchReport())


@dataclass(frozen=True, slots=True)
class _Settings:
    on: On
    infs: bool
    check_every: int | None


class Watch(Switch[WatchReport, "_Session"]):
    """A watch that can be switched on; its report grows with every use."""

    noun = "watch"

    def __init__(self, settings: _Settings, report: WatchReport) -> None:
        super().__init__(report)
        self._settings = settings

    def _recreate_cm(self) -> Watch:
        # Called by ContextDecorator: calls of the function may overlap, their report is one.
        return Watch(self._settings, self.report)

    def _started(self) -> _Session:
        return _Session(self._settings, self.report)

    def _ended(self, mode: _Session, error: BaseException | None) -> None:
        # The user's own error goes its way; what was born before it explains it.
        mode.finish(quietly=error is not None)
        if isinstance(error, WatchError):
            end_before_ours(error.__traceback__)
        elif error is not None and self.report:
            _annotate(error, self.report)


class _Session(QuietMode):
    """One stretch of watching."""

    def __init__(self, settings: _Settings, report: WatchReport) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch's, and untyped there
        self._settings = settings
        self._report = report
        self._forks = forks.count
        self._at_once = settings.check_every is None
        # Modes that were on before see what we ask, unless we hide it.
        self._is_alone = not outer_modes()
        self._glances = self._at_once and self._is_alone
        # By identity: an operation computes its hash anew each time, in Python.
        self._plans: dict[int, Plan] = {}
        self._trail = Trail()
        self._known = Known()
        self._running = Running()
        self._unconfirmed: list[Birth] = []
        self._window = Window(settings.check_every or _WINDOW)
        # Nothing bad is open: then an operation concerns nobody but itself.
        self._is_calm = self._at_once
        # Autograd runs the backward pass of each device on a thread of its own.
        self._lock = threading.RLock()

    def __torch_dispatch__(
        self,
        func: OpOverload,
        types: tuple[type, ...],
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        # Every operation comes by here. What is fine on the CPU, and that is nearly all, leaves
        # after a few lookups and a sum: whatever is added here, each of them pays.
        kwargs = kwargs or {}
        if types and any(is_wrapper(kind) for kind in types):
            # Let it unwrap itself: its operations on plain tensors come here again.
            return NotImplemented
        is_calm = self._is_calm or self._has_calmed_down()
        plan = self._plans.get(id(func)) or self._plan(func)
        is_passed = not plan.checked and (is_calm or not self._is_delivery())
        # A forked DataLoader worker inherits this mode but shares nothing with its report.
        if is_passed or forks.count != self._forks:
            return plan.call(*args, **kwargs)
        if next_number() != self._trail.next:
            self._trail.follow()
        # In the backward pass what is handed to it may tell of a birth that left a formula unseen.
        if (
            plan.harmless is not None
            and plan.is_harmless(args, kwargs)
            and (is_calm or current_node() is None)
        ):
            return self._known.kept(plan.call, args)
        if plan.changed:
            return self._change(plan, func, args, kwargs)
        result = plan.call(*args, **kwargs)
        if self._glances and is_finite_at_a_glance(result):
            return result
        outputs = outputs_in(result)
        if plan.first_only:
            outputs = outputs[:1]
        if not self._are_fine(outputs):
            self._suspect(Sighting(func, args, kwargs, outputs, []))
        return result

    def _change(
        self, plan: Plan, func: OpOverload, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> object:
        """Run and check an operation that writes over what it reads."""
        target = args[0]
        memory = self._known.of(target) if plan.changes_first and self._glances else None
        if memory is not None:
            result = plan.call(*args, **kwargs)
            if result is target and is_finite_at_a_glance(result):
                memory.version = version_of(result) + 1
                return result
            changed, before = outputs_in(target), list[Tensor]()
        else:
            changed = outputs_in([args[i] for i in plan.changed])
            before = _sums([one for one in changed if self._known.of(one) is None])
            result = plan.call(*args, **kwargs)
        for one in changed:
            self._known.learn(one)
        # Most give back what they changed; a batch norm changes its statistics besides.
        outputs = changed if result is target else changed + outputs_in(result)
        if not self._are_fine(outputs):
            self._suspect(Sighting(func, args, kwargs, outputs, before))
        return result

    def _plan(self, func: OpOverload) -> Plan:
        # The cache of `plan_of` keeps the operation, and so its identity, for good.
        plan = self._plans[id(func)] = plan_of(func)
        return plan

    def finish(self, *, quietly: bool) -> None:
        """Look at what is left in the window; quietly is only to record it."""
        with self._lock, unseen():
            self._running.end(self._window.waiting)
            self._judge_window(quietly=quietly)

    def _has_calmed_down(self) -> bool:
        """Whether what was found bad is settled by now, since autograd may have gone on."""
        if self._running.has_ended:
            self._end_node()
        self._is_calm = self._at_once and not (
            self._running.node or self._unconfirmed or self._window.waiting
        )
        return self._is_calm

    def _end_node(self) -> None:
        with self._lock, unseen():
            self._running.end(self._window.waiting)
            if self._at_once or self._window.is_full:
                self._judge_window(quietly=False)

    def _is_delivery(self) -> bool:
        """Whether a gradient is put into its leaf while it may hold what left a formula unseen."""
        node = current_node()
        return node is not None and node.name().endswith("AccumulateGrad")

    def _are_fine(self, outputs: list[Tensor]) -> bool:
        """Whether it is known already that the outputs are finite."""
        if not self._at_once:
            return not outputs
        if self._is_alone:
            return are_finite_now(outputs)
        with unseen():
            return are_finite_now(outputs)

    def _suspect(self, sighting: Sighting) -> None:
        """Put an operation into the window; one on the CPU was found bad and does not wait."""
        node = current_node()
        self._is_calm = False
        with self._lock, unseen():
            seen = sighting.keep(
                sums=[probe(tensor) for tensor in sighting.outputs],
                spot=user_spot(),
                node=None if node is None else node.name(),
                forward_spot=None if node is None else self._trail.line_of(node),
            )
            self._window.add(seen)
            if node is not None:
                # What of it leaves the node is known when the node is done.
                self._running.add(node, seen)
                return
            now = self._at_once and all(tensor.is_cpu for tensor in sighting.outputs)
            if now or self._window.is_full:
                self._judge_window(quietly=False)

    def _judge_window(self, *, quietly: bool) -> None:
        # What was written over within the window is known only by what was found there.
        tainted: dict[int, Kinds] = {}
        for seen in self._window.suspects():
            self._judge(seen, tainted, quietly=quietly)

    def _judge(self, seen: Seen, tainted: dict[int, Kinds], *, quietly: bool) -> None:
        found, held = seen.found(), seen.held(tainted)
        born = found - held if self._settings.infs else found - held - {INF}
        tainted.update((id(output.tensor), found) for output in seen.outputs)
        self._known.forget(seen)
        if self._running.take_inside(seen):
            if born:
                self._unconfirmed = [*self._unconfirmed, seen.birth(born)][-_UNCONFIRMED:]
            return
        # An Inf in the forward pass may be a mask's; in the backward pass none is meant.
        self._confirm(held if seen.node is not None else held & {NAN}, quietly=quietly)
        if born:
            self._announce(seen.birth(born), quietly=quietly)
        elif NAN in found and not self._report.has_born(NAN):
            self._report.note_arrival(seen.arrival())

    def _confirm(self, handed_in: Kinds, *, quietly: bool) -> None:
        """What is handed in was born within a formula and has left it after all, if one is open."""
        for birth in self._unconfirmed:
            if handed_in.intersection(birth.kinds):
                self._unconfirmed = []
                self._announce(birth, quietly=quietly)
                return

    def _announce(self, birth: Birth, *, quietly: bool) -> None:
        self._report.add(birth)
        if quietly or self._settings.on == "record":
            return
        if self._settings.on == "raise":
            raise WatchError(str(birth), birth)
        place = birth.place
        file, line = (place.file, place.line) if place else ("<unknown>", 0)
        warnings.warn_explicit(str(birth), WatchWarning, file, line)


def _sums(tensors: list[Tensor]) -> list[Tensor]:
    with unseen():
        return [probe(tensor) for tensor in tensors]


def _annotate(error: BaseException, report: WatchReport) -> None:
    if hasattr(error, "add_note"):
        error.add_note(f"epslint watch saw before this error:\n{report}")
    else:
        warnings.warn(str(report), WatchWarning, stacklevel=4)
