"""Syntax that is newer than the Python we run on is read all the same, in older words.

On a newer Python some of it is not newer any more; what must come out is the same.
"""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
import pytest
from click.testing import CliRunner

import epslint.older
import epslint.scout
import epslint.suppress
import epslint.syntax
from epslint import api, engine, fixer, registry
from epslint.cli import main
from epslint.config import Config
from epslint.older import in_older_words
from epslint.outcome import FileReport
from epslint.outline import ClassOutline, FunctionOutline, Outline
from epslint.rewrite import added_import
from epslint.rule import Confidence, Edit, Finding, Fix, Grade, Severity
from epslint.scout import scout
from epslint.selection import choose
from epslint.sinks import Sinks
from epslint.source import Source, SourceError, Span
from epslint.suppress import find_ignores, tokens
from epslint.syntax import Reading, read, reads

ROOT = Path(__file__).parent.parent
FIXTURES = sorted((ROOT / "fixtures").rglob("*.py"))
OURSELVES = sorted(path for part in ("epslint", "rules") for path in (ROOT / part).rglob("*.py"))

# In every one of them `mask.sum()` is divided by where the marker is, and nowhere else.
CONSTRUCTS = {
    "a generic function": """\
        def f[T: (int, str), *Ts, **P](x: T, mask):
            return x.sum() / mask.sum()  # EPS101
        """,
    "a generic function over many lines": """\
        @torch.no_grad()
        def f[
            T,  # of the batch

            S = int,
        ](
            x: T, mask
        ):
            return x.sum() / mask.sum()  # EPS101
        """,
    "a generic class": """\
        class Loss[T](torch.nn.Module):
            def forward(self, x: T, mask):
                return x.sum() / mask.sum()  # EPS101
        """,
    "a generic class without bases": """\
        class Loss[T]:
            def __init__(self, mask):
                self.mask = mask
                self.count = mask.sum()

            def forward[S](self, x: S):
                return x.sum() / self.count  # EPS101
        """,
    "an alias": """\
        type Pair[T] = tuple[T, T]
        type Rows=(
            Pair[int]
            | None
        )
        def f(x: Pair, mask):
            type Local = int; return x.sum() / mask.sum()  # EPS101
        """,
    "quotes in a formatted string": """\
        def f(x, mask):
            print(f"{x["a"]} of {x['b']!r:>{x["w"]}} {x = }")
            return f"{x["a"] / mask.sum()}"  # EPS101
        """,
    "strings in a row": """\
        def f(x, mask):
            print("a" f"{x["a"]}" 'b'
                  f"{x["#"]}")
            return "mean " f"{x["a"] / mask.sum()}" "."  # EPS101
        """,
    "strings in strings": """\
        def f(x, mask):
            return f"{f"{f"{x / mask.sum()}"}"}"  # EPS101
        """,
    "a backslash in a formatted string": """\
        def f(x, mask):
            return f"{"\\n".join(x)} {x / mask.sum()}"  # EPS101
        """,
    "lines in a formatted string": """\
        def f(x, mask):
            print(f"{
                x["a"]  # in words: {x}
            } and")
            return f\"\"\"
            Mean #{x["a"]}:
            {x / mask.sum()} # EPS101
            on \\
            and on
            \"\"\"
        """,
    "a template": """\
        def f(x, mask):
            return t"{x["a"]} {x / mask.sum()!r:>{x}}"  # EPS101
        """,
    "exceptions without parentheses": """\
        def f(x, mask):
            try:
                return x.sum() / mask.sum()  # EPS101
            except ValueError, TypeError:
                return None
        """,
    "groups of exceptions": """\
        def f(x, mask):
            try:
                return x.sum() / mask.sum()  # EPS101
            except* ValueError, TypeError:
                pass
            except* (KeyError):
                pass
        """,
    "stars in brackets": """\
        def f(x, mask, *rest: *Ts):
            return x[*rest, 0] / mask.sum()  # EPS101
        """,
    "stars in comprehensions": """\
        def f(x, mask):
            print([*row for row in x], {*row for row in x}, {**row for row in x})
            return torch.stack(*(*row for row in x)) / mask.sum()  # EPS101
        """,
    "lazy imports": """\
        lazy import torch.nn.functional as F
        lazy from torch import log as ln
        def f(x, mask):
            return x.sum() / mask.sum()  # EPS101
        """,
}
_CONFIG = Config()
_RULES = choose(registry.load(), _CONFIG)


