"""The short cuts of the analysis lose nothing: suspect functions alone, in bare trees.

Findings are compared, to the letter, with those of every function of the file in the tree that
LibCST makes of it.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

import epslint.analysis
import epslint.sinks
from epslint import engine, registry
from epslint.analysis import analyse
from epslint.analysis.ops import Op
from epslint.config import Config
from epslint.outcome import FileReport
from epslint.selection import choose
from epslint.source import Source, SourceError
from tests.environments import installed

ROOT = Path(__file__).parents[2]

FIXTURES = sorted((ROOT / "fixtures").rglob("*.py"))
OURSELVES = sorted(path for part in ("epslint", "rules") for path in (ROOT / part).rglob("*.py"))
_CONFIG = Config()
_RULES = choose(registry.load(), _CONFIG)
_WHOLE = partial(epslint.analysis.analyse, whole=True)


def check(source: Source) -> FileReport:
    return engine.check(source, _RULES, _CONFIG)


def check_whole(source: Source, monkeypatch: pytest.MonkeyPatch) -> FileReport:
    with monkeypatch.context() as patch:
        patch.setattr(epslint.analysis, "analyse", _WHOLE)
        return check(source)


def assert_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> FileReport:
    source = Source.decode(path.read_bytes(), str(path))
    quick = check(source)
    thorough = check_whole(source, monkeypatch)
    assert quick.findings == thorough.findings, path
    assert quick.failures == thorough.failures, path
    return quick


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: "/".join(p.parts[-2:]))
def test_in_the_fixtures(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(path, monkeypatch)


def test_the_comparison_is_of_something(monkeypatch: pytest.MonkeyPatch) -> None:
    path = ROOT / "fixtures" / "EPS101" / "hazard_masked.py"
    assert assert_same(path, monkeypatch).findings


def test_a_short_cut_that_loses_something_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("a.py", "def f(values, mask):\n    return values / mask.sum()\n")
    monkeypatch.setattr(epslint.sinks.Sinks, "within", lambda self, node: False)
    assert not check(source).findings
    assert check_whole(source, monkeypatch).findings


def sites(body: str) -> list[Op]:
    source = f"import math\nimport torch\nimport wandb\n\ndef f(self, x, args):\n    {body}\n"
    listening = frozenset(op for rule in _RULES.site_rules for op in rule.ops)
    return [site.op for site in analyse(Source("a.py", source), listening=listening)]


@pytest.mark.parametrize(
    "harmless",
    [
        "return 2 * math.log(4)",
        "return x * 2**20",
        "wandb.log({'x': x - 1})",
        "self.log({'x': x - 1})",
        "return (x - 1) / self.args.gradient_accumulation_steps",
        "x -= 1; x /= args.temperature",
    ],
)
def test_what_is_harmless_on_sight_is_not_read(harmless: str) -> None:
    assert sites(harmless) == []


@pytest.mark.parametrize(
    "suspect",
    [
        "return math.log(0)",
        "return math.exp(1000)",
        "return x.pow(2)",
        "return torch.log(x)",
        "return x ** 2",
        "return x / self.temperature",
        "return x / args.std",
        "args.steps = x.sum(); return x / args.steps",
    ],
)
def test_what_only_looks_like_it_is_read(suspect: str) -> None:
    assert sites(suspect)


@pytest.mark.parametrize(
    "header", ["class A(B):", "class A(\n    B,\n):", "class A(\n    B): 'doc';"]
)
def test_a_class_on_the_last_line_of_its_header(
    header: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source("a.py", f"import torch\n{header} x = torch.ones(3) / torch.zeros(3).sum()\n")
    quick = check(source)
    assert [finding.code for finding in quick.findings] == ["EPS101"]
    assert quick == check_whole(source, monkeypatch)


# What is numeric and of a size that a test run can bear; `pytest -m corpus` reads all of them.
NUMERIC = {
    "torch": "distributions/*.py",
    "numpy": "lib/*.py",
}


@pytest.mark.slow
@pytest.mark.parametrize("package", NUMERIC)
def test_in_the_numeric_code_at_hand(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [path for path in installed(package) if path.match(NUMERIC[package])]
    assert len(paths) > 20
    for path in paths:
        assert_same(path, monkeypatch)


@pytest.mark.corpus
@pytest.mark.parametrize("package", ["torch", "numpy", "scipy"])
def test_in_all_of_the_installed_code(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in installed(package):
        with suppress(SourceError):  # an encoding that is none
            assert_same(path, monkeypatch)
