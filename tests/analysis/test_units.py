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

import libcst as cst
import pytest

from epslint.analysis.bare import UnlikeError, children
from epslint.analysis.unit import Unit
from epslint.scout import Rows, Stretch, scout
from epslint.sinks import Sinks
from epslint.source import Source, SourceError, Span

PAIRS: dict[type[ast.AST], tuple[type[cst.CSTNode], ...]] = {
    ast.Attribute: (cst.Attribute,),
    ast.Await: (cst.Await,),
    ast.BinOp: (cst.BinaryOperation,),
    ast.Call: (cst.Call,),
    ast.Compare: (cst.Comparison,),
    ast.Dict: (cst.Dict,),
    ast.DictComp: (cst.DictComp,),
    ast.GeneratorExp: (cst.GeneratorExp,),
    ast.IfExp: (cst.IfExp,),
    ast.Lambda: (cst.Lambda,),
    ast.List: (cst.List,),
    ast.ListComp: (cst.ListComp,),
    ast.NamedExpr: (cst.NamedExpr,),
    ast.Set: (cst.Set,),
    ast.SetComp: (cst.SetComp,),
    ast.Subscript: (cst.Subscript,),
    ast.Tuple: (cst.Tuple,),
    ast.UnaryOp: (cst.UnaryOperation,),
    ast.Assign: (cst.Assign,),
    ast.AugAssign: (cst.AugAssign,),
    ast.AnnAssign: (cst.AnnAssign,),
    ast.Return: (cst.Return,),
    ast.Assert: (cst.Assert,),
    ast.For: (cst.For,),
    ast.While: (cst.While,),
    ast.With: (cst.With,),
    ast.AsyncFor: (cst.For,),
    ast.AsyncWith: (cst.With,),
    ast.Match: (cst.Match,),
    ast.Try: (cst.Try,),
}
PARENTHESISED = (cst.Tuple, cst.GeneratorExp)

SNIPPETS = {
    "plain": "def f(x, y):\n    z = x / y.sum()\n    return z\n",
    "decorators": (
        "@outer(lambda: 1 / x)\n@other.thing\n# comment between\n@last\n"
        "def f(x):\n    return x[0] / 2\n"
    ),
    "methods": (
        "class A(B[int]):\n    a = 1 / b\n\n    @property\n    def f(self):\n"
        "        return self.x / -self.y\n\n    async def g(self):\n        await self.f / 2\n"
    ),
    "crlf": "def f(x):\r\n    # one\r\n    y = (x /\r\n         2)\r\n    return y\r\n",
    "cr": "def f(x):\r    y = x / 2\r    return y\r",
    "mixed newlines": "def f(x):\n    y = x / 2\r\n    return y / 3\n",
    "tabs": "def f(x):\n\tif x:\n\t\treturn x / 2\n\treturn -x\n",
    "tabs and spaces": "class A:\n  def f(x):\n  \tif x:\n  \t  return x / 2\n  \treturn [x, 1]\n",
    "parentheses": "def f(x, y):\n    return ((x)) / (( y.sum( ) )) + (((x / y)))\n",
    "comments in parentheses": (
        "def f(x, y):\n    return (  # the value\n        x  # over\n        /\n"
        "        # the count\n        (y + 1)  # done\n    )\n"
    ),
    "string at column 0": (
        'class A:\n    def f(x):\n        """Doc\nat column 0\n  and 2"""\n'
        '        y = """a\nb""" + x\n'
        "        return y / 2\n"
    ),
    "string with indents": "def f(x):\n    y = '''\n        deep\n    '''\n    return x / 2\n",
    "continuation": "def f(x, y):\n    return x \\\n        / \\\n   y.sum()\\\n    .item()\n",
    "unicode": "def f(größe, π):\n    ñ = 'é😀' + größe / π  # 😀\n    return ñ[1] / 2\n",
    "wide before": "x = '😀😀' + (a / b); y = 'é' * (c / d)\n",
    "form feed": "x = 1 / a\n\f\ndef f(x):\n    return x / 2\n\f\nclass A:\n    y = 1 / b\n",
    "no trailing newline": "def f(x):\n    return x / 2",
    "trailing comment": "def f(x):\n    return x / 2  # end",
    "trailing spaces": "def f(x):\n    return x / 2   \n   ",
    "semicolons": "def f(x): y = x / 2; z = y / 3; return z / 4\na = 1 / b; c = 2 / d;\n",
    "one-liners": "if x: y = 1 / a\nelse: y = 2 / b\nfor i in x: z = i / y\nwhile x: x = x / 2\n",
    "one-line class": "class A: x = 1 / a; y = 2 / b\n",
    "nested functions": (
        "def f(x):\n    def g(y):\n        return x / y\n\n    [g(z) / 2 for z in x if z / 2]\n"
    ),
    "tuples": "def f(x):\n    a, b = x / 1, (x / 2, 3)\n    (c,) = ()\n    return a, (b), (c,),\n",
    "generators": "y = sum(i / 2 for i in x) + sum((i for i in x), 1) + (i for i in x)\n",
    "subscripts": "def f(x):\n    return x[1:2, ..., None] / x[(1)] / x[(1, 2)] / x[a / b]\n",
    "f-strings": "def f(x):\n    return 'a' f'{x / 2:{x}}' 'b', f'''{\nx / 2}'''\n",
    "walrus": "def f(x):\n    if (y := x / 2) > 0 and (z := [y]):\n        return z[0] / y\n",
    "lambda": "f = lambda x, *a, y=1 / 2, **k: (x / y if y else -x)\n",
    "async": (
        "async def f(x):\n    async with x as y, (z):\n        async for i in y:\n"
        "            await (i / 2)\n    return [i async for i in x]\n"
    ),
    "with": "def f(x):\n    with (open(x) as y, open(y) as z):\n        return y / z\n",
    "match": (
        "def f(x):\n    match x / 2:\n        case [a, *b] if a / 2:\n            return a / b\n"
        "        case {'k': v, **rest}:\n            return v / 2\n        case _: pass\n"
    ),
    "try": (
        "def f(x):\n    try:\n        return x / 2\n    except (A, B) as e:\n        return -x\n"
        "    else:\n        y = 1 / x\n    finally:\n        z = x / 3\n"
    ),
    "annotations": (
        "def f(x: 'a / b' = 1 / 2, *, y: List[int] = (1, 2)) -> Tuple[int, ...]:\n"
        "    z: int = x / y\n"
    ),
    "powers": "def f(x):\n    return -x ** -2 / +x ** (1 / 2) @ ~x\n",
    "comparisons": "y = not (0 < x / 2 <= 3) or x in (1, 2) and (x) is not (None)\n",
    "odd spacing": "def f( x ,y ) :\n    return   x  /y .  sum ( dim = ( 1 ) )  [ 0 ]  \n",
    "empty lines with spaces": "def f(x):\n    y = x / 2\n   \n\t\n    return y / 3\n",
    "blank first": "\n\n# comment\n\n\ndef f(x):\n\n    # inner\n    return x / 2\n\n\n",
    "dedented comment": "def f(x):\n    y = x / 2\n# at the margin\n    return y / 3\n",
    "nested indent widths": "if x:\n  if y:\n     z = 1 / a\n  else:\n         z = 2 / b\n",
    "backslash in a string": "x = 'a\\\nb' + (c / d)\ny = e / f\n",
    "empty": "",
    "only a comment": "# nothing\n",
}