def constructed(name: str) -> str:
    lines = CONSTRUCTS[name].splitlines(keepends=True)
    text = "import torch\n" + "".join(line.removeprefix(" " * 8) for line in lines)
    if not reads(text):
        known_to_libcst(text)
    return text


def known_to_libcst(text: str) -> None:
    try:
        cst.parse_module(text)
    except cst.ParserSyntaxError:
        pytest.skip("this LibCST is too old for it")


def row_of_marker(text: str) -> int:
    (row,) = (row for row, line in enumerate(text.splitlines(), 1) if "# EPS101" in line)
    return row


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_a_hazard_beside_newer_syntax_is_found_in_its_place(name: str) -> None:
    text = constructed(name)
    report = api.check_source(text)
    assert report.failures == ()
    assert [finding.code for finding in report.findings] == ["EPS101"]
    span = report.findings[0].span
    assert report.source is not None
    assert report.source.location(span.start).row == row_of_marker(text)
    assert report.source.slice(span) in ("mask.sum()", "self.count")


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_it_is_fixed_and_nothing_else_is_touched(name: str) -> None:
    text = constructed(name)
    repair = api.fix_source(text)
    assert repair.report.failures == ()
    assert repair.report.findings == ()
    row = row_of_marker(text)
    before, after = text.splitlines(), repair.after.text.splitlines()
    assert "1e-8)" in after[row - 1]
    assert [*before[: row - 1], *before[row:]] == [*after[: row - 1], *after[row:]]


@pytest.mark.parametrize("name", CONSTRUCTS)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_older_words_stay_in_place(name: str, newline: str) -> None:
    text = constructed(name)
    known_to_libcst(text)
    words = in_older_words(text.replace("\n", newline))
    assert words is not None
    ast.parse(words)
    lines = words.split(newline)
    assert len(lines) == len(text.split("\n"))
    for line, before in zip(lines, text.split("\n"), strict=True):
        assert len(line.removesuffix("\\")) in (len(before), len(before) - 1)
        if "mask.sum()" in before:
            assert line.index("mask.sum()") == before.index("mask.sum()")


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_it_can_be_ignored(name: str) -> None:
    text = constructed(name)
    repaired = CliRunner().invoke(
        main, ["check", "--isolated", "--add-ignore=why not", "-"], input=text
    )
    assert repaired.stderr == "Added 1 ignore in 1 file.\n"
    report = api.check_source(repaired.stdout)
    assert (report.findings, report.failures) == ((), ())
    assert repaired.stdout.count("# epslint: ignore[EPS101] why not") == 1


def test_a_long_chain_beside_newer_syntax_is_not_too_deep() -> None:
    chain = "".join(f"    elif x == {number}: pass\n" for number in range(400))
    text = f"type X = int\ndef f(x, mask):\n    if x == 0: pass\n{chain}    return x / mask.sum()\n"
    report = api.check_source(text)
    assert report.failures == ()
    assert [finding.code for finding in report.findings] == ["EPS101"]


def test_standard_input_is_read_alike() -> None:
    result = CliRunner().invoke(
        main,
        ["check", "--isolated", "--output-format", "concise", "-"],
        input=constructed("quotes in a formatted string"),
    )
    assert (result.exit_code, result.stderr) == (1, "")
    assert "<stdin>:4:24: EPS101" in result.stdout


def test_an_import_is_added_beside_newer_syntax() -> None:
    source = Source("a.py", "import torch\ntype X = int\ndef f[T](x): math = x\n")
    edit = added_import(source, "import jax", "jax")
    assert edit is not None
    assert (edit.span.start, edit.content) == (source.offset(2), "import jax\n")
    assert added_import(source, "import math", "math") is None


# -- comments --------------------------------------------------------------------------------


