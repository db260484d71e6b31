"""Where `print` writes: a terminal obeys nothing of it. [O.10]"""

from __future__ import annotations

import io

import pytest

from relax_lang import api
from relax_lang.runtime.calling.print_output import to_stdout


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("kind", "written"),
    [(Terminal, "a\u241b[31m\tb\u2407\ufffdÄ\n\u2421\n"), (io.StringIO, "a\x1b[31m\tb\x07\x9bÄ\n\x7f\n")],
)
def test_O_10_a_terminal_gets_pictures_of_control_characters(
    kind: type[io.StringIO], written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = kind()
    monkeypatch.setattr("sys.stdout", stream)
    to_stdout("a\x1b[31m\tb\x07\x9bÄ\n\x7f\n")
    assert stream.getvalue() == written


def test_O_10_the_format_of_a_program_is_no_sequence_for_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    api.run('def @main() -> () { print(const(1.0), format="\\u001b[2J{}"); () }')
    assert terminal.getvalue() == "\u241b[2J1.0\n"
