"""`relax check` of Python files: units, places, fixes, suppressions, folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from relax_lang import api
from relax_lang.base.source import PythonFile
from relax_lang.check.explain import all_rules
from tests.cli.harness import ROOT, Relax
from tests.tvmscript.harness import findings, script

BAD = sorted((ROOT / "samples/bad/tvmscript").glob("*.py"))
RULES = [one for one in all_rules() if "RLX1000" < one.code < "RLX1050"]

TWO_UNITS = """
@I.ir_module
class First:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((3, 2), "float32"):
        y = R.nn.relu(x)
        return R.permute_dims(y)


@R.function
def second(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 5), "float32")):
    return R.matmul(x, w)
"""


@pytest.fixture
def relax(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Relax:
    return Relax(monkeypatch, capfd)


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_bad_sample_gives_its_diagnostic(path: Path) -> None:
    found = {one.slug for one in api.check(api.read(str(path))).diagnostics}
    if path.stem == "first_minutes":  # of docs/tvmscript.md
        assert found == {"op-shape-mismatch", "tvmscript-unknown-operator"}
        return
    if path.stem == "tvmscript-ignored-by-tvm":
        assert path.stem in found
        return
    assert found == {path.stem}


def test_the_units_of_a_file_are_checked_each() -> None:
    assert findings(TWO_UNITS) == [("op-shape-mismatch", "R.matmul(x, w)")]


def test_a_mistake_has_its_place_in_the_python_text(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(script(TWO_UNITS), encoding="utf-8")
    status, out, _ = relax("check", path, "--output-format", "json")
    assert status == 1
    (one,) = json.loads(out)["diagnostics"]
    assert one["code"] == "RLX0447"
    assert one["span"]["start"]["line"] == 13
    assert one["span"]["start"]["column"] == 12


@pytest.mark.parametrize("form", ["text", "concise", "json", "sarif", "github", "junit"])
def test_all_forms_of_output(relax: Relax, tmp_path: Path, form: str) -> None:
    path = tmp_path / "model.py"
    path.write_text(script(TWO_UNITS), encoding="utf-8")
    status, out, err = relax("check", path, "--output-format", form)
    assert status == 1
    assert "op-shape-mismatch" in out
    assert err == ""


def test_places_count_characters_not_bytes() -> None:
    text = """
    @R.function
    def main(größe: R.Tensor((2, 3), "float32")):
        é = R.abs(größe); ü = R.nn.rleu(é)
        return ü
    """
    assert findings(text) == [("tvmscript-unknown-operator", "nn.rleu")]


def test_a_dimension_in_quotes_has_its_place() -> None:
    text = """
    @R.function
    def main(x: R.Tensor(("n * 2", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        return x
    """
    assert ("undefined-shape-var", "n") in findings(text)


def test_comments_silence_findings() -> None:
    text = """
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 5), "float32")):
        # relax: ignore[op-shape-mismatch]
        y = R.matmul(x, w)
        return R.matmul(x, w)  # relax: ignore[RLX0447]
    """
    assert findings(text) == []
    assert findings(text.replace("op-shape-mismatch", "op-axis")) == [("op-shape-mismatch", "R.matmul(x, w)")]
    unused = (
        "@R.function\ndef main(x: R.Tensor) -> R.Tensor:\n    return R.abs(x)  # relax: ignore[op-axis]\n"
    )
    assert findings(unused) == [("unused-ignore", "op-axis")]


def test_a_comment_for_the_file_is_about_all_units() -> None:
    assert findings("# relax: ignore-file[op-shape-mismatch]\n" + TWO_UNITS) == []


def test_fix_writes_python(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    before = script("""
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        return R.nn.rleu(x)
    """)
    path.write_text(before, encoding="utf-8")
    status, _, _ = relax("check", "--unsafe-fixes", path)
    assert status == 0
    assert path.read_text(encoding="utf-8") == before.replace("rleu", "relu")


def test_the_help_is_the_title_of_the_fix_in_python(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        "from tvm.script import relax as R\n\n\n@R.function\n"
        'def main(x: R.Tensor((16, 15), "float32")) -> R.Tensor((16, 8), "float32"):\n    return x\n'
    )
    _, out, _ = relax("check", path)
    assert [line for line in out.splitlines() if "= help" in line] == [
        '  = help: change the annotation to `R.Tensor((16, 15), dtype="float32")`'
    ]


def test_fixes_without_a_form_in_python_are_not_offered(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(script(TWO_UNITS), encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    relax("check", "--unsafe-fixes", "--extend-select", "lints", path)
    assert path.read_text(encoding="utf-8") == before


def test_one_thing_that_cannot_be_read_hides_nothing_else() -> None:
    text = """
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 5), "float32")):
        y: R.Tensor((2, 3), "float32") = R.emit_te(topi.exp, x)
        return R.matmul(y, w)
    """
    assert findings(text) == [
        ("tvmscript-unsupported", "R.emit_te(topi.exp, x)"),
        ("op-shape-mismatch", "R.matmul(y, w)"),
    ]


def test_run_needs_all_of_it(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        script("""
    @I.ir_module
    class Module:
        @R.function
        def main() -> R.Tensor((), "float32"):
            return R.const(1.0, "float32")

        @R.function
        def other(x: R.Tensor((2, 3), "float32")):
            return R.emit_te(topi.exp, x)
    """),
        encoding="utf-8",
    )
    status, _, err = relax("run", path)
    assert status == 1
    assert "error[RLX1002 tvmscript-unsupported]" in err


def test_run_of_one_unit(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(script(TWO_UNITS), encoding="utf-8")
    status, _, err = relax("run", path, "--random", 1)
    assert status == 1
    assert "tvmscript-several-units" in err
    for name in ("First", "6"):
        status, out, _ = relax("run", path, "--unit", name, "--random", 1)
        assert status == 0
        assert out.startswith("Tensor[(3, 2), float32]")


def test_run_with_a_definition(relax: Relax) -> None:
    path = ROOT / "samples/bad/tvmscript/tvmscript-captured-name.py"
    status, out, _ = relax("run", path, "--define", "n=3", "--random", 1)
    assert status == 0
    assert out.startswith("Tensor[(3, 4), float32]")
    status, _, err = relax("run", path, "--define", "n")
    assert status == 2
    assert "`--define` takes NAME=VALUE" in err


def test_a_file_without_units(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text("print('hello')\n", encoding="utf-8")
    status, out, _ = relax("check", path)
    assert status != 0
    assert "tvmscript-no-unit" in out


@pytest.mark.parametrize(
    "text", ["(" * 5000, "x = " + "-" * 100_000 + "1", "\x0c\r\rdef f(:\n", "\ufeffdef f(:\n", "'''"]
)
def test_python_that_is_none(text: str) -> None:
    source = PythonFile(text, "model.py")
    (one,) = api.check(source).diagnostics
    assert one.slug == "python-syntax"
    assert 0 <= one.pos <= one.end <= len(text)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.slug)
def test_the_explanation_of(rule: object) -> None:
    """The wrong program gives the diagnostic, the right one nothing."""
    import re

    from relax_lang.check.explain import text_of

    programs = dict(
        re.findall(r"^```python (wrong|right)\n(.*?)^```$", text_of(rule), re.DOTALL | re.MULTILINE)
    )
    console = "```console" in text_of(rule)
    assert set(programs) == (
        {"wrong", "right"} if not console and rule.slug != "tvmscript-dropped" else set()
    )
    for kind, text in programs.items():
        found = [one.slug for one in api.check(PythonFile(text, "model.py")).diagnostics]
        assert found == ([rule.slug] if kind == "wrong" else [])


def test_python_files_in_folders_take_part_where_settings_include_them(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models/net.py").write_text(script(TWO_UNITS), encoding="utf-8")
    (tmp_path / "models/tool.py").write_text("import tvm  # R.function is only mentioned\n", encoding="utf-8")
    (tmp_path / "other.py").write_text(script(TWO_UNITS), encoding="utf-8")
    assert relax("check", tmp_path).status == 2
    (tmp_path / "relax.toml").write_text('include = ["models/*.py"]\n', encoding="utf-8")
    status, out, _ = relax("check", tmp_path, "--output-format", "concise")
    assert status == 1
    assert [line.rpartition(".py")[0][-3:] for line in out.splitlines()] == ["net"]


def test_python_files_are_not_formatted(relax: Relax) -> None:
    status, _, err = relax("fmt", ROOT / "samples/tvmscript/mlp.py")
    assert status == 2
    assert "a formatter of Python formats it" in err


@pytest.mark.parametrize(
    ("decorator", "fixed"),
    [
        ("@R.function", "@R.function(pure=False)"),
        ("@R.function()", "@R.function(pure=False)"),
        ("@R.function(check_well_formed=True)", "@R.function(check_well_formed=True, pure=False)"),
    ],
)
def test_a_function_with_effects_says_so(decorator: str, fixed: str) -> None:
    text = f"""
{decorator}
def main(x: R.Tensor((2,), "float32")):
    y = R.call_packed("f", x, ty_args=R.Tensor((2,), "float32"))
    return y
"""
    source = PythonFile(script(text), "model.py")
    (found,) = api.check(source).diagnostics
    assert (found.slug, source.text[found.pos : found.end].startswith("R.call_packed")) == (
        "tvmscript-impure",
        True,
    )
    assert api.fix_text(source).text == script(text).replace(decorator, fixed)
    assert findings(text.replace(decorator, fixed)) == []


def test_what_is_pure_or_says_that_it_counts_as_pure_has_no_finding() -> None:
    pure = 'y = R.call_pure_packed("f", x, ty_args=R.Tensor((2,), "float32"))'
    forced = 'R.func_attr({"relax.force_pure": True})\n    y = R.call_packed("f", x, ty_args=R.Any)'
    for body in (pure, forced):
        text = f'@R.function\ndef main(x: R.Tensor((2,), "float32")):\n    {body}\n    return y\n'
        assert "tvmscript-impure" not in [slug for slug, _ in findings(text)]


def test_a_name_of_both_branches_that_is_not_their_last_ends_with_them() -> None:
    text = """
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")):
        if c:
            y = R.add(x, x)
            z = R.abs(y)
        else:
            y = R.abs(x)
            z = R.add(y, x)
        return R.add(y, z)
    """
    assert findings(text) == [("undefined-variable", "y")]
