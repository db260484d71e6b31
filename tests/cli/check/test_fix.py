"""`relax check --fix`: what is written, what is shown, and what is left alone."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.cli.harness import BAD, BROKEN, GOOD, Relax

FIXED = BROKEN.replace("add(x, x)\n", "add(x, x);\n")
BOTH = BROKEN.replace("  y\n}", "  nope\n}")
ESCAPES = (
    "def @f(x: Tensor) {\n  dataflow {\n    let a = add(x, x);\n    let b = a;\n    output b;\n  }\n  a\n}\n"
)


def test_in_place(relax: Relax, files: Path) -> None:
    (files / "broken.rlx").chmod(0o640)
    status, out, err = relax("check", "--fix", "broken.rlx")
    assert (status, err) == (0, "")
    assert out == "Fixed in broken.rlx: 1 syntax\nFound 1 error in 1 file, fixed 1.\n"
    assert (files / "broken.rlx").read_text() == FIXED
    assert stat.S_IMODE((files / "broken.rlx").stat().st_mode) == 0o640
    assert relax("check", "--fix", "broken.rlx").out == "No problems found in 1 file.\n"


def test_what_is_left_is_reported_and_decides_the_status(relax: Relax, files: Path) -> None:
    (files / "both.rlx").write_text(BOTH)
    status, out, _ = relax("check", "--fix", "both.rlx", "good.rlx")
    assert status == 1
    assert "undefined-variable" in out
    assert "expected `;`" not in out
    assert out.endswith("\nFixed in both.rlx: 1 syntax\nFound 2 errors in 2 files, fixed 1.\n")
    assert (files / "both.rlx").read_text() == BOTH.replace("add(x, x)\n", "add(x, x);\n")


def test_files_without_fixes_are_not_written(relax: Relax, files: Path) -> None:
    before = [(files / name).stat() for name in ("good.rlx", "bad.rlx")]
    assert relax("check", "--fix", "good.rlx", "bad.rlx").status == 1
    after = [(files / name).stat() for name in ("good.rlx", "bad.rlx")]
    assert [(one.st_ino, one.st_mtime_ns) for one in before] == [
        (one.st_ino, one.st_mtime_ns) for one in after
    ]


def test_unsafe_fixes_need_to_be_asked_for(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "a.rlx"
    path.write_text(ESCAPES)
    assert relax("check", "a.rlx").out.endswith("[*] 1 fixable with `--unsafe-fixes`.\n")
    status, out, _ = relax("check", "--fix", "a.rlx")
    assert status == 1
    assert out.endswith("[*] 1 fixable with `--unsafe-fixes`.\n")
    assert path.read_text() == ESCAPES
    assert relax("check", "--unsafe-fixes", "a.rlx").status == 0
    assert path.read_text() == ESCAPES.replace("output b;", "output b, a;")


def test_fixable_diagnostics_are_counted(relax: Relax, files: Path) -> None:
    (files / "a.rlx").write_text(ESCAPES)
    assert relax("check", "broken.rlx").out.endswith("in 1 file.\n[*] 1 fixable with `--fix`.\n")
    assert relax("check", "broken.rlx", "a.rlx").out.endswith(
        "[*] 1 fixable with `--fix`, 1 more with `--unsafe-fixes`.\n"
    )
    assert "[*]" not in relax("check", "bad.rlx").out
    assert "[*]" not in relax("check", "-q", "broken.rlx").out


def test_only_what_is_selected_is_fixed(relax: Relax, files: Path) -> None:
    assert relax("check", "--fix", "--ignore", "syntax", "broken.rlx").status == 0
    assert relax("check", "--fix", "--select", "arity", "broken.rlx").status == 0
    assert (files / "broken.rlx").read_text() == BROKEN
    relax("check", "--fix", "--select", "RLX01", "broken.rlx")
    assert (files / "broken.rlx").read_text() == FIXED


def test_diff_writes_nothing(relax: Relax, files: Path) -> None:
    status, out, err = relax("check", "--diff", "broken.rlx", "good.rlx")
    assert status == 1
    assert out == (
        "--- broken.rlx\n+++ broken.rlx\n@@ -1,4 +1,4 @@\n def @main(x: Tensor[(n, 4), float32]) {\n"
        "-  let y = add(x, x)\n+  let y = add(x, x);\n   y\n }\n"
    )
    assert err == "Found 1 error in 2 files, would fix 1.\n"
    assert (files / "broken.rlx").read_text() == BROKEN
    assert relax("check", "--diff", "good.rlx") == (0, "", "No problems found in 1 file.\n")
    assert relax("check", "--diff", "--fix", "bad.rlx") == (1, "", "Found 1 error in 1 file.\n")


def test_diff_shows_files_that_cannot_be_read(relax: Relax, files: Path) -> None:
    status, out, err = relax("check", "--diff", "gone.rlx", "broken.rlx")
    assert status == 2
    assert out.startswith("--- broken.rlx\n")
    assert err.startswith("error[RLX0001 file-not-found]")


def test_diff_into_a_file(relax: Relax, files: Path) -> None:
    assert relax("check", "--diff", "broken.rlx", "-o", "fix.patch").out == ""
    assert (files / "fix.patch").read_text().startswith("--- broken.rlx\n")


@pytest.mark.parametrize("options", ["--output-format json", "--statistics"])
def test_diff_goes_with_nothing_else(relax: Relax, files: Path, options: str) -> None:
    status, out, err = relax("check", "--diff", *options.split(), "broken.rlx")
    assert (status, out) == (2, "")
    assert "usage]: `--diff` shows a diff and nothing else" in err


def test_standard_input(relax: Relax, files: Path) -> None:
    status, out, err = relax("check", "--fix", "-", stdin=BOTH)
    assert status == 1
    assert out == BOTH.replace("add(x, x)\n", "add(x, x);\n")
    assert "undefined-variable" in err
    assert err.endswith("Fixed in <stdin>: 1 syntax\nFound 2 errors in 1 file, fixed 1.\n")
    assert relax("check", "--fix", "-", "-q", stdin=GOOD) == (0, GOOD, "")
    status, out, err = relax("check", "--diff", "-", stdin=BROKEN)
    assert out.startswith("--- <stdin>\n")


def test_a_filter_hands_on_what_it_cannot_fix(
    relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from relax_lang import api

    assert relax("check", "--fix", "-", stdin=BAD).out == BAD

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(api, "fix_text", fail)
    status, out, err = relax("check", "--fix", "-", stdin=BROKEN)
    assert (status, out) == (101, BROKEN)
    assert "internal-error" in err


def test_a_bug_leaves_the_file_alone(relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from relax_lang import api

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(api, "fix_text", fail)
    assert relax("check", "--fix", "broken.rlx").status == 101
    assert (files / "broken.rlx").read_text() == BROKEN


def test_a_failing_write(relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    status, out, _ = relax("check", "--fix", "broken.rlx")
    assert status == 2
    assert "cannot write `broken.rlx`: no space left on device" in out
    assert "expected `;`" in out
    assert "Fixed in" not in out
    assert (files / "broken.rlx").read_text() == BROKEN


def test_machine_forms_show_what_is_left(relax: Relax, files: Path) -> None:
    (files / "both.rlx").write_text(BOTH)
    data = json.loads(relax("check", "--fix", "--output-format=json", "both.rlx").out)
    assert [one["name"] for one in data["diagnostics"]] == ["undefined-variable"]
    assert data["errors"] == 1


def test_places_of_what_is_left_are_those_of_the_new_text(relax: Relax, files: Path) -> None:
    (files / "a.rlx").write_text("def @main(x: Tensor) { let y = astype(x, int32); nope }\n")
    assert "a.rlx:1:56: error[RLX0201" in relax("check", "--fix", "--output-format=concise", "a.rlx").out


def test_line_ends_stay_what_they_are(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_bytes(b"\xef\xbb\xbf" + BROKEN.replace("\n", "\r\n").encode())
    relax("check", "--fix", "a.rlx")
    assert (tmp_path / "a.rlx").read_bytes() == b"\xef\xbb\xbf" + FIXED.replace("\n", "\r\n").encode()


def test_settings_that_are_not_understood_keep_files_from_being_fixed(relax: Relax, files: Path) -> None:
    (files / "relax.toml").write_text("ignore = ['sintax']\n")
    status, out, _ = relax("check", "--fix", "broken.rlx")
    assert status == 2
    assert "bad-config" in out
    assert (files / "broken.rlx").read_text() == BROKEN
