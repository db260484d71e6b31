"""`relax opt`: what it shows, what it writes, what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.transform import catalogue
from relax_lang.transform.core.rebuild import with_body
from relax_lang.transform.pass_manager.passes import function_pass

PROGRAM = """\
def @main(x: Tensor[(n,), float32]) {
  dataflow {
    let y = x;
    let a = exp(y);
    let b = const([1.0, 2.0], float32) * const([2.0, 2.0], float32);
    let c = a + exp(x);
    output c;
  }
  c
}
"""
OPTIMIZED = """\
def @main(x: Tensor[(n,), float32]) {
  dataflow {
    let a = exp(x);
    let c = add(a, a);
    output c;
  }
  c
}
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.rlx"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def test_the_pipeline_optimize(model, relax) -> None:
    status, out, err = relax(*["opt", "model.rlx"])
    assert (status, out, err) == (0, OPTIMIZED, "")


def test_passes_by_name_and_a_file(model, relax) -> None:
    command = "opt model.rlx -p canonicalize-bindings,eliminate_common_subexpr,DeadCodeElimination -o out.rlx"
    assert relax(*command.split()) == (0, "", "")
    text = (model.parent / "out.rlx").read_text(encoding="utf-8")
    assert text == OPTIMIZED
    assert relax(*["check", "out.rlx", "-q"])[0] == 0
    assert not (model.parent / "out.npz").exists()


def test_large_constants_are_beside_the_program(model, relax) -> None:
    model.write_text(
        "def @main(x: Tensor[(100,), float32]) {"
        " dataflow { let w = ones(shape(100), dtype=float32); let v = w * 2.0; let y = x + v; output y; } y }",
        encoding="utf-8",
    )
    (model.parent / "sub").mkdir()
    assert relax(*["opt", "model.rlx", "-p", "FoldConstant,DeadCodeElimination", "-o", "sub/out.rlx"]) == (
        0,
        "",
        "",
    )
    text = (model.parent / "sub/out.rlx").read_text(encoding="utf-8")
    assert 'file("out.npz", "c' in text
    found = api.run(api.read("sub/out.rlx"), np.ones(100, np.float32))
    assert np.array_equal(found, np.full(100, 3, np.float32))
    # From there to somewhere else, the constants go with the program.
    assert relax(*["opt", "sub/out.rlx", "-p", "ToNonDataflow", "-o", "again.rlx"]) == (0, "", "")
    assert np.array_equal(api.run(api.read("again.rlx"), np.ones(100, np.float32)), found)
    status, out, _ = relax(*["opt", "model.rlx", "-p", "FoldConstant,DeadCodeElimination"])
    assert status == 0
    assert out.count("2.0,") == 100


def test_constants_that_are_too_large_to_show(model, relax) -> None:
    model.write_text(
        "def @main(x: Tensor[(5000,), float32]) {"
        " dataflow { let w = ones(shape(1000), dtype=float32); let t = concat((w, w, w, w, w), axis=0);"
        " let y = x + t; output y; } y }",
        encoding="utf-8",
    )
    status, out, err = relax(*["opt", "model.rlx", "-p", "FoldConstant,DeadCodeElimination"])
    assert (status, out) == (2, "")
    assert "has constants of" in err
    assert "`-o FILE`" in err


def test_what_it_shows_on_the_way(model, relax) -> None:
    status, out, err = relax(
        *[
            "opt",
            "model.rlx",
            "--print-after",
            "FoldConstant",
            "--time",
            "--stop-after",
            "FoldConstant",
            "--verify",
            "each",
        ]
    )
    assert status == 0
    assert out == err.partition("# after FoldConstant\n")[2].partition("\n\npass")[0] + "\n"
    assert "const([2.0, 4.0], float32)" in out
    assert [line.split()[0] for line in err.splitlines()[-4:]] == [
        "pass",
        "ConvertToDataflow",
        "CanonicalizeBindings",
        "FoldConstant",
    ]
    status, out, err = relax(*["opt", "model.rlx", "--diff"])
    assert out.startswith("--- before\n+++ after CanonicalizeBindings\n")
    assert err == ""


def test_dumps(model, relax) -> None:
    (model.parent / "dumps").mkdir()
    assert (
        relax(
            *[
                "opt",
                "model.rlx",
                "--dump",
                "dumps",
                "-p",
                "ToNonDataflow,DeadCodeElimination",
                "-o",
                "out.rlx",
            ]
        )[0]
        == 0
    )
    names = sorted(path.name for path in (model.parent / "dumps").iterdir())
    assert names == ["01-ToNonDataflow.rlx", "02-DeadCodeElimination.rlx"]
    assert relax(*["check", "dumps", "-q"])[0] == 0
    status, _, err = relax(*["opt", "model.rlx", "--dump", "model.rlx"])
    assert status == 2
    assert "cannot-write" in err