def comments(text: str) -> list[tuple[int, str]]:
    source = Source("a.py", text)
    return [
        (source.location(ignore.span.start).row, source.slice(ignore.span))
        for ignore in find_ignores(source)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('f"{d["a"]}"  # noqa\n', [1]),
        ('f"{d["#"]}"  # noqa\n', [1]),
        ('f"{d["# noqa"]}"\n', []),
        ("f'{d['# noqa']}' f'{d['a']}'\n", []),
        ('f"{d["\'"]}"  # noqa\n', [1]),
        ('f"{d["""a"""]}"  # noqa\nx = 1  # noqa\n', [1, 2]),
        ('f"{\n  d["a"]  # noqa\n}"\n', [2]),
        ('f"""{\n  d["a"]  # noqa\n} # noqa\n"""  # noqa\n', [2, 4]),
        ('t"{x}" "# noqa"\n', []),
        ('rt"{d["# noqa"]}"  # noqa\n', [1]),
        ("def f[  # noqa\n    T,  # noqa\n](x): pass  # noqa\n", [1, 2, 3]),
        ("type X = (  # noqa\n    int)\n", [1]),
        ('x = 1 if y else"a"  # noqa\n', [1]),
        ('rf"{x}" f"}}" "# noqa"  # noqa\n', [1]),
    ],
)
def test_comments_beside_newer_syntax_are_the_right_ones(text: str, found: list[int]) -> None:
    if not reads(text):
        known_to_libcst(text)
    assert comments(text) == [(row, "# noqa") for row in found]


def test_comments_that_cannot_be_read_are_not_lost_in_silence() -> None:
    with pytest.raises(SourceError, match="comments cannot be read"):
        find_ignores(Source("a.py", "x = (  # noqa\n"))


# -- nothing is different but the way -----------------------------------------------------------


