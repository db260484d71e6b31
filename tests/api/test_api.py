"""The public surface from Python: the examples in its documentation, and what they do not show."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relax_lang
from relax_lang import api
from relax_lang.api import compiling, executables, forms, models, modules, optimizing, programs, running
from relax_lang.api.relay import read_metadata
from relax_lang.base.source import SourceFile

PUBLIC = (
    "verify",
    "read",
    "parse",
    "check",
    "format_text",
    "format_relay",
    "relay_form",
    "print_tree",
    "normalize",
    "differences",
    "graph",
    "compile",
    "numpy_module",
    "dump_passes",
    "compile_functions",
    "run",
    "start",
    "explain",
    "fix_text",
    "from_tvmscript",
    "test",
    "to_onnx",
    "to_tvmscript",
    "optimize",
    "typed",
    "build",
    "read_executable",
    "start_executable",
)
BETWEEN = (
    "check_sound",
    "run_session",
    "write_executable",
)
"""Steps of the above, for the command line and for loaded modules."""


def test_the_examples_in_the_documentation() -> None:
    results = [
        doctest.testmod(module)
        for module in (api, programs, forms, compiling, executables, models, modules, optimizing, running)
    ]
    assert not sum(one.failed for one in results)
    assert sum(one.attempted for one in results) > 15


def test_every_public_name_is_found_and_listed() -> None:
    code = (
        "from relax_lang import api; print(set(api.__all__) <= set(dir(api)), hasattr(api, 'no_such_name'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
    assert all(callable(getattr(api, name)) for name in api.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_function_is_typed_and_documented_with_an_example(name: str) -> None:
    function = getattr(api, name)
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty
    assert ">>> " in (function.__doc__ or "")


def test_there_is_nothing_else_in_public() -> None:
    functions = [name for name in api.__all__ if inspect.isfunction(getattr(api, name))]
    assert sorted(functions) == sorted([*PUBLIC, *BETWEEN])
    rooms = [
        vars(module)
        for module in (programs, forms, compiling, executables, models, modules, optimizing, running)
    ]
    defined = {
        name
        for room in rooms
        for name, value in room.items()
        if inspect.isfunction(value) and value.__module__ == room["__name__"] and not name.startswith("_")
    }
    assert defined == {*functions, "constant_checker", "is_loaded", "source_of"}


@pytest.mark.parametrize("name", ["check", "format_text", "normalize", "parse"])
def test_text_and_source_files_do_the_same(name: str) -> None:
    function = getattr(api, name)
    text = "def @f() {\n  1\n}\n"
    assert type(function(text)) is type(function(SourceFile(text, "a.rlx")))


def test_errors_name_the_file() -> None:
    with pytest.raises(
        api.RelaxError, match=r"^m\.rlx:1:15: error\[RLX0201 undefined-variable\] `nope`"
    ) as caught:
        api.normalize(SourceFile("def @main() { nope }", "m.rlx"))
    assert [one.slug for one in caught.value.diagnostics] == ["undefined-variable"]
    assert caught.value.source.path == "m.rlx"


@pytest.mark.parametrize(
    "name", ["format_text", "normalize", "compile", "numpy_module", "compile_functions", "run"]
)
def test_syntax_errors_raise(name: str) -> None:
    with pytest.raises(api.RelaxError, match="syntax"):
        getattr(api, name)("def @f( {")


def test_RUN_results_are_numpy_arrays_and_tuples() -> None:
    text = "def @main(x: Tensor[(n,), float32]) {\n  (x * 2.0, shape(n), ())\n}\n"
    doubled, size, unit = api.run(text, np.ones(3, np.float32))  # type: ignore[misc]
    assert doubled.tolist() == [2, 2, 2]
    assert doubled.dtype == np.float32
    assert list(size) == [3]
    assert unit == ()


def test_RUN_named_arguments_and_entries() -> None:
    text = "def @main() {\n  1\n}\n\ndef @sub(a: Tensor[(), int32], b: Tensor[(), int32]) {\n  a - b\n}\n"
    assert api.run(text, entry="sub", named={"b": 2, "a": 5}) == 3
    assert api.run(text, 5, entry="sub", named={"b": 1}) == 4


def test_RUN_1_entries_that_cannot_be_run() -> None:
    text = "private def @hidden() {\n  1\n}\n\ndef @main() {\n  1\n}\n"
    for entry, slug in (("nope", "entry-not-found"), ("hidden", "private-function")):
        with pytest.raises(api.RelaxError) as caught:
            api.run(text, entry=entry)
        assert [one.slug for one in caught.value.diagnostics] == [slug]


def test_RUN_2_all_wrong_arguments_are_told() -> None:
    text = "def @main(a: Tensor[(2,), int32], b: Tensor[(2,), int32]) {\n  a\n}\n"
    with pytest.raises(api.RelaxError) as caught:
        api.run(text, [1, 2, 3], named={"c": 1})
    assert {one.slug for one in caught.value.diagnostics} == {
        "argument-check-failed",
        "argument-extra",
        "argument-missing",
    }


def test_RUN_5_failures_have_a_place() -> None:
    text = "def @main(x: Tensor) {\n  let y = match_cast(x, Tensor[(2,), int32]);\n  y\n}\n"
    with pytest.raises(api.RelaxError) as caught:
        api.run(text, [1, 2, 3])
    (one,) = caught.value.diagnostics
    assert one.slug == "match-cast-failed"
    assert SourceFile(text).position(one.pos)[0] == 2


def test_X_8_packed_functions() -> None:
    text = 'def @main(x: Tensor[(), int32]) {\n  extern "my.double"(x) -> Tensor[(), int32]\n}\n'
    assert api.run(text, 4, packed={"my.double": lambda x: x * np.int32(2)}) == 8
    with pytest.raises(api.RelaxError, match="extern-not-found"):
        api.run(text, 4)


def test_X_8_registered_functions() -> None:
    from relax_lang import register_packed_func

    @register_packed_func("tests.api.triple")
    def triple(x: np.ndarray) -> np.ndarray:
        return x * np.int32(3)

    text = 'def @main(x: Tensor[(), int32]) {\n  extern "tests.api.triple"(x) -> Tensor[(), int32]\n}\n'
    assert api.run(text, 4) == 12
    assert triple(np.int32(2)) == 6


def test_CF_4_constants_are_read_beside_the_program(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.arange(3, dtype=np.int32))
    path = tmp_path / "a.rlx"
    path.write_text('def @main() {\n  const(file("w.npy"))\n}\n')
    result = api.run(api.read(str(path)))
    assert isinstance(result, np.ndarray)
    assert result.tolist() == [0, 1, 2]


def test_CF_1_a_constant_that_vanishes_after_the_check(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.arange(3, dtype=np.int32))
    path = tmp_path / "a.rlx"
    path.write_text('def @main() {\n  const(file("w.npy"))\n}\n')
    session = api.start(api.read(str(path)))
    (tmp_path / "w.npy").unlink()
    from relax_lang.values import RunFailure

    with pytest.raises(RunFailure) as caught:
        session.call("main")
    assert caught.value.slug == "constant-file-missing"


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
def test_engines(engine: str) -> None:
    text = """prim_func @add_one(X: Buffer[(n,), int32], Y: Buffer[(n,), int32]) {
  for i in 0..n {
    Y[i] = X[i] + 1;
  }
}