def test_lists(relax) -> None:
    status, out, _ = relax(*["opt", "--list"])
    assert status == 0
    assert [name for name in catalogue.passes() if f"\n{name}" not in f"\n{out}"] == []
    assert "pipeline optimize: " in out


def test_compares(model, relax) -> None:
    assert relax(*["opt", "model.rlx", "--compare", "1", "--dim", "n=2"])[0] == 0


def test_functions_that_cannot_be_compared_are_named(relax, tmp_path) -> None:
    text = (
        "def @main(x: Object) { let y = x; y }\n\ndef @other(x: Tensor[(n,), float32]) { let y = x; exp(y) }"
    )
    (tmp_path / "two.rlx").write_text(text)
    status, _, err = relax("opt", "two.rlx", "--compare", "1", "--dim", "n=2")
    assert status == 0
    assert err.startswith("@main was not compared: "), err
    assert "@other" not in err


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("model.rlx -p FoldConstants", "did you mean `FoldConstant`?"),
        ("model.rlx -p FoldConstant(limits=3)", "there is `limit`"),
        ("model.rlx --pipeline optimise", "did you mean `optimize`?"),
        ("model.rlx --print-after DeadCode", "RLX1201"),
        ("model.rlx -p ToNonDataflow --stop-after FoldConstant", "these passes run: `ToNonDataflow`"),
        ("model.rlx -p ToNonDataflow --pipeline optimize", "do not go together"),
        ("model.rlx --dim n=2", "go with `--compare`"),
        ("model.rlx -o model.rlx", "would replace"),
        ("model.rlx --compare 1 --dim n", "takes a name and a size"),
        ("model.rlx --compare 1 --dim k=2", "no function has a shape variable `k`"),
        ("none.rlx", "file-not-found"),
        ("", "`relax opt` takes a program"),
        ("model.rlx -p DeadCodeElimination(entry_functions=[mian])", "did you mean `main`?"),
    ],
)
def test_what_is_refused(model, relax, words: str, shown: str) -> None:
    status, out, err = relax(*f"opt {words}".split())
    assert status in (1, 2)
    assert out == ""
    assert shown in err
    assert "Traceback" not in err


def test_a_program_with_errors(model, relax) -> None:
    model.write_text("def @main() { y }", encoding="utf-8")
    status, out, err = relax(*["opt", "model.rlx"])
    assert (status, out) == (1, "")
    assert "undefined-variable" in err


def test_a_pass_that_breaks_a_program(model, relax) -> None:
    @function_pass("LosesItsBinding")
    def loses(function, run):
        """Forget all bindings."""
        from relax_lang.syntax import tree

        return with_body(function, tree.SeqExpr((), function.body.body))

    catalogue.register_pass(loses)
    try:
        command = "opt model.rlx -p ToNonDataflow,LosesItsBinding --verify each --dump-on-error . -o out.rlx"
        status, out, err = relax(*command.split())
    finally:
        del catalogue.passes()["LosesItsBinding"]
    assert (status, out) == (1, "")
    assert "LosesItsBinding made a program that is not valid" in err
    assert "undefined-variable" in err
    assert not (model.parent / "out.rlx").exists()
    before = (model.parent / "before.rlx").read_text(encoding="utf-8")
    assert "dataflow" not in before
    assert not api.check(before).has_errors


def test_a_pass_that_fails(model, relax) -> None:
    @function_pass("Fails")
    def fails(function, run):
        """Look for what is not there."""
        return function.nothing_of_this_name

    catalogue.register_pass(fails)
    try:
        words = [
            "opt",
            "model.rlx",
            "-p",
            "ToNonDataflow,Fails",
            "--dump-on-error",
            "new/folder",
            "--dump",
            "all",
            "-o",
            "out.rlx",
        ]
        status, out, err = relax(*words)
        assert (status, out) == (1, "")
        assert "error[RLX1207 pass-failed]: Fails failed: AttributeError" in err
        assert "Traceback" not in err
        assert "Traceback" in relax(*words, "--verbose")[2]
    finally:
        del catalogue.passes()["Fails"]
    assert not (model.parent / "out.rlx").exists()
    assert "dataflow" not in (model.parent / "new" / "folder" / "before.rlx").read_text(encoding="utf-8")
    assert [path.name for path in (model.parent / "all").iterdir()] == ["01-ToNonDataflow.rlx"]


def test_parameters_from_an_archive(model, relax) -> None:
    model.write_text(
        "def @main(x: Tensor[(n,), float32], w: Tensor[(n,), float32]) { x * w }", encoding="utf-8"
    )
    np.savez("weights.npz", w=np.array([1, 2], np.float32))
    status, out, err = relax("opt", "model.rlx", "--params", "weights.npz", "-p", "ToNonDataflow")
    assert (status, err) == (0, "")
    assert "let w = const([1.0, 2.0], float32);" in out
    assert relax("opt", "model.rlx", "--params", "none.npz").status == 2
    status, _, err = relax("opt", "model.rlx", "--params", "weights.npz", "--func", "mian")
    assert status == 1
    assert "did you mean `main`?" in err


