"""What the runtime costs, as ratios to the plain program, all measured in one run.

    python benchmarks/runtime.py [--threads 1] [--rounds 7]

Each round runs every mode once, in turn, so that a slow moment of the machine hits all of them;
the figure is the median over rounds of a mode's time divided by plain's time in the same round.
Time is that of the processor, not of the clock: what others run on the machine is not counted.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode

import epslint.runtime as er

TARGET = 1.3

Operation = Callable[..., Tensor]
Wrap = Callable[[Operation], Operation]
Step = Callable[[], object]
Mode = Callable[[], AbstractContextManager[object]]


class Naive(TorchDispatchMode):
    """What one writes first: look at every result of every operation."""

    def __torch_dispatch__(
        self,
        func: OpOverload,
        types: tuple[type, ...],
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(tensor, Tensor) and tensor.is_floating_point():
                bool(tensor.isfinite().all())
        return result


MODES: dict[str, Mode] = {
    "plain": nullcontext,
    "watch": lambda: er.watch(on="record"),
    "watch, as on a GPU": lambda: er.watch(on="record", check_every=64),
    "shim": lambda: er.shim(quiet=True),
    "detect_anomaly": torch.autograd.detect_anomaly,
    "naive isfinite": Naive,
}


@dataclass(frozen=True, slots=True)
class Size:
    """A model, and a batch of it."""

    model: nn.Module
    batch: Tensor

    def step(self) -> Step:
        """One step of training with Adam."""
        optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-4)

        def run() -> None:
            optimizer.zero_grad()
            out = self.model(self.batch)
            loss = nn.functional.cross_entropy(
                out.flatten(0, -2), torch.zeros(out.shape[:-1].numel(), dtype=torch.long)
            )
            loss.backward()
            optimizer.step()

        return run


def mlp(width: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(64, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)
    )


def transformer(width: int, layers: int) -> nn.Module:
    layer = nn.TransformerEncoderLayer(width, 4, 4 * width, batch_first=True)
    return nn.Sequential(nn.TransformerEncoder(layer, layers), nn.Linear(width, 1000))


def sizes() -> dict[str, Size]:
    """A policy network as in PPO; smaller is all Python, and shown for that."""
    return {
        "tiny (MLP 2x128, batch 32)": Size(mlp(128), torch.randn(32, 64)),
        "small (MLP 2x512, batch 256)": Size(mlp(512), torch.randn(256, 64)),
        "medium (transformer 2x128, 8x64 tokens)": Size(
            transformer(128, 2), torch.randn(8, 64, 128)
        ),
        "large (transformer 4x512, 8x128 tokens)": Size(
            transformer(512, 4), torch.randn(8, 128, 512)
        ),
    }


def seconds(work: Step, repeat: int) -> float:
    start = time.process_time()
    for _ in range(repeat):
        work()
    return (time.process_time() - start) / repeat


def under(mode: Mode, work: Step, repeat: int) -> float:
    with mode():
        return seconds(work, repeat)


def ratios(variants: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Median over rounds of each variant's time in units of the first one's."""
    taken: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(rounds):
        times = {name: measure() for name, measure in variants.items()}
        base = next(iter(times.values()))
        for name, spent in times.items():
            taken[name].append(spent / base)
    return {name: statistics.median(values) for name, values in taken.items()}


def training(rounds: int) -> None:
    for title, size in sizes().items():
        step = size.step()
        step()
        once = seconds(step, 3)
        repeat = max(1, min(50, int(0.2 / once)))
        print(f"\n{title}: plain {once * 1e3:.2f} ms a step")
        found = ratios(
            {name: partial(under, mode, step, repeat) for name, mode in MODES.items()}, rounds
        )
        for name, ratio in found.items():
            print(f"  {name:<20}{ratio:6.2f}")
        _verdict(title, found)


def _verdict(title: str, found: dict[str, float]) -> None:
    below_anomaly = found["watch"] < found["detect_anomaly"]
    below_half = found["watch"] < found["naive isfinite"] / 2
    print(f"  watch below detect_anomaly: {'yes' if below_anomaly else 'NO'}")
    if title.startswith(("medium", "large")):
        print(f"  watch below half of naive:  {'yes' if below_half else 'NO'}")


