from __future__ import annotations

import ast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epslint import api
from epslint.config import Config

pytestmark = pytest.mark.usefixtures("fake_world")


def codes(text: str, **settings: object) -> list[str]:
    table = {key.replace("_", "-"): value for key, value in settings.items()}
    config = Config().overlaid(table, "test")
    report = api.check_source(text, config=config)
    assert not report.failures
    return [finding.code for finding in report.findings]


@pytest.mark.parametrize(
    "comment",
    [
        "# epslint: ignore",
        "# epslint:ignore",
        "#epslint: ignore[FAK101]",
        "# epslint: ignore[bad-division]",
        "# epslint: ignore[ FAK101 ] the mask is never empty",
        "# epslint: IGNORE[FAK101]",
        "# noqa: FAK101",
        "# NOQA:FAK101",
        "# noqa: F401, FAK101",
        "# noqa: F401 FAK101",
        "# noqa",
        "# noqa because",
        "# type: ignore # epslint: ignore[FAK101]",
        "# epslint: ignore[FAK101] # type: ignore",
        "# epslint: ignore-file[FAK101]",
        "# epslint: ignore-file",
    ],
)
def test_comments_that_silence(comment: str) -> None:
    assert codes(f"a = x / BAD  {comment}\n") == []


@pytest.mark.parametrize(
    ("comment", "also"),
    [
        ("# epslint: ignore[FAK102]", ["EPS001"]),
        ("# noqa: F401", []),
        ("# noqa: E501 too long", []),
        ("# noqable", []),
        ("# epslint is good", []),
        ("# see epslint: ignore", []),
        ("# epslint: ignore[FAK999]", ["EPS002"]),
        ("# noqa: FAK999", ["EPS002"]),
        ("# epslint: ignore[FAK101", ["EPS002"]),
        ("# epslint: ignore[]", ["EPS002"]),
        ("# epslint: ignored", ["EPS002"]),
        ("# epslint: ignore: FAK101", ["EPS002"]),
        ("# epslint: ignore-files", ["EPS002"]),
    ],
)
def test_comments_that_do_not(comment: str, also: list[str]) -> None:
    assert codes(f"a = x / BAD  {comment}\n") == ["FAK101", *also]


def test_a_comment_inside_a_string_is_no_comment() -> None:
    assert codes('a = f("# epslint: ignore") + x / BAD\n') == ["FAK101"]
    assert codes('"""\n# epslint: ignore-file\n"""\na = x / BAD\n') == ["FAK101"]


def test_old_macintosh_lines_are_lines() -> None:
    assert codes("a = 1\rb = x / BAD  # epslint: ignore[FAK101]\rc = x / BAD\r") == ["FAK101"]


STATEMENT = """\
a = f({0}
    x,{1}
    y / BAD,{2}
    z,{3}
){4}
b = 1
"""


@pytest.mark.parametrize(("line", "silent"), [*enumerate([True, False, True, False, True])])
def test_the_lines_of_a_statement_that_count(line: int, silent: bool) -> None:
    comments = ["  # epslint: ignore[FAK101]" if i == line else "" for i in range(5)]
    found = codes(STATEMENT.format(*comments))
    assert found == ([] if silent else sorted(["EPS001", "FAK101"], reverse=line > 2))


def test_a_comment_speaks_for_its_statement_only() -> None:
    assert codes("# epslint: ignore[FAK101]\na = x / BAD\n") == ["EPS001", "FAK101"]
    assert codes("a = x / BAD\n# epslint: ignore[FAK101]\n") == ["FAK101", "EPS001"]
    assert codes("if x:  # epslint: ignore[FAK101]\n    a = x / BAD\n") == ["EPS001", "FAK101"]


