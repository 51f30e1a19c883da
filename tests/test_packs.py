"""The packs that are installed, found the quick way and the proper one."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from epslint import packs
from epslint.packs import GROUP, Pack

POINTS = """\
[console_scripts]
core = not.a:pack

[epslint.rules]
# a comment
one = somepack.rules
 two = other [extra]
three=third:attribute

[other]
core = not.either
"""


def distribution(folder: Path, name: str, text: str) -> Path:
    (folder / name).mkdir(parents=True)
    (folder / name / "METADATA").write_text("Metadata-Version: 2.1\nName: x\nVersion: 1\n")
    (folder / name / "entry_points.txt").write_text(text)
    return folder


def properly() -> set[Pack]:
    return {Pack(point.name, point.module) for point in entry_points(group=GROUP)}


def test_the_quick_way_finds_what_the_proper_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(packs.installed()) == properly()
    distribution(tmp_path, "Some_Pack-1.0.dist-info", POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    found = packs.installed()
    assert set(found) == properly()
    assert {Pack("one", "somepack.rules"), Pack("two", "other"), Pack("three", "third")} < set(
        found
    )
    assert [pack.name for pack in found] == sorted(pack.name for pack in found)


def test_the_first_of_a_name_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distribution(tmp_path / "b", "some_pack-2.0.dist-info", "[epslint.rules]\nb = late\n")
    monkeypatch.syspath_prepend(distribution(tmp_path / "b2", "x-1.dist-info", ""))
    monkeypatch.syspath_prepend(tmp_path / "b")
    first = distribution(tmp_path / "a", "Some.Pack-1.0.dist-info", "[epslint.rules]\na = early\n")
    monkeypatch.syspath_prepend(first)
    assert set(packs.installed()) == properly()
    assert Pack("b", "late") not in packs.installed()


def test_what_is_no_folder_is_left_to_importlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "some.zip"
    archive.write_bytes(b"")
    monkeypatch.setattr(sys, "path", [*sys.path, str(archive)])
    assert set(packs.installed()) == properly()
    assert packs.environment() is None  # and then nothing is kept


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = distribution(tmp_path, "p-1.dist-info", "[epslint.rules]\np = deep.pack\n")
    (folder / "deep" / "pack" / "sub").mkdir(parents=True)
    (folder / "deep" / "pack" / "sub" / "rule.py").write_text("a = 1\n")
    monkeypatch.syspath_prepend(folder)
    return folder


def test_a_changed_rule_is_another_environment(pack: Path) -> None:
    before = packs.environment()
    assert before is not None
    assert before == packs.environment()
    rule = pack / "deep" / "pack" / "sub" / "rule.py"
    status = rule.stat()
    rule.write_text("a = 2\n")
    os.utime(rule, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    changed = packs.environment()
    assert changed not in (None, before)
    (pack / "deep" / "pack" / "new.py").touch()
    assert packs.environment() not in (None, before, changed)
    assert "deep" not in sys.modules


def test_so_is_another_version_of_anything(pack: Path) -> None:
    before = packs.environment()
    distribution(pack, "libcst2-9.dist-info", "")
    assert packs.environment() not in (None, before)


def test_so_is_a_changed_epslint() -> None:
    environment = packs.environment()
    assert environment is not None
    assert any("analysis/fact.py" in line for line in environment)
    assert any("epslint_rules/eps101.py" in line for line in environment)
    assert any(line.startswith("libcst-") for line in environment)


def test_a_pack_that_is_gone_is_no_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(
        distribution(tmp_path, "p-1.dist-info", "[epslint.rules]\np = no_such_pack\n")
    )
    assert packs.environment() is None


LONG = """
import sys
from pathlib import Path
from epslint import packs, registry
loaded = registry.load()
Path(sys.argv[1]).write_text("changed")
assert packs.environment_as_loaded() != packs.environment()
"""


def test_a_process_works_with_what_it_has_loaded(pack: Path) -> None:
    rule = pack / "deep" / "pack" / "new.py"
    rule.touch()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(pack), *sys.path])}
    subprocess.run([sys.executable, "-c", LONG, str(rule)], env=environment, check=True)
