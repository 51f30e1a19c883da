"""Units: the stretches of a file that are parsed with LibCST, and where their nodes stand.

A unit is a run of whole lines, such as one method with its decorators. It is parsed alone, so that
a file of which one function matters costs no more than that function. Spans are found by printing
the tree once, and only for units in which somebody asks for a span.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import libcst as cst
from libcst._nodes.internal import CodegenState

from epslint.analysis.depth import with_room
from epslint.scout import Rows
from epslint.source import Source, SourceError, Span

# An indented run of lines is no module; under this header it is one.
_HEADER = "if 1:\n"


class Unit:
    """Some lines of a file as a syntax tree."""

    def __init__(self, source: Source, rows: Rows) -> None:
        self.source = source
        self.rows = rows
        start = source.offset(rows.first)
        text = source.text[start : _end(source, rows.last)]
        self._header = _HEADER if text[:1] in (" ", "\t", "\f") else ""
        self._offset = start - len(self._header)
        self._text = self._header + text
        self._spans: dict[cst.CSTNode, Span] | None = None
        self._module = _parsed(self._text, rows)

    @property
    def body(self) -> Sequence[cst.BaseStatement]:
        if not self._header:
            return self._module.body
        (block,) = self._module.body
        assert isinstance(block, cst.If)
        assert isinstance(block.body, cst.IndentedBlock)
        return block.body.body

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node stands, without its own parentheses."""
        span = self._all_spans[node]
        return Span(span.start + self._offset, span.end + self._offset)

    @property
    def _all_spans(self) -> dict[cst.CSTNode, Span]:
        if self._spans is None:
            self._spans = with_room(lambda: _spans(self._module, self._text))
        return self._spans

    def outer_span(self, node: cst.BaseExpression) -> Span:
        """Where a node stands with the parentheses that belong to it."""
        span = self.span(node)
        if not node.lpar:
            return span
        start = self.span(node.lpar[0]).start
        return Span(start, self.span(node.rpar[-1]).end)

    def row(self, node: cst.CSTNode) -> int:
        return self.source.location(self.span(node).start).row

    def find_row(self, node: cst.CSTNode) -> int | None:
        """The row of a node that may have been made up by the analysis."""
        return self.row(node) if node in self._all_spans else None

    def brief(self, node: cst.CSTNode) -> str:
        """A node as messages show it: on one line."""
        return " ".join(self.text(node).split())

    def text(self, node: cst.CSTNode) -> str:
        return self.source.slice(self.span(node))


def _end(source: Source, row: int) -> int:
    return source.offset(row + 1) if row < len(source.lines) else len(source.text)


def _parsed(text: str, rows: Rows) -> cst.Module:
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        row = rows.first + error.raw_line - 1
        raise SourceError(f"line {row}: syntax error: {error.message}") from None


@dataclass
class _SpanState(CodegenState):
    """Prints a tree and notes, in characters, where each node begins and ends."""

    position: int = 0
    spans: dict[cst.CSTNode, Span] = field(default_factory=dict)
    stack: list[int] = field(default_factory=list)

    def add_indent_tokens(self) -> None:
        self.position += sum(map(len, self.indent_tokens))

    def add_token(self, value: str) -> None:
        self.tokens.append(value)  # the end of a module takes its last token back
        self.position += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:
        self.stack.append(self.position)

    def after_codegen(self, node: cst.CSTNode) -> None:
        self.spans.setdefault(node, Span(self.stack.pop(), self.position))

    @contextmanager
    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Iterator[None]:
        start = self.position
        yield
        start = self.spans[start_node].start if start_node is not None else start
        end = self.spans[end_node].end if end_node is not None else self.position
        self.spans[node] = Span(start, end)


def _spans(module: cst.Module, text: str) -> dict[cst.CSTNode, Span]:
    state = _SpanState(module.default_indent, module.default_newline)
    module._codegen(state)
    assert state.position >= len(text), "the printed tree must be the text that was parsed"
    return state.spans
