"""What is noticed when a guard is taken out of real code; prints Markdown.

    python benchmarks/unguard.py CHECKOUTS [--most N] [--seed N] [--part even|odd] [--missed]

CHECKOUTS is a folder with one folder for each code base. In the files of theirs that import a
library with gradients, tests left out, each guard that somebody wrote is looked up: an epsilon that
is added, or a floor, in what is divided by, logged or rooted, there or where its name was given.
Some of them (N of each code base and kind, by lot) are taken out, one at a time, and the file is
checked before and after. *Seen* is a guard after whose removal there is a finding that was not
there before; *wrong* one on whose line there was a finding of that kind already, guard or not.

Not every guard is needed, so the share says little by itself. It is there to compare builds, and
to find classes of hazards that nobody thought of. So that a figure can be had of code that was not
looked at, code bases are parted by their names.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from epslint.api import check_source
from epslint.source import Source

LIBRARY = re.compile(r"^\s*(import|from)\s+(torch|jax|tensorflow|flax|haiku|pyro|optax)\b", re.M)
TESTS = re.compile(r"(^|/)(tests?|testing|benchmarks|tutorials)/|(^|/)(test_[^/]*|[^/]*_test)\.py$")
EPSILON = re.compile(r"(^|_)(eps|epsilon|tiny|smooth|smoothing)\d*(_|$)", re.I)
FLOORS = {"clamp", "clamp_min", "clip", "maximum", "max", "clip_by_value"}
BOUND = {"min", "a_min", "min_value"}
MODULES = {"torch", "np", "numpy", "jnp", "math", "tf", "K", "F", "lax", "jax", "ops"}
SINKS = {"log": "log", "log2": "log", "log10": "log", "sqrt": "root", "rsqrt": "root"}
FAMILIES = {
    "division": ("EPS1", "EPS4", "EPS5", "EPS6"),
    "log": ("EPS2", "EPS5", "EPS6", "EPS7"),
    "root": ("EPS1", "EPS5"),
}
SMALL = 1e-3  # what is added that is not larger is an epsilon
DEEP = 3  # names are followed no further back than this


@dataclass(frozen=True, slots=True)
class Guard:
    """One guard, on one line, and where it matters."""

    path: Path
    repository: str
    kind: str
    row: int
    span: tuple[int, int]  # of the guarded expression, in bytes of its line
    core: tuple[int, int]  # of what it guards
    rows: tuple[int, int]  # of the division, log or root


Names = Mapping[str, Sequence[ast.Assign]]  # what each was given, in order


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was said of a guard: without it, and with it."""

    guard: Guard
    seen: bool
    wrong: bool
    line: str


# -- which guards there are ------------------------------------------------------------------------


def last_name(node: ast.expr) -> str:
    return getattr(node, "attr", None) or getattr(node, "id", None) or ""


def is_epsilon(node: ast.expr, *, one: bool = False) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, int | float):
        return 0 < value <= SMALL or (one and value == 1)
    return EPSILON.search(last_name(node)) is not None


def guarded(node: ast.expr) -> ast.expr | None:
    """x of `x + eps`, `x.clamp(min=eps)` and `max(x, 1)`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = (node.left, node.right)
        return next((a for a, b in (sides, sides[::-1]) if is_epsilon(b)), None)
    if not isinstance(node, ast.Call) or last_name(node.func) not in FLOORS:
        return None
    given = list(node.args)
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if owner is not None and last_name(owner) not in MODULES:
        given.insert(0, owner)
    floors = [k.value for k in node.keywords if k.arg in BOUND] or given[1:2]
    if given and floors and is_epsilon(floors[0], one=True):
        return given[0]
    return given[1] if len(given) > 1 and is_epsilon(given[0], one=True) else None


def sinks(tree: ast.AST) -> Iterator[tuple[ast.expr, str, ast.expr]]:
    """Divisions, logs and roots, with what is dangerous in them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            yield node, "division", node.right
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            kind, owner = SINKS.get(node.func.attr), node.func.value
            if kind is None:
                continue
            if last_name(owner) in MODULES and len(node.args) == 1:
                yield node, kind, node.args[0]
            elif last_name(owner) not in MODULES and not node.args:
                yield node, kind, owner


def guard_in(node: ast.expr, names: Names, deep: int) -> ast.expr | None:
    """The guarded expression in an operand, or in what its name was given last."""
    if guarded(node) is not None:
        return node
    if isinstance(node, ast.Subscript):
        return guard_in(node.value, names, deep)
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add | ast.Sub):
        return guard_in(node.left, names, deep) or guard_in(node.right, names, deep)
    if not isinstance(node, ast.Name) or not deep:
        return None
    before = [given for given in names.get(node.id, ()) if given.lineno < node.lineno]
    return guard_in(before[-1].value, names, deep - 1) if before else None


