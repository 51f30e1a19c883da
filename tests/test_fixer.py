from __future__ import annotations

import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epslint import api
from epslint.config import Config
from epslint.edits import apply_edits
from epslint.rule import Edit
from epslint.source import Span
from tests.conftest import Cli

pytestmark = pytest.mark.usefixtures("fake_world")


def fixed(text: str, *, unsafe: bool = False, **settings: object) -> str:
    table = {key.replace("_", "-"): value for key, value in settings.items()}
    config = Config().overlaid(table, "test")
    return api.fix_source(text, config=config, unsafe=unsafe).after.text


def test_a_safe_fix_is_applied_and_every_other_character_stays() -> None:
    before = "y = (  x\t/  # why\n      BAD ) ; z = 'é / BAD'   \n"
    after = "y = (  x\t/  # why\n      BAD ) ; z = 'é / (BAD + 1e-8)'   \n"
    assert fixed(before) == after  # the fake analysis looks into strings; comments stop it


def test_carriage_returns_and_missing_last_newline_survive() -> None:
    assert fixed("a = x / BAD\r\nb = 1\r\nc = x / BAD") == (
        "a = x / (BAD + 1e-8)\r\nb = 1\r\nc = x / (BAD + 1e-8)"
    )


def test_fixing_twice_is_fixing_once() -> None:
    once = fixed("a = x / BAD / BAD\nb = x / BAD\n")
    assert once == "a = x / (BAD + 1e-8) / (BAD + 1e-8)\nb = x / (BAD + 1e-8)\n"
    assert fixed(once) == once


def test_unsafe_fixes_are_applied_only_on_request() -> None:
    text = "a = x / WORSE\n"
    assert fixed(text) == text
    assert fixed(text, unsafe=True) == "a = x / 1.0\n"


def test_settings_move_a_fix_between_safe_and_unsafe() -> None:
    assert fixed("a = x / WORSE\n", extend_safe_fixes=["FAK102"]) == "a = x / 1.0\n"
    assert fixed("a = x / BAD\n", extend_unsafe_fixes=["FAK1"]) == "a = x / BAD\n"
    assert fixed("a = x / BAD\n", extend_unsafe_fixes=["FAK1"], unsafe=True) != "a = x / BAD\n"


@pytest.mark.parametrize("settings", [{"unfixable": ["FAK101"]}, {"fixable": ["worse-division"]}])
def test_what_is_not_fixable_is_reported_without_a_fix(settings: dict[str, object]) -> None:
    config = Config().overlaid(settings, "test")
    repair = api.fix_source("a = x / BAD\n", config=config)
    assert not repair.changed
    assert [finding.fix for finding in repair.report.findings] == [None]


def test_a_suppressed_finding_is_not_fixed() -> None:
    text = "a = x / BAD  # epslint: ignore[FAK101]\n"
    assert fixed(text) == text


@pytest.mark.parametrize(
    ("word", "code", "reason"),
    [
        ("BREAK", "FAK301", "breaks the syntax"),
        ("IDLE", "FAK302", "does not silence the finding"),
        ("TANGLE", "FAK305", "has edits that overlap"),
    ],
)
def test_a_fix_that_does_not_do_its_job_is_abandoned(word: str, code: str, reason: str) -> None:
    repair = api.fix_source(f"a = x / BAD\nb = x / {word}\nc = x / BAD\n")
    assert repair.after.text == f"a = x / (BAD + 1e-8)\nb = x / {word}\nc = x / (BAD + 1e-8)\n"
    (failure,) = repair.report.failures
    assert (failure.row, code in failure.message, reason in failure.message) == (2, True, True)
    assert [finding.code for finding in repair.report.findings] == [code]


def test_fixes_without_end_leave_the_file_alone() -> None:
    repair = api.fix_source("a = x / PING\nb = x / BAD\n")
    assert not repair.changed
    assert not repair.applied
    assert "do not settle" in repair.report.failures[0].message


