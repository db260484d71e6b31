"""Settings of a project, as `relax check` and `relax fmt` follow them: the command line wins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.harness import BAD, GOOD, UGLY, Relax

WARNS = "private def @main() {\n  1\n}\n"
TWO = "def @main(x: Tensor) {\n  y\n}\n\ndef @b(x: Tensor) {\n  matmul(x)\n}\n"
SHADOWS = "def @f(x: Tensor) {\n  let y = x;\n  let y = y;\n  y\n}\n"


def found(relax: Relax, *words: str) -> tuple[int, list[tuple[str, str]]]:
    status, out, _ = relax("check", "--output-format=json", *words)
    return status, [(one["name"], one["severity"]) for one in json.loads(out)["diagnostics"]]


@pytest.fixture
def settings(tmp_path: Path, relax: Relax):
    for name, text in {"two": TWO, "warns": WARNS, "shadows": SHADOWS}.items():
        (tmp_path / f"{name}.rlx").write_text(text)
    return (tmp_path / "relax.toml").write_text


VARIABLE = ("undefined-variable", "error")
ARITY = ("arity", "error")


def test_select_and_ignore(relax: Relax, settings) -> None:
    settings("select = ['RLX02']\n")
    assert found(relax, "two.rlx") == (1, [VARIABLE])
    settings("ignore = ['RLX02']\n")
    assert found(relax, "two.rlx") == (1, [ARITY])
    settings("select = ['RLX02']\nignore = ['undefined-variable']\n")
    assert found(relax, "two.rlx") == (0, [])


def test_the_command_line_wins(relax: Relax, settings) -> None:
    settings("select = ['RLX02']\n")
    assert found(relax, "two.rlx", "--select", "arity") == (1, [ARITY])
    settings("ignore = ['arity']\n")
    assert found(relax, "two.rlx", "--select", "arity") == (1, [ARITY])
    assert found(relax, "two.rlx", "--ignore", "RLX02") == (0, [])
    settings("[severity]\narity = 'off'\n")
    assert found(relax, "two.rlx", "--select", "arity") == (0, [("arity", "hint")])


def test_severities(relax: Relax, settings) -> None:
    settings("[severity]\nRLX02 = 'warning'\nundefined-variable = 'hint'\narity = 'warning'\n")
    assert found(relax, "two.rlx") == (0, [("undefined-variable", "hint"), ("arity", "warning")])
    assert found(relax, "warns.rlx") == (0, [("no-entry-point", "warning")])
    settings("[severity]\nno-entry-point = 'error'\n")
    assert found(relax, "warns.rlx") == (1, [("no-entry-point", "error")])
    settings("[severity]\nno-entry-point = 'off'\n")
    assert found(relax, "warns.rlx") == (0, [])


def test_rules_that_are_off_can_be_switched_on(relax: Relax, settings) -> None:
    assert found(relax, "shadows.rlx") == (0, [])
    settings("[severity]\nshadowing = 'warning'\n")
    assert found(relax, "shadows.rlx") == (0, [("shadowing", "warning")])


def test_strict(relax: Relax, settings) -> None:
    assert found(relax, "warns.rlx")[0] == 0
    settings("strict = true\n")
    assert found(relax, "warns.rlx")[0] == 1


def test_every_file_has_its_own(relax: Relax, settings, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/two.rlx").write_text(TWO)
    (tmp_path / "sub/relax.toml").write_text("ignore = ['arity']\n")
    settings("ignore = ['RLX02']\n")
    assert found(relax, "sub/two.rlx", "two.rlx") == (1, [VARIABLE, ARITY])


def test_standard_input_has_those_of_the_name_it_is_shown_under(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/relax.toml").write_text("ignore = ['RLX02']\n")
    assert relax("check", "-", stdin=BAD).status == 1
    assert relax("check", "-", "--stdin-filename", "sub/a.rlx", stdin=BAD).status == 0


def test_exclude(relax: Relax, settings, tmp_path: Path) -> None:
    settings("exclude = ['t*.rlx', 'shadows.rlx']\n")
    assert found(relax, ".") == (0, [("no-entry-point", "warning")])
    assert found(relax, "two.rlx")[0] == 1
    assert relax("fmt", "--check", ".").out == "1 file already formatted.\n"


def test_mistakes_are_shown_once_and_first(relax: Relax, settings) -> None:
    settings("selct = ['arity']\n")
    status, out, err = relax("check", "two.rlx", "warns.rlx")
    assert (status, err) == (2, "")
    assert out.startswith("error[RLX0015 bad-config]: there is no setting `selct`\n ──▸ relax.toml:1:1\n")
    assert out.count("bad-config") == 1
    assert "undefined-variable" in out
    assert out.endswith("Found 3 errors and 1 warning in 2 files.\n")
    assert relax("check", "--exit-zero", "two.rlx").status == 2


def test_line_length_of_fmt(relax: Relax, files: Path) -> None:
    short = "def @main(\n  x: Tensor[(n, 4), float32],\n) {\n  add(x, x)\n}\n"
    (files / "relax.toml").write_text("line-length = 30\n")
    assert relax("fmt", "-", stdin=UGLY).out == short
    assert relax("fmt", "ugly.rlx").status == 0
    assert (files / "ugly.rlx").read_text() == short
    assert relax("fmt", "-", "--line-length", "80", stdin=UGLY).out.startswith("def @main(x: ")
    assert relax("fmt", "--check", "--line-length=80", "ugly.rlx").status in (0, 1)


@pytest.mark.parametrize("word", ["many", "19", "1001", "-5", "4.5"])
def test_line_lengths_that_are_none(relax: Relax, files: Path, word: str) -> None:
    status, out, err = relax("fmt", f"--line-length={word}", "ugly.rlx")
    assert (status, out) == (2, "")
    assert f"`--line-length` takes a number from 20 to 1000, not `{word}`" in err
    assert (files / "ugly.rlx").read_text() == UGLY


def test_fmt_leaves_files_alone_whose_settings_are_not_understood(relax: Relax, files: Path) -> None:
    (files / "relax.toml").write_text("line-length = 'long'\n")
    status, out, err = relax("fmt", "ugly.rlx", "good.rlx")
    assert status == 2
    assert out == "2 files left as they are.\n"
    assert err.count("bad-config") == 1
    assert "──▸ relax.toml:1:1" in err
    assert (files / "ugly.rlx").read_text() == UGLY


def test_test_follows_only_what_is_left_out(relax: Relax, settings) -> None:
    settings("exclude = ['two.rlx', 'warns.rlx']\nignore = ['RLX02']\n")
    assert relax("test", ".") == (0, "1 passed, 0 failed\n", "")
    status, out, _ = relax("test", "two.rlx")
    assert (status, out) == (1, "0 passed, 1 failed\n")


def test_good_programs_stay_good(relax: Relax, settings) -> None:
    settings("select = ['arity']\nstrict = true\n")
    assert relax("check", "-", stdin=GOOD).status == 0


LINTY = "def @f(x: Tensor, y: Tensor) {\n  let z = x;\n  let x = x;\n  x\n}\n"
UNUSED = ("unused-binding", "hint")
LINTS = [("unused-parameter", "hint"), UNUSED, ("shadowing", "hint")]


def found_lints(relax: Relax, *words: str) -> tuple[int, list[tuple[str, str]]]:
    """Return those findings that are named in `LINTS`: groups may mean other lints as well."""
    status, everything = found(relax, *words)
    named = {name for name, _ in LINTS}
    return status, [one for one in everything if one[0] in named]


@pytest.fixture
def linty(settings, tmp_path: Path):
    (tmp_path / "linty.rlx").write_text(LINTY)
    return settings


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], []),
        (["--extend-select", "lints"], LINTS),
        (["--select", "lints"], LINTS),
        (["--select", "all"], LINTS),
        (["--extend-select", "unused-binding,shadowing"], LINTS[1:]),
        (["--extend-select", "RLX0801"], [UNUSED]),
        (["--extend-select", "RLX08", "--ignore", "unused-parameter"], [UNUSED]),
        (["--extend-select", "lints", "--ignore", "lints"], []),
        (["--select", "RLX03"], []),
        (["--select", "RLX03", "--extend-select", "RLX0801"], [UNUSED]),
    ],
)
def test_lints_are_selected(relax: Relax, linty, options: list[str], expected: list[tuple[str, str]]) -> None:
    assert found_lints(relax, "linty.rlx", *options) == (0, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("extend-select = ['lints']\n", LINTS),
        ("extend-select = ['lints']\nignore = ['shadowing']\n", LINTS[:2]),
        ("select = ['unused-binding']\n", [UNUSED]),
        ("select = ['RLX03']\nextend-select = ['RLX0801']\n", [UNUSED]),
        ("[severity]\nunused-binding = 'warning'\n", [("unused-binding", "warning")]),
        (
            "[severity]\nlints = 'warning'\nshadowing = 'off'\nRLX0802 = 'off'\n",
            [("unused-binding", "warning")],
        ),
        ("[severity]\nlints = 'off'\n", []),
    ],
)
def test_lints_in_settings(relax: Relax, linty, text: str, expected: list[tuple[str, str]]) -> None:
    linty(text)
    assert found_lints(relax, "linty.rlx") == (0, expected)


def test_extending_on_the_command_line_wins(relax: Relax, linty) -> None:
    linty("ignore = ['lints']\n")
    assert found(relax, "linty.rlx", "--extend-select", "unused-binding") == (0, [UNUSED])
    linty("extend-select = ['lints']\n")
    assert found(relax, "linty.rlx", "--select", "shadowing") == (0, LINTS[2:])


def test_lints_are_fixed_if_they_are_selected(relax: Relax, linty, tmp_path: Path) -> None:
    assert relax("check", "--fix", "linty.rlx").out == "No problems found in 1 file.\n"
    assert (tmp_path / "linty.rlx").read_text() == LINTY
    out = relax("check", "--fix", "--select", "unused-binding", "linty.rlx").out
    assert out == "Fixed in linty.rlx: 1 unused-binding\nFound 1 hint in 1 file, fixed 1.\n"
    assert (tmp_path / "linty.rlx").read_text() == LINTY.replace("  let z = x;\n", "")


def test_words_that_are_no_lints(relax: Relax, linty) -> None:
    status, _, err = relax("check", "--extend-select", "lint", "linty.rlx")
    assert status == 2
    assert "there is no diagnostic `lint`" in err
    assert "did you mean `lints`?" in err
    linty("extend-select = ['unused-bindings']\n")
    assert "did you mean `unused-binding`?" in relax("check", "linty.rlx").out