def assigned(function: ast.AST) -> Names:
    found: dict[str, list[ast.Assign]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node)
    return found


def guards_of(path: Path, repository: str) -> Iterator[Guard]:
    try:
        text = path.read_text()
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError):
        return
    if not LIBRARY.search(text):
        return
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        names = assigned(function)
        for sink, kind, operand in sinks(function):
            node = guard_in(operand, names, DEEP)
            core = None if node is None else guarded(node)
            if node is None or core is None or node.lineno != node.end_lineno:
                continue
            span, inner = columns(node), columns(core)
            rows = (sink.lineno, sink.end_lineno or sink.lineno)
            yield Guard(path, repository, kind, node.lineno, span, inner, rows)


def columns(node: ast.expr) -> tuple[int, int]:
    return node.col_offset, node.end_col_offset or node.col_offset


# -- what becomes of them --------------------------------------------------------------------------


def without(lines: Sequence[str], guard: Guard) -> str:
    line = lines[guard.row - 1].encode()
    kept = line[slice(*guard.core)]
    mutated = line[: guard.span[0]] + b"(" + kept + b")" + line[guard.span[1] :]
    return "\n".join([*lines[: guard.row - 1], mutated.decode(), *lines[guard.row :]])


def found(path: Path, text: str) -> Counter[tuple[str, int]]:
    """Which codes there are, and in which rows."""
    source = Source(str(path), text)
    findings = check_source(text, filename=str(path)).findings
    return Counter((f.code, source.location(f.span.start).row) for f in findings)


def judged(path: Path, guards: Sequence[Guard]) -> list[Verdict]:
    text = path.read_text()
    lines, before = text.split("\n"), found(path, text)
    verdicts = []
    for guard in guards:
        after = found(path, without(lines, guard))
        first, last = guard.rows
        family = FAMILIES[guard.kind]
        seen = any(code.startswith(family) for code, _ in after - before)
        wrong = any(code.startswith(family) and first <= row <= last for code, row in before)
        verdicts.append(Verdict(guard, seen, wrong, lines[guard.row - 1].strip()))
    return verdicts


def part_of(name: str) -> str:
    return "odd" if hashlib.md5(name.encode(), usedforsecurity=False).digest()[0] % 2 else "even"


def drawn(root: Path, most: int, part: str | None, seed: int) -> dict[Path, list[Guard]]:
    """Some guards of each code base, by file."""
    lot = random.Random(seed)
    chosen: dict[Path, list[Guard]] = {}
    for repository in sorted(p for p in root.iterdir() if p.is_dir()):
        if part is not None and part_of(repository.name) != part:
            continue
        files = (p for p in sorted(repository.rglob("*.py")) if p.is_file())
        of_code = (p for p in files if not TESTS.search(str(p.relative_to(repository))))
        guards = [guard for path in of_code for guard in guards_of(path, repository.name)]
        lot.shuffle(guards)
        unique = list({(g.path, g.row, g.span): g for g in guards}.values())
        taken = Counter[str]()
        for guard in unique:
            taken[guard.kind] += 1
            if taken[guard.kind] <= most:
                chosen.setdefault(guard.path, []).append(guard)
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--most", type=int, default=6, help="of a code base and kind (6)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", choices=("even", "odd"), help="half of the code bases")
    parser.add_argument("--missed", action="store_true", help="name those that are not seen")
    options = parser.parse_args()
    chosen = drawn(options.checkouts, options.most, options.part, options.seed)
    with ProcessPoolExecutor() as pool:
        verdicts = [v for some in pool.map(judged, chosen, chosen.values()) for v in some]
    print("| kind | guards | seen without | share | wrong with |\n|---|---|---|---|---|")
    for kind in (*FAMILIES, "all"):
        of_kind = [v for v in verdicts if kind in (v.guard.kind, "all")]
        seen, wrong = sum(v.seen for v in of_kind), sum(v.wrong for v in of_kind)
        share = f"{seen / len(of_kind):.2f}" if of_kind else ""
        print(f"| {kind} | {len(of_kind)} | {seen} | {share} | {wrong} |")
    for verdict in verdicts if options.missed else ():
        if not verdict.seen:
            guard = verdict.guard
            print(f"- {guard.path}:{guard.row} {guard.kind}: `{verdict.line}`")
    return 0


if __name__ == "__main__":
    sys.exit(main())
