"""Full trees: what LibCST makes of some lines, and where everything in it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import libcst as cst

from epslint.analysis import bare
from epslint.analysis.bare.places import Place
from epslint.analysis.bare.reading.full import Reading
from epslint.depth import with_room
from epslint.outline import Rows
from epslint.source import Source, SourceError, Span
from epslint.spans import spans_of

# An indented run of lines is no module; under this header it is one.
_HEADER = "if 1:\n"


class FullTree:
    """The bare tree of some lines, as LibCST reads them."""

    def __init__(self, source: Source, rows: Rows) -> None:
        start = source.offset(rows.first)
        text = source.text[start : _end(source, rows.last)]
        header = _HEADER if text[:1] in (" ", "\t", "\f") else ""
        self._offset = start - len(header)
        self._text = header + text
        self._module = _parsed(self._text, rows)
        self._reading = Reading()
        written = _under_header(self._module) if header else self._module.body
        self.body = with_room(lambda: self._reading.statements(written))

    @cached_property
    def places(self) -> Mapping[bare.Node, Place]:
        spans, offset = spans_of(self._module, self._text), self._offset
        return {
            node: Place(_shifted(spans[full], offset), _shifted(_outer(full, spans), offset))
            for node, full in self._reading.pairs.items()
        }


def _outer(node: cst.CSTNode, spans: Mapping[cst.CSTNode, Span]) -> Span:
    if isinstance(node, cst.BaseExpression) and node.lpar:
        return Span(spans[node.lpar[0]].start, spans[node.rpar[-1]].end)
    return spans[node]


def _shifted(span: Span, offset: int) -> Span:
    return Span(span.start + offset, span.end + offset)


def _under_header(module: cst.Module) -> Sequence[cst.BaseStatement]:
    (block,) = module.body
    assert isinstance(block, cst.If)
    assert isinstance(block.body, cst.IndentedBlock)
    return block.body.body


def _end(source: Source, row: int) -> int:
    return source.offset(row + 1) if row < len(source.lines) else len(source.text)


def _parsed(text: str, rows: Rows) -> cst.Module:
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        row = rows.first + error.raw_line - 1
        raise SourceError(f"line {row}: syntax error: {error.message}") from None
