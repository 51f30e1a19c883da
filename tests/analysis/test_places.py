"""Places: what `ast` and the tokens say of them is what LibCST says, of each expression."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from epslint.analysis import bare
from epslint.analysis.unit import Unit
from epslint.source import Source, SourceError
from tests.analysis.snippets import SNIPPETS, whole
from tests.environments import installed


def compared(source: Source) -> int:
    """How many expressions of a file stand in the same place by both of them: all."""
    stretch = whole(source)
    mine, theirs = Unit(source, stretch), Unit(source, stretch, full=True)
    count = 0
    for one, other in bare.twins(mine.body, theirs.body):
        if isinstance(one, bare.BaseExpression) and isinstance(other, bare.BaseExpression):
            if _is_apart(one):
                continue
            assert mine.span(one) == theirs.span(other), mine.text(one)
            assert mine.outer_span(one) == theirs.outer_span(other), mine.text(one)
            count += 1
    return count


def _is_apart(node: bare.Node) -> bool:
    """Names that are no expressions, of which `ast` knows no place, and what is inside of texts."""
    return getattr(node, "at", None) is None


@pytest.mark.parametrize("name", SNIPPETS)
def test_both_know_the_same_places(name: str) -> None:
    source = Source("a.py", SNIPPETS[name])
    if source.lines:
        compared(source)


@pytest.mark.parametrize(
    "text",
    [
        "f((x), (y))",
        "f((x for x in y)), f(x for x in y), f((x for x in y), 1)",
        "(a), (b)",
        "((a), (b))",
        "(((a, b)))",
        "a and (b or c) and not (d)",
        "(a and b) and c",
        "x[(a, b)], x[(a), (b)], x[((a, b))], x[(a, b),], x[()]",
        "f(*(a), **(b), c=(d))",
        "(yield)",
        "print ( (x) )",
        "(f)(x)(y)[(z)]((u))",
        "('a' 'b')",
        "f'({a})', f'{(b)})' + (c), f'{{(' + f'{(d)!r:>{(e)}}' + (f'[{f((g))}')",
        "(lambda: (x))()",
        "{(a): (b), **(c)}, {(a), *(b)}, [(a) for (b) in (c) if (d)]",
        "not(a), -(b), await(c)",
    ],
)
def test_whose_the_parentheses_are(text: str) -> None:
    assert compared(Source("a.py", f"async def f():\n    return {text}\n")) > 0


@pytest.mark.parametrize(
    "text",
    [
        "with (a): pass",
        "with (a) as b: pass",
        "with (a, b): pass",
        "with (a as b, (c)): pass",
        "for (a) in (b): pass",
        "while (a): break",
        "if (a): pass\nelif (b): pass",
        "assert (a), (b)",
        "del (a), (b)",
        "(a).b += (c)",
        "x = (\n  a  # why (\n)",
        "x = (\n  # nothing\n)",
        "a = (b,\n c); d = (e)",
        "class A(B, metaclass=(C)): pass",
        "@(a)\ndef f(x=(1), *, y: (int) = (2)): pass",
        "x: (int) = (1)",
    ],
)
def test_whose_the_parentheses_of_a_statement_are(text: str) -> None:
    assert compared(Source("a.py", f"{text}\n")) > 0


@pytest.mark.slow
def test_both_know_the_same_places_in_our_own_code() -> None:
    root = Path(__file__).parents[2]
    rooms = (root / part for part in ("epslint", "rules", "fixtures"))
    paths = [path for room in rooms for path in room.rglob("*.py")]
    assert sum(compared(Source.decode(path.read_bytes(), str(path))) for path in paths) > 100_000


@pytest.mark.corpus
@pytest.mark.parametrize("package", ["torch", "numpy", "scipy"])
def test_both_know_the_same_places_in_the_installed_code(package: str) -> None:
    for path in installed(package):
        # An encoding that is none; or syntax that is newer than this Python, where LibCST is asked.
        with suppress(SourceError, SyntaxError):
            compared(Source.decode(path.read_bytes(), str(path)))
