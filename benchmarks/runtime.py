"""What the runtime costs, as ratios to the plain program, all measured in one run.

    python benchmarks/runtime.py [--threads 1] [--rounds 7]

Each round runs every mode once, in turn, so that a slow moment of the machine hits all of them;
the figure is the median over rounds of a mode's time divided by plain's time in the same round.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

import epslint.runtime as er

Step = Callable[[], None]
Mode = Callable[[], AbstractContextManager[object]]


class Naive(TorchDispatchMode):
    """What one writes first: look at every result of every operation."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(tensor, Tensor) and tensor.is_floating_point():
                bool(tensor.isfinite().all())
        return result


MODES: dict[str, Mode] = {
    "plain": nullcontext,
    "watch": lambda: er.watch(on="record"),
    "watch, window 64": lambda: er.watch(on="record", check_every=64),
    "shim": lambda: er.shim(quiet=True),
    "detect_anomaly": lambda: torch.autograd.detect_anomaly(),
    "naive isfinite": Naive,
}


@dataclass(frozen=True, slots=True)
class Size:
    """A model, and a batch of it."""

    model: nn.Module
    batch: Tensor

    def step(self) -> Step:
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
    return {
        "small (MLP 128, batch 32)": Size(mlp(128), torch.randn(32, 64)),
        "medium (transformer 2×128, 8×64 tokens)": Size(
            transformer(128, 2), torch.randn(8, 64, 128)
        ),
        "large (transformer 4×512, 8×128 tokens)": Size(
            transformer(512, 4), torch.randn(8, 128, 512)
        ),
    }


def seconds(work: Step, repeat: int) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        work()
    return (time.perf_counter() - start) / repeat


def under(mode: Mode, work: Step, repeat: int) -> float:
    with mode():
        return seconds(work, repeat)


def ratios(variants: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
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
        variants = {
            name: (lambda mode=mode: under(mode, step, repeat)) for name, mode in MODES.items()
        }
        found = ratios(variants, rounds)
        for name, ratio in found.items():
            print(f"  {name:<18}{ratio:6.2f}×")
        _verdict(title, found)


def _verdict(title: str, found: dict[str, float]) -> None:
    below_anomaly = found["watch"] < found["detect_anomaly"]
    below_half = found["watch"] < found["naive isfinite"] / 2
    print(f"  watch below detect_anomaly: {'yes' if below_anomaly else 'NO'}")
    if not title.startswith("small"):
        print(f"  watch below half of naive:  {'yes' if below_half else 'NO'}")


PAIRS: dict[str, tuple[Callable[..., Tensor], Callable[..., Tensor], int]] = {
    "safe_div": (torch.div, er.safe_div, 2),
    "safe_log": (torch.log, er.safe_log, 1),
    "safe_exp": (torch.exp, er.safe_exp, 1),
    "safe_sqrt": (torch.sqrt, er.safe_sqrt, 1),
    "safe_rsqrt": (torch.rsqrt, er.safe_rsqrt, 1),
    "logprob_ratio": (lambda a, b: (a - b).exp(), er.logprob_ratio, 2),
    "kl_estimate": (lambda a, b: (b - a).exp() - (b - a) - 1, er.kl_estimate, 2),
    "masked_mean": (lambda x, m: (x * m).sum() / m.sum(), er.masked_mean, 2),
    "normalize": (lambda x: (x - x.mean()) / x.std(), er.normalize, 1),
}


def operations(rounds: int) -> None:
    print("\nsafe operations on 1M float32, forward; ratio to the plain one (target 1.3×)")
    inputs = [torch.rand(1_000_000) + 0.5 for _ in range(2)]
    for name, (plain, safe, arity) in PAIRS.items():
        figures = {}
        for how, wrap in (("eager", lambda f: f), ("compiled", torch.compile)):
            calls = {
                key: (lambda f=wrap(f): f(*inputs[:arity]))
                for key, f in (("plain", plain), ("safe", safe))
            }
            for call in calls.values():
                call()
            variants = {key: (lambda call=call: seconds(call, 20)) for key, call in calls.items()}
            figures[how] = ratios(variants, rounds)["safe"]
        print(f"  {name:<15}" + "".join(f"{how} {r:5.2f}×   " for how, r in figures.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    print(f"torch {torch.__version__}, {options.threads} thread(s), CPU")
    training(options.rounds)
    operations(options.rounds)


if __name__ == "__main__":
    main()
