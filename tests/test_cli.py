from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

import epslint
import epslint.analysis
from epslint import options, printing, session
from epslint.cli import check, main
from epslint.config import SETTINGS
from epslint.settings import Settings
from epslint.source import Source
from tests.conftest import Cli

HAZARD = "a = x / BAD\nb = x / WORSE\nc = x / MILD\n"
FIXED = "a = x / (BAD + 1e-8)\nb = x / WORSE\nc = x / MILD\n"


class TestExitCodes:
    @pytest.mark.parametrize(
        ("text", "args", "code"),
        [
            ("a = 1\n", [], 0),
            ("", [], 0),
            ("a = x / BAD\n", [], 1),
            ("a = x / MILD\n", [], 0),
            ("a = x / MILD\n", ["--min-severity", "advice"], 1),
            ("a = x / BAD\n", ["--min-severity", "error"], 0),
            ("a = x / BAD\n", ["--exit-zero"], 0),
            ("a = (\n", [], 2),
            ("a = (\n", ["--exit-zero"], 2),
            ("a = x / CRASH / BAD\n", ["--exit-zero"], 2),
            ("a = x / BAD\n", ["--fix"], 0),
            ("a = x / BAD\n", ["--fix", "--exit-non-zero-on-fix"], 1),
            ("a = 1\n", ["--fix", "--exit-non-zero-on-fix"], 0),
            ("a = x / WORSE\n", ["--fix"], 1),
            ("a = x / WORSE\n", ["--fix", "--unsafe-fixes"], 0),
            ("a = x / WORSE\n", ["--fix-only"], 0),
            ("a = x / BAD\n", ["--fix-only", "--exit-non-zero-on-fix"], 1),
            ("a = x / BREAK\n", ["--fix"], 2),
            ("a = x / BAD\n", ["--diff"], 1),
            ("a = x / WORSE\n", ["--diff"], 0),
            ("a = x / WORSE\n", ["--diff", "--unsafe-fixes"], 1),
        ],
    )
    def test_of_a_file(self, cli: Cli, text: str, args: list[str], code: int) -> None:
        cli.write("a.py", text)
        assert cli("check", *args, "a.py").exit_code == code

    def test_of_wrong_usage(self, cli: Cli) -> None:
        assert cli("check", "--no-such-option").exit_code == 2
        assert cli("check", "--output-format", "xml").exit_code == 2
        assert cli("rule").exit_code == 2
        assert cli("rule", "EPS999").exit_code == 2
        assert cli("check", "no/such/path").exit_code == 2
        assert cli("check", "--per-file-ignores", "nonsense", ".").exit_code == 2
        assert cli("check", "-", "a.py").exit_code == 2

    def test_of_an_empty_file_list(self, cli: Cli) -> None:
        result = cli("check", ".")
        assert result.exit_code == 0
        assert result.stderr == "warning: no Python files found under .\n"
        assert result.stdout == ""  # what was not looked at has not passed


@pytest.mark.parametrize("args", [["a.py"], ["check", "a.py"], ["check"], [], ["."]])
def test_check_may_be_left_out_and_so_may_the_path(cli: Cli, args: list[str]) -> None:
    cli.write("a.py", HAZARD)
    result = cli(*args)
    assert result.exit_code == 1
    assert "a.py:1:9: FAK101 [*] `BAD` can be 0 [proven]" in result.stdout


def test_every_option_stands_once_in_the_help_under_a_heading(cli: Cli) -> None:
    shown = cli("check", "--help").stdout
    names = [name for param in check.params for name in param.opts if name.startswith("--")]
    assert len(names) > 35
    for name in names:
        assert len(re.findall(rf"^  (?:-\w, )?{name}(?![\w-])", shown, re.MULTILINE)) == 1, name
    headings = re.findall(r"^(\w.*):$", shown, re.MULTILINE)
    assert headings == [*(group.heading for group in options.GROUPS), "Other"]


def test_settings_on_the_command_line_are_settings() -> None:
    assert {option.name.replace("_", "-") for option in options.SETTINGS if option.name} <= set(
        SETTINGS
    )


def test_version(cli: Cli) -> None:
    assert cli("--version").output == f"epslint, version {epslint.__version__}\n"


