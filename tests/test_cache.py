"""The cache: the same answers as without it, sooner, and never yesterday's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path

import pytest

import epslint.analysis
from epslint import cache, packs
from epslint.record import packed, unpacked
from epslint.rule import Confidence, Edit, Finding, Fix, Grade, Reason, Severity
from epslint.source import Source, Span
from epslint.task import digest_of
from tests import fake
from tests.conftest import Cli

TEXT = "a = x / BAD\nb = x / WORSE\n"
FORMATS = ["full", "concise", "json", "sarif"]


class Analyst:
    """The fake analysis, and which files it was asked about."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, source: Source, *_: object) -> object:
        self.asked.append(Path(source.filename).name)
        return fake.analyse(source)

    def take(self) -> list[str]:
        asked, self.asked = self.asked, []
        return asked


@pytest.fixture
def analyst(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Analyst:
    analyst = Analyst()
    monkeypatch.setattr(epslint.analysis, "analyse", analyst)
    return analyst


@pytest.fixture
def project(cli: Cli) -> Cli:
    """Three files, last changed long ago."""
    for name, text in {"a.py": TEXT, "b.py": "x = 1\n", "c.py": "c = x / MILD\n"}.items():
        old(cli.write(name, text))
    return cli


def old(path: Path, seconds: float = 100) -> Path:
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


def shelves(cli: Cli) -> list[Path]:
    return sorted((cli.folder / cache.FOLDER).glob("*.json"))


@pytest.mark.parametrize("form", FORMATS)
def test_the_second_run_says_the_same_and_asks_nobody(
    project: Cli, analyst: Analyst, form: str
) -> None:
    results = [project("--output-format", form, *more, ".") for more in (["--no-cache"], [], [])]
    assert analyst.take() == ["a.py", "b.py", "c.py"] * 2
    assert len({(result.stdout, result.exit_code) for result in results}) == 1
    assert "FAK101" in results[0].stdout


def test_without_a_cache_none_is_made(project: Cli, analyst: Analyst) -> None:
    project("--no-cache", ".")
    project("-", stdin=TEXT)
    assert not (project.folder / cache.FOLDER).exists()


def test_only_what_has_changed_is_checked(project: Cli, analyst: Analyst) -> None:
    project(".")
    analyst.take()
    project.write("b.py", "x = y / BAD\n")
    assert project.codes(".") == ["FAK101", "FAK102", "FAK101", "FAK103"]
    assert analyst.take() == ["b.py"]


def test_what_was_only_touched_is_not(project: Cli, analyst: Analyst) -> None:
    project(".")
    analyst.take()
    for name in ("a.py", "b.py"):
        old(project.folder / name, 50)
    assert project.codes(".") == ["FAK101", "FAK102", "FAK103"]
    assert analyst.take() == []


def test_a_change_within_one_tick_of_the_clock_is_seen(project: Cli, analyst: Analyst) -> None:
    """Same size, same times, same number: only the bytes tell, and a young file's are read."""
    path = project.write("young.py", "a = x / GOOD\n")
    status = path.stat()
    assert project.codes("young.py") == []
    path.write_text("a = x / MILD\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert project.codes("young.py") == ["FAK103"]


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every file had been left alone for long: what the file system says of it is trusted."""
    monkeypatch.setattr("epslint.task._UNSETTLED_NS", -(10**9))


@pytest.mark.usefixtures("settled")
def test_an_old_file_is_not_even_read(project: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    project("b.py")
    monkeypatch.setattr("epslint.task.Target.read", None)  # whoever reads now breaks
    assert project("b.py").exit_code == 0
    assert project("a.py").exit_code == 2


@pytest.mark.usefixtures("settled")
def test_a_copy_that_keeps_its_times_is_seen(project: Cli) -> None:
    path = project.folder / "b.py"
    assert project.codes("b.py") == []
    status = path.stat()
    copy = project.write("copy", "/BAD#\n")
    os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.replace(copy, path)
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)
    assert project("b.py").exit_code == 2


@pytest.mark.parametrize(
    "options",
    [
        ["--select", "FAK102"],
        ["--ignore", "bad-division"],
        ["--min-severity", "error"],
        ["--confidence", "proven"],
        ["--per-file-ignores", "a.py:FAK101"],
        ["--unfixable", "FAK101"],
        ["--guard-style", "clamp"],
    ],
)
def test_other_settings_are_another_question(
    project: Cli, analyst: Analyst, options: list[str]
) -> None:
    project(".")
    analyst.take()
    with_cache = project(*options, ".")
    assert analyst.take() == ["a.py", "b.py", "c.py"]
    assert with_cache.output == project("--no-cache", *options, ".").output
    analyst.take()
    project(".")
    assert analyst.take() == []


def test_which_files_are_chosen_is_not(project: Cli, analyst: Analyst) -> None:
    project(".")
    analyst.take()
    project("--exclude", "c.py", ".")
    assert analyst.take() == []


def test_another_environment_is_another_question(
    project: Cli, analyst: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(".")
    monkeypatch.setattr(packs, "environment_as_loaded", lambda: ("a rule has changed",))
    analyst.take()
    project(".")
    assert analyst.take() == ["a.py", "b.py", "c.py"]
    monkeypatch.setattr(packs, "environment_as_loaded", lambda: None)
    project(".")
    project(".")
    assert analyst.take() == ["a.py", "b.py", "c.py"] * 2


def test_what_could_not_be_checked_is_tried_again(project: Cli, analyst: Analyst) -> None:
    project.write("bad.py", "a = (\n")
    project.write("crash.py", "a = x / CRASH / BAD\n")
    first, second = project("."), project(".")
    assert (first.exit_code, first.output) == (second.exit_code, second.output)
    assert first.exit_code == 2
    assert analyst.take()[5:] == ["bad.py", "crash.py"]


def test_after_ctrl_c_the_next_run_goes_on(
    project: Cli, analyst: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(source: Source, *_: object) -> object:
        if source.filename == "b.py":
            raise KeyboardInterrupt
        return fake.analyse(source)

    monkeypatch.setattr(epslint.analysis, "analyse", interrupted)
    assert project(".").exit_code == 130
    monkeypatch.setattr(epslint.analysis, "analyse", analyst)
    project(".")
    assert analyst.take() == ["b.py", "c.py"]


class TestFixing:
    def test_fixes_come_from_the_cache_too(self, project: Cli, analyst: Analyst) -> None:
        project(".")
        result = project("--fix", "--output-format", "concise", ".")
        assert (project.folder / "a.py").read_text() == TEXT.replace("BAD", "(BAD + 1e-8)")
        assert "1 fixed" in result.stdout
        analyst.take()
        assert project.codes(".") == ["FAK102", "FAK103"]
        assert analyst.take() == []

    def test_nothing_to_fix_asks_nobody(self, project: Cli, analyst: Analyst) -> None:
        project("--fix", ".")
        analyst.take()
        again = project("--fix", "--output-format", "concise", ".")
        assert analyst.take() == []
        assert again.stdout.startswith("a.py:2:9: FAK102")
        project("--fix", "--unsafe-fixes", ".")
        assert "a.py" in analyst.take()

    def test_a_diff_changes_nothing_and_leaves_nothing_wrong(
        self, project: Cli, analyst: Analyst
    ) -> None:
        diffs = [project("--diff", ".").stdout for _ in range(2)]
        assert diffs[0] == diffs[1] != ""
        assert project.codes(".") == ["FAK101", "FAK102", "FAK103"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"FAK101", b"FAK999"),
        lambda data: bytes(len(data)),
        lambda data: b"[" * 100_000,
        lambda data: digest_of(b"[1]").encode() + b"\n[1]",
        lambda data: sealed({key: [1, 2] for key in opened(data)}),
        lambda data: sealed(dict.fromkeys(opened(data))),
        lambda data: sealed({key: [e[0], e[1], e[2], [["x"]]] for key, e in opened(data).items()}),
    ],
)
def test_a_damaged_shelf_is_an_empty_one(project: Cli, analyst: Analyst, damage: object) -> None:
    healthy = project(".").output
    (shelf,) = shelves(project)
    assert callable(damage)
    shelf.write_bytes(damage(shelf.read_bytes()))
    analyst.take()
    assert project(".").output == healthy
    assert "a.py" in analyst.take()
    assert project(".").output == healthy
    assert analyst.take() == []


def opened(data: bytes) -> dict[str, list[object]]:
    entries: dict[str, list[object]] = json.loads(data.partition(b"\n")[2])
    return entries


def sealed(entries: object) -> bytes:
    body = json.dumps(entries).encode()
    return digest_of(body).encode() + b"\n" + body


def test_what_another_run_has_written_stays(
    project: Cli, analyst: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(source: Source, *_: object) -> object:
        if source.filename == "a.py":
            monkeypatch.setattr(epslint.analysis, "analyse", analyst)
            project("b.py")
        return fake.analyse(source)

    monkeypatch.setattr(epslint.analysis, "analyse", meanwhile)
    project("a.py")
    analyst.take()
    project("a.py", "b.py")
    assert analyst.take() == []


def test_files_that_are_gone_are_forgotten(project: Cli, analyst: Analyst) -> None:
    project(".")
    (project.folder / "b.py").unlink()
    project.write("c.py", "c = 3\n")
    project(".")
    (shelf,) = shelves(project)
    assert [Path(name).name for name in opened(shelf.read_bytes())] == ["a.py", "c.py"]


def test_old_shelves_are_taken_away(
    project: Cli, analyst: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_SHELVES", 3)
    for number in range(6):
        monkeypatch.setattr(packs, "environment_as_loaded", lambda number=number: (str(number),))
        project(".")
    assert len(shelves(project)) == 3
    project(".")
    old(project.write(f"{cache.FOLDER}/x.json.1.tmp", ""), 10_000)
    project.write(f"{cache.FOLDER}/y.json.2.tmp", "")
    project.write("new.py", "")
    project(".")
    assert [p.name for p in (project.folder / cache.FOLDER).glob("*.tmp")] == ["y.json.2.tmp"]


class TestPlace:
    def test_it_lies_at_the_root_of_the_project(
        self, project: Cli, analyst: Analyst, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        project.write("pyproject.toml", "")
        project.write("deep/down/d.py", "")
        monkeypatch.chdir(project.folder / "deep" / "down")
        project(".")
        assert (project.folder / cache.FOLDER / ".gitignore").read_text() == "*\n"
        tag = (project.folder / cache.FOLDER / "CACHEDIR.TAG").read_text()
        assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n")

    def test_or_where_the_user_wants_it(self, project: Cli, analyst: Analyst) -> None:
        for _ in range(2):
            project("--cache-dir", "some/where", ".")
        assert len(list((project.folder / "some" / "where").glob("*.json"))) == 1
        assert not (project.folder / cache.FOLDER).exists()
        assert analyst.take() == ["a.py", "b.py", "c.py"]

    def test_when_it_cannot_be_written_that_is_a_warning(
        self, project: Cli, analyst: Analyst
    ) -> None:
        project.write("file", "")
        result = project("--cache-dir", "file/cache", "b.py")
        assert result.exit_code == 0
        assert "warning: the cache cannot be written to " in result.stderr


class TestClean:
    def test_it_removes_the_cache(self, project: Cli, analyst: Analyst) -> None:
        project(".")
        result = project("clean")
        assert (result.exit_code, result.stderr.split()[0]) == (0, "Removed")
        assert not (project.folder / cache.FOLDER).exists()
        assert "There is no cache at" in project("clean").stderr

    def test_it_removes_nothing_else(self, project: Cli, analyst: Analyst) -> None:
        project.write("mine/notes.json", "{}")
        assert project("clean", "--cache-dir", "mine").exit_code == 0
        assert (project.folder / "mine" / "notes.json").exists()
        project(".")
        project.write(f"{cache.FOLDER}/notes.txt", "")
        project("clean")
        assert [p.name for p in (project.folder / cache.FOLDER).iterdir()] == ["notes.txt"]


def test_a_record_holds_all_of_a_finding() -> None:
    edits = (Edit(Span(5, 6), "é\n\udc80"), Edit(Span(7, 7), ""))
    fix = Fix("do it", Grade.SEMANTIC, edits)
    why = (Reason(None, "so"), Reason(3, "and so"))
    also = (Span(2, 3), Span(4, 5))
    whole = Finding(
        "EPS1", "a-b", Severity.ERROR, Span(1, 9), "∞", Confidence.NAMED, why, fix, also
    )
    bare = Finding("EPS2", "c-d", Severity.ADVICE, Span(0, 0), "", Confidence.PROVEN)
    for finding in (whole, bare):
        assert unpacked(json.loads(json.dumps(packed(finding)))) == finding
    # A field that has its default in `whole` would go unnoticed above.
    defaults = [
        getattr(bare, field.name) == getattr(whole, field.name) for field in fields(Finding)
    ]
    assert not any(defaults)


PARALLEL = """
import sys
from epslint.cli import main
main(["check", "--isolated", "-q", "--output-format", "concise", "--exit-zero", sys.argv[1]])
"""


def test_runs_side_by_side_do_not_hurt_each_other(tmp_path: Path) -> None:
    hazard = "import torch\n\n\ndef f(x, mask):\n    return x / mask.sum()\n"
    (tmp_path / "pyproject.toml").touch()
    for number in range(6):
        (tmp_path / f"f{number}.py").write_text(hazard + f"# {number}\n")
    command = [sys.executable, "-c", PARALLEL, "."]
    runs = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for _ in range(4)
    ]
    outputs = {run.communicate()[0] for run in runs}
    assert len(outputs) == 1
    assert outputs.pop().count(b"EPS101") == 6
    (shelf,) = (tmp_path / cache.FOLDER).glob("*.json")
    assert len(opened(shelf.read_bytes())) == 6
    assert not list((tmp_path / cache.FOLDER).glob("*.tmp"))
