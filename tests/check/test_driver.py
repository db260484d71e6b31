"""All phases over one program: what is reported, in which order, and what is left out."""

from __future__ import annotations

import subprocess
import sys

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import Diagnostic
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.syntax.tree import FileLit


def slugs(text: str) -> list[str]:
    return [one.slug for one in api.check(text).diagnostics]


def test_a_program_without_errors_has_a_normal_form() -> None:
    checked = api.check("def @main(x: Tensor) {\n  x + x\n}\n")
    assert not checked.has_errors
    assert checked.normal is checked.normal
    assert checked.tree is checked.parsed.tree


def test_a_program_with_errors_has_none() -> None:
    checked = api.check("def @main() {\n  nope\n}\n")
    assert checked.has_errors
    with pytest.raises(ValueError, match="no normal form"):
        _ = checked.normal


def test_a_program_that_needs_no_proof_loads_no_prover() -> None:
    params = "x: Tensor[(n, 4), float32], w: Tensor[(4, 8), float32]"
    program = f"def @main({params}) {{ nn.relu(matmul(x, w)) + matmul(x, w) }}"
    code = f"import sys; from relax_lang import api; print(api.check({program!r}).diagnostics, *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found, *loaded = done.stdout.split()
    assert found == "[]"
    assert "relax_lang.arith.prover" in loaded
    assert {f"relax_lang.arith.{name}" for name in ("normal", "cases", "readable")}.isdisjoint(loaded)


def test_findings_come_in_the_order_of_the_text() -> None:
    text = """prim_func @p(X: Buffer[(2,), float32]) {
  X[0, 1] = 1.0;
}

def @f(x: Tensor) {
  matmul(x)
}

def @g() {
  nope
}
"""
    assert slugs(text) == ["tir-rank-mismatch", "arity", "undefined-variable"]


def test_nothing_is_reported_twice() -> None:
    source = SourceFile('def @f() {\n  const(file("a.npy"))\n}\n')

    def problem(literal: FileLit) -> Diagnostic:
        from relax_lang.files import diagnostics as diag

        return diag.constant_file_missing(literal, literal.path)

    assert [one.slug for one in check_source(source, problem).diagnostics] == ["constant-file-missing"]


def test_constants_are_looked_at_in_every_place() -> None:
    text = 'def @f() {\n  (const(file("a.npy")), fn () { const(file("b.npz", "k")) })\n}\n'
    asked: list[tuple[str, str | None]] = []
    check_source(SourceFile(text), lambda literal: asked.append((literal.path, literal.key)))
    assert sorted(asked) == [("a.npy", None), ("b.npz", "k")]


def test_Z_5_an_item_with_a_gap_is_left_out_of_later_phases() -> None:
    assert slugs("def @f(x: Tensor) {\n  let y = +;\n  matmul(nope)\n}\n") == ["syntax"]


def test_Y_8_an_item_whose_syntax_could_be_mended_is_checked_on() -> None:
    assert slugs("def @f(x: Tensor) {\n  let y = x\n  matmul(nope)\n}\n") == [
        "syntax",
        "arity",
        "undefined-variable",
    ]


def test_Z_5_other_items_are_still_checked() -> None:
    text = "def @f(x: Tensor) {\n  let y = x\n  y\n}\n\ndef @g(x: Tensor) {\n  matmul(x)\n}\n"
    assert slugs(text) == ["syntax", "arity"]


def test_Z_5_an_item_that_is_broken_still_exists() -> None:
    assert slugs("def @f(x: Tensor) {\n  let y = x\n  y\n}\n\ndef @g(x: Tensor) {\n  @f(x)\n}\n") == [
        "syntax"
    ]


