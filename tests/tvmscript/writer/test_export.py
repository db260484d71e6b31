"""`relax export`: the way back gives the same program; what has no form is refused."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import tokenize
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import relax_lang
from relax_lang import api
from relax_lang.base.source import PythonFile
from tests.cli.harness import ROOT, Relax
from tests.runtime.compiler.random_programs import Program as FunctionProgram
from tests.tir.random_programs.programs import Program as PrimFuncProgram
from tests.tvmscript.harness import unbroken
from tests.tvmscript.same_program import difference

SAMPLES = sorted(
    path for folder in ("", "models", "digits") for path in (ROOT / "samples" / folder).glob("*.rlx")
)
NOT_EXPORTABLE = {"14_packed", "16_blocks", "18_older_forms"}
"""Samples with an impure `call_dps_packed`, with axes whose domains are left out, with a `match_shape` of an object."""


@pytest.fixture
def relax(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Relax:
    return Relax(monkeypatch, capfd)


def names_aside(text: str) -> list[str]:
    """Return the tokens of a Python text, with names that it binds numbered in the order of the text.

    Without commas before brackets: whether there is one depends on where lines are broken, and that on names.
    """
    numbers: dict[str, str] = {}
    tokens: list[str] = []
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        shown = token.string
        if token.type == tokenize.NAME and before != "." and shown not in ("R", "T", "I", "def", "class"):
            shown = numbers.setdefault(shown, f"name{len(numbers)}")
        if token.type == tokenize.NAME and before == "def":
            numbers.clear()
            shown = token.string
        if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            if shown in (")", "]", "}") and tokens[-1] == ",":
                tokens.pop()
            tokens.append(shown)
            before = token.string
    return tokens


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("version", ["0.27", "0.20"])
def test_samples_come_back(path: Path, version: str) -> None:
    """What is read of an export, exported again, is the same text, names aside: nothing was lost or changed."""
    if path.stem in NOT_EXPORTABLE:
        with pytest.raises(api.RelaxError) as refused:
            api.to_tvmscript(api.read(str(path)), version=version)
        assert {one.slug for one in refused.value.diagnostics} == {"not-exportable"}
        return
    try:
        first = api.to_tvmscript(api.read(str(path)), version=version).text
    except api.RelaxError as error:
        pytest.skip(f"does not check: {error.diagnostics[0].slug}")
    second = api.to_tvmscript(PythonFile(first, str(path.with_suffix(".py"))), version=version).text
    assert names_aside(second) == names_aside(first)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_what_is_read_of_an_export_is_the_normal_form(path: Path) -> None:
    found = difference(api.read(str(path)))
    if path.stem in NOT_EXPORTABLE:
        assert found is None
    elif path.stem == "13_call_tir":  # the scalars of its PrimFunc come after the buffers in TVM
        assert found
        assert found.startswith("@shift: ")
    else:
        assert not found


@pytest.mark.parametrize("start", range(0, 100, 20))
def test_what_is_read_of_an_export_of_a_random_program_is_its_normal_form(start: int) -> None:
    assert come_back(range(start, start + 20)) >= 15


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes an hour; set RELAX_NIGHTLY=1")
def test_10000_random_programs_are_their_normal_form() -> None:
    assert come_back(range(100, 5_100)) >= 4_000


def come_back(seeds: range) -> int:
    """Compare random functions and PrimFuncs with what is read of their exports; return how many could be exported."""
    compared = 0
    for seed in seeds:
        function, prim_func = FunctionProgram(seed).text, PrimFuncProgram(seed).text
        # In TVM the scalars of a PrimFunc come before the buffers that it fills.
        for text, settled in ((function, ", k: int64)" in function), (prim_func, True)):
            found = difference(text, settled=settled)
            assert not found, f"{seed}: {found}\n{text}"
            compared += found is not None
    return compared


def test_random_programs_come_back() -> None:
    compared = 0
    for seed in range(60):
        compared += comes_back(FunctionProgram(seed).text)
    assert compared >= 20


def test_random_prim_funcs_come_back() -> None:
    compared = 0
    for seed in range(60):
        compared += comes_back(PrimFuncProgram(seed).text)
    assert compared >= 30


def comes_back(text: str) -> bool:
    """Compare a program with what is read of its export; tell whether it has no errors and could be exported.

    Of an index, casts between the integers of sizes are left out when it is read: so with casts what was read is
    compared with what is read of that.
    """
    try:
        first = api.to_tvmscript(text).text
    except api.RelaxError:
        return False
    if "T.Cast(" in first:
        first = api.to_tvmscript(PythonFile(first, "random.py")).text
    second = api.to_tvmscript(PythonFile(first, "random.py")).text
    assert names_aside(second) == names_aside(first), text
    return True


def test_what_is_written() -> None:
    program = """