@pytest.fixture
def older_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the Python we run on could read nothing at all, not even a formatted string."""

    def reading(source: Source) -> Reading:
        words = in_older_words(source.text)
        assert words is not None
        return Reading(ast.parse(words), newer=True)

    monkeypatch.setattr(epslint.scout, "read", reading)
    monkeypatch.setattr(epslint.older, "reads", lambda text: False)
    monkeypatch.setattr(epslint.syntax, "reads", lambda text: False)
    monkeypatch.setattr(epslint.suppress, "_is_torn", lambda found: True)


def check(source: Source) -> FileReport:
    return engine.check(source, _RULES, _CONFIG)


def loaded(path: Path) -> Source:
    return Source.decode(path.read_bytes(), str(path))


@pytest.fixture(scope="module")
def usual() -> dict[Path, FileReport]:
    return {path: check(loaded(path)) for path in FIXTURES}


@pytest.mark.usefixtures("older_words")
@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: "/".join(p.parts[-2:]))
def test_findings_are_the_same(usual: dict[Path, FileReport], path: Path) -> None:
    report = check(loaded(path))
    assert report.findings == usual[path].findings
    assert report.failures == usual[path].failures == ()


def test_the_comparison_is_of_something(
    usual: dict[Path, FileReport], request: pytest.FixtureRequest
) -> None:
    assert sum(len(report.findings) for report in usual.values()) > 300
    request.getfixturevalue("older_words")
    source = Source("a.py", 'def f(x, mask):\n    return f"{x / mask.sum()}"  # noqa: F401\n')
    assert scout(source, Sinks((ast.Div,), frozenset())).newer
    assert any(token.string == "(" for token in tokens(source) if token.start == (2, 11))


SINKS = Sinks((ast.Div, ast.Mod), frozenset({"log", "exp", "sum"}))


def functions(outline: Outline) -> Iterator[tuple[str, FunctionOutline]]:
    yield from outline.functions.items()
    for owner in outline.classes.values():
        yield from ((f"{owner.name}.{name}", method) for name, method in owner.methods.items())


def glance(outline: Outline) -> list[object]:
    """All that an outline says, but what is suspect."""
    owners: list[Outline | ClassOutline] = [outline, *outline.classes.values()]
    return [
        dict(outline.imports),
        [(name, f.stretch.rows, f.is_property, f.assigns) for name, f in functions(outline)],
        [(f.last_assigning, f.name) for _, f in functions(outline)],
        [(owner.name, owner.bases) for owner in outline.classes.values()],
        [{k: [s.rows for s in v] for k, v in owner.fields.items()} for owner in owners],
        [[stretch.rows for stretch in owner.body] for owner in owners],
    ]


def suspects(outline: Outline) -> set[str]:
    return {name for name, function in functions(outline) if function.suspect}


@pytest.mark.parametrize("path", [*FIXTURES[::8], *OURSELVES[::4]], ids=lambda p: p.name)
def test_outlines_are_the_same(path: Path, request: pytest.FixtureRequest) -> None:
    source = loaded(path)
    outline, found = scout(source, SINKS), comment_tokens(source)
    request.getfixturevalue("older_words")
    again = scout(source, SINKS)
    assert glance(again) == glance(outline)
    assert suspects(again) >= suspects(outline)  # a path over a formatted name may join them
    assert comment_tokens(source) == found


def comment_tokens(source: Source) -> list[tuple[object, ...]]:
    found = tokens(source)
    return [(token.start, token.string) for token in found if token.type == tokenize.COMMENT]


# -- what is broken stays broken ------------------------------------------------------------------

BROKEN = [
    "def f(:\n    pass\n",
    "x = = 1\n",
    "def f[T](x): pass\nx = = 1\n",
    "type X = \n",
    'f"{d["a"}"\n',
    "print 'a'\n",
    "'a' b'b'\n",
    "x = '\\x1'\n",
    "f(a=1, b)\n",
    "try:\n    pass\nexcept A, B as e:\n    pass\n",
    "lazy x\n",
]


def told(text: str) -> str:
    with pytest.raises(SourceError) as caught:
        read(Source("a.py", text))
    return str(caught.value)


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_file_is_told_in_the_words_of_python(text: str) -> None:
    with pytest.raises(SyntaxError) as caught:
        ast.parse(text)
    assert told(text) == f"line {caught.value.lineno}: syntax error: {caught.value.msg}"


def test_a_flaw_that_libcst_does_not_see_is_not_overlooked() -> None:
    assert told("type X = int\nx = '\\x1'\n").startswith("line 2: syntax error: (unicode error)")


@pytest.mark.parametrize(
    "deep",
    ["(" * 5_000 + "1" + ")" * 5_000, "[" * 100_000, "-" * 100_000 + "1", "not " * 50_000 + "1"],
    ids=["parentheses", "open", "minus", "not"],
)
def test_libcst_is_not_led_into_the_deep(deep: str) -> None:
    assert in_older_words(f"type X = int\nx = {deep}\n") is None


def test_much_in_a_row_is_not_deep() -> None:
    text = f"x = [{'(1), ' * 1000}]  # {'(' * 300}\ny = '{'(' * 300}'\n# {'- ' * 300}\n"
    assert in_older_words(text) == text


# -- fixes ----------------------------------------------------------------------------------------


def replacing(old: str, new: str) -> fixer.Check:
    """A check that objects to one text and has another for it."""

    def found(source: Source) -> FileReport:
        start = source.text.find(old)
        span = Span(start, start + len(old))
        finding = Finding(
            code="FAK901",
            name="old-text",
            severity=Severity.ERROR,
            span=span,
            message="",
            confidence=Confidence.PROVEN,
            why=(),
            fix=Fix("", Grade.EXACT, (Edit(span, new),)),
            also=(),
        )
        return FileReport(source.filename, source, (finding,) if start >= 0 else ())

    return found


NEWER = 't"{d["a"]}"'


def test_a_fix_may_not_ask_for_a_newer_python_than_the_file_does() -> None:
    repair = fixer.repair(Source("a.py", "x = OLD\n"), replacing("OLD", NEWER))
    assert repair.changed is reads(NEWER)
    assert ["breaks the syntax" in each.message for each in repair.report.failures] == [True] * (
        not reads(NEWER)
    )


def test_in_a_file_that_asks_for_it_a_fix_may_too() -> None:
    text = f"x = OLD\ny = {NEWER}\n"
    known_to_libcst(text)
    repair = fixer.repair(Source("a.py", text), replacing("OLD", NEWER))
    assert repair.after.text == text.replace("OLD", NEWER)
    assert repair.report.failures == ()


def test_a_fix_that_breaks_a_newer_file_is_abandoned() -> None:
    text = f"x = OLD\ny = {NEWER}\n"
    known_to_libcst(text)
    repair = fixer.repair(Source("a.py", text), replacing("OLD", "(1"))
    assert not repair.changed
    assert "breaks the syntax" in repair.report.failures[0].message
