"""How long a run takes, next to other linters, all measured in one go; prints Markdown.

    python benchmarks/speed.py [TREE] [--others FOLDER] [--rounds 3] [--only PART ...]

TREE is a folder of Python files (default: the installed torch). Fixit, TorchFix and ruff are looked
for on PATH and in FOLDER, such as the `bin` of an environment of their own; what is not there is
left out. Rounds take turns, so that a slow moment of the machine hits everybody; the figure is the
best of them. The slow linters, which take minutes, run once.

CPU time counts all processes of a run, memory is that of the largest one. On a machine that has
other work to do, wall time says little: compare CPU time.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

EPSLINT = (sys.executable, "-m", "epslint")
CHECK = (*EPSLINT, "check", "--isolated", "--quiet", "--exit-zero")
RUFF_ALL = ("check", "--select", "ALL", "--preview", "--isolated", "--no-cache", "--quiet")
GROWTH = (1, 2, 4, 8)
STATEMENTS = (100, 1_000, 10_000)
CLEAN_LINES = 300


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run of a command took."""

    wall: float
    cpu: float
    memory: float  # megabytes, of the largest process


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: a command, and how often it is worth running."""

    name: str
    command: Sequence[str]
    rounds: int
    lines: int = 0


def run(command: Sequence[str], folder: Path) -> Cost:
    """Run a command to its end; what it says is of no interest, that it works is."""
    # Without compiled files every Python program would be measured compiling itself.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    code = process.returncode = os.waitstatus_to_exitcode(status)
    if code not in (0, 1, 2) or b"Traceback" in said:  # 2: a tree may hold files nobody can read
        raise SystemExit(f"{' '.join(command)}: exit code {code}\n{said.decode()}")
    unit = 1024 if sys.platform == "darwin" else 1
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024 / unit)


def best(rows: Sequence[Row], folder: Path) -> dict[str, Cost]:
    """The best of each row's rounds, the rows taking turns."""
    costs: dict[str, list[Cost]] = {row.name: [] for row in rows}
    for number in range(max(row.rounds for row in rows)):
        for row in rows:
            if number < row.rounds:
                costs[row.name].append(run(row.command, folder))
                print(f"{row.name}: {costs[row.name][-1]}", file=sys.stderr)
    return {name: _best(several) for name, several in costs.items()}


def _best(several: Sequence[Cost]) -> Cost:
    return Cost(
        min(cost.wall for cost in several),
        min(cost.cpu for cost in several),
        max(cost.memory for cost in several),
    )


def tools(tree: Path, scratch: Path, others: Path | None, rounds: int) -> str:
    """Everybody on the same tree."""
    lines = count(tree)
    cache = ("--cache-dir", str(scratch / "cache"))
    clean = clean_file(scratch / "clean")
    rows = [
        Row("python -c pass", (sys.executable, "-c", "pass"), rounds * 3),
        Row("epslint --version", (*EPSLINT, "--version"), rounds * 3),
        Row(
            f"epslint, one clean file of {CLEAN_LINES} lines",
            (*CHECK, "--no-cache", str(clean)),
            rounds * 3,
            CLEAN_LINES,
        ),
        Row("epslint, cold", (*CHECK, "--no-cache", str(tree)), rounds, lines),
        Row("epslint, cold, one process", (*CHECK, "--no-cache", "-j1", str(tree)), 1, lines),
        Row("epslint, warm", (*CHECK, *cache, str(tree)), rounds * 3, lines),
    ]
    for name, options, turns in (
        ("ruff", RUFF_ALL, rounds),
        ("fixit", ("lint",), 1),
        ("torchfix", ("--select", "ALL"), 1),
    ):
        found = where(name, others)
        if found is not None:
            label = {"ruff": "ruff, all rules"}.get(name, name)
            rows.append(Row(label, (found, *options, str(tree)), turns, lines))
    run((*CHECK, *cache, str(tree)), scratch)  # fills the cache, and compiles
    costs = best(rows, scratch)
    ruff = costs.get("ruff, all rules")
    table = [
        [
            row.name,
            f"{costs[row.name].wall:.2f} s",
            f"{costs[row.name].cpu:.2f} s",
            f"{costs[row.name].memory:.0f} MB",
            f"{row.lines / costs[row.name].wall:,.0f}" if row.lines else "",
            f"{costs[row.name].wall / ruff.wall:.2f}×" if ruff else "",
            f"{costs[row.name].cpu / ruff.cpu:.2f}×" if ruff else "",
        ]
        for row in rows
    ]
    head = ["", "wall", "CPU", "memory", "lines/s", "wall / ruff's", "CPU / ruff's"]
    return f"{lines:,} lines in {len(files(tree))} files.\n\n{markdown(head, table)}"


