"""The demo: every hazard of its trainer is found, repaired, and gone when the code is run."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
import torch
from click.testing import CliRunner
from torch import Tensor

from epslint import api
from epslint.cli import main
from epslint.source import Source

DEMO = Path(__file__).parent.parent / "fixtures" / "demo"
GRPO = DEMO / "grpo.py"

Arguments = tuple[Tensor | int, ...]
Situation = Callable[[torch.dtype], Arguments]

DRIFT = 200.0  # nats by which two policies have come apart


@dataclass(frozen=True, slots=True)
class Row:
    """A function of the demo: what is found in it, what the fix writes, and what it must stand."""

    codes: tuple[str, ...]
    fixed: tuple[str, ...]
    adversarial: tuple[Situation, ...]
    ordinary: Situation


def tokens(*rows: list[float]) -> Situation:
    return lambda dtype: tuple(torch.tensor(row, dtype=dtype) for row in rows)


def sure_of(wanted: int, taken: int, *, twice: bool = False) -> Situation:
    """Logits that give all probability to one token, and the token that was taken."""

    def situation(dtype: torch.dtype) -> Arguments:
        logits = torch.zeros(2, 4, dtype=dtype)
        logits[:, wanted] = DRIFT
        other = torch.zeros(2, 4, dtype=dtype)
        other[:, taken] = DRIFT
        return (logits, other, torch.full((2,), taken)) if twice else (logits, torch.tensor([0, 1]))

    return situation


def two_policies(wanted: int, ref: int) -> Situation:
    return lambda dtype: sure_of(wanted, ref, twice=True)(dtype)[:2]


def masked(*mask: float) -> Situation:
    return tokens([1.0, 2.0, 3.0], list(mask))


def grouped(*rewards: float) -> Situation:
    return lambda dtype: (torch.tensor(rewards, dtype=dtype), 2)


def drifted(by: float) -> Situation:
    return tokens([-1.0, -0.5], [-1.0 - by, -0.5])


def logits_and(*more: Tensor) -> Situation:
    return lambda dtype: (*(torch.tensor(e, dtype=dtype) for e in (CALM, CALMER)), *more)


CALM, CALMER = [[0.5, -1.0, 0.0, 2.0]], [[0.0, -0.5, 1.0, 1.0]]

ROWS: Mapping[str, Row] = {
    "masked_mean": Row(
        ("EPS101",), ("/ (mask.sum() + 1e-8)",), (masked(0, 0, 0),), masked(1, 0, 1)
    ),
    "group_advantages": Row(
        ("EPS102",),
        ("/ (std + 1e-6)",),
        (grouped(1, 1, 1, 1), grouped(0, 0, 1, 2)),
        grouped(0, 1, 3, 2),
    ),
    "normalized": Row(
        ("EPS102",),
        ("/ (rewards.std() + 1e-6)",),
        (tokens([1.0, 1.0, 1.0]),),
        tokens([0.0, 1.0, 3.0]),
    ),
    "token_logprobs": Row(
        ("EPS202",),
        ("torch.log_softmax(logits, dim=-1)",),
        (sure_of(0, 0), sure_of(3, 0)),
        lambda dtype: (torch.tensor(CALM, dtype=dtype), torch.tensor([2])),
    ),
    "policy_ratio": Row(
        ("EPS301",), (".clamp(-20.0, 20.0)",), (drifted(DRIFT), drifted(-DRIFT)), drifted(0.5)
    ),
    "action_ratio": Row(
        ("EPS401",),
        ("/ (old_probs + 1e-8)",),
        (
            lambda dtype: (*two_policies(1, 2)(dtype), torch.tensor([1, 1])),
            lambda dtype: (*two_policies(1, 2)(dtype), torch.tensor([2, 3])),
            lambda dtype: (*two_policies(1, 1)(dtype), torch.tensor([1, 0])),
        ),
        logits_and(torch.tensor([3])),
    ),
    "log_ratio": Row(
        ("EPS207",), ("torch.log(ratio + 1e-8)",), (tokens([0.0, 1.0]),), tokens([0.5, 2.0])
    ),
    "k3": Row(
        ("EPS302",), (".clamp(-10.0, 10.0)",), (drifted(DRIFT), drifted(-DRIFT)), drifted(0.5)
    ),
    "reference_kl": Row(
        ("EPS301",), (".clamp(-40.0, 40.0)",), (drifted(DRIFT), drifted(-DRIFT)), drifted(0.5)
    ),
    "kl_divergence": Row(
        ("EPS207", "EPS401"),
        ("(q + 1e-9)", " + 1e-9)).sum"),
        (two_policies(0, 0), two_policies(0, 1), two_policies(2, 3)),
        logits_and(),
    ),
    "entropy": Row(
        ("EPS201",),
        ("torch.log(dist.probs + 1e-9)",),
        (tokens([0.0, 1.0, 0.0]), tokens([0.5, 0.5, 0.0])),
        tokens([0.25, 0.5, 0.25]),
    ),
    "preference_loss": Row(
        ("EPS203", "EPS203"),
        ("logsigmoid(chosen)", "logsigmoid(-rejected)"),
        (tokens([DRIFT, -DRIFT], [0.0, 0.0]), tokens([0.0, 0.0], [DRIFT, -DRIFT])),
        tokens([1.0, -2.0], [0.5, 0.0]),
    ),
}
RUNNING = "self.count = 1e-24"


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo as it is and as `epslint --fix` leaves it."""

    text: str
    original: ModuleType
    fixed: ModuleType


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    copy = tmp_path_factory.mktemp("demo") / "grpo.py"
    copy.write_bytes(GRPO.read_bytes())
    result = CliRunner().invoke(main, ["check", "--isolated", "--fix", str(copy)])
    assert result.exit_code == 0, result.output
    text = copy.read_text()
    return Demo(text, executed(GRPO.read_text(), "original"), executed(text, "fixed"))


