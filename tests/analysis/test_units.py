"""Units: where their nodes stand in the file, checked against Python's own parser.

Every unit is made twice, of bare nodes and of LibCST's own, which must stand in the same places.

Every expression and statement that `ast` knows a place for is found among the spans of the unit,
and the other way round. `ast` leaves a node's own parentheses out, as `span` does, except for
tuples and generators, whose parentheses belong to them: there it is `outer_span`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from epslint.analysis import bare
from epslint.analysis.unit import Unit
from epslint.outline import Rows, Stretch
from epslint.scout import scout
from epslint.sinks import Sinks
from epslint.source import Source, SourceError, Span
from tests.analysis.snippets import SNIPPETS, whole

PAIRS: dict[type[ast.AST], tuple[type[bare.Node], ...]] = {
    ast.Attribute: (bare.Attribute,),
    ast.Await: (bare.Await,),
    ast.BinOp: (bare.BinaryOperation,),
    ast.Call: (bare.Call,),
    ast.Compare: (bare.Comparison,),
    ast.Dict: (bare.Dict,),
    ast.DictComp: (bare.DictComp,),
    ast.GeneratorExp: (bare.GeneratorExp,),
    ast.IfExp: (bare.IfExp,),
    ast.Lambda: (bare.Lambda,),
    ast.List: (bare.List,),
    ast.ListComp: (bare.ListComp,),
    ast.NamedExpr: (bare.NamedExpr,),
    ast.Set: (bare.Set,),
    ast.SetComp: (bare.SetComp,),
    ast.Subscript: (bare.Subscript,),
    ast.Tuple: (bare.Tuple,),
    ast.UnaryOp: (bare.UnaryOperation,),
    ast.Assign: (bare.Assign,),
    ast.AugAssign: (bare.AugAssign,),
    ast.AnnAssign: (bare.AnnAssign,),
    ast.Return: (bare.Return,),
    ast.Assert: (bare.Assert,),
    ast.For: (bare.For,),
    ast.While: (bare.While,),
    ast.With: (bare.With,),
    ast.AsyncFor: (bare.For,),
    ast.AsyncWith: (bare.With,),
    ast.Match: (bare.Match,),
    ast.Try: (bare.Try,),
}
PARENTHESISED = (bare.Tuple, bare.GeneratorExp)


def offset(source: Source, row: int, column: int) -> int:
    """Where `ast` says something is: it counts columns in bytes of UTF-8."""
    line = source.lines[row - 1] if row <= len(source.lines) else ""
    return source.offset(row) + len(line.encode()[:column].decode())


def span_of(node: ast.expr | ast.stmt, source: Source) -> Span:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = offset(source, node.lineno, node.col_offset)
    return Span(start, offset(source, node.end_lineno, node.end_col_offset))


def nodes(root: bare.Node) -> Iterator[bare.Node]:
    yield root
    for child in bare.children(root):
        yield from nodes(child)


def known_to_ast(source: Source, rows: Rows) -> Counter[tuple[str, str, Span]]:
    found: Counter[tuple[str, str, Span]] = Counter()
    tree = ast.parse(source.text)
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inside_text = {inner for text in texts for inner in ast.walk(text)}
    for node in ast.walk(tree):
        if type(node) in PAIRS and node not in inside_text:
            assert isinstance(node, ast.expr | ast.stmt)
            if rows.first <= node.lineno <= rows.last:
                span = span_of(node, source)
                found[type(node).__name__.removeprefix("Async"), source.slice(span), span] += 1
    return found


def known_to_unit(unit: Unit) -> Counter[tuple[str, str, Span]]:
    found: Counter[tuple[str, str, Span]] = Counter()
    names = {
        kind: pair.__name__.removeprefix("Async") for pair, kinds in PAIRS.items() for kind in kinds
    }
    roots = list(unit.body)
    for node in (each for root in roots for each in nodes(root)):
        if type(node) not in names or _inside_text(node, roots):
            continue
        span = unit.span(node)
        if isinstance(node, PARENTHESISED):
            span = unit.outer_span(node)
            if isinstance(node, bare.GeneratorExp) and not unit.parenthesised(node):
                span = Span(span.start - 1, span.end + 1)  # ast counts the call's as its own
            text = unit.source.slice(span)
        else:
            text = unit.text(node)
        found[names[type(node)], text, span] += 1
    return found


def _inside_text(node: bare.Node, roots: Sequence[bare.Node]) -> bool:
    """Python before 3.12 knows no places inside f-strings."""
    texts = [n for root in roots for n in nodes(root) if isinstance(n, bare.FormattedString)]
    return any(node is inner for text in texts for inner in nodes(text))


def stretches(source: Source) -> list[Stretch]:
    """The file as a whole, and every stretch of it that the scout would hand out."""
    outline = scout(source, Sinks((ast.Div,), frozenset()))
    found = [whole(source)] if source.lines else []
    found += [function.stretch for function in outline.functions.values()]
    found += list(outline.body)
    for owner in outline.classes.values():
        found += [method.stretch for method in owner.methods.values()]
        found += list(owner.body)
    return found


FULL = pytest.mark.parametrize("full", [False, True], ids=["bare", "full"])


@FULL
@pytest.mark.parametrize("name", SNIPPETS)
def test_nodes_stand_where_python_says(name: str, full: bool) -> None:
    source = Source("a.py", SNIPPETS[name])
    for stretch in stretches(source):
        rows = stretch.rows
        expected, found = (
            known_to_ast(source, rows),
            known_to_unit(Unit(source, stretch, full=full)),
        )
        missing = {key for key in expected - found if not _implicit(key, source)}
        assert not missing, rows
        assert not found - expected, rows


def _implicit(key: tuple[str, str, Span], source: Source) -> bool:
    """The tuple that Python makes of `x[1, 2]`, which is no node of its own in a bare tree."""
    kind, _, span = key
    before = source.text[: span.start].rstrip()
    return kind == "Tuple" and before.endswith("[")


@FULL
@pytest.mark.parametrize("name", SNIPPETS)
def test_text_is_what_get_source_segment_says(name: str, full: bool) -> None:
    source = Source("a.py", SNIPPETS[name])
    if not source.lines:
        return
    unit = Unit(source, whole(source), full=full)
    by_span = {key[2]: key[1] for key in known_to_unit(unit)}
    for node in ast.walk(ast.parse(source.text)):
        if type(node) in PAIRS and isinstance(node, ast.expr):
            segment = ast.get_source_segment(source.text, node)
            written = by_span.get(span_of(node, source))
            assert written is None or segment is None or written == segment


@FULL
@pytest.mark.parametrize(
    ("text", "inner", "outer"),
    [
        ("z = x / (y)\n", "y", "(y)"),
        ("z = x / ((y))\n", "y", "((y))"),
        ("z = x / ( # why\n  y\n)\n", "y", "( # why\n  y\n)"),
        ("z = x / (y + 1)\n", "y + 1", "(y + 1)"),
        ("z = x / y\n", "y", "y"),
        ("z = x / y.sum()\n", "y.sum()", "y.sum()"),
        ("z = x / (\r\n  (y)\r\n)\r\n", "y", "(\r\n  (y)\r\n)"),
        ("z = x / ( (y).sum ( ) )\n", "(y).sum ( )", "( (y).sum ( ) )"),
        ("z = 'é' + x / (ñ)\n", "ñ", "(ñ)"),
    ],
)
def test_a_node_with_and_without_its_parentheses(
    text: str, inner: str, outer: str, full: bool
) -> None:
    source = Source("a.py", text)
    unit = Unit(source, whole(source), full=full)
    divisions = [
        node
        for root in unit.body
        for node in nodes(root)
        if isinstance(node, bare.BinaryOperation) and isinstance(node.operator, bare.Divide)
    ]
    (division,) = divisions
    assert unit.text(division.right) == inner
    assert source.slice(unit.outer_span(division.right)) == outer


def test_rows_and_made_up_nodes() -> None:
    source = Source("a.py", "a = 1\n\n\ndef f(x):\n    y = 1\n    return x / y\n")
    unit = Unit(source, scout(source, Sinks((), frozenset())).functions["f"].stretch)
    (function,) = unit.body
    assert unit.row(function) == 4
    assert unit.find_row(bare.Name("made_up")) is None


@FULL
def test_bytes_with_a_mark_are_read_without_it(full: bool) -> None:
    source = Source.decode("\ufeffx = a / b\n".encode(), "a.py")
    assert source.text == "x = a / b\n"
    assert source.encode(source.text) == "\ufeffx = a / b\n".encode()
    unit = Unit(source, whole(source), full=full)
    assert known_to_unit(unit) == known_to_ast(source, Rows(1, 1))


def test_a_stretch_that_is_no_python_is_told() -> None:
    with pytest.raises(SourceError, match="line 3"):
        Unit(Source("a.py", "x = 1\ny = (\nz = 2\n"), Stretch(Rows(2, 3), ()), full=True)


def test_trees_of_different_texts_are_no_twins() -> None:
    one, other = (bare.statements(ast.parse(text).body) for text in ("x = a / b", "x = a(b)"))
    with pytest.raises(bare.UnlikeError):
        list(bare.twins(one, other))
