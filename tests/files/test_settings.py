"""Settings: which file holds for which program, what it can say, and where a mistake in it is shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from relax_lang.files.programs import discover
from relax_lang.files.settings.data import Config
from relax_lang.files.settings.search import Configs

ROOT = Path(__file__).parents[2]


def config_of(folder: Path, name: str = "a.rlx") -> Config:
    return Configs().of(str(folder / name))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    config = config_of(tmp_path)
    assert (config.select, config.ignore, config.strict, config.severity) == ([], [], False, {})
    assert (config.exclude, config.line_length, config.diagnostics) == ([], None, [])


SETTINGS = """select = ["RLX02", "arity"]
extend-select = ["lints"]
ignore = ["no-entry-point"]
strict = true
exclude = ["old/"]
line-length = 72
"""
SEVERITY = 'shadowing = "warning"\nRLX0201 = "off"\n'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("relax.toml", f"{SETTINGS}[severity]\n{SEVERITY}"),
        ("relax.toml", f"[tool.relax]\n{SETTINGS}[tool.relax.severity]\n{SEVERITY}"),
        (
            "pyproject.toml",
            f"[project]\nname = 'x'\n[tool.relax]\n{SETTINGS}[tool.relax.severity]\n{SEVERITY}",
        ),
    ],
)
def test_what_can_be_said(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path / name, text)
    config = config_of(tmp_path)
    assert config.diagnostics == []
    assert config.select == ["RLX02", "arity"]
    assert config.extend_select == ["lints"]
    assert config.ignore == ["no-entry-point"]
    assert config.strict is True
    assert config.severity == {"shadowing": "warning", "RLX0201": "off"}
    assert config.exclude == ["old/"]
    assert config.line_length == 72


def test_the_nearest_file_upwards_holds(tmp_path: Path) -> None:
    write(tmp_path / "relax.toml", "line-length = 50\n")
    write(tmp_path / "a/pyproject.toml", "[tool.relax]\nline-length = 60\n")
    write(tmp_path / "a/b/pyproject.toml", "[tool.ruff]\nline-length = 70\n")
    write(tmp_path / "a/c/relax.toml", "line-length = 80\n")
    write(tmp_path / "a/c/pyproject.toml", "[tool.relax]\nline-length = 90\n")
    found = {place: config_of(tmp_path / place).line_length for place in ("", "x/y", "a", "a/b", "a/c")}
    assert found == {"": 50, "x/y": 50, "a": 60, "a/b": 60, "a/c": 80}


def test_relative_paths_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "relax.toml", "line-length = 50\n")
    write(tmp_path / "sub/relax.toml", "line-length = 60\n")
    monkeypatch.chdir(tmp_path)
    assert Configs().of("a.rlx").line_length == 50
    assert Configs().of("sub/a.rlx").line_length == 60
    assert Configs().of("-").line_length == 50
    assert Configs().of("-", "sub/a.rlx").line_length == 60


def test_every_folder_is_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = os.access

    def access(path: str, mode: int) -> bool:
        asked.append(path)
        return real(path, mode)

    (tmp_path / "a/b").mkdir(parents=True)
    monkeypatch.setattr(os, "access", access)
    configs = Configs()
    for i in range(100):
        configs.of(str(tmp_path / f"a/b/{i}.rlx"))
        configs.of(str(tmp_path / f"a/{i}.rlx"))
    assert len(asked) == len(set(asked))
    n_folders = len((tmp_path / "a/b").parents) + 1
    assert 2 * n_folders < len(asked) <= 3 * n_folders  # two names, and `.git` up to home


def test_the_reader_of_TOML_is_loaded_only_for_settings(tmp_path: Path) -> None:
    code = (
        "import sys; from relax_lang.files.settings.search import Configs; Configs().of(sys.argv[1])\n"
        "print('tomllib' in sys.modules)"
    )

    def loads() -> str:
        words = [sys.executable, "-c", code, str(tmp_path / "a.rlx")]
        return subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=True).stdout

    assert loads() == "False\n"
    write(tmp_path / "pyproject.toml", "[project]\nname = 'relax-something'\n")
    assert loads() == "False\n"
    write(tmp_path / "pyproject.toml", "[tool.relax]\n")
    assert loads() == "True\n"


# Mistakes.


def shown(config: Config) -> list[tuple[str, int, str, str]]:
    assert config.source is not None
    return [
        (one.slug, config.source.position(one.pos)[0], config.source.text[one.pos : one.end], one.message)
        for one in config.diagnostics
    ]


@pytest.mark.parametrize(
    ("text", "line", "marked", "message"),
    [
        ("strict = true\nselct = []\n", 2, "selct", "there is no setting `selct`"),
        ("select = 'arity'\n", 1, "select", "`select` is a list of strings"),
        ("ignore = [1]\n", 1, "ignore", "`ignore` is a list of strings"),
        ("select = [\n  'arity',\n  'artiy',\n]\n", 3, "artiy", "there is no diagnostic `artiy`"),
        ("strict = 'yes'\n", 1, "strict", "`strict` is true or false"),
        ("line-length = 5\n", 1, "line-length", "`line-length` is a number of columns from 20 to 1000"),
        ("line-length = true\n", 1, "line-length", "`line-length` is a number of columns from 20 to 1000"),
        ("exclude = 'x'\n", 1, "exclude", "`exclude` is a list of strings"),
        ("severity = 1\n", 1, "severity", "`severity` is a table of diagnostics and their severities"),
        ("[severity]\nnope = 'off'\n", 2, "nope", "there is no diagnostic `nope`"),
        (
            "[severity]\narity = 'err'\n",
            2,
            "err",
            "a severity is `error`, `warning`, `hint` or `off`",
        ),
        ("[severity]\narity = 1\n", 2, "arity", "a severity is `error`, `warning`, `hint` or `off`"),
        ("severity = { nope = 'off' }\n", 1, "nope", "there is no diagnostic `nope`"),
        ("severity.nope = 'off'\n", 1, "severity.nope", "there is no diagnostic `nope`"),
        ("tool = { relax = { strct = 1 } }\n", 1, "strct", "there is no setting `strct`"),
        ("tool.relax = 3\n", 1, "tool.relax", "`tool.relax` is a table"),
        ("strict = tru\n", 1, "t", "this is not TOML: invalid value"),
        ("strict = [\n", 2, "", "this is not TOML: unclosed array at the end of the file"),
    ],
)
def test_mistakes_have_a_place(tmp_path: Path, text: str, line: int, marked: str, message: str) -> None:
    write(tmp_path / "relax.toml", text)
    [found] = shown(config_of(tmp_path))
    if "not TOML" in message:  # the words of the standard library differ from version to version
        assert found[0] == "bad-config"
        assert found[3].startswith("this is not TOML: ")
        return
    assert found == ("bad-config", line, marked, message)


def test_what_is_right_holds_beside_what_is_wrong(tmp_path: Path) -> None:
    write(tmp_path / "relax.toml", "select = ['nope', 'arity']\nline-length = 60\nstrict = 1\n")
    config = config_of(tmp_path)
    assert (config.select, config.line_length, config.strict) == (["arity"], 60, False)
    assert len(config.diagnostics) == 2


def test_names_that_are_nearly_right_are_told(tmp_path: Path) -> None:
    write(tmp_path / "relax.toml", "line_length = 60\n[severity]\nshadowin = 'warnin'\narity = 'warnin'\n")
    assert [one.help for one in config_of(tmp_path).diagnostics] == [
        "did you mean `line-length`?",
        "did you mean `shadowing`?",
        "did you mean `warning`?",
    ]


@pytest.mark.parametrize("data", [b"\xff\xfe", b"strict = \x00"])
def test_files_that_are_no_text(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "relax.toml").write_bytes(data)
    [one] = config_of(tmp_path).diagnostics
    assert one.slug in ("not-utf8", "nul-in-text")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/pyproject.toml").write_bytes(data)
    assert config_of(tmp_path / "sub").folder == str(tmp_path)


def test_a_broken_project_file_that_is_not_about_relax_is_not_ours(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.black\n")
    assert config_of(tmp_path).diagnostics == []
    write(tmp_path / "pyproject.toml", "[tool.relax\n")
    assert [one.slug for one in config_of(tmp_path).diagnostics] == ["bad-config"]


def test_a_folder_of_that_name_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "relax.toml").mkdir()
    assert config_of(tmp_path).diagnostics == []


# What is left out.


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("old", ["a.rlx", "sub/b_test.rlx", "sub/deep/c.rlx"]),
        ("old/", ["a.rlx", "sub/b_test.rlx", "sub/deep/c.rlx"]),
        ("sub/", ["a.rlx", "old/d.rlx"]),
        ("*_test.rlx", ["a.rlx", "old/d.rlx", "sub/deep/c.rlx"]),
        ("sub/deep", ["a.rlx", "old/d.rlx", "sub/b_test.rlx"]),
        ("./sub/deep/*.rlx", ["a.rlx", "old/d.rlx", "sub/b_test.rlx"]),
        ("a.rlx/", ["a.rlx", "old/d.rlx", "sub/b_test.rlx", "sub/deep/c.rlx"]),
        ("deep/c.rlx", ["a.rlx", "old/d.rlx", "sub/b_test.rlx", "sub/deep/c.rlx"]),
    ],
)
def test_exclude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, left: list[str]) -> None:
    for name in ("a.rlx", "sub/b_test.rlx", "sub/deep/c.rlx", "old/d.rlx"):
        write(tmp_path / name, "")
    write(tmp_path / "relax.toml", f"exclude = ['{pattern}']\n")
    monkeypatch.chdir(tmp_path)
    assert discover(["."], Configs().excludes) == (left, [])
    files, _ = discover([str(tmp_path)], Configs().excludes)
    assert [os.path.relpath(path) for path in files] == left


def test_what_is_named_is_never_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "sub/a.rlx", "")
    write(tmp_path / "relax.toml", "exclude = ['sub/']\n")
    monkeypatch.chdir(tmp_path)
    assert discover(["sub/a.rlx"], Configs().excludes)[0] == ["sub/a.rlx"]
    assert discover(["sub"], Configs().excludes)[0] == ["sub/a.rlx"]


def test_extending_other_settings(tmp_path: Path) -> None:
    write(
        tmp_path / "shared.toml",
        "select = ['RLX02']\nextend-select = ['lints']\nstrict = true\nline-length = 60\nexclude = ['old']\n"
        "[severity]\nshadowing = 'warning'\narity = 'warning'\n",
    )
    write(tmp_path / "a/relax.toml", "line-length = 70\nextend = '../shared.toml'\nignore = ['arity']\n")
    write(tmp_path / "a/b/pyproject.toml", "[tool.relax]\nextend = '../relax.toml'\nseverity.arity = 'off'\n")
    config = config_of(tmp_path / "a/b")
    assert config.diagnostics == []
    assert (config.select, config.extend_select, config.ignore) == (["RLX02"], ["lints"], ["arity"])
    assert (config.strict, config.line_length, config.exclude) == (True, 70, [])
    assert config.severity == {"shadowing": "warning", "arity": "off"}


@pytest.mark.parametrize(
    ("extended", "message"),
    [
        ("relax.toml", "`relax.toml` extends itself"),
        ("circle.toml", "`circle.toml` cannot be used: `relax.toml` extends itself"),
        ("none.toml", "`none.toml` cannot be used: there is no file `"),
        ("wrong.toml", "`wrong.toml` cannot be used: there is no setting `selct`"),
        ("pyproject.toml", "`pyproject.toml` has no settings"),
        ("", "`extend` is the path of another file with settings"),
    ],
)
def test_what_cannot_be_extended(tmp_path: Path, extended: str, message: str) -> None:
    write(tmp_path / "circle.toml", "extend = 'relax.toml'\n")
    write(tmp_path / "wrong.toml", "selct = []\n")
    write(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n")
    write(tmp_path / "relax.toml", f"strict = true\nextend = '{extended}'\n")
    config = config_of(tmp_path)
    [one] = config.diagnostics
    assert one.slug == "bad-config"
    assert one.message.startswith(message)
    assert config.source is not None
    assert config.source.position(one.pos)[0] == 2
    assert config.strict is True