def executed(text: str, name: str) -> ModuleType:
    module = ModuleType(name)
    exec(compile(text, name, "exec"), module.__dict__)
    return module


def definitions(text: str) -> Iterator[tuple[str, str, range]]:
    """The name, the text and the lines of each function and class."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            last = node.end_lineno or node.lineno
            yield node.name, "\n".join(lines[node.lineno - 1 : last]), range(node.lineno, last + 1)


def codes_in(text: str, lines: range) -> list[str]:
    source = Source.decode(text.encode(), "grpo.py")
    findings = api.check_source(text, "grpo.py").findings
    return sorted(f.code for f in findings if source.location(f.span.start).row in lines)


def is_sound(function: Callable[..., Tensor], arguments: Arguments) -> bool:
    """Whether a loss made of the result, and each of its gradients, is finite."""
    given = [
        a.clone().requires_grad_() if isinstance(a, Tensor) and a.is_floating_point() else a
        for a in arguments
    ]
    loss = function(*given).sum()
    loss.backward()
    gradients = [a.grad for a in given if isinstance(a, Tensor) and a.grad is not None]
    assert gradients, "the situation must be one that is learned from"
    return bool(loss.isfinite()) and all(bool(g.isfinite().all()) for g in gradients)


def test_every_function_has_its_row() -> None:
    names = {name for name, _, _ in definitions(GRPO.read_text())}
    assert names == {*ROWS, "RunningReward", "train"}


def test_finds_what_each_function_has_and_nothing_else() -> None:
    text = GRPO.read_text()
    found = {name: codes_in(text, lines) for name, _, lines in definitions(text)}
    expected = {name: sorted(row.codes) for name, row in ROWS.items()}
    assert found == {**expected, "RunningReward": ["EPS604"], "train": []}


def test_fix_leaves_nothing(demo: Demo) -> None:
    assert not api.check_source(demo.text, "grpo.py").findings
    again = api.fix_source(demo.text, "grpo.py")
    assert not again.changed


@pytest.mark.parametrize("name", [*ROWS, "RunningReward"])
def test_fix_follows_the_hierarchy(demo: Demo, name: str) -> None:
    (text,) = [text for found, text, _ in definitions(demo.text) if found == name]
    for snippet in ROWS[name].fixed if name in ROWS else [RUNNING]:
        assert snippet in text


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_fixed_function_stands_what_breaks_the_original(
    demo: Demo, name: str, dtype: torch.dtype
) -> None:
    situations = [situation(dtype) for situation in ROWS[name].adversarial]
    original = [is_sound(getattr(demo.original, name), given) for given in situations]
    fixed = [is_sound(getattr(demo.fixed, name), given) for given in situations]
    assert not all(original), "a situation that breaks nothing proves nothing"
    assert all(fixed)


def test_running_mean_before_the_first_update(demo: Demo) -> None:
    with pytest.raises(ZeroDivisionError):
        demo.original.RunningReward().mean()
    assert demo.fixed.RunningReward().mean() == 0.0
    baseline = demo.fixed.RunningReward()
    baseline.update(torch.tensor([1.0, 2.0]))
    assert baseline.mean() == 1.5


@pytest.mark.parametrize("name", ROWS)
def test_both_agree_on_ordinary_input(demo: Demo, name: str) -> None:
    given = ROWS[name].ordinary(torch.float64)
    original, fixed = getattr(demo.original, name), getattr(demo.fixed, name)
    assert is_sound(original, given)
    torch.testing.assert_close(fixed(*given), original(*given), rtol=1e-5, atol=1e-7)


def test_both_train(demo: Demo) -> None:
    before, after = demo.original.train(), demo.fixed.train()
    assert all(math.isfinite(loss) for loss in after)
    assert before == pytest.approx(after, rel=1e-2)