def test_Z_5_a_function_with_wrong_names_is_checked_for_everything_else() -> None:
    assert slugs("def @f(x: Tensor) {\n  (nope, matmul(x), add(nope, x))\n}\n") == [
        "undefined-variable",
        "arity",
    ]


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        # Wrong expressions: what they are is not known.
        ('def @f(x: Tensor[(2,), int8]) -> Tensor[(2,), int8] { "no value" }', "syntax"),
        ('def @f(x: Tensor[(2,), int8]) { add(x, "no value")[0] }', "syntax"),
        ("def @f(x: Tensor[(2,), int8]) -> Shape { return; }", "syntax"),
        ("def @f(x: Tensor[(2,), int8], c: Tensor[(), bool]) -> Shape { if c { x } }", "if-needs-else"),
        ("def @f(x: Tensor[(2,), int8]) -> Tensor[(m,), int8] { x }", "return-annotation-unbound"),
        ("def @f() { arange(1 + prim_func @p() { }) }", "inline-primfunc"),
        ("def @f(x: Tensor[(2,), int8]) -> Tensor { shape(undefined_size) }", "undefined-shape-var"),
        ("def @f(x: Tensor[(2,), int8]) -> Shape { matmul(x) }", "arity"),
        ("def @f(x: Tensor[(2,), int8]) -> Shape { nn.softmax(x, axes=1) }", "op-attribute"),
        # Names that are written in a wrong way.
        ("def @f(x: Tensor) { add(x, block) }", "reserved-word"),
        ("def @f(x: Tensor) { block(x) }", "reserved-word"),
        ('def @f(x: Tensor) { extern "g"(x, pure=true, keepdims) }', "syntax"),
        ("def @f(x: Tensor) -> Tensor[(in,), int8] { x }", "reserved-word"),
        ("def @f(x: Tensor) { @ g(x) }", "syntax"),
        ("def @f(x: Tensor) { dataflow { let y = x; output y, for; } y }", "reserved-word"),
        # Wrong struct infos: what values have them is not known, but the names in them are.
        ("def @f(x: Tensor[(n, 2), int9]) -> Shape[(n,)] { x }", "unknown-dtype"),
        (
            "def @f(x: Tensor[(n, 2), int9], y: Tensor[(n * n,), int8]) { matmul(x, reshape(y, shape(n, n))) }",
            "unknown-dtype",
        ),
        ("def @f(x: Tensor[(2,), int8]) { let y: Tensr = x; y[0] }", "unknown-type"),
        (
            "def @f(x: Tensor[(2,), int8]) { let y = match_cast(x, Tensor[(k, 3), int9]); shape(k) }",
            "unknown-dtype",
        ),
        ("def @f(x: Tensor[(2,), int8]) { match_shape(x, (k, 1.5)); x }", "dim-not-integer"),
        ("def @f(x: Tensor[(2,), int8]) { match_shape(x, (k, 1 & 2)); x }", "syntax"),
        ("def @f(x: Tensor[s, int8], s: Shpae) { x }", "unknown-type"),
        ('def @f(x: Tensor[(2,), int8]) { (extern "g"(x) -> Tensr)[0] }', "unknown-type"),
    ],
)
def test_Z_5_nothing_follows_from_what_is_missing(text: str, slug: str) -> None:
    assert slugs(text) == [slug]


def test_a_prim_func_with_syntax_errors_is_not_checked() -> None:
    assert (
        slugs("prim_func @p(X: Buffer[(2,), float32]) {\n  X[0, 1] = 1.0\n  Y[0] = ;\n}\n").count("syntax")
        >= 1
    )
    assert "tir-rank-mismatch" not in slugs("prim_func @p(X: Buffer[(2,), float32]) {\n  X[0, 1] = 1.0\n}\n")


def test_deep_programs() -> None:
    text = "def @f(x: Tensor) {\n  " + " + ".join(["x"] * 5_000) + "\n}\n"
    checked = api.check(text)
    assert checked.diagnostics == []
    assert api.format_text(text).startswith("def @f(x: Tensor) {\n  x\n    + x\n")
    assert len(api.normalize(text).items) == 1


def test_the_recursion_limit_is_restored() -> None:
    import sys

    before = sys.getrecursionlimit()
    api.check("def @f() {\n  1\n}\n")
    with deep_recursion():
        assert sys.getrecursionlimit() > before
    assert sys.getrecursionlimit() == before