module attrs { author: "me" }

private prim_func @scale(X: Buffer[(n, 4), float32], Y: Buffer[(n, 4), float32], by: int64) {
  for i, j in grid(n, 4) {
    block b (vi = spatial(i), vj = spatial(j)) reads [X[vi, vj]] writes [Y[vi, vj]] {
      Y[vi, vj] = X[vi, vj] * cast(by, float32) + 0.5;
    }
  }
}

def @main(x: Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32] attrs { Codegen: "dnnl" } {
  dataflow {
    let a = call_tir(@scale, (x,), shape(3)) -> Tensor[(n, 4), float32];
    let b = nn.softmax(a + a, axis=-1);
    output b;
  }
  print(b, format="{}");
  let c = extern "my.f"(b) -> Tensor[ndim=2, float32];
  match_cast(c, Tensor[(n, 4), float32])
  ;
  c
}
"""
    assert (
        api.to_tvmscript(program).text
        == """from tvm.script import ir as I, relax as R, tirx as T


@I.ir_module
class Module:
    I.module_attrs({"author": "me"})

    @T.prim_func(private=True, s_tir=True)
    def scale(var_X: T.handle, by: T.int64, var_Y: T.handle):
        n = T.int64()
        X = T.match_buffer(var_X, (n, T.int64(4)), "float32")
        Y = T.match_buffer(var_Y, (n, T.int64(4)), "float32")
        for i, j in T.grid(n, T.int64(4)):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(X[vi, vj])
                T.writes(Y[vi, vj])
                Y[vi, vj] = X[vi, vj] * T.Cast("float32", by) + T.float32(0.5)

    @R.function(pure=False)
    def main(
        x: R.Tensor(("n", 4), dtype="float32"),
    ) -> R.Tensor(("n", 4), dtype="float32"):
        R.func_attr({"Codegen": "dnnl"})
        n = T.int64()
        cls = Module
        with R.dataflow():
            a = R.call_tir(
                cls.scale,
                (x, R.prim_value(3)),
                out_ty=R.Tensor((n, 4), dtype="float32"),
            )
            lv: R.Tensor((n, 4), dtype="float32") = R.add(a, a)
            b: R.Tensor((n, 4), dtype="float32") = R.nn.softmax(lv, axis=-1)
            R.output(b)
        R.print(b, format=R.str("{}"))
        c: R.Tensor(dtype="float32", ndim=2) = R.call_packed(
            "my.f", b, ty_args=(R.Tensor(dtype="float32", ndim=2),)
        )
        _ = R.match_cast(c, R.Tensor((n, 4), dtype="float32"))
        return c
"""
    )


def test_devices_that_are_mentioned_are_declared() -> None:
    text = """
    def @main(x: Tensor[(2,), float32]) -> Tensor[(2,), float32] {
      let y = to_vdevice(x, dst_vdevice="llvm");
      let z = to_vdevice(y, dst_vdevice="cuda:1:shared");
      z
    }
    """
    written = api.to_tvmscript(text).text
    devices = 'I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "shared")'
    assert f'I.module_global_infos({{"vdevice": [{devices}]}})' in unbroken(written)
    assert difference(text) == ""
    assert "vdevice" not in api.to_tvmscript("def @main(x: Tensor) -> Tensor { x }").text


@pytest.mark.parametrize("index", ["abs(0 - 0) % n", "abs(1 - 2) % n", "min(abs(2), n - 1)"])
def test_the_magnitude_of_a_number_is_an_index(index: str) -> None:
    assert difference(f"prim_func @f(Y: Buffer[(n,), float32]) {{ if n > 2 {{ Y[{index}] = 1.0; }} }}") == ""


def test_the_older_spelling() -> None:
    program = """