def growth(tree: Path, scratch: Path, _: Path | None, rounds: int) -> str:
    """The same tree several times over: the time per line must stay the same."""
    rows = []
    for times in GROWTH:
        folder = scratch / f"grown{times}"
        for number in range(times):
            copy(tree, folder / f"copy{number}")
        rows.append(Row(f"{times}×", (*CHECK, "--no-cache", str(folder)), rounds, count(folder)))
    return _by_size(rows, scratch, "tree", "lines")


def statements(_: Path, scratch: Path, __: Path | None, rounds: int) -> str:
    """One function, ever longer: the time per statement must not grow with it."""
    rows = []
    for number in STATEMENTS:
        file = scratch / f"long{number}.py"
        file.write_text(long_function(number))
        rows.append(Row(f"{number:,}", (*CHECK, "--no-cache", str(file)), rounds, number))
    return _by_size(rows, scratch, "statements", "statements")


def _by_size(rows: Sequence[Row], scratch: Path, first: str, unit: str) -> str:
    costs = best(rows, scratch)
    table = [
        [
            row.name,
            f"{costs[row.name].wall:.2f} s",
            f"{costs[row.name].cpu:.2f} s",
            f"{costs[row.name].memory:.0f} MB",
            f"{costs[row.name].cpu / row.lines * 1e6:.0f} µs",
        ]
        for row in rows
    ]
    return markdown([first, "wall", "CPU", "memory", f"CPU per {unit.removesuffix('s')}"], table)


Part = Callable[[Path, Path, "Path | None", int], str]

PARTS: Mapping[str, Part] = {"tools": tools, "growth": growth, "statements": statements}


def where(name: str, others: Path | None) -> str | None:
    path = os.pathsep.join([*([str(others)] if others else []), os.environ.get("PATH", "")])
    return shutil.which(name, path=path)


def files(tree: Path) -> list[Path]:
    return [path for path in tree.rglob("*.py") if path.is_file()]


def count(tree: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in files(tree))


def copy(tree: Path, target: Path) -> None:
    for path in files(tree):
        place = target / path.relative_to(tree)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)


def clean_file(folder: Path) -> Path:
    """Ordinary numeric code without a hazard."""
    folder.mkdir()
    file = folder / "clean.py"
    body = "".join(f"    h = torch.relu(h @ w{i % 7}) / {i + 2}\n" for i in range(9))
    text = "import torch\n\n"
    number = 0
    while text.count("\n") < CLEAN_LINES - 14:
        text += f"\n\ndef layer{number}(h, {', '.join(f'w{i}' for i in range(7))}):\n{body}"
        text += "    return h\n"
        number += 1
    file.write_text(text)
    return file


def long_function(number: int) -> str:
    def lines() -> Iterator[str]:
        yield "import torch\n\n\ndef f(x, mask):\n    n = mask.sum()\n    y0 = x\n"
        for i in range(number // 4):
            yield f"    y{i + 1} = torch.exp(x - y{i})\n"
            yield f"    if y{i + 1}.sum() > {i}:\n        y{i + 1} = y{i + 1} / n\n"
            yield f"    z{i} = torch.log(y{i + 1} + 1e-8)\n"
        yield "    return n\n"

    return "".join(lines())


def markdown(head: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    rules = ["---", *("---:" for _ in head[1:])]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rules, *table))


def machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"{processor()}, {cores} cores, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} at the start; "
        f"epslint {'compiled' if is_compiled() else 'not compiled'}"
    )


def is_compiled() -> bool:
    spec = find_spec("epslint.analysis.fact")
    return spec is not None and not str(spec.origin).endswith(".py")


def processor() -> str:
    known = Path("/proc/cpuinfo")
    for line in known.read_text().splitlines() if known.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def installed_torch() -> Path:
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        raise SystemExit("torch is not installed: name a tree")
    return Path(spec.origin).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tree", type=Path, nargs="?")
    parser.add_argument("--others", type=Path, help="a folder with ruff, fixit or torchfix in it")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=list(PARTS), nargs="+", default=list(PARTS))
    given = parser.parse_args()
    tree = (given.tree or installed_torch()).resolve()
    print(f"{machine()}.\n")
    with tempfile.TemporaryDirectory() as scratch:
        for part in given.only:
            folder = Path(scratch, part)
            folder.mkdir()
            print(f"### {PARTS[part].__doc__}\n")
            print(PARTS[part](tree, folder, given.others, given.rounds), flush=True)


if __name__ == "__main__":
    main()
