"""Spans: where the nodes of a LibCST tree stand.

LibCST's own way to positions costs nearly as much as parsing. Printing the tree once tells them
all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import libcst as cst
from libcst._nodes.internal import CodegenState

from epslint.depth import with_room
from epslint.source import Span


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


def spans_of(module: cst.Module, text: str) -> dict[cst.CSTNode, Span]:
    """Where each node stands in the text, those inside before those around them."""
    return with_room(lambda: _printed(module, text))


def _printed(module: cst.Module, text: str) -> dict[cst.CSTNode, Span]:
    state = _SpanState(module.default_indent, module.default_newline)
    module._codegen(state)
    assert state.position >= len(text), "the printed tree must be the text that was parsed"
    return state.spans
