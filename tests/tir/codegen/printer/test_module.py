"""The one module that `relax compile --emit numpy` prints: it stands alone, is in good form, and computes the same."""

from __future__ import annotations

import ast
import builtins
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from relax_lang import api
from relax_lang.tir import runtime_library
from relax_lang.tir.compile import Compiled, compile_prim_func, module_of
from relax_lang.tir.interp import interpreter
from tests.tir.cases import arguments, compare
from tests.tir.support import assert_close, prim_funcs
from tests.tir.whole_corpus import CASES, CLASSES, FUNCS, compiled

CALLER = """
import importlib.util, pickle, sys
file, calls, results = sys.argv[1:]
spec = importlib.util.spec_from_file_location("emitted", file)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
by_name = getattr(module, "PRIM_FUNCS", vars(module))
found = []
for name, args in pickle.load(open(calls, "rb")):
    try:
        by_name[name](*args)
        found.append(args)
    except module.NotVectorized:
        found.append(None)
assert not [name for name in sys.modules if name.split(".")[0] in ("relax_lang", "cli", "tests", "scipy")]
pickle.dump(found, open(results, "wb"))
"""


def emitted(text: str) -> str:
    return module_of([compile_prim_func(func) for func in prim_funcs(text).values()])


def called_alone(folder: Path, text: str, calls: list[tuple[str, list[object]]]) -> list[list[object] | None]:
    """Import a module in a Python of its own and call its functions; None stands for a call it was not made for."""
    (folder / "emitted.py").write_text(text, encoding="utf-8")
    (folder / "calls").write_bytes(pickle.dumps(calls))
    files = [str(folder / name) for name in ("emitted.py", "calls", "results")]
    result = subprocess.run(
        [sys.executable, "-I", "-W", "error", "-c", CALLER, *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return pickle.loads((folder / "results").read_bytes())


@pytest.mark.parametrize("kind", CLASSES)
def test_TIR_21_a_module_runs_alone(tmp_path: Path, kind: str) -> None:
    text = module_of([compiled(kind, name) for name in FUNCS[kind]])
    names = [name for name in FUNCS[kind] if name in CASES[kind]]
    calls = [
        (name, arguments(FUNCS[kind][name], CASES[kind][name], CASES[kind][name].sizes[0])) for name in names
    ]
    for name, found in zip(names, called_alone(tmp_path, text, calls), strict=True):
        if found is None:
            assert compiled(kind, name).vectorized is False or name in HANDED_OVER
            continue

        def take(*args: object, found: list[object] = found) -> None:
            for arg, value in zip(args, found, strict=True):
                if isinstance(arg, np.ndarray):
                    arg[...] = value

        compare(take, FUNCS[kind][name], CASES[kind][name], CASES[kind][name].sizes[0], name)


HANDED_OVER: set[str] = set()
"""Calls of the corpus that generated code hands to the interpreter."""


@pytest.mark.parametrize("kind", CLASSES)
def test_a_module_has_everything_once(kind: str) -> None:
    module = ast.parse(module_of([compiled(kind, name) for name in FUNCS[kind]]))
    names = [node.name for node in module.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert len(set(names)) == len(names)
    functions = [name for name in names if name not in runtime_library.FUNCTIONS]
    meant = (*dir(builtins), *runtime_library.FUNCTIONS)
    assert functions == [f"{name}_1" if name in meant else name for name in FUNCS[kind]]
    imports = [node for node in module.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert module.body[1 : 1 + len(imports)] == imports
    assert ast.get_docstring(module) is not None


needs_ruff = pytest.mark.skipif(shutil.which("ruff") is None, reason="ruff is not installed")
needs_pyright = pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is not installed")


@needs_ruff
def test_modules_are_in_good_form(tmp_path: Path) -> None:
    for kind in CLASSES:
        text = module_of([compiled(kind, name) for name in FUNCS[kind]])
        (tmp_path / f"{kind}.py").write_text(text, encoding="utf-8")
    for command in (["format", "--diff"], ["check", "--select=E4,E7,E9,F,W,SIM1,RUF059", "--ignore=E741"]):
        result = subprocess.run(
            ["ruff", *command, "--isolated", "--no-cache", "--line-length", "110", str(tmp_path)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert result.returncode == 0, result.stdout


def called_in(text: str) -> set[tuple[object, ...]]:
    """Return what a module calls, with how many arguments and which keywords."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return {
        (
            ast.unparse(call.func).split(".", 1)[-1],
            len(call.args),
            *sorted([word.arg or "" for word in call.keywords]),
        )
        for call in calls
    }


@pytest.mark.slow
@needs_pyright
def test_modules_have_no_type_errors(tmp_path: Path) -> None:
    seen: set[tuple[object, ...]] = set()
    for kind in CLASSES:
        chosen: list[Compiled] = []
        for one in [compiled(kind, name) for name in FUNCS[kind]]:
            calls = called_in(one.source)
            if (
                os.environ.get("RELAX_NIGHTLY") or not calls <= seen
            ):  # what calls nothing new has no new types
                chosen.append(one)
                seen |= calls
        (tmp_path / f"{kind}.py").write_text(module_of(chosen), encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text("{}", encoding="utf-8")
    result = subprocess.run(
        ["pyright", "--pythonpath", sys.executable, "--warnings", "-p", str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout


# ---- names


ODD = r'''
prim_func @class(np: Buffer[(n,), int64], require: Buffer[(n,), int64]) {
  for i in 0..n {
    require[i] = np[i] / 3;
  }
}

prim_func @require(X: Buffer[(n,), int64], Y: Buffer[(n,), int64]) {
  for i in 0..n {
    Y[i] = X[i] + 1;
  }
}

prim_func @"two \"words\" \"\"\" \\ é"(X: Buffer[(n,), int64], Y: Buffer[(n,), int64]) {
  for i in 0..n {
    block `"""` (vi = spatial(i)) {
      Y[vi] = X[vi] * 2;
    }
  }
}
'''


def test_names_that_mean_something_in_python(tmp_path: Path) -> None:
    x = np.array([-7, 0, 5], np.int64)
    names = list(prim_funcs(ODD))
    found = called_alone(tmp_path, emitted(ODD), [(name, [x, np.zeros(3, np.int64)]) for name in names])
    outputs = [args[1] for args in found if args is not None]
    np.testing.assert_array_equal(outputs, [[-2, 0, 1], x + 1, 2 * x])


def test_without_prim_funcs_there_is_no_module() -> None:
    assert api.numpy_module("def @main(x: Tensor) { x }") == ""


# ---- what is not vectorized

CALLING = """
prim_func @calls(X: Buffer[(2,), float32], Y: Buffer[(2,), float32]) {
  for i in 0..2 {
    Y[i] = X[i] * 2.0;
  }
  call_extern("note(", X, Y, 3);
}
"""


def test_TIR_19_calls_of_packed_functions_are_given() -> None:
    namespace = executed(emitted(CALLING))
    seen: list[object] = []
    x, y = np.ones(2, np.float32), np.zeros(2, np.float32)
    namespace["calls"](x, y, call_extern=lambda *args, at: seen.append((*args, at)))
    assert seen == [("note(", x, y, 3, 0)]
    assert y.tolist() == [2.0, 2.0]


REFUSED = """
prim_func @refused(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
    Y[i] = X[i] * 2.0;
  }
  call_extern("note", X);
  for i in 0..n {
    Y[i] = X[cast(X[i], int64)];
  }
}
"""


def test_TIR_21_what_only_the_interpreter_runs_says_so() -> None:
    assert not compile_prim_func(prim_funcs(REFUSED)["refused"]).vectorized
    text = emitted(REFUSED)
    namespace = executed(text)
    with pytest.raises(namespace["NotVectorized"]):
        namespace["refused"](np.ones(2, np.float32), np.zeros(2, np.float32))
    assert "would repeat it" in text


GATHER = """
prim_func @gather(X: Buffer[(n,), float32], I: Buffer[(m,), int64], Y: Buffer[(m,), float32]) {
  for i in 0..m {
    Y[i] = X[0];
  }
  for i in 0..m {
    Y[i] += X[I[i]];
  }
}
"""


@pytest.mark.parametrize("wrong", ["index", "dtype", "shape", "overlap"])
def test_TIR_21_calls_that_the_code_is_not_for_change_nothing(wrong: str) -> None:
    namespace = executed(emitted(GATHER))
    x, y = np.arange(4, dtype=np.float32), np.full(3, 7, np.float32)
    index = np.array([0, 9 if wrong == "index" else 1, 2])
    if wrong == "dtype":
        x = x.astype(np.float64)
    if wrong == "shape":
        index = index[:2]
    if wrong == "overlap":
        y = x[1:]
    before = y.copy()
    with pytest.raises(namespace["NotVectorized"]):
        namespace["gather"](x, index, y)
    np.testing.assert_array_equal(y, before)


def executed(text: str) -> dict[str, object]:
    namespace: dict[str, object] = {"__name__": "emitted"}
    exec(compile(text, "emitted.py", "exec"), namespace)
    return namespace


# ---- what is printed is what runs


def test_what_is_printed_is_what_runs() -> None:
    for kind in CLASSES:
        for name in FUNCS[kind]:
            one = compiled(kind, name)
            assert not one.vectorized or module_of([one]) == one.source


def test_interpreter_and_module_agree_on_halves() -> None:
    func = prim_funcs("prim_func @h(X: Buffer[(n,), float16], Y: Buffer[(n,), float16]) {"
                      " for i in 0..n { Y[i] = X[i] * 3.0; } }")["h"]  # fmt: skip
    x = np.linspace(-2, 2, 9).astype(np.float16)
    y, z = np.zeros_like(x), np.zeros_like(x)
    interpreter.run(func, (x, y))
    executed(module_of([compile_prim_func(func)]))["h"](x, z)
    assert_close(z, y)


HASH_SEEDS = """
import sys
from pathlib import Path
from relax_lang.tir.compile import compile_prim_func, module_of
from tests.tir.support import prim_funcs
for name in sys.argv[1:]:
    sys.stdout.write(module_of(map(compile_prim_func, prim_funcs(Path(name).read_text(encoding="utf-8")).values())))
"""


def test_generated_code_does_not_depend_on_the_hash_seed():
    folder = Path(__file__).parents[2] / "fields"
    texts = [
        subprocess.run(
            [
                sys.executable,
                "-c",
                HASH_SEEDS,
                *[str(folder / f"{name}.rlx") for name in ("genomics", "text", "geology")],
            ],
            cwd=folder.parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    ]
    assert b"def codons(" in texts[0]
    assert texts[1:] == texts[:1] * 2
