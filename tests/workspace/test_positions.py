"""Offsets to lines and columns in three encodings, and back."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relax_lang.workspace.text.document import Change, Document
from relax_lang.workspace.text.positions import UTF8, UTF16, UTF32, LineIndex

TEXT = "ab\r\n\U0001d11ex\re\u0301\n\n\u2028\x0cé"
ENCODINGS = (UTF8, UTF16, UTF32)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(st.text(alphabet="ab\r\n\U0001d11e\u0301\u2028\x0cé", max_size=30))
def test_there_and_back(encoding: str, text: str) -> None:
    lines = LineIndex(text)
    for offset in range(len(text) + 1):
        if offset and text[offset - 1 : offset + 1] == "\r\n":
            continue  # inside a line end
        assert lines.offset(*lines.place(offset, encoding), encoding) == offset


def test_columns_count_what_the_encoding_says() -> None:
    lines = LineIndex(TEXT)
    at = TEXT.index("x")
    assert [lines.place(at, encoding) for encoding in ENCODINGS] == [(1, 4), (1, 2), (1, 1)]
    assert lines.place(TEXT.index("\u0301"), UTF16) == (2, 1)
    assert lines.n_lines == 5
    assert lines.place(len(TEXT), UTF8) == (4, 6)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_places_outside(encoding: str) -> None:
    lines = LineIndex(TEXT)
    assert lines.offset(0, 99, encoding) == 2
    assert lines.offset(99, 0, encoding) == len(TEXT)
    assert lines.offset(-1, 0, encoding) == 0
    assert lines.place(99, encoding) == lines.place(len(TEXT), encoding)
    assert lines.place(-5, encoding) == (0, 0)
    assert lines.place(3, encoding) == (0, 2)  # between \r and \n


@pytest.mark.parametrize(("encoding", "column"), [(UTF8, 1), (UTF8, 3), (UTF16, 1)])
def test_inside_a_character_is_its_beginning(encoding: str, column: int) -> None:
    assert LineIndex(TEXT).offset(1, column, encoding) == TEXT.index("\U0001d11e")


def test_changes_follow_each_other() -> None:
    document = Document("a", "one\r\n\U0001d11etwo\n", 1)
    made = document.changed([Change("1", (0, 0), (0, 3)), Change("2", (1, 2), (1, 5))], 2)
    assert (made.text, made.version) == ("1\r\n\U0001d11e2\n", 2)
    assert made.changed([Change("new"), Change("er", (0, 3), (9, 9))], 3).text == "newer"
    assert made.changed([Change("x", (1, 9), (0, 0))], 3).text == "1\r\n\U0001d11e2x\n"
    assert document.text == "one\r\n\U0001d11etwo\n"


@pytest.mark.parametrize("seed", range(20))
def test_the_lines_of_a_text_that_changed_are_those_of_the_new_text(seed: int) -> None:
    rng = random.Random(seed)

    def some(most: int) -> str:
        return "".join(
            rng.choice(("a", "é", "\U0001d11e", "\r", "\n", "\r\n", "ab")) for _ in range(rng.randrange(most))
        )

    lines = LineIndex(some(40))
    for _ in range(200):
        start = rng.randrange(len(lines.text) + 1)
        end = min(len(lines.text), start + rng.randrange(5))
        lines = lines.replaced(start, end, some(6))
        fresh = LineIndex(lines.text)
        assert [lines.span(line) for line in range(lines.n_lines + 1)] == [
            fresh.span(line) for line in range(fresh.n_lines + 1)
        ], (start, end)
        assert lines.n_lines == fresh.n_lines
        assert all(lines.place(at) == fresh.place(at) for at in range(len(lines.text) + 1))
