"""Edits made to a text."""

from __future__ import annotations

from collections.abc import Iterable

from epslint.rule import Edit


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits made, every other character as it was."""
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        pieces += [text[position : edit.span.start], edit.content]
        position = edit.span.end
    return "".join([*pieces, text[position:]])
