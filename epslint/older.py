"""Newer Python in older words, for a Python that cannot read it otherwise.

LibCST reads syntax that the Python we run on may not know. What is new in it is written over,
character by character, with something older that holds the same expressions and binds the same
names: `def f[T](x)` becomes `def f(   x)`, and `f"{d["a"]}"` becomes `( (d["a"]))`. All the rest
stays in its row and column, comments too, so that what is found in the older words is found in the
file as well. They are read, never shown and never written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

import libcst as cst

from epslint.source import Span
from epslint.spans import spans_of
from epslint.syntax import reads


def in_older_words(text: str) -> str | None:
    """The text in words of older Pythons; None where LibCST cannot read it either."""
    if _is_bottomless(text):
        return None
    try:
        module = cst.parse_module(text)
    except Exception:  # of several kinds; and Python has said better what is wrong
        return None
    return _Page(text, spans_of(module, text)).rewritten()


class _Page:
    """A text that is written over; only what stands at the end of a line may take more room."""

    def __init__(self, text: str, spans: dict[cst.CSTNode, Span]) -> None:
        self._text = text
        self._spans = spans
        self._cells = list(text)
        self._comments = [span for node, span in spans.items() if isinstance(node, cst.Comment)]
        self._seen: set[cst.CSTNode] = set()

    def rewritten(self) -> str:
        # From outside to inside: what an outer one keeps, an inner one may still write over.
        for node in reversed(self._spans):
            rewrite = _REWRITES.get(type(node).__name__)
            if rewrite is not None:
                rewrite(self, node)
        return "".join(self._cells)

    # -- what is newer -----------------------------------------------------------------------

    def generic(self, node: cst.FunctionDef | cst.ClassDef) -> None:
        """`def f[T](x)`, `class A[T]:`, `class A[T](B):`: the brackets become the parentheses."""
        if node.type_parameters is None:
            return
        span = self._spans[node.type_parameters]
        following = self._next(span.end)
        self._blank(span)
        self._cells[span.start] = "("
        if self._text[following] == "(":
            self._cells[following] = " "
        else:
            self._cells[span.end - 1] = ")"

    def alias(self, node: cst.TypeAlias) -> None:
        """`type X[T] = list[T]`: an assignment that makes no name a value."""
        head = Span(self._spans[node].start, self._spans[node.type_parameters or node.name].end)
        self._blank(head)
        self._cells[head.start : head.start + 3] = "_[0"
        self._cells[head.end - 1] = "]"

    def handler(self, node: cst.ExceptHandler) -> None:
        """`except A, B:`: which exceptions they are is not asked for."""
        if isinstance(node.type, cst.Tuple) and not node.type.lpar:
            span = self._spans[node.type]
            self._blank(span)
            self._cells[span.start] = "("
            self._cells[span.end - 1] = ")"

    def star_handler(self, node: cst.ExceptHandler) -> None:
        """`except* A:`"""
        self._drop("*", self._spans[node].start + len("except"))
        self.handler(node)

    def lazy_import(self, node: cst.CSTNode) -> None:
        """`lazy import x`, `lazy from x import y`."""
        start = self._spans[node].start
        keyword = _WORD.match(self._text, self._next(start + len("lazy")))
        assert keyword is not None, "lazy stands before a keyword"
        self._blank(Span(start, keyword.end()))
        self._cells[start : start + len(keyword[0])] = keyword[0]

    def index(self, node: cst.Index) -> None:
        """`x[*rest]`"""
        if node.star:
            self._drop("*", self._spans[node].start)

    def annotation(self, node: cst.Annotation) -> None:
        """`def f(*args: *Ts)`"""
        self._unstar(node.annotation)

    def comprehension(self, node: cst.ListComp | cst.SetComp | cst.GeneratorExp) -> None:
        """`[*row for row in rows]`"""
        self._unstar(node.elt)

    def dict_comprehension(self, node: cst.BaseExpression) -> None:
        """`{**row for row in rows}`"""
        self._drop("**", self._spans[node].start + len("{"))

    def string(self, node: cst.BaseString) -> None:
        """`f"{d["a"]}"`, `t"{x}"`: the expressions in it, each in the parentheses of its braces.

        Two of them in a row look like a call. That misleads nobody but the scout, and him only
        into a closer look.
        """
        if node in self._seen:
            return
        strings = self._strings(node)
        span = self._spans[node]
        if reads(f"({self._slice(span)}\n)"):
            return
        self._blank(span)
        for end in _LINE_END.finditer(self._text, span.start, span.end):
            self._cells[end.start()] = "\\" + end[0][0]  # there is no room for comments in a text
        for one, other in pairwise(strings):
            self._restore(Span(self._spans[one].end, self._spans[other].start))
        for string in strings:
            for field in _fields(getattr(string, "parts", ())):
                self._field(field)
        self._cells[span.start] = "("
        self._cells[span.end - 1] = ")"

    def _strings(self, node: cst.BaseString) -> list[cst.BaseString]:
        """The strings that stand one after the other as one; they are not to be seen again."""
        strings: list[cst.BaseString] = []
        while isinstance(node, cst.ConcatenatedString):
            self._seen.update((node, node.left))
            strings.append(node.left)
            node = node.right
        self._seen.add(node)
        return [*strings, node]

    def _field(self, field: cst.FormattedStringExpression) -> None:
        start = self._spans[field].start
        end = self._next(self._end(field.expression))
        self._restore(Span(start, end))
        self._cells[start], self._cells[end] = "()"

    # -- how it is written over --------------------------------------------------------------

    def _blank(self, span: Span) -> None:
        """Leave nothing but the line ends and the comments."""
        blank = _SOMETHING.sub(" ", self._slice(span))
        self._cells[span.start : span.end] = blank
        for comment in self._comments:
            if span.start <= comment.start < span.end:
                self._restore(comment)

    def _restore(self, span: Span) -> None:
        self._cells[span.start : span.end] = self._slice(span)

    def _drop(self, word: str, at: int) -> None:
        """Blank a word that stands here, after nothing but white space."""
        start = self._next(at)
        assert self._text.startswith(word, start)
        self._cells[start : start + len(word)] = " " * len(word)

    def _unstar(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.StarredElement):
            self._drop("*", self._spans[node].start)

    def _next(self, offset: int) -> int:
        """The next place where something stands that is no comment."""
        gap = _GAP.match(self._text, offset)
        assert gap is not None, "even nothing is a gap"
        return gap.end()

    def _end(self, node: cst.BaseExpression) -> int:
        return self._spans[node.rpar[-1] if node.rpar else node].end

    def _slice(self, span: Span) -> str:
        return self._text[span.start : span.end]


def _fields(parts: Sequence[cst.CSTNode]) -> Iterator[cst.FormattedStringExpression]:
    """What stands in braces, and in the braces of its format."""
    for part in parts:
        if isinstance(part, _FIELDS):
            yield part
            yield from _fields(part.format_spec or ())


_WORD = re.compile(r"\w+")
_LINE_END = re.compile(r"(?<!\\)(?:\r\n|\r|\n)")  # that no backslash takes away
_SOMETHING = re.compile(r"(?!\\[\r\n])[^\r\n]")
_GAP = re.compile(r"(?:\s|\\(?=[\r\n])|#[^\r\n]*)*")

_FIELDS = (
    cst.FormattedStringExpression,
    getattr(cst, "TemplatedStringExpression", cst.FormattedStringExpression),
)

# By name: what LibCST knows depends on its version.
_REWRITES: Mapping[str, Callable[..., None]] = MappingProxyType(
    {
        "Annotation": _Page.annotation,
        "ClassDef": _Page.generic,
        "ConcatenatedString": _Page.string,
        "ExceptHandler": _Page.handler,
        "ExceptStarHandler": _Page.star_handler,
        "FormattedString": _Page.string,
        "FunctionDef": _Page.generic,
        "GeneratorExp": _Page.comprehension,
        "Index": _Page.index,
        "LazyImport": _Page.lazy_import,
        "LazyImportFrom": _Page.lazy_import,
        "ListComp": _Page.comprehension,
        "SetComp": _Page.comprehension,
        "StarredDictComp": _Page.dict_comprehension,
        "TemplatedString": _Page.string,
        "TypeAlias": _Page.alias,
    }
)


# What LibCST reads it reads without end: nested too deeply, it takes the process down with it.
# This is as deep as Python itself will go.
_DEPTH = 200
_ASIDE = re.compile(
    r"""
      \#[^\r\n]*
    | \'\'\'(?s:\\.|.)*?\'\'\' | \"\"\"(?s:\\.|.)*?\"\"\"
    | \'(?:\\.|[^'\\\r\n])*\' | \"(?:\\.|[^"\\\r\n])*\"
    """,
    re.VERBOSE,
)
_BRACKET = re.compile(r"[][(){}]")
_PREFIXES = re.compile(rf"(?:(?:[-+~]|\bnot\b|\blambda\b[^:\n]*:)\s*){{{_DEPTH}}}")


def _is_bottomless(text: str) -> bool:
    code = _ASIDE.sub("", text)
    depth = 0
    for bracket in _BRACKET.findall(code):
        depth = depth + 1 if bracket in "([{" else max(depth - 1, 0)
        if depth > _DEPTH:
            return True
    return _PREFIXES.search(code) is not None