class TestFixing:
    def test_fix_repairs_and_reports_what_is_left(self, cli: Cli) -> None:
        path = cli.write("a.py", HAZARD)
        result = cli("--fix", "--output-format", "concise", "a.py")
        assert path.read_text() == FIXED
        assert result.stdout == (
            "a.py:2:9: FAK102 [unsafe] `WORSE` can be 0 [proven]\n"
            "a.py:3:9: FAK103 `MILD` can be 0 [proven, advice]\n"
            "Found 3 findings (1 fixed, 2 left). 1 fixable with --fix --unsafe-fixes.\n"
        )

    def test_diff_shows_and_writes_nothing(self, cli: Cli) -> None:
        path = cli.write("a.py", "a = x / BAD\nb = x / BAD")
        result = cli("--diff", "a.py")
        assert path.read_text() == "a = x / BAD\nb = x / BAD"
        assert result.stdout == (
            "--- a.py\n"
            "+++ a.py\n"
            "@@ -1,2 +1,2 @@\n"
            "-a = x / BAD\n"
            "-b = x / BAD\n\\ No newline at end of file\n"
            "+a = x / (BAD + 1e-8)\n"
            "+b = x / (BAD + 1e-8)\n\\ No newline at end of file\n"
        )
        assert result.stderr == "Would fix 2 findings in 1 file.\n"

    def test_fix_only_reports_nothing(self, cli: Cli) -> None:
        path = cli.write("a.py", HAZARD)
        result = cli("--fix-only", "a.py")
        assert (result.output, path.read_text()) == ("", FIXED)

    def test_show_fixes_names_them(self, cli: Cli) -> None:
        cli.write("a.py", HAZARD)
        result = cli("--fix", "--show-fixes", "--output-format", "concise", "a.py")
        assert "Fixed 1 finding in a.py:\n    1 x FAK101 (bad-division)\n" in result.stdout

    def test_an_abandoned_fix_is_an_error_that_names_code_and_line(self, cli: Cli) -> None:
        cli.write("a.py", "a = 1\nb = x / BREAK\n")
        result = cli("--fix", "a.py")
        assert result.stderr == (
            "error: a.py:2: the fix of FAK301 was abandoned: it breaks the syntax\n"
        )

    def test_a_file_that_cannot_be_checked_does_not_stop_the_others(self, cli: Cli) -> None:
        good = cli.write("good.py", "a = x / BAD\n")
        bad = cli.write("bad.py", "a = x / BAD\nb = (\n")
        result = cli("--fix", ".")
        assert result.exit_code == 2
        assert good.read_text() == "a = x / (BAD + 1e-8)\n"
        assert bad.read_text() == "a = x / BAD\nb = (\n"


class TestStdin:
    def test_is_checked_under_the_name_it_is_given(self, cli: Cli) -> None:
        cli.write("sub/epslint.toml", "ignore = ['FAK101']\n")
        named = cli("check", "--stdin-filename", "sub/x.py", "-", stdin="a = x / WORSE / BAD\n")
        assert "sub/x.py:1:9: FAK102" in named.stdout
        assert "FAK101" not in named.stdout
        assert "<stdin>:1:9: FAK101" in cli("-", stdin="a = x / BAD\n").stdout

    def test_is_fixed_onto_stdout(self, cli: Cli) -> None:
        text = "# é\r\na = x / BAD\r\nb = x / MILD\r\n".encode()
        result = cli("--fix", "--output-format", "concise", "-", stdin=text)
        assert result.stdout_bytes == "# é\r\na = x / (BAD + 1e-8)\r\nb = x / MILD\r\n".encode()
        assert "FAK103" in result.stderr

    def test_is_echoed_when_nothing_is_to_fix(self, cli: Cli) -> None:
        assert cli("--fix", "-", stdin="a = 1\n").stdout == "a = 1\n"

    def test_shows_a_diff(self, cli: Cli) -> None:
        result = cli("--diff", "--stdin-filename", "x.py", "-", stdin="a = x / BAD\n")
        assert "--- x.py" in result.stdout
        assert result.exit_code == 1

    def test_is_passed_through_when_its_name_is_excluded_by_force(self, cli: Cli) -> None:
        args = ["--force-exclude", "--stdin-filename", "build/x.py", "-"]
        assert cli("--fix", *args, stdin="a = x / BAD\n").stdout == "a = x / BAD\n"
        assert cli("check", *args, stdin="a = x / BAD\n").exit_code == 0
        assert cli("check", *args[1:], stdin="a = x / BAD\n").exit_code == 1

    def test_that_cannot_be_read_is_an_error(self, cli: Cli) -> None:
        result = cli("--fix", "-", stdin=b"a = '\xff'\n")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "<stdin>: " in result.stderr


