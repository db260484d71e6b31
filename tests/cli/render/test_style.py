"""Colours, Unicode and width: what the stream, the options and the environment decide."""

from __future__ import annotations

import io

import pytest
from relax_lang.cli.render.style import PLAIN_WIDTH, style_for

from relax_lang.base.python.output import put


class Stream(io.TextIOWrapper):
    def __init__(self, encoding: str = "utf-8", terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def written(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined]


TERMINAL = Stream(terminal=True)
PIPE = Stream()


@pytest.mark.parametrize(
    ("stream", "choice", "environment", "color"),
    [
        (TERMINAL, "auto", {}, True),
        (PIPE, "auto", {}, False),
        (PIPE, "always", {}, True),
        (PIPE, "always", {"NO_COLOR": "1"}, True),
        (TERMINAL, "never", {"FORCE_COLOR": "1"}, False),
        (TERMINAL, "auto", {"NO_COLOR": "1"}, False),
        (TERMINAL, "auto", {"NO_COLOR": ""}, True),
        (PIPE, "auto", {"FORCE_COLOR": "1"}, True),
        (PIPE, "auto", {"FORCE_COLOR": "0"}, False),
        (PIPE, "auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (TERMINAL, "auto", {"TERM": "dumb"}, False),
        (TERMINAL, "auto", {"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
)
def test_color(stream: Stream, choice: str, environment: dict[str, str], color: bool) -> None:
    assert style_for(stream, color=choice, environment=environment).color is color


@pytest.mark.parametrize(
    ("stream", "ascii_only", "environment", "bar"),
    [
        (PIPE, False, {}, "│"),
        (PIPE, True, {}, "|"),
        (Stream("ascii"), False, {}, "|"),
        (Stream("latin-1"), False, {}, "|"),
        (Stream("UTF8"), False, {}, "│"),
        (TERMINAL, False, {"TERM": "dumb"}, "|"),
        (PIPE, False, {"TERM": "dumb"}, "│"),
    ],
)
def test_unicode(stream: Stream, ascii_only: bool, environment: dict[str, str], bar: str) -> None:
    assert style_for(stream, ascii_only=ascii_only, environment=environment).glyphs.bar == bar


@pytest.mark.parametrize(
    ("stream", "environment", "width"),
    [
        (PIPE, {}, PLAIN_WIDTH),
        (PIPE, {"COLUMNS": "56"}, 56),
        (PIPE, {"COLUMNS": "500"}, 100),
        (PIPE, {"COLUMNS": "5"}, 20),
        (PIPE, {"COLUMNS": "wide"}, PLAIN_WIDTH),
        (TERMINAL, {"COLUMNS": "70"}, 70),
        (TERMINAL, {}, PLAIN_WIDTH),  # a terminal that does not tell
    ],
)
def test_width(stream: Stream, environment: dict[str, str], width: int) -> None:
    assert style_for(stream, environment=environment).width == width


def test_source_lines_in_files_are_not_cut_to_a_terminal() -> None:
    assert style_for(PIPE, environment={}).source_width > 100
    assert style_for(PIPE, environment={"COLUMNS": "50"}).source_width == 50


def test_what_a_stream_cannot_encode_is_escaped() -> None:
    stream = Stream("ascii")
    put("plain ü 日\n", stream)
    assert stream.written() == b"plain \\xfc \\u65e5\n"


def test_file_names_that_are_no_text_are_escaped() -> None:
    stream = Stream()
    put("a\udcff.rlx\n", stream)
    assert stream.written() == b"a\\udcff.rlx\n"


def test_headlines_in_files_stay_on_their_line() -> None:
    assert style_for(PIPE, environment={}).headline_width > 1000
    assert style_for(TERMINAL, environment={"COLUMNS": "70"}).headline_width == 70
