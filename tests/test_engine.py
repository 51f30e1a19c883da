from __future__ import annotations

import pickle

import pytest

import epslint.analysis
from epslint import api, engine
from epslint.config import Config
from epslint.selection import choose
from epslint.source import Source
from tests import fake
from tests.conftest import Cli

pytestmark = pytest.mark.usefixtures("fake_world")


def codes(text: str, **settings: object) -> list[str]:
    table = {key.replace("_", "-"): value for key, value in settings.items()}
    report = api.check_source(text, config=Config().overlaid(table, "test"))
    return [finding.code for finding in report.findings]


def test_findings_come_in_the_order_of_the_text() -> None:
    assert codes("b = x / WORSE\na = x / MILD / BAD\n") == ["FAK102", "FAK103", "FAK101"]


def test_the_better_finding_replaces_the_vague_one() -> None:
    assert codes("a = x / BETTER\n") == ["FAK502"]
    assert codes("a = x / BETTER\n", ignore=["FAK502"]) == ["FAK501"]
    assert codes("a = x / BETTER  # epslint: ignore[FAK502]\n") == []


def test_a_place_visited_twice_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(source: Source, *_: object) -> list[object]:
        return [*fake.analyse(source), *fake.analyse(source)]

    monkeypatch.setattr(epslint.analysis, "analyse", twice)
    assert codes("a = x / BAD\n") == ["FAK101"]


def test_a_crashing_rule_is_reported_and_the_others_go_on() -> None:
    report = api.check_source("a = x / BAD\nb = x / CRASH\nc = x / MILD\n", "f.py")
    assert [finding.code for finding in report.findings] == ["FAK101", "FAK103"]
    (failure,) = map(str, report.failures)
    told = "f.py:2: rule FAK401 (crashing-rule) crashed: ZeroDivisionError: oh no (fake"
    assert failure.startswith(told)


def test_a_crash_of_the_analysis_is_the_files_failure(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(source: Source, *_: object) -> list[object]:
        if source.filename.endswith("b.py"):
            raise KeyError("lost")
        return list(fake.analyse(source))

    monkeypatch.setattr(epslint.analysis, "analyse", crash)
    cli.write("a.py", "a = x / BAD\n")
    cli.write("b.py", "a = x / BAD\n")
    result = cli("--output-format", "concise", ".")
    assert result.exit_code == 2
    assert "a.py:1:9: FAK101" in result.stdout
    assert (
        "b.py: internal error of the analysis: KeyError: 'lost' (test_engine.py:" in result.stderr
    )


def test_filters() -> None:
    text = "a = x / WORSE\nb = x / BAD\nc = x / MILD\nd = x / NAMED\n"
    assert codes(text) == ["FAK102", "FAK101", "FAK103", "FAK203"]
    assert codes(text, min_severity="advice") == codes(text)
    assert codes(text, min_severity="warning") == ["FAK102", "FAK101", "FAK203"]
    assert codes(text, min_severity="error") == ["FAK102"]
    assert codes(text, confidence="proven") == ["FAK102", "FAK101", "FAK103"]


def test_per_file_ignores(cli: Cli) -> None:
    for name in ("a.py", "tests/a.py", "tests/deep/a.py"):
        cli.write(name, "a = x / BAD\nb = x / MILD\n")
    ignores = ["--per-file-ignores", "tests/*:FAK101,a.py:mild-division"]
    assert cli.codes(*ignores, "a.py") == ["FAK101"]
    assert cli.codes(*ignores, "tests") == []
    assert cli.codes("--per-file-ignores", "/a.py:FAK1", ".") == ["FAK101", "FAK103"] * 2


def test_the_function_that_checks_a_file_travels_between_processes() -> None:
    config = Config()
    question = (engine.check, Source("a.py", "a = x / BAD\n"), choose(fake.catalogue(), config))
    check, source, ruleset = pickle.loads(pickle.dumps(question))
    report = check(source, ruleset, config)
    assert pickle.loads(pickle.dumps(report)) == report
    assert [finding.code for finding in report.findings] == ["FAK101"]