class TestOutput:
    def test_goes_to_a_file(self, cli: Cli) -> None:
        cli.write("a.py", HAZARD)
        result = cli("--color", "always", "-o", "out.txt", "--output-format", "concise", "a.py")
        assert (result.stdout, result.exit_code) == ("", 1)
        written = (cli.folder / "out.txt").read_text()
        assert written.startswith("a.py:1:9: FAK101 [*] `BAD` can be 0 [proven]\n")

    def test_statistics(self, cli: Cli) -> None:
        cli.write("a.py", HAZARD + "d = x / BAD\n")
        assert cli("--statistics", "a.py").stdout == (
            "2  FAK101  [*] bad-division\n"
            "1  FAK102  [ ] worse-division\n"
            "1  FAK103  [ ] mild-division\n"
            "Found 4 findings in 1 file, 1 of them advice. "
            "2 fixable with --fix, 1 more with --unsafe-fixes.\n"
        )

    @pytest.mark.parametrize(
        ("args", "terminal", "no_color", "coloured"),
        [
            ([], True, "", True),
            ([], False, "", False),
            ([], True, "1", False),
            (["--color", "always"], False, "1", True),
            (["--color", "never"], True, "", False),
        ],
    )
    def test_colour(
        self,
        cli: Cli,
        monkeypatch: pytest.MonkeyPatch,
        args: list[str],
        terminal: bool,
        no_color: str,
        coloured: bool,
    ) -> None:
        monkeypatch.setenv("NO_COLOR", no_color)
        cli.write("a.py", HAZARD)
        result = CliRunner().invoke(main, ["check", *args, "a.py"], color=terminal)
        assert ("\x1b[" in result.stdout) is coloured

    def test_a_dumb_terminal_has_no_colours(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TERM", "dumb")
        cli.write("a.py", HAZARD)
        assert "\x1b[" not in CliRunner().invoke(main, ["a.py"], color=True).stdout

    def test_explanations_are_coloured_by_the_same_rule(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert "\x1b[" in CliRunner().invoke(main, ["rule", "EPS001"], color=True).stdout
        monkeypatch.setenv("NO_COLOR", "1")
        assert "\x1b[" not in CliRunner().invoke(main, ["rule", "EPS001"], color=True).stdout

    def test_quiet_and_clean_says_nothing(self, cli: Cli) -> None:
        cli.write("a.py", "a = 1\n")
        assert cli("a.py").output == "All checks passed.\n"
        assert cli("-q", "a.py", "empty").stdout == ""

    def test_a_run_with_errors_never_says_passed(self, cli: Cli) -> None:
        cli.write("a.py", "a = (\n")
        result = cli("a.py")
        assert result.stdout == ""
        assert "a.py: " in result.stderr

    def test_statistics_as_json(self, cli: Cli) -> None:
        cli.write("a.py", "a = x / BAD\n")
        result = cli("--statistics", "--output-format", "json", "a.py")
        assert json.loads(result.stdout) == [
            {"code": "FAK101", "name": "bad-division", "count": 1, "fixable": True}
        ]

    def test_that_cannot_be_written_is_an_error(self, cli: Cli) -> None:
        cli.write("a.py", "a = 1\n")
        result = cli("-o", "x" * 300, "a.py")
        assert result.exit_code == 2
        assert "xxx: the report cannot be written: File name too long" in result.stderr

    @pytest.mark.parametrize("option", ["-o", "--write-baseline"])
    def test_into_a_missing_folder_is_refused_before_anything_is_done(
        self, cli: Cli, option: str
    ) -> None:
        path = cli.write("a.py", HAZARD)
        fixing = ["--fix"] if option == "-o" else []
        result = cli(*fixing, option, "no/such/out.txt", "a.py")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            "error: no/such/out.txt: there is no folder no/such; make it first\n"
        )
        assert path.read_text() == HAZARD

    def test_statistics_have_no_sarif(self, cli: Cli) -> None:
        result = cli("--statistics", "--output-format", "sarif", ".")
        assert result.exit_code == 2
        assert "use one of full, concise, grouped, json" in result.stderr

    def test_show_files(self, cli: Cli) -> None:
        cli.write("a.py", HAZARD)
        cli.write("sub/b.py", "a = (\n")
        result = cli("--show-files", ".")
        assert (result.stdout, result.exit_code) == ("a.py\nsub/b.py\n", 0)
        assert cli("--show-files", "gone").exit_code == 2

    def test_verbose_names_the_files(self, cli: Cli) -> None:
        cli.write("a.py", "a = 1\n")
        assert cli("-v", "a.py").stderr == "checked a.py\n"

    def test_no_cache_is_accepted(self, cli: Cli) -> None:
        cli.write("a.py", "a = 1\n")
        result = cli("check", "--isolated", "--no-cache", "--output-format", "json", ".")
        assert (result.exit_code, json.loads(result.stdout)) == (0, [])


class TestInternalErrors:
    @pytest.fixture(autouse=True)
    def broken(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def crash(*_: object) -> int:
            raise RuntimeError("a bug")

        monkeypatch.setattr(session, "run", crash)

    def test_are_a_message(self, cli: Cli) -> None:
        result = cli("check", ".")
        assert result.exit_code == 2
        assert "internal error: RuntimeError: a bug" in result.stderr
        assert "Traceback" not in result.output

    def test_are_a_traceback_with_verbose(self, cli: Cli) -> None:
        result = cli("check", "-v", ".")
        assert result.exit_code == 2
        assert "Traceback" in result.stderr


def test_an_interrupted_run_does_not_look_like_findings(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "run", interrupt)
    assert cli("check", ".").exit_code == 130


class TestProgress:
    def test_is_told_on_a_terminal_only(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert printing.Progress.on_terminal() is None
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        assert printing.Progress.on_terminal() is not None

    def test_waits_before_it_speaks_and_cleans_up(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        progress = printing.Progress()
        progress(0, 9)
        progress.clear()
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(printing.Progress, "PATIENCE", -1.0)
        progress(3, 9)
        progress.clear()
        assert capsys.readouterr().err == "\r3/9 files\r\x1b[K"


class TestRule:
    @pytest.mark.parametrize("word", ["EPS001", "eps001", "unused-suppression"])
    def test_explains_by_code_or_name(self, cli: Cli, word: str) -> None:
        text = cli("rule", word).stdout
        assert text.startswith("unused-suppression (EPS001)\n\nseverity warning · exact fix")
        assert "Why is this bad\n" in text
        assert "    import torch\n" in text
        assert "```" not in text

    def test_all_as_json(self, cli: Cli) -> None:
        rules = json.loads(cli("rule", "--all", "--output-format", "json").stdout)
        by_code = {rule["code"]: rule for rule in rules}
        assert by_code["FAK102"] == {
            "code": "FAK102",
            "name": "worse-division",
            "summary": "Has an unsafe fix.",
            "severity": "error",
            "fix": "semantic",
            "default": True,
            "preview": False,
            "explanation": "# worse-division (FAK102)\n\n"
            "severity error · semantic fix · on by default\n\nHas an unsafe fix.\n",
        }

    def test_suggests_what_may_have_been_meant(self, cli: Cli) -> None:
        assert "did you mean 'bad-division'?" in cli("rule", "bad-divison").stderr


@dataclass(frozen=True)
class FakeKnown:
    row: int
    subject: str
    description: str


class TestFacts:
    @pytest.fixture(autouse=True)
    def known(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def facts(source: Source) -> Iterator[FakeKnown]:
            yield FakeKnown(2, "mask.sum()", "COUNT, [0, inf)")
            yield FakeKnown(1, "x", "unknown")

        monkeypatch.setattr(epslint.analysis, "facts", facts, raising=False)

    def test_of_a_file_and_of_a_line(self, cli: Cli) -> None:
        cli.write("a.py", "x\nmask.sum()\n")
        assert cli("facts", "a.py").stdout == (
            "    1  x           unknown\n    2  mask.sum()  COUNT, [0, inf)\n"
        )
        assert cli("facts", "a.py:2").stdout == "    2  mask.sum()  COUNT, [0, inf)\n"
        assert cli("facts", "a.py:7").stdout == "Nothing is known here.\n"

    def test_of_a_file_that_cannot_be_read(self, cli: Cli) -> None:
        assert "gone.py: cannot be read" in cli("facts", "gone.py:3").stderr
        cli.write("null.py", b"\0")
        result = cli("facts", "null.py")
        assert (result.exit_code, "null bytes" in result.stderr) == (2, True)


def test_config_shows_what_holds_in_a_shape_that_can_be_read_back(cli: Cli) -> None:
    cli.write(
        "sub/epslint.toml",
        "select = ['FAK1']\nmin-severity = 'advice'\n[epsilon]\nreward = 1e-5\n"
        "[per-file-ignores]\n'tests/*' = ['FAK101']\n",
    )
    shown = cli("config", "--ignore", "FAK102", "sub")
    assert shown.exit_code == 0
    assert 'select = ["FAK101", "FAK103"]' in shown.stdout
    assert "reward = 1e-5" in shown.stdout
    read_back = cli.write("again/epslint.toml", shown.stdout)
    config = Settings().of(read_back.parent)
    assert config.selections[0].select == ("FAK101", "FAK103")
    assert {r.value: e for r, e in config.epsilons}["reward"] == 1e-5
    assert cli("config", "no/such/file.py").exit_code == 0


def test_an_old_encoding_does_not_stop_a_report(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n\n\ndef f(x, mask):\n    return x / mask.sum()\n")
    run = subprocess.run(
        [sys.executable, "-m", "epslint", "a.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert run.returncode == 1
    assert b"EPS101" in run.stdout