def _mask() -> Tensor:
    return torch.rand(1_000_000) > 0.3


def _padding() -> Tensor:
    """Sequences of several lengths, padded: what a mask looks like in practice."""
    return (torch.arange(1000) < torch.randint(300, 1000, (1000, 1))).flatten()


def _weights() -> Tensor:
    """A mask as training code often has it, of 0.0 and 1.0."""
    return _mask().float()


def _numbers() -> Tensor:
    return torch.rand(1_000_000) + 0.5


def _masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    return (x * mask).sum() / mask.sum()


@dataclass(frozen=True, slots=True)
class Pair:
    """A plain operation, the safe one, and how to make what both take: operands, and a mask."""

    plain: Operation
    safe: Operation
    operands: tuple[Callable[[], Tensor], ...] = (_numbers,)
    mask: Callable[[], Tensor] | None = None

    def ratio(self, wrap: Wrap, rounds: int) -> float:
        """How much longer the safe one takes."""
        operands = [make() for make in self.operands]
        masks = {} if self.mask is None else {"mask": self.mask()}
        calls = {
            "plain": partial(wrap(self.plain), *operands, **masks),
            "safe": partial(wrap(self.safe), *operands, **masks),
        }
        for call in calls.values():
            call()
        timed = {name: partial(seconds, call, 20) for name, call in calls.items()}
        return ratios(timed, rounds)["safe"]


def eager(function: Operation) -> Operation:
    return function


def trained(function: Operation) -> Operation:
    """The function and its gradients; a mask needs none."""

    def run(*operands: Tensor, **masks: Tensor) -> Tensor:
        leaves = [operand.detach().requires_grad_() for operand in operands]
        value = function(*leaves, **masks)
        torch.autograd.grad(value, leaves, torch.ones_like(value))
        return value

    return run


PAIRS = {
    "safe_div": Pair(torch.div, er.safe_div, (_numbers, _numbers)),
    "safe_div by a number": Pair(torch.div, er.safe_div, (_numbers, lambda: torch.tensor(3.0))),
    "prob_ratio": Pair(torch.div, er.prob_ratio, (_numbers, _numbers)),
    "safe_log": Pair(torch.log, er.safe_log),
    "safe_exp": Pair(torch.exp, er.safe_exp),
    "safe_sqrt": Pair(torch.sqrt, er.safe_sqrt),
    "safe_rsqrt": Pair(torch.rsqrt, er.safe_rsqrt),
    "logprob_ratio": Pair(lambda a, b: (a - b).exp(), er.logprob_ratio, (_numbers, _numbers)),
    "kl_estimate": Pair(
        lambda a, b: (b - a).exp() - (b - a) - 1, er.kl_estimate, (_numbers, _numbers)
    ),
    "masked_mean": Pair(_masked_mean, er.masked_mean, mask=_padding),
    "masked_mean, random": Pair(_masked_mean, er.masked_mean, mask=_mask),
    "masked_mean, floats": Pair(_masked_mean, er.masked_mean, mask=_weights),
    "normalize": Pair(lambda x: (x - x.mean()) / x.std(), er.normalize),
}


def operations(rounds: int) -> None:
    print(f"\nsafe operations on 1M float32; ratio to the plain one (target {TARGET})")
    print(f"{'':<24}{'forward':>9}{'and backward':>14}{'compiled':>10}")
    missed = [0, 0, 0]
    for name, pair in PAIRS.items():
        found = [pair.ratio(wrap, rounds) for wrap in (eager, trained, torch.compile)]
        forward, both, compiled = found
        print(f"  {name:<22}{forward:>9.2f}{both:>14.2f}{compiled:>10.2f}")
        missed = [number + (ratio > TARGET) for number, ratio in zip(missed, found, strict=True)]
    forward, both, compiled = missed
    print(f"  {'above the target':<22}{forward:>9}{both:>14}{compiled:>10}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", choices=("training", "operations"))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    print(f"torch {torch.__version__}, {options.threads} thread(s), CPU")
    if options.only != "operations":
        training(options.rounds)
    if options.only != "training":
        operations(options.rounds)


if __name__ == "__main__":
    main()