RULES = """def @pattern(x: Tensor[(n,), float32]) { exp(x) }
def @replacement(x: Tensor[(n,), float32]) { tanh(x) }
"""


def test_rules_of_a_file(model, relax) -> None:
    rules = model.parent / "rules.rlx"
    rules.write_text(RULES, encoding="utf-8")
    model.write_text("def @main(x: Tensor[(n,), float32]) { let y = x; exp(y) }", encoding="utf-8")
    status, out, err = relax("opt", "model.rlx", "--rules", "rules.rlx")
    assert (status, err) == (0, "")
    assert "tanh(y)" in out
    status, out, _ = relax("opt", "model.rlx", "--rules", "rules.rlx", "-p", "CanonicalizeBindings")
    assert (status, "tanh(x)" in out) == (0, True)


def test_files_that_hold_no_rules(model, relax) -> None:
    rules = model.parent / "rules.rlx"
    for text, slug in {
        "def @pattern(x: Tensor) { exp(x) }": "bad-rule",
        "def @main(x: Tensor) { exp(x) }": "bad-rule",
        "def @pattern(x: Tensor) { y }": "undefined-variable",
        "def": "unexpected-end",
    }.items():
        rules.write_text(text, encoding="utf-8")
        status, out, err = relax("opt", "model.rlx", "--rules", "rules.rlx")
        assert (status, out) == (2, "")
        assert slug in err
        assert err.count("error[") == 1
    status, _, err = relax("opt", "model.rlx", "--rules", "none.rlx")
    assert (status, "file-not-found" in err) == (2, True)


def test_compare_finds_rules_that_change_results(model, relax) -> None:
    (model.parent / "rules.rlx").write_text(RULES, encoding="utf-8")
    model.write_text("def @main(x: Tensor[(n,), float32]) { exp(x) }", encoding="utf-8")
    status, _, err = relax("opt", "model.rlx", "--rules", "rules.rlx", "--compare", "1", "--dim", "n=3")
    assert status == 1
    assert "pass-changed-result" in err


def test_it_shows_the_plan_of_memory(tmp_path, monkeypatch, relax) -> None:
    monkeypatch.chdir(tmp_path)
    product = "matmul(exp(negative(x)), ones(shape(64, 32), dtype=float32))"
    text = f"def @main(x: Tensor[(n, 64), float32]) {{ exp({product}) }}"
    (tmp_path / "model.rlx").write_text(text, encoding="utf-8")
    status, out, err = relax("opt", "model.rlx", "--pipeline", "build", "--memory-report")
    assert (status, "vm.alloc_storage" in out) == (0, True)
    head, *tensors = [line for line in err.splitlines() if line.startswith(("@main: `storage`", "  `"))]
    assert head.endswith("bytes for 3 tensors; at most n * 512 live at once, n * 640 in all")
    assert tensors[0].endswith(": n * 256 bytes from 0")
    status, _, err = relax("opt", "model.rlx", "--passes", "Normalize", "--memory-report")
    assert (status, err) == (0, "no memory is planned\n")


def test_it_explains_what_stays(tmp_path, monkeypatch, relax) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.rlx").write_text(
        "def @main(x: Tensor[(n,), float32]) {\n  let u = unique(x);\n  exp(u)\n}\n", encoding="utf-8"
    )
    status, out, err = relax("opt", "model.rlx", "-p", "LegalizeOps", "--explain")
    assert (status, "unique(x)" in out) == (0, True)
    assert (
        err.splitlines()[0]
        == "model.rlx:2:11: LegalizeOps: `unique` stays: the shape of its result depends on data"
    )


def test_a_pass_of_a_plugin_is_known_by_its_name(model, relax) -> None:
    (model.parent / "relax.toml").write_text('plugins = ["own.py"]\n')
    (model.parent / "own.py").write_text(
        "from relax_lang import transform\n"
        "@transform.module_pass('OfAPlugin')\n"
        "def of_a_plugin(typed, run):\n"
        '    """Change nothing."""\n'
        "    return typed\n"
        "transform.register_pass(of_a_plugin)\n"
    )
    try:
        status, out, err = relax(*["opt", "model.rlx", "--passes", "of-a-plugin", "--trust"])
        assert (status, err) == (0, "")
        assert "def @main" in out
        status, _, err = relax(*["opt", "model.rlx", "--passes", "OfAPlugins", "--trust"])
        assert status == 2
        assert "did you mean `OfAPlugin`?" in err
        status, out, _ = relax(*["opt", "--list", "--trust"])
        assert status == 0
        assert "OfAPlugin" in out
    finally:
        catalogue.passes().pop("OfAPlugin", None)
        catalogue.REGISTERED.clear()
