from __future__ import annotations

import json
import time

import pytest

from epslint import report
from epslint.report._text import width
from tests.conftest import Cli


def test_formats_are_found_by_looking() -> None:
    assert {"full", "concise", "json", "grouped"} <= set(report.names())
    assert all(hasattr(report.load(name), "render") for name in report.names())


class TestFull:
    def test_a_finding(self, cli: Cli) -> None:
        cli.write("a.py", "n = 1\na = x / BAD\nb = 2\nc = 3\n")
        assert cli("a.py").stdout == (
            "a.py:2:9: FAK101 [*] `BAD` can be 0 [proven]\n"
            "  |\n"
            "1 | n = 1\n"
            "2 | a = x / BAD\n"
            "  |         ^^^\n"
            "3 | b = 2\n"
            "  |\n"
            "  = why: line 1: BAD is a fake\n"
            "  = help: Add 1e-8 (bounded fix, --fix)\n"
            "  - a = x / BAD\n"
            "  + a = x / (BAD + 1e-8)\n"
            "  = more: epslint rule FAK101\n"
            "\n"
            "Found 1 finding in 1 file. 1 fixable with --fix.\n"
        )

    def test_one_cause_is_told_once(self, cli: Cli) -> None:
        cli.write("a.py", "a = x / BAD\nb = y / WORSE\nc = y / BAD\nd = z / BAD\n")
        text = cli("a.py").stdout
        told = [line for line in text.splitlines() if "can be 0" in line]
        assert [line.partition(":")[2].partition(": ")[0] for line in told] == ["1:9", "2:9"]
        assert "  = also: the same at 3:9, 4:9\n  = more: epslint rule FAK101\n" in text
        assert text.endswith(
            "Found 4 findings in 1 file. 3 fixable with --fix, 1 more with --unsafe-fixes.\n"
        )

    def test_the_same_words_in_two_files_are_two_causes(self, cli: Cli) -> None:
        cli.write("a.py", "a = x / BAD\n")
        cli.write("b.py", "a = x / BAD\n")
        text = cli(".").stdout
        assert text.count("`BAD` can be 0") == 2
        assert "also" not in text

    @pytest.mark.parametrize(
        ("line", "left"),
        [
            ("a = x / BAD", 8),
            ("if x:\ta = x / BAD", 16),
            ('a = "你好" + x / BAD', 17),
            ('a = "e\u0301" + x / BAD', 14),
            ('a = "\u200b" + x / BAD', 13),
        ],
    )
    def test_the_caret_stands_under_the_operand(self, cli: Cli, line: str, left: int) -> None:
        cli.write("a.py", f"{line}\n")
        lines = cli("a.py").stdout.splitlines()
        (caret,) = [text for text in lines if text.endswith("^^^")]
        assert caret == "  | " + " " * left + "^^^"

    @pytest.mark.parametrize("head", ["", "    ", "你" * 7])
    def test_of_a_very_long_line_the_operand_is_shown(self, cli: Cli, head: str) -> None:
        items = ", ".join(["1"] * 20_000)
        cli.write("a.py", f"if x:\n    b = [{items}, '{head}', x / BAD, {items}]\n")
        lines = cli("a.py").stdout.splitlines()
        assert max(len(line) for line in lines) < 220
        (index,) = [number for number, line in enumerate(lines) if line.endswith("^^^")]
        shown, carets = lines[index - 1 : index + 1]
        assert width(shown[: shown.index("BAD")]) == carets.index("^")
        assert any(line.startswith("  + …") and "(BAD + 1e-8)" in line for line in lines)

    def test_a_line_that_fits_is_shown_whole(self, cli: Cli) -> None:
        line = f"a = {'x + ' * 40}x / BAD"
        assert 160 < len(line) < 200
        cli.write("a.py", f"{line}\n")
        assert f"1 | {line}\n" in cli("a.py").stdout

    def test_a_long_line_takes_no_time(self, cli: Cli) -> None:
        cli.write("a.py", "b = [" + ", ".join(f"{i} + x" for i in range(5_000)) + ", x / BAD]\n")
        started = time.process_time()
        cli("a.py")
        assert time.process_time() - started < 5  # ndiff would take minutes

    def test_windows_lines_and_the_last_line(self, cli: Cli) -> None:
        cli.write("a.py", "a = x / BAD\r\nb = x / WORSE")
        text = cli("a.py").stdout
        assert "\r" not in text
        assert "1 | a = x / BAD\n  |         ^^^\n2 | b = x / WORSE\n" in text
        assert "2 | b = x / WORSE\n  |         ^^^^^\n  |\n" in text

    def test_control_characters_do_not_reach_the_terminal(self, cli: Cli) -> None:
        cli.write("a.py", "a = '\x1b[2J'; b = x / BAD\n")
        lines = cli("--color", "always", "a.py").stdout.splitlines()
        assert not any("\x1b[2J" in line for line in lines)

    def test_line_numbers_line_up(self, cli: Cli) -> None:
        cli.write("a.py", "\n" * 8 + "a = x / MILD\n\n")
        assert "\n 8 |\n 9 | a = x / MILD\n   |         ^^^^\n10 |\n" in cli("a.py").stdout


def test_concise_and_grouped(cli: Cli) -> None:
    cli.write("a.py", "a = x / BAD / WORSE\n")
    cli.write("b.py", "a = x / MILD\n")
    assert cli("-q", "--output-format", "concise", ".").stdout == (
        "a.py:1:9: FAK101 [*] `BAD` can be 0 [proven]\n"
        "a.py:1:15: FAK102 [unsafe] `WORSE` can be 0 [proven]\n"
        "b.py:1:9: FAK103 `MILD` can be 0 [proven, advice]\n"
    )
    assert cli("-q", "--output-format", "grouped", ".").stdout == (
        "a.py:\n"
        "  1:9      FAK101 [*] `BAD` can be 0 [proven]\n"
        "  1:15     FAK102 [unsafe] `WORSE` can be 0 [proven]\n"
        "\n"
        "b.py:\n"
        "  1:9      FAK103 `MILD` can be 0 [proven, advice]\n"
    )


class TestJson:
    def test_keys_and_places(self, cli: Cli) -> None:
        path = cli.write("a.py", "\na = x / WORSE\n")
        (finding,) = json.loads(cli("--output-format", "json", "a.py").stdout)
        assert finding == {
            "code": "FAK102",
            "name": "worse-division",
            "message": "`WORSE` can be 0",
            "filename": str(path),
            "location": {"row": 2, "column": 9},
            "end_location": {"row": 2, "column": 14},
            "url": None,
            "fix": {
                "applicability": "unsafe",
                "message": "Divide by 1",
                "edits": [
                    {
                        "content": "1.0",
                        "location": {"row": 2, "column": 9},
                        "end_location": {"row": 2, "column": 14},
                    }
                ],
            },
            "severity": "error",
            "confidence": "proven",
            "why": [{"row": 1, "text": "WORSE is a fake"}],
        }

    def test_stands_alone_on_stdout_whatever_happens(self, cli: Cli) -> None:
        cli.write("a.py", "a = x / NAMED\n")
        cli.write("b.py", "a = (\n")
        result = cli("--output-format", "json", "--show-fixes", ".", "gone")
        assert [finding["fix"] for finding in json.loads(result.stdout)] == [None]
        assert result.exit_code == 2

    def test_standard_input_keeps_its_name(self, cli: Cli) -> None:
        (finding,) = json.loads(cli("--output-format", "json", "-", stdin="a = x / BAD\n").stdout)
        assert finding["filename"] == "<stdin>"