class TestUnused:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("a = 1  # epslint: ignore[FAK101]\n", "a = 1\n"),
            ("a = 1\t# epslint: ignore\r\n", "a = 1\r\n"),
            ("a = 1  # epslint: ignore[FAK101] a reason\n", "a = 1\n"),
            ("a = 1  # noqa: FAK101\n", "a = 1\n"),
            ("a = 1  # noqa: F401, FAK101\n", "a = 1  # noqa: F401\n"),
            ("a = 1  # noqa: FAK101 , F401\n", "a = 1  # noqa: F401\n"),
            ("a = 1  # noqa: A001,FAK101,B001 why\n", "a = 1  # noqa: A001,B001 why\n"),
            (
                "a = x / BAD  # epslint: ignore[FAK102,  FAK101,FAK103]\n",
                "a = x / BAD  # epslint: ignore[FAK101]\n",
            ),
            ("a = 1  # type: ignore # epslint: ignore[FAK101]\n", "a = 1  # type: ignore\n"),
            ("a = 1  # epslint: ignore[FAK101]  # type: ignore\n", "a = 1  # type: ignore\n"),
            ("    # epslint: ignore-file[FAK101]\r\na = 1\r\n", "a = 1\r\n"),
            ("a = 1\n# epslint: ignore-file", "a = 1\n"),
        ],
    )
    def test_what_is_unused_is_removed_and_nothing_else(self, before: str, after: str) -> None:
        repair = api.fix_source(before)
        assert repair.after.text == after
        assert [finding.code for finding in repair.applied] == ["EPS001"]

    @pytest.mark.parametrize(
        "comment", ["# noqa", "# noqa: F401", "# noqa: E501,W291", "# epslint: ignore[EPS001]"]
    )
    def test_what_is_not_ours_to_judge(self, comment: str) -> None:
        assert codes(f"a = 1  {comment}\n") == []

    def test_a_rule_that_is_off_leaves_its_comments_alone(self) -> None:
        assert codes("a = x / QUIET  # epslint: ignore[FAK201]\n") == []
        assert codes("a = 1  # epslint: ignore[FAK101]\n", ignore=["FAK101"]) == []
        per_file = {"<string>": ["FAK101"]}
        assert codes("a = 1  # epslint: ignore[FAK101]\n", per_file_ignores=per_file) == []

    def test_a_blanket_ignore_may_be_for_the_rules_that_are_off(self) -> None:
        assert codes("a = 1  # epslint: ignore\n", select=["FAK101", "EPS001"]) == []
        assert codes("a = 1  # epslint: ignore\n") == ["EPS001"]

    def test_a_filter_does_not_make_a_comment_unused(self) -> None:
        text = "a = x / NAMED  # epslint: ignore[FAK203]\nb = x / MILD  # epslint: ignore[FAK103]\n"
        assert codes(text, confidence="proven", min_severity="error") == []

    def test_a_blanket_ignore_cannot_hide_that_it_is_unused(self) -> None:
        assert codes("a = 1  # epslint: ignore\n") == ["EPS001"]
        assert codes("# epslint: ignore-file[EPS001]\na = 1  # epslint: ignore[FAK101]\n") == []


COMMENTS = [
    "# epslint: ignore",
    "# epslint: ignore[FAK101]",
    "# epslint: ignore[FAK102,FAK101 , bad-division]",
    "# epslint: ignore-file[FAK103]",
    "# epslint: ignore[FAK999, FAK102]",
    "# noqa",
    "# noqa: F401,FAK101,E501",
    "# type: ignore",
    "# plain words, 你好",
]
LINES = ["a = 1", "b = x / BAD", "if a:", "    c = x / BAD", "", "f(", "    y / MILD,", ")"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.sets(st.sampled_from(COMMENTS), max_size=3), min_size=8, max_size=8))
def test_removing_what_is_unused_changes_comments_only(comments: list[set[str]]) -> None:
    lines = [
        "  ".join([line, *sorted(added)]).rstrip()
        for line, added in zip(LINES, comments, strict=True)
    ]
    text = "\r\n".join(lines) + "\r\n"
    config = Config().overlaid({"fixable": ["EPS001"]})
    repair = api.fix_source(text, config=config)
    assert not repair.report.failures
    assert ast.dump(ast.parse(repair.after.text)) == ast.dump(ast.parse(text))
    assert "EPS001" not in [finding.code for finding in repair.report.findings]
    site_codes = [f.code for f in api.check_source(text).findings if f.code.startswith("FAK")]
    assert [f.code for f in repair.report.findings if f.code.startswith("FAK")] == site_codes
