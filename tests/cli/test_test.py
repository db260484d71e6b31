"""`relax test`: programs that say in comments what is found in them and what they print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.harness import BAD, GOOD, ROOT, Relax

ANNOUNCED = BAD.replace("add(x, y)", "add(x, y)  # error: undefined-variable")
PRINTS = "# expect-output\n# Tensor[(), int32] 3\n\ndef @main() {\n  1 + 2\n}\n"


def test_programs_that_are_as_announced(relax: Relax, files: Path) -> None:
    (files / "announced.rlx").write_text(ANNOUNCED)
    (files / "prints.rlx").write_text(PRINTS)
    assert relax("test", "good.rlx", "announced.rlx", "prints.rlx") == (0, "3 passed, 0 failed\n", "")


def test_programs_that_are_not(relax: Relax, files: Path) -> None:
    status, out, err = relax("test", ".")
    assert (status, out) == (1, "2 passed, 2 failed\n")
    assert err.startswith(
        "error[RLX0032 unexpected-finding]: error[RLX0201 undefined-variable]: `y` is not defined\n"
    )
    assert "──▸ bad.rlx:2:10" in err
    assert "──▸ broken.rlx:2:20" in err


def test_an_output_that_differs(relax: Relax, files: Path) -> None:
    (files / "prints.rlx").write_text(PRINTS.replace("int32] 3", "int32] 4"))
    status, out, err = relax("test", "prints.rlx")
    assert (status, out) == (1, "0 passed, 1 failed\n")
    assert "output-differs]: this line is printed as `Tensor[(), int32] 3`\n ──▸ prints.rlx:2:1" in err


def test_split(relax: Relax, files: Path) -> None:
    text = f"{GOOD}\n# ---\n{BAD}\n# ---\n{PRINTS}\n# ---\n{ANNOUNCED}"
    (files / "many.rlx").write_text(text)
    status, out, err = relax("test", "--split", "many.rlx")
    assert (status, out) == (1, "3 passed, 1 failed\n")
    line = text[: text.index(BAD)].count("\n") + 2
    assert f"──▸ many.rlx:{line}:10\n" in err
    assert "  add(x, y)\n" in err
    assert relax("test", "many.rlx").out == "0 passed, 1 failed\n"


def test_verbose_lists_every_program(relax: Relax, files: Path) -> None:
    (files / "many.rlx").write_text(f"{GOOD}# ---\n{BAD}")
    out = relax("test", "--split", "-v", "many.rlx", "good.rlx").out
    assert out == "many.rlx:1: passed\nmany.rlx:6: failed\ngood.rlx: passed\n2 passed, 1 failed\n"


def test_quiet(relax: Relax, files: Path) -> None:
    assert relax("test", "-q", "good.rlx") == (0, "", "")
    assert relax("test", "-q", "bad.rlx").out == ""


def test_standard_input(relax: Relax) -> None:
    assert relax("test", "-", stdin=ANNOUNCED) == (0, "1 passed, 0 failed\n", "")
    assert "──▸ a.rlx:2:10" in relax("test", "-", "--stdin-filename", "a.rlx", stdin=BAD).err


def test_files_that_cannot_be_read(relax: Relax, files: Path) -> None:
    status, out, err = relax("test", "gone.rlx", "good.rlx")
    assert (status, out) == (2, "1 passed, 0 failed, 1 not tested\n")
    assert "there is no file `gone.rlx`" in err
    (files / "empty").mkdir()
    assert relax("test", "empty").status == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [("r.relay", "def @main(%x: float32) { %x }\n"), ("p.py", "# no TVMScript here\n")],
)
def test_programs_that_are_not_relax_text(relax: Relax, tmp_path: Path, name: str, text: str) -> None:
    """Their comments are not expectations: in folders they are left alone, and whoever names one is told so."""
    other = tmp_path / name
    other.write_text(text)
    (tmp_path / "good.rlx").write_text("def @main() -> Shape { shape(2) }\n")
    assert relax("test", str(tmp_path))[:2] == (0, "1 passed, 0 failed\n")
    status, out, err = relax("test", str(other))
    assert (status, out) == (2, "0 passed, 0 failed, 1 not tested\n")
    assert f"`{other}` is not Relax text" in " ".join(err.split())
    (tmp_path / "good.rlx").unlink()
    assert "no-programs" in relax("test", str(tmp_path)).err


def test_settings_that_are_not_understood(relax: Relax, files: Path) -> None:
    (files / "relax.toml").write_text("strict = 1\n")
    (files / "bad.rlx").unlink()
    (files / "broken.rlx").unlink()
    status, out, err = relax("test", ".")
    assert (status, out) == (2, "2 passed, 0 failed\n")
    assert "bad-config" in err


def test_infos_are_revealed(relax: Relax) -> None:
    right = GOOD.replace("add(x, x);", "add(x, x);  # reveals: Tensor[(n, 4), float32]")
    assert relax("test", "-", stdin=right) == (0, "1 passed, 0 failed\n", "")
    status, _, err = relax(
        "test", "-", stdin=right.replace("reveals: Tensor[(n, 4)", "reveals: Tensor[(4, n)")
    )
    assert status == 1
    assert err.startswith(
        "error[RLX0035 info-differs]: `y` is `Tensor[(n, 4), float32]`, not `Tensor[(4, n), float32]`\n"
        " ──▸ <stdin>:2:"
    )


def test_a_bug_fails_one_program(relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from relax_lang.api import running

    original = running.check

    def fail(source: object, **options: object) -> object:
        if getattr(source, "path", "") == "bad.rlx":
            raise ZeroDivisionError
        return original(source, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "check", fail)
    status, out, err = relax("test", "bad.rlx", "good.rlx")
    assert (status, out) == (101, "1 passed, 1 failed\n")
    assert "internal-error" in err


def test_constants_lie_beside_the_program(relax: Relax, tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    (tmp_path / "sub").mkdir()
    numpy.save(tmp_path / "sub/w.npy", numpy.arange(3))
    text = '# expect-output\n# Tensor[(3,), int64] [0 1 2]\n\ndef @main() {\n  const(file("w.npy"))\n}\n'
    (tmp_path / "sub/a.rlx").write_text(text)
    assert relax("test", "sub/a.rlx").status == 0


@pytest.mark.parametrize(
    "path", sorted((ROOT / "samples/bad/tests").glob("*.rlx")), ids=lambda path: path.name
)
def test_the_samples(relax: Relax, path: Path) -> None:
    split = ["--split"] if "\n# ---\n" in path.read_text(encoding="utf-8") else []
    status, out, err = relax("test", *split, path)
    assert (status, err) == (0, "")
    assert out.endswith(" passed, 0 failed\n")
    assert not out.startswith("0 ")