def test_fixes_that_are_good_alone_and_not_together_are_applied_as_far_as_they_go() -> None:
    repair = api.fix_source("a = x / JEALOUS\nb = x / JEALOUS\n")
    assert repair.after.text == "a = x / ALONE\nb = x / JEALOUS\n"
    (failure,) = repair.report.failures
    assert "cannot be checked afterwards (holds more than one ALONE)" in failure.message


def test_one_bad_fix_does_not_hold_up_many_good_ones() -> None:
    text = "a = x / BAD\n" * 150 + "b = x / BREAK\n" + "c = x / IDLE\n"
    repair = api.fix_source(text)
    assert repair.after.text == text.replace("BAD", "(BAD + 1e-8)")
    assert [failure.row for failure in repair.report.failures] == [151, 152]


def test_what_was_applied_is_told() -> None:
    repair = api.fix_source("a = x / BAD\nb = x / BAD\nc = x / MILD\n")
    assert [finding.code for finding in repair.applied] == ["FAK101", "FAK101"]
    assert [finding.code for finding in repair.report.findings] == ["FAK103"]


@given(st.text(max_size=40), st.data())
def test_edits_leave_everything_else_as_it_was(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    spans = [Span(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    edits = [Edit(span, "<>") for span in reversed(spans)]
    kept, position = [], 0
    for span in spans:
        kept.append(text[position : span.start])
        position = span.end
    assert apply_edits(text, edits) == "<>".join([*kept, text[position:]])


class TestWriting:
    def test_encoding_and_byte_order_mark_survive(self, cli: Cli) -> None:
        latin = cli.write("latin.py", "# coding: latin-1\n# é\na = x / BAD\n".encode("latin-1"))
        marked = cli.write("marked.py", b"\xef\xbb\xbf# \xc3\xa9\r\na = x / BAD\r\n")
        assert cli("--fix", ".").exit_code == 0
        assert latin.read_bytes() == b"# coding: latin-1\n# \xe9\na = x / (BAD + 1e-8)\n"
        assert marked.read_bytes() == b"\xef\xbb\xbf# \xc3\xa9\r\na = x / (BAD + 1e-8)\r\n"

    def test_mode_survives_and_nothing_is_left_behind(self, cli: Cli) -> None:
        path = cli.write("tool.py", "a = x / BAD\n")
        path.chmod(0o751)
        cli("--fix", "--no-cache", ".")
        assert stat.S_IMODE(path.stat().st_mode) == 0o751
        assert os.listdir(cli.folder) == ["tool.py"]

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
    def test_the_owner_stays_the_owner(self, cli: Cli) -> None:
        path = cli.write("tool.py", "a = x / BAD\n")
        os.chown(path, 1234, 5678)
        cli("--fix", ".")
        assert (path.stat().st_uid, path.stat().st_gid) == (1234, 5678)

    def test_a_link_stays_a_link(self, cli: Cli) -> None:
        target = cli.write("real/target.py", "a = x / BAD\n")
        link = cli.folder / "link.py"
        link.symlink_to(target)
        cli("--fix", "link.py")
        assert link.is_symlink()
        assert target.read_text() == "a = x / (BAD + 1e-8)\n"

    def test_a_file_with_nothing_to_fix_is_not_touched(self, cli: Cli) -> None:
        path = cli.write("fine.py", "a = x / MILD\n")
        os.utime(path, ns=(1, 1))
        cli("--fix", ".")
        assert path.stat().st_mtime_ns == 1

    def test_a_failed_write_leaves_the_old_file_and_is_reported(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = cli.write("a.py", "a = x / BAD\n")

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", full)
        result = cli("--fix", ".")
        assert result.exit_code == 2
        assert "a.py: cannot be read or written: No space left on device" in result.stderr
        assert path.read_text() == "a = x / BAD\n"
        assert os.listdir(cli.folder) == ["a.py"]