def offset(source: Source, row: int, column: int) -> int:
    """Where `ast` says something is: it counts columns in bytes of UTF-8."""
    line = source.lines[row - 1] if row <= len(source.lines) else ""
    return source.offset(row) + len(line.encode()[:column].decode())


def span_of(node: ast.expr | ast.stmt, source: Source) -> Span:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = offset(source, node.lineno, node.col_offset)
    return Span(start, offset(source, node.end_lineno, node.end_col_offset))


def nodes(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield root
    for child in children(root):
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
            if isinstance(node, cst.GeneratorExp) and not unit.parenthesised(node):
                span = Span(span.start - 1, span.end + 1)  # ast counts the call's as its own
            text = unit.source.slice(span)
        else:
            text = unit.text(node)
        found[names[type(node)], text, span] += 1
    return found


def _inside_text(node: cst.CSTNode, roots: Sequence[cst.CSTNode]) -> bool:
    """Python before 3.12 knows no places inside f-strings."""
    texts = [n for root in roots for n in nodes(root) if isinstance(n, cst.BaseString)]
    return any(node is inner for text in texts for inner in nodes(text))


def whole(source: Source) -> Stretch:
    return Stretch(Rows(1, len(source.lines)), tuple(ast.parse(source.text).body))


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
    """The tuple that Python makes of `x[1, 2]`, which is no node of its own in LibCST."""
    kind, text, span = key
    before = source.text[: span.start].rstrip()
    return kind == "Tuple" and not text.startswith("(") and before.endswith("[")


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
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide)
    ]
    (division,) = divisions
    assert unit.text(division.right) == inner
    assert source.slice(unit.outer_span(division.right)) == outer


def test_rows_and_made_up_nodes() -> None:
    source = Source("a.py", "a = 1\n\n\ndef f(x):\n    y = 1\n    return x / y\n")
    unit = Unit(source, scout(source, Sinks((), frozenset())).functions["f"].stretch)
    (function,) = unit.body
    assert unit.row(function) == 4
    assert unit.find_row(cst.Name("made_up")) is None


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
    source = Source("a.py", "x = a / b\n")
    unit = Unit(source, Stretch(Rows(1, 1), tuple(ast.parse("x = a(b)").body)))
    with pytest.raises(UnlikeError):
        unit.row(unit.body[0])
