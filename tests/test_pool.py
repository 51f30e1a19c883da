"""Processes: the same answers whatever happens to them, and none left behind."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import epslint.analysis
from epslint import pool, runner
from epslint.pool import Died, spread
from epslint.source import Source
from tests import fake
from tests.conftest import Cli
from tests.tasks import die, large, square

ROOT = Path(__file__).parent.parent

METHODS = ["fork", "spawn"] if hasattr(os, "fork") else ["spawn"]


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    use(monkeypatch, str(request.param))
    return str(request.param)


def use(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    monkeypatch.setattr(pool, "_context", lambda: multiprocessing.get_context(method))


def test_every_task_is_answered_once(method: str) -> None:
    answers = list(spread(square, range(100), [1] * 100, 3))
    assert sorted(answers) == [(n, n * n) for n in range(100)]


def test_answers_may_be_larger_than_a_pipe(method: str) -> None:
    sizes = [0, 1_000_000, 10]
    assert dict(spread(large, sizes, sizes, 2)) == {n: bytes(size) for n, size in enumerate(sizes)}


def test_the_dead_are_named_and_the_others_answered(method: str) -> None:
    answers = dict(spread(die, range(20), [1] * 20, 2))
    assert {n: a for n, a in answers.items() if isinstance(a, Died)} == {
        3: Died("its process ended with exit code 7"),
        5: Died("its process was killed by SIGKILL"),
    }
    assert {n for n, a in answers.items() if a == n} == set(range(20)) - {3, 5}


def test_no_line_is_deleted_while_work_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is raised in `__del__` is lost: a Ctrl-C that fell into one was never heard."""
    deleted: list[object] = []

    def note(line: object) -> None:
        deleted.append(line)

    monkeypatch.setattr(multiprocessing.connection.Connection, "__del__", note, raising=False)
    answers = spread(die, range(20), [1] * 20, 2)
    assert len([*zip(range(20), answers, strict=False)]) == 20
    assert deleted == []
    answers.close()  # type: ignore[attr-defined]


def test_all_may_die() -> None:
    answers = dict(spread(die, [3] * 6, [1] * 6, 2))
    assert len(answers) == 6
    assert all(isinstance(answer, Died) for answer in answers.values())


def test_the_heaviest_go_first() -> None:
    assert list(pool._bunches([1, 50, 1, 100], 1))[:2] == [[3], [1]]
    light = list(pool._bunches([1] * 1000, 2))
    assert 16 <= len(light) <= 64
    assert sorted(n for bunch in light for n in bunch) == list(range(1000))


def test_nobody_is_left_behind_when_the_caller_stops_listening(method: str) -> None:
    answers = spread(square, range(1000), [1] * 1000, 2)
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool for the smallest file, and forked, so that the fake world is known in it."""
    if "fork" not in METHODS:
        pytest.skip("the fake world does not travel")
    use(monkeypatch, "fork")
    monkeypatch.setattr(runner, "_WORTH_A_PROCESS", 1)


def plant(cli: Cli) -> None:
    for number in range(12):
        cli.write(f"f{number:02}.py", "a = x / BAD\n" * (1 + number * 7 % 5) + "b = x / WORSE\n")


@pytest.mark.usefixtures("crowded")
class TestRuns:
    @pytest.mark.parametrize("form", ["concise", "json", "full", "grouped"])
    def test_output_does_not_depend_on_the_number_of_processes(self, cli: Cli, form: str) -> None:
        plant(cli)
        alone, *others = [cli("-j", jobs, "--output-format", form, ".") for jobs in "123"]
        assert alone.exit_code == 1
        assert "FAK101" in alone.stdout
        for other in others:
            assert (other.stdout, other.exit_code) == (alone.stdout, alone.exit_code)

    def test_fixing_does_not_either(self, cli: Cli) -> None:
        texts = []
        for jobs in "12":
            plant(cli)
            result = cli("--fix", "-j", jobs, "--output-format", "concise", ".")
            texts.append([result.stdout, *(p.read_text() for p in sorted(cli.folder.glob("*.py")))])
        assert texts[0] == texts[1]
        assert "(BAD + 1e-8)" in texts[0][1]

    def test_a_dead_process_is_the_files_failure(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def deadly(source: Source, *_: object) -> object:
            return os._exit(9) if source.filename.endswith("f03.py") else fake.analyse(source)

        monkeypatch.setattr(epslint.analysis, "analyse", deadly)
        plant(cli)
        result = cli("-j", "2", "--output-format", "concise", ".")
        assert result.exit_code == 2
        assert result.stderr == "error: f03.py: its process ended with exit code 9\n"
        assert {line.partition(":")[0] for line in result.stdout.splitlines()[:-1]} == {
            f"f{number:02}.py" for number in range(12) if number != 3
        }

    @pytest.mark.parametrize("error", [SystemExit(0), MemoryError(), AssertionError("no")])
    @pytest.mark.parametrize("jobs", ["1", "2"])
    def test_a_crash_is_the_files_failure(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch, error: BaseException, jobs: str
    ) -> None:
        def crash(source: Source, *_: object) -> object:
            if source.filename.endswith("f03.py"):
                raise error
            return fake.analyse(source)

        monkeypatch.setattr(epslint.analysis, "analyse", crash)
        plant(cli)
        result = cli("-j", jobs, "--output-format", "concise", ".")
        assert result.exit_code == 2
        assert result.stderr.startswith("error: f03.py: internal error")
        assert "f04.py:1:9: FAK101" in result.stdout


# Whoever runs the tests in the background has told them to ignore Ctrl-C.
SLOW = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from epslint import runner
import epslint.analysis
runner._WORTH_A_PROCESS = 1
epslint.analysis.analyse = lambda *_: time.sleep(60)
from epslint.cli import main
main(["check", "--no-cache", "-j", "2", sys.argv[1]])
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="counts processes in /proc")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_it_all(tmp_path: Path, sign: signal.Signals) -> None:
    for name in "abcd":
        (tmp_path / f"{name}.py").write_text("import torch\nx = 1 / torch.log(y)\n")
    run = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(tmp_path)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until(lambda: len(group(run.pid)) == 3)
    # Ctrl-C reaches the whole group, the others only the process that was meant.
    (os.killpg if sign is signal.SIGINT else os.kill)(run.pid, sign)
    assert run.wait(20) == (130 if sign is signal.SIGINT else -sign)
    until(lambda: not group(run.pid))
    assert run.stderr is not None
    assert "Traceback" not in run.stderr.read()


def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def group(leader: int) -> list[int]:
    """The living processes of a group."""
    members = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, parent_group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(parent_group) == leader and state != "Z":
            members.append(int(folder.name))
    return members
