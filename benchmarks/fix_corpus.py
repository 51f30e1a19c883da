"""Whether `--fix` keeps its promises on whole repositories; prints Markdown, exits with 1 if not.

    python benchmarks/fix_corpus.py REPOSITORY ... [--unsafe-fixes] [--into FOLDER]

Each repository is copied (into FOLDER, to look at or to run its tests, else into a temporary one)
and the copy is fixed. Then, file by file: what compiled still compiles; only lines changed that a
finding, its reasons or its fix are about; a file in which nothing was to be fixed is the same to
the byte; a second run changes nothing; no finding is left whose fix may be applied; no fix was
abandoned.
"""

from __future__ import annotations

import argparse
import difflib
import json
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

EPSLINT = (sys.executable, "-m", "epslint", "check", "--isolated", "--no-cache", "--exit-zero")
AS_JSON = ("--output-format", "json")
HEAD = ("repository", "files", "findings", "fixable", "left", "files changed", "lines", "broken")

Text = Mapping[Path, bytes]


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, and the rows that it, its reasons and its fix are about."""

    path: Path
    code: str
    row: int
    rows: frozenset[int]
    applicability: str | None  # None: there is no fix

    def fixable(self, *, unsafe: bool) -> bool:
        return self.applicability == "safe" or (unsafe and self.applicability == "unsafe")


@dataclass(frozen=True, slots=True)
class Trial:
    """One repository before the fixes, after them, and after they were asked for again."""

    name: str
    found: Sequence[Found]
    left: Sequence[Found]
    before: Text
    after: Text
    again: Text
    errors: Sequence[str]
    unsafe: bool

    @property
    def changed(self) -> list[Path]:
        return [path for path, data in self.after.items() if data != self.before[path]]

    def fixable(self, found: Sequence[Found]) -> list[Found]:
        return [one for one in found if one.fixable(unsafe=self.unsafe)]


def attempt(repository: Path, copy: Path, *, unsafe: bool) -> Trial:
    """Copy a repository and fix the copy, twice."""
    shutil.copytree(repository, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    fix = ("--fix", *(["--unsafe-fixes"] if unsafe else []))
    before, (found, already) = contents(copy), check(copy)
    left, errors = check(copy, *fix)
    after = contents(copy)
    check(copy, *fix)
    new = [error for error in errors if error not in already]
    return Trial(repository.name, found, left, before, after, contents(copy), new, unsafe)


def contents(folder: Path) -> Text:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder): path.read_bytes() for path in files}


def check(folder: Path, *options: str) -> tuple[list[Found], list[str]]:
    """What epslint finds and leaves in a folder, and the errors it speaks of."""
    said = subprocess.run(
        (*EPSLINT, *AS_JSON, *options, "."), cwd=folder, capture_output=True, text=True, check=False
    )
    if "Traceback" in said.stderr:
        raise SystemExit(said.stderr)
    errors = [line for line in said.stderr.splitlines() if line.startswith("error")]
    return [_found(row, folder) for row in json.loads(said.stdout)], errors


def _found(row: Mapping[str, object], folder: Path) -> Found:
    path, start, fix, why = row["filename"], row["location"], row["fix"], row["why"]
    assert isinstance(path, str)
    assert isinstance(start, dict)
    assert isinstance(fix, dict | None)
    assert isinstance(why, list)
    rows = {number for span in (row, *(fix or {}).get("edits", ())) for number in _rows(span)}
    # A division by a root, once repaired, may lay open the root itself, which its reasons name.
    rows |= {reason["row"] for reason in why}
    applicability = fix["applicability"] if fix is not None else None
    place = Path(path).relative_to(folder)
    return Found(place, str(row["code"]), start["row"], frozenset(rows), applicability)


def _rows(span: Mapping[str, object]) -> range:
    start, end = span["location"], span["end_location"]
    assert isinstance(start, dict)
    assert isinstance(end, dict)
    return range(start["row"], end["row"] + 1)


def broken(trial: Trial) -> Iterator[str]:
    """Every promise that was not kept, and where."""
    yield from trial.errors
    meant: dict[Path, set[int]] = {}
    for one in trial.found:
        meant.setdefault(one.path, set()).update(one.rows)
    fixable = {one.path for one in trial.fixable(trial.found)}
    for path in trial.changed:
        old, new = trial.before[path], trial.after[path]
        if compiles(old) and not compiles(new):
            yield f"{path}: does not compile any more"
        if path not in fixable:
            yield f"{path}: changed, and nothing was to be fixed"
        for row in sorted(touched(old, new) - meant.get(path, set())):
            yield f"{path}:{row}: changed, and no finding is about it"
    yield from (f"{path}: gone" for path in trial.before.keys() - trial.after.keys())
    yield from (f"{path}: is new" for path in trial.after.keys() - trial.before.keys())
    for path, data in trial.again.items():
        if data != trial.after.get(path):
            yield f"{path}: a second run changes it again"
    for one in trial.fixable(trial.left):
        yield f"{one.path}:{one.row}: {one.code} is left, and its fix may be applied"


def compiles(data: bytes) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(data, "file", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def touched(old: bytes, new: bytes) -> set[int]:
    """The rows of `old` that are changed, or before which something is put."""
    lines = old.splitlines(), new.splitlines()
    steps = difflib.SequenceMatcher(None, *lines, autojunk=False).get_opcodes()
    return {
        row
        for step, start, end, _, _ in steps
        if step != "equal"
        for row in range(start + 1, max(end, start + 1) + 1)
    }


def cells(trial: Trial, complaints: Sequence[str]) -> tuple[str, ...]:
    lines = sum(len(touched(trial.before[path], trial.after[path])) for path in trial.changed)
    python = sum(path.suffix == ".py" for path in trial.before)
    fixable = len(trial.fixable(trial.found))
    numbers = (python, len(trial.found), fixable, len(trial.left), len(trial.changed), lines)
    return (trial.name, *map(str, numbers), str(len(complaints)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--unsafe-fixes", action="store_true")
    parser.add_argument("--into", type=Path, help="a folder that keeps the fixed copies")
    given = parser.parse_args()
    print(f"| {' | '.join(HEAD)} |\n| --- |{' ---: |' * (len(HEAD) - 1)}")
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = (given.into or Path(scratch)).resolve()
        for repository in given.repositories:
            name = repository.resolve().name
            trial = attempt(repository.resolve(), folder / name, unsafe=given.unsafe_fixes)
            complaints = list(broken(trial))
            failed = failed or bool(complaints)
            print(f"| {' | '.join(cells(trial, complaints))} |", flush=True)
            for text in complaints:
                print(f"{name}: {text}", file=sys.stderr)
    sys.exit(failed)


if __name__ == "__main__":
    main()
