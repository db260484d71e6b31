"""`relax fmt`: in place, as a report, and through standard input."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.cli.harness import BROKEN, GOOD, UGLY, Relax

PRETTY = "def @main(x: Tensor[(n, 4), float32]) {\n  add(x, x)\n}\n"


def test_in_place(relax: Relax, files: Path) -> None:
    (files / "ugly.rlx").chmod(0o640)
    assert relax("fmt", "ugly.rlx") == (0, "1 file reformatted.\n", "")
    assert (files / "ugly.rlx").read_text() == PRETTY
    assert stat.S_IMODE((files / "ugly.rlx").stat().st_mode) == 0o640
    assert relax("fmt", "ugly.rlx") == (0, "1 file already formatted.\n", "")


def test_a_formatted_file_is_not_written(relax: Relax, files: Path) -> None:
    before = (files / "good.rlx").stat()
    relax("fmt", "good.rlx")
    after = (files / "good.rlx").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_folders(relax: Relax, files: Path) -> None:
    status, out, err = relax("fmt", ".")
    assert status == 1
    assert out == "1 file reformatted, 2 files already formatted, 1 file left as it is.\n"
    assert "syntax" in err
    assert (files / "ugly.rlx").read_text() == PRETTY


def test_check_writes_nothing(relax: Relax, files: Path) -> None:
    status, out, err = relax("fmt", "--check", "ugly.rlx", "good.rlx")
    assert (status, err) == (1, "")
    assert out == "Would reformat: ugly.rlx\n1 file would be reformatted, 1 file already formatted.\n"
    assert (files / "ugly.rlx").read_text() == UGLY
    assert relax("fmt", "--check", "good.rlx").status == 0
    assert relax("fmt", "--check", "-q", "ugly.rlx") == (1, "", "")


def test_diff_writes_nothing_and_can_be_applied(relax: Relax, files: Path) -> None:
    status, out, err = relax("fmt", "--diff", "ugly.rlx", "good.rlx")
    assert status == 1
    assert out == (
        "--- ugly.rlx\n+++ ugly.rlx\n@@ -1 +1,3 @@\n"
        f"-{UGLY}+def @main(x: Tensor[(n, 4), float32]) {{\n+  add(x, x)\n+}}\n"
    )
    assert err == "1 file would be reformatted, 1 file already formatted.\n"
    assert (files / "ugly.rlx").read_text() == UGLY


def test_diff_of_a_file_without_a_last_line_end(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text(GOOD.rstrip("\n"))
    _, out, _ = relax("fmt", "--diff", "a.rlx")
    assert out.endswith("-}\n\\ No newline at end of file\n+}\n")


def test_diff_in_colour(relax: Relax, files: Path) -> None:
    out = relax("fmt", "--diff", "--color", "always", "ugly.rlx").out
    assert "\x1b[31m-def" in out
    assert "\x1b[32m+  add(x, x)\x1b[0m\n" in out


def test_a_terminal_obeys_nothing_that_a_diff_shows(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text("def @main(x: Tensor) { let `a\x1b[31mb` = x; `a\x1b[31mb` }\n")
    assert "\x1b[31mb" not in relax("fmt", "--diff", "--color", "always", "a.rlx").out
    assert "`a\x1b[31mb`" in relax("fmt", "--diff", "a.rlx").out  # `patch` needs the line as it is


def test_stdin_to_stdout(relax: Relax) -> None:
    assert relax("fmt", "-", stdin=UGLY) == (0, PRETTY, "")
    assert relax("fmt", "-", stdin=GOOD) == (0, GOOD, "")


def test_stdin_with_check_and_diff(relax: Relax) -> None:
    assert relax("fmt", "-", "--check", stdin=UGLY) == (1, "Would reformat: <stdin>\n", "")
    status, out, _ = relax("fmt", "-", "--diff", "--stdin-filename", "a.rlx", stdin=UGLY)
    assert status == 1
    assert out.startswith("--- a.rlx\n+++ a.rlx\n")


def test_a_file_with_syntax_errors_is_left_alone(relax: Relax, files: Path) -> None:
    status, out, err = relax("fmt", "broken.rlx")
    assert status == 1
    assert out == "1 file left as it is.\n"
    assert err.startswith("error[RLX0101 syntax]: expected `;`")
    assert err.endswith("broken.rlx: left as it is\n")
    assert (files / "broken.rlx").read_text() == BROKEN


def test_stdin_with_syntax_errors_gives_no_output(relax: Relax) -> None:
    status, out, err = relax("fmt", "-", "--stdin-filename", "x.rlx", stdin=BROKEN)
    assert (status, out) == (1, "")
    assert "──▸ x.rlx:2:20" in err


def test_other_errors_do_not_keep_a_file_from_being_formatted(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text("def @main( ) { nope }")
    assert relax("fmt", "a.rlx").status == 0
    assert (tmp_path / "a.rlx").read_text() == "def @main() {\n  nope\n}\n"


def test_missing_files(relax: Relax, files: Path) -> None:
    status, out, err = relax("fmt", "gone.rlx", "ugly.rlx")
    assert status == 2
    assert "there is no file `gone.rlx`" in err
    assert out == "1 file reformatted, 1 file left as it is.\n"


def test_files_that_are_no_text_are_left_alone(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_bytes(b"# \xe9\n")
    status, _, err = relax("fmt", "a.rlx")
    assert status == 2
    assert "not-utf8" in err
    assert (tmp_path / "a.rlx").read_bytes() == b"# \xe9\n"


def test_a_failing_write(relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    status, out, err = relax("fmt", "ugly.rlx")
    assert status == 2
    assert "error[RLX0011 cannot-write]: cannot write `ugly.rlx`: no space left on device" in err
    assert out == "1 file left as it is.\n"
    assert (files / "ugly.rlx").read_text() == UGLY


def test_an_unstable_result_is_never_written(
    relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from relax_lang.format import safe

    monkeypatch.setattr(safe, "format_parsed", lambda parsed, width: "def @other() {\n  1\n}\n")
    status, _, err = relax("fmt", "ugly.rlx")
    assert status == 101
    assert "format-not-stable" in err
    assert (files / "ugly.rlx").read_text() == UGLY


def test_an_internal_error(relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from relax_lang import api

    def fail(source: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(api, "format_text", fail)
    status, _, err = relax("fmt", "ugly.rlx", "good.rlx")
    assert status == 101
    assert err.count("RLX9901 internal-error") == 2
    assert "Traceback" not in err


def test_crlf_and_bom_become_plain(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_bytes(GOOD.replace("\n", "\r\n").encode())
    status, _, _ = relax("fmt", "a.rlx")
    assert status in (0, 1)
    if status == 0:
        assert (tmp_path / "a.rlx").read_bytes() == GOOD.encode()


def test_a_folder_without_programs_is_not_counted_as_a_file(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert relax("fmt", "empty") == (
        2,
        "",
        "error[RLX0007 no-programs]: there is no `.rlx` file below `empty`\n\n",
    )
    status, out, _ = relax("test", "empty")
    assert (status, out) == (2, "0 passed, 0 failed\n")