prim_func @copy(X: Buffer[(4,), float32], Y: Buffer[(4,), float32], k: int64) {
  for i in 0..4 { block b (v = spatial(i)) { Y[v] = X[v]; } }
}

def @main(x: Tensor[(4,), float32], o: Object) -> Tensor[(4,), float32] {
  call_tir(@copy, (x,), shape(1)) -> Tensor[(4,), float32]
}
"""
    text = api.to_tvmscript(program, version="0.20").text
    assert "tir as T" in text
    assert 'with T.block("b"):' in text
    assert 'out_sinfo=R.Tensor((4,), dtype="float32"), tir_vars=R.shape([1])' in unbroken(text)
    assert "o: R.Object" in text
    assert "k: T.int64" in text


def test_large_constants_are_beside_the_file(relax: Relax, tmp_path: Path) -> None:
    program = tmp_path / "model.rlx"
    numbers = ", ".join([f"{i}.5" for i in range(40)])
    program.write_text(
        f"def @main() -> Tensor[(40,), float32] {{\n  add(const([{numbers}], float32), const(1.0, float32))\n}}\n"
    )
    target = tmp_path / "out.py"
    assert relax("export", program, "-o", target) == (0, "", "")
    assert 'R.const(np.load("out.npz")["c0"])' in target.read_text()
    assert np.load(tmp_path / "out.npz")["c0"].tolist() == [i + 0.5 for i in range(40)]
    assert relax("run", target).out == relax("run", program).out


def test_what_has_no_form_is_refused_at_its_place(relax: Relax) -> None:
    status, out, err = relax("export", ROOT / "samples/14_packed.rlx")
    assert (status, out) == (1, "")
    assert "error[RLX1011 not-exportable]" in err
    assert "14_packed.rlx:" in err


def test_export_does_not_replace_its_program(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    shutil.copy(ROOT / "samples/tvmscript/mlp.py", path)
    status, _, err = relax("export", path, "-o", path)
    assert status == 2
    assert "`--output` would replace" in err


def test_names_that_python_reserves() -> None:
    program = (
        "def @main(lambda: Tensor[(2,), float32], R: Tensor) {\n  let `a b` = exp(lambda);\n  (`a b`, R)\n}\n"
    )
    text = api.to_tvmscript(program).text
    assert "def main(lambda_1" in text or "def main(lambda_" in text
    compile(text, "exported.py", "exec")
    assert api.check(PythonFile(text, "exported.py")).diagnostics == []


def test_from_and_to_tvmscript() -> None:
    sample = str(ROOT / "samples/tvmscript/mlp.py")
    module = relax_lang.from_tvmscript(sample)
    x, w = np.ones((2, 4), np.float32), np.ones((4, 3), np.float32)
    assert module.main(x, w).tolist() == [[5.0] * 3] * 2
    again = relax_lang.from_tvmscript(relax_lang.to_tvmscript(module))
    assert again.main(x, w).tolist() == [[5.0] * 3] * 2


@pytest.mark.skipif(find_spec("tvm") is None, reason="needs apache-tvm")
def test_what_tvm_has_comes_back_to_it() -> None:
    import tvm

    program = """
    prim_func @relu(X: Buffer[(2, 3), float32], Y: Buffer[(2, 3), float32]) attrs { index_dtype: int64 } {
      for i, j in grid(2, 3) {
        block b (vi = spatial(i), vj = spatial(j)) reads [X[vi, vj]] writes [Y[vi, vj]] {
          Y[vi, vj] = max(X[vi, vj], 0.0);
        }
      }
    }

    def @main(x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
      call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]
    }
    """
    sample = relax_lang.to_tvm(program)
    again = relax_lang.to_tvm(relax_lang.from_tvm(sample))
    tvm.ir.assert_structural_equal(sample, again)
    assert "relax_lang_exported" not in sys.modules


def test_a_module_of_tvmscript_is_shown_as_relax_text() -> None:
    module = relax_lang.from_tvmscript(str(ROOT / "samples/tvmscript/mlp.py"))
    assert module.script().startswith('module attrs { author: "me" }\n\nprim_func @relu(')


@pytest.mark.skipif(find_spec("tvm") is None, reason="needs apache-tvm")
def test_constants_come_with_modules_of_tvm() -> None:
    large = ", ".join([str(at) for at in range(48)])
    program = (
        "def @main(x: Tensor[(2,), float32]) -> (Tensor[(2,), float32], Tensor[(48,), int32]) {\n"
        f"  let a = const([1.5, -2.0], float32);\n  let b = const([{large}], int32);\n  (x + a + a, b)\n}}\n"
        "def @other() -> Tensor[(2,), float32] {\n  const([7.0, 8.0], float32)\n}\n"
    )
    loaded = relax_lang.from_tvm(relax_lang.to_tvm(program))
    first, second = loaded.main(np.zeros(2, np.float32))
    assert first.tolist() == [3.0, -4.0]
    assert second.tolist() == list(range(48))
    assert loaded.other().tolist() == [7.0, 8.0]


def test_files_of_constants_are_found_from_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez(tmp_path / "weights.npz", w=np.arange(40, dtype=np.float32))
    path = tmp_path / "model.rlx"
    path.write_text(
        'def @main() -> Tensor[(40,), float32] {\n  const(file("weights.npz", "w"))\n}\n', encoding="utf-8"
    )
    source = api.read(str(path))
    assert 'np.load("weights.npz")["w"]' in api.to_tvmscript(source).text
    monkeypatch.chdir(path.parent.parent)
    (named,) = re.findall(r'np\.load\("(.*)"\)', unbroken(api.to_tvmscript(source, absolute=True).text))
    assert Path(named) == tmp_path / "weights.npz"
    assert np.load(named)["w"].shape == (40,)


@pytest.mark.parametrize(
    ("dtype", "named"), [("float32", False), ("int64", True), ("float64", True), ("int8", False)]
)
def test_constants_in_files_keep_their_dtypes_in_tvm(dtype: str, named: bool, tmp_path: Path) -> None:
    np.savez(tmp_path / "weights.npz", w=np.arange(40).astype(dtype))
    path = tmp_path / "model.rlx"
    large = ", ".join([str(at) for at in range(40)])
    path.write_text(
        f'def @main() {{\n  (const(file("weights.npz", "w")), const([{large}], {dtype}))\n}}\n',
        encoding="utf-8",
    )
    exported = unbroken(api.to_tvmscript(api.read(str(path)), archive="out.npz").text)
    for place in ('np.load("weights.npz")["w"]', 'np.load("out.npz")["c0"]'):
        assert f"R.const({place}{f', {chr(34)}{dtype}{chr(34)}' if named else ''})" in exported


def test_conditions_in_dimensions_are_calls() -> None:
    size = "select(n > 2 && !(m > 3 || n > 5), n, m)"
    program = f"def @main(s: Shape[(n, m)]) -> Shape[({size},)] {{ shape({size}) }}"
    exported = unbroken(api.to_tvmscript(program).text)
    assert "T.Select(T.And(n > 2, T.Not(T.Or(m > 3, n > 5))), n, m)" in exported
    assert difference(program) == ""


@pytest.mark.skipif(find_spec("tvm") is None, reason="needs apache-tvm")
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_tvm_reads_exported_samples(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    try:
        module = relax_lang.to_tvm(path.read_text(encoding="utf-8"))
    except api.RelaxError as error:
        pytest.skip(f"does not check: {error.diagnostics[0].slug}")
    relax_lang.from_tvm(module)