def @main(x: Tensor[(n,), int32]) {
  call_tir(@add_one, (x,)) -> Tensor[(n,), int32]
}
"""
    result = api.run(text, [1, 2, 3], engine=engine)
    assert isinstance(result, np.ndarray)
    assert result.tolist() == [2, 3, 4]


def test_what_a_program_prints_can_be_caught() -> None:
    printed: list[str] = []
    session = api.start("def @main(x: Tensor[(), int32]) {\n  print(x)\n}\n", write=printed.append)
    assert session.call("main", [np.array(7, np.int32)]) == ()
    assert "7" in "".join(printed)


@pytest.mark.parametrize("program", [None, 3, b"def @main() { 1 }", Path("p.rlx")])
def test_what_is_no_program_is_refused(program: Any) -> None:
    for function in (api.check, api.format_text, api.normalize, api.run):
        with pytest.raises(TypeError, match="a program is text, what `read"):
            function(program)


def test_names_of_no_file() -> None:
    for path in ("", "a\0b", "none.rlx"):
        with pytest.raises(api.RelaxError, match="file-not-found"):
            api.read(path)


def test_explain() -> None:
    text = api.explain("RLX0201")
    assert text is not None
    assert text.startswith("## undefined-variable\n")
    assert api.explain("nonsense") is None


def test_the_package_fetches_names_lazily() -> None:
    import relax_lang

    assert callable(relax_lang.register_packed_func)
    assert relax_lang.ShapeValue((2, 3))[1] == 3
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = relax_lang.nonsense  # type: ignore[attr-defined]
    loaded = "print('numpy' in sys.modules)"
    code = f"import sys, relax_lang; {loaded}; relax_lang.register_packed_func; {loaded}"
    shown = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=Path(api.__file__).parents[1],
        check=True,
    ).stdout
    assert shown.split() == ["False", "True"]


def test_a_checked_program_is_taken_as_it_was_checked() -> None:
    checked = api.check("def @main(x: Tensor[(n,), int32]) { add(x, x) }")
    assert api.normalize(checked) is checked.normal
    assert api.compile_functions(checked).startswith("# Functions of a Relax program")
    assert list(api.run(checked, [1, 2])) == [2, 4]
    with pytest.raises(api.RelaxError) as refused:
        api.run(api.check("def @main() { y }"))
    assert [one.slug for one in refused.value.diagnostics] == ["undefined-variable"]


def test_paths_may_be_path_objects(tmp_path: Path) -> None:
    program = tmp_path / "p.rlx"
    program.write_text("def @main() { const([1, 2]) }")
    assert api.read(program).path == str(program)
    assert relax_lang.load(program).main().tolist() == [1, 2]
    executable = tmp_path / "p.rlxe"
    api.write_executable(executable, api.build(api.read(program)))
    assert list(api.read_executable(executable).functions)
    assert relax_lang.VirtualMachine(executable)["main"]().tolist() == [1, 2]
    script = tmp_path / "p.py"
    script.write_text(relax_lang.to_tvmscript(api.read(program)))
    assert relax_lang.from_tvmscript(script).main().tolist() == [1, 2]
    metadata = tmp_path / "m.npz"
    np.savez(metadata, constant_0=np.ones(2, np.float32))
    constant = read_metadata(metadata).constant("relay.Constant", 0)
    assert constant is not None
    assert constant.shape == (2,)
