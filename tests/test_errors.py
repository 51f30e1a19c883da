"""How an error of our own is told."""

from __future__ import annotations

from epslint.errors import described


class _UnprintableError(Exception):
    def __str__(self) -> str:
        raise AttributeError("no text")


def _caught(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def test_it_says_what_and_where() -> None:
    assert described(_caught(KeyError("lost"))).startswith("KeyError: 'lost' (test_errors.py:")


def test_one_that_was_never_raised_has_no_place() -> None:
    assert described(ValueError("bad")) == "ValueError: bad"


def test_one_without_a_text_is_told_all_the_same() -> None:
    told = described(_caught(_UnprintableError()))
    assert told.startswith(
        "_UnprintableError: (its text cannot be shown: AttributeError) (test_errors"
    )
