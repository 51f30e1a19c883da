from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epslint.source import Location, Source, SourceError, Span

TEXT = st.text(alphabet="ab é你\r\n\t\f\x0b\u2028", max_size=60)


@given(TEXT)
def test_lines_are_the_text_and_nothing_is_lost(text: str) -> None:
    source = Source("a.py", text)
    assert "".join(source.lines) == text
    assert all(line.strip("\r\n") == source.line(row) for row, line in enumerate(source.lines, 1))


@given(TEXT, st.data())
def test_a_place_and_an_offset_are_the_same_thing(text: str, data: st.DataObject) -> None:
    source = Source("a.py", text)
    offset = data.draw(st.integers(0, len(text)))
    at = source.location(offset)
    assert source.offset(at.row, at.column) == offset
    assert 1 <= at.row <= max(len(source.lines), 1)


def test_only_pythons_line_ends_end_lines() -> None:
    source = Source("a.py", "a\r\nb\rc\nd\x0be\u2028f\fg")
    assert source.lines == ("a\r\n", "b\r", "c\n", "d\x0be\u2028f\fg")
    assert source.location(source.text.index("g")) == Location(4, 7)
    assert source.slice(Span(0, 1)) == "a"
    assert source.line(99) == ""


@given(st.text(alphabet="ab é\r\n", max_size=30), st.sampled_from(["utf-8", "utf-8-sig"]))
def test_bytes_survive_the_round_trip(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    source = Source.decode(data, "a.py")
    assert source.encode(source.text) == data


def test_a_declared_encoding_is_used() -> None:
    source = Source.decode("# coding: latin-1\nx = 'é'\n".encode("latin-1"), "a.py")
    assert source.text.endswith("'é'\n")
    assert source.encode(source.text).endswith(b"'\xe9'\n")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\0b", "null bytes"),
        (b"# fine\n# fine\nx = '\xff'\n", "is not valid utf-8 at byte 19"),
        (b"# coding: klingon\n", "klingon"),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        Source.decode(data, "a.py")
