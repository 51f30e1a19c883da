"""Every rule against its fixtures and its documentation; and the harness against itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from epslint import registry
from epslint.rule import Diagnosis, Rule
from epslint.testing import (
    Case,
    assert_documented,
    assert_fixture,
    fixture_cases,
    write_missing,
)
from tests import fake
from tests.conftest import Cli

FIXTURES = Path(__file__).parent.parent / "fixtures"
CASES = fixture_cases(FIXTURES)
RULES = registry.load().rules


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fixture(case: Case) -> None:
    assert_fixture(case)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_documentation(rule: Rule) -> None:
    assert_documented(rule)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_has_a_hazard_and_a_clean_file(rule: Rule) -> None:
    kinds = {case.clean for case in CASES if case.code == rule.code}
    assert kinds == {True, False}


def test_every_folder_belongs_to_a_rule() -> None:
    assert {case.code for case in CASES} <= {rule.code for rule in RULES}


@pytest.mark.usefixtures("fake_world")
class TestHarness:
    """It passes what is right, and fails what is wrong in each way a fixture can be wrong."""

    FIXED = "a = x / (BAD + 1e-8)  # FAK101\n"

    def case(self, cli: Cli, name: str, text: str, code: str = "FAK101") -> Case:
        return Case(code, cli.write(f"{code}/{name}", text))

    def test_passes_a_right_hazard(self, cli: Cli) -> None:
        cli.write("FAK101/hazard.fixed.py", self.FIXED)
        assert_fixture(self.case(cli, "hazard.py", "a = x / BAD  # FAK101\n"))

    def test_passes_a_rule_without_fix_and_one_that_is_off(self, cli: Cli) -> None:
        text = "a = x / MILD / MILD  # FAK103,FAK103\n"
        assert_fixture(self.case(cli, "hazard_2.py", text, "FAK103"))
        assert_fixture(self.case(cli, "hazard.py", "a = x / QUIET  # FAK201\n", "FAK201"))
        assert_fixture(self.case(cli, "clean.py", "a = 1  # not FAK101, at all\n"))

    @pytest.mark.parametrize(
        ("name", "text", "fixed", "complaint"),
        [
            ("hazard.py", "a = x / BAD\n", FIXED, "needs a marker"),
            ("clean.py", "a = x / BAD\n", None, "unexpected FAK101 on line 1"),
            ("clean.py", "a = 1  # FAK101\n", None, "a clean file has no markers"),
            ("hazard.py", "a = 1  # FAK101\n", FIXED, "missing    FAK101 on line 1"),
            ("hazard.py", "a = x / BAD\nb = 1  # FAK101\n", FIXED, "unexpected FAK101 on line 1"),
            (
                "hazard.py",
                "a = x / BAD / BAD / BAD  # FAK101\n",
                FIXED,
                "unexpected 2 x FAK101 on line 1",
            ),
            ("hazard.py", "a = x / BAD  # FAK101, FAK102\n", FIXED, "missing    FAK102 on line 1"),
            ("hazard.py", "a = x / BAD  # FAK101\n", None, "hazard.fixed.py is missing"),
            ("hazard.py", "a = x / BAD  # FAK101\n", FIXED + "\n", "does not give what this file"),
            ("hazard.py", "a = (  # FAK101\n", FIXED, "syntax error"),
        ],
    )
    def test_fails_a_wrong_file(
        self, cli: Cli, name: str, text: str, fixed: str | None, complaint: str
    ) -> None:
        if fixed is not None:
            cli.write("FAK101/hazard.fixed.py", fixed)
        with pytest.raises(AssertionError, match=complaint):
            assert_fixture(self.case(cli, name, text))

    @pytest.mark.parametrize(
        ("code", "word", "complaint"),
        [
            ("FAK301", "BREAK", "abandoned: it breaks the syntax"),
            ("FAK302", "IDLE", "abandoned: it does not silence"),
        ],
    )
    def test_fails_a_bad_fix(self, cli: Cli, code: str, word: str, complaint: str) -> None:
        cli.write(f"{code}/hazard.fixed.py", f"a = x / {word}  # {code}\n")
        with pytest.raises(AssertionError, match=complaint):
            assert_fixture(self.case(cli, "hazard.py", f"a = x / {word}  # {code}\n", code))

    def test_finds_the_cases_of_a_folder(self, cli: Cli) -> None:
        for name in ("clean.py", "hazard.py", "hazard.fixed.py", "hazard_loop.py"):
            cli.write(f"FAK101/{name}", "")
        cli.write("demo/whatever.py", "")
        assert [str(case) for case in fixture_cases(cli.folder)] == [
            "FAK101/clean",
            "FAK101/hazard",
            "FAK101/hazard_loop",
        ]

    def test_writes_the_fixed_files_that_are_missing_and_no_others(self, cli: Cli) -> None:
        crlf = cli.write("FAK101/hazard_crlf.py", b"a = x / BAD  # FAK101\r\n")
        kept = cli.write("FAK101/hazard.fixed.py", "mine\n")
        for name in ("FAK101/hazard.py", "FAK101/clean.py", "FAK103/hazard.py"):
            cli.write(name, "a = x / BAD\n")
        written = write_missing(cli.folder)
        assert written == [crlf.with_name("hazard_crlf.fixed.py")]
        assert written[0].read_bytes() == b"a = x / (BAD + 1e-8)  # FAK101\r\n"
        assert kept.read_text() == "mine\n"
        assert_fixture(Case("FAK101", crlf))

    @pytest.mark.parametrize("name", ["hazzard.py", "hazard.fixed.py"])
    def test_refuses_a_file_that_would_never_be_run(self, cli: Cli, name: str) -> None:
        cli.write(f"FAK101/{name}", "")
        with pytest.raises(ValueError, match=name):
            fixture_cases(cli.folder)


SOUND = """A summary.

    ## What it does
    It.

    ## Why is this bad
    Because.

    ## Example
    ```python
    a = x / BAD
    ```

    ## Use instead
    ```python
    a = x
    ```

    ## Fix
    Yes.

    ## Fix safety
    Safe.

    ## References
    None.
    """


class Explained(fake.Bad):
    def check(self, site: object) -> Iterator[Diagnosis]:
        yield from ()


@pytest.mark.usefixtures("fake_world")
class TestDocumentation:
    def test_passes_what_is_complete(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Explained, "__doc__", SOUND)
        assert_documented(Explained())

    @pytest.mark.parametrize(
        ("old", "new", "complaint"),
        [
            ("## Fix safety", "## Fix risks", "headings are"),
            ("Because.", "", "nothing is written under"),
            ("x / BAD", "x / 2", "under Example is not flagged"),
            ("a = x\n", "a = x / MILD\n", "under Use instead is flagged"),
            ("a = x / BAD", "a = (", "syntax error"),
            ("```python\n    a = x\n", "```text\n    a = x\n", "no ```python example under Use"),
        ],
    )
    def test_fails_what_is_not(
        self, monkeypatch: pytest.MonkeyPatch, old: str, new: str, complaint: str
    ) -> None:
        assert old in SOUND
        monkeypatch.setattr(Explained, "__doc__", SOUND.replace(old, new))
        with pytest.raises(AssertionError, match=complaint):
            assert_documented(Explained())
