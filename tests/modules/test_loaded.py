"""Programs as Python objects: loading, calling, importing, threads, notebooks."""

from __future__ import annotations

import importlib
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relax_lang
from relax_lang import api
from relax_lang.modules.loaded import Module, from_python, load, loads
from relax_lang.values import RunFailure

TEXT = """def @main(x: Tensor[(n,), float32], k: Tensor[(), float32]) -> Tensor[(n,), float32] {
  @twice(x) + k
}

def @twice(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
  x * 2.0
}

private def @hidden() {
  1
}

def @count(n: Tensor[(), int64]) -> Tensor[(), int64] {
  if n == const(0, int64) { n } else { @count(n - const(1, int64)) }
}
"""
X = np.array([1, 2], np.float32)


def test_a_module_is_a_mapping_of_what_can_be_run(tmp_path: Path):
    (tmp_path / "m.rlx").write_text(TEXT)
    module = relax_lang.load(str(tmp_path / "m.rlx"))
    assert list(module) == ["main", "twice", "count"]
    assert len(module) == 3
    assert "main" in module
    assert "@main" in module
    assert "hidden" not in module
    assert 3 not in module
    assert module["main"](X, 1.0).tolist() == [3, 5]
    assert module["@main"](k=1.0, x=X).tolist() == [3, 5]
    assert module.twice(X).tolist() == [2, 4]
    assert repr(module).endswith("m.rlx: @main, @twice, @count>")
    assert (
        repr(module["twice"])
        == "<relax function def @twice(x: Tensor[(n,), float32]) -> Tensor[(n,), float32]>"
    )


def test_what_is_not_there():
    module = loads(TEXT)
    with pytest.raises(
        KeyError, match="no function 'hidden' to run in <text>; there are: main, twice, count"
    ):
        module["hidden"]
    with pytest.raises(AttributeError, match="has no function 'nope'"):
        module.nope  # noqa: B018
    assert not hasattr(module, "_private")


def test_CF_3_folders_that_are_allowed(tmp_path: Path):
    (tmp_path / "program").mkdir()
    np.save(tmp_path / "w.npy", X)
    program = tmp_path / "program" / "m.rlx"
    program.write_text('def @main() { const(file("../w.npy")) }')
    with pytest.raises(relax_lang.RelaxError, match="constant-file-outside"):
        load(str(program))
    assert load(str(program), allow_paths=[str(tmp_path)]).main().tolist() == [1, 2]


@pytest.mark.parametrize(
    "given",
    [
        np.array([[1, 9], [2, 9]], np.float32)[:, 0],
        np.array([1, 2], ">f4"),
        np.array([[1, 2], [3, 4]], np.float32).T[0][::1],
        np.array([2, 1], np.float32)[::-1],
    ],
)
def test_V_14_arrays_that_are_not_plain(given: Any):
    given.flags.writeable = False
    twice = loads(TEXT)["twice"]
    assert twice(given).tolist() == (given.astype(np.float64) * 2).tolist()
    assert not given.flags.writeable


def test_errors_hold_the_diagnostics():
    with pytest.raises(relax_lang.RelaxError, match="undefined-variable") as caught:
        loads("def @main() { y }")
    assert [one.slug for one in caught.value.diagnostics] == ["undefined-variable"]
    with pytest.raises(relax_lang.RelaxError, match="argument-missing"):
        loads(TEXT)["main"](X)
    with pytest.raises(relax_lang.RelaxError, match="file-not-found"):
        load("there/is/no/such.rlx")


def test_V_14_arrays_of_other_libraries():
    class Dlpack:
        def __init__(self, array: Any) -> None:
            self.array = array

        def __dlpack__(self, **options: Any) -> Any:
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    class Array:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return X

    class Both(Array):
        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError("not on this device")

        def __dlpack_device__(self) -> Any:
            return (2, 0)

    twice = loads(TEXT)["twice"]
    for given in (Dlpack(X), Array(), Both()):
        assert twice(given).tolist() == [2, 4]
    assert np.shares_memory(from_python(Dlpack(X)), X)

    class Elsewhere:
        __dlpack__ = Both.__dlpack__
        __dlpack_device__ = Both.__dlpack_device__

    with pytest.raises(
        relax_lang.RelaxError, match="a value of type Elsewhere as an array: BufferError: not on"
    ) as caught:
        twice(x=Elsewhere())
    assert [one.slug for one in caught.value.diagnostics] == ["argument-file"]
    pair = from_python((Array(), "a word"))
    assert isinstance(pair, tuple)
    assert pair[1] == "a word"


def test_functions_that_run_a_module_know_its_packed_functions():
    text = 'def @main(x: Tensor[(), int32]) { call_pure_packed(extern "mine.inc", x) -> Tensor[(), int32] }'
    module = loads(text, packed={"mine.inc": lambda x: x + np.int32(1)})
    assert api.run(module, 3) == 4
    assert api.run(module, 3, packed={"mine.inc": lambda x: x + np.int32(2)}) == 5
    assert api.start(module).run("main", [3]) == 4


def test_packed_functions_of_one_module():
    text = 'def @main(x: Tensor[(n,), float32]) { extern "mine.inc"(x) -> Tensor[(n,), float32] }'
    module = loads(text, packed={"mine.inc": lambda x: x + np.float32(1)})
    assert module.main(X).tolist() == [2, 3]


def test_X_12_several_threads_share_a_module():
    module = loads(TEXT)

    def work(k: int) -> tuple[list[float], int]:
        return module.main(X, float(k)).tolist(), int(module.count(np.array(3000 + k, np.int64)))

    limit = sys.getrecursionlimit()
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(16)))
    assert results == [([2.0 + k, 4.0 + k], 0) for k in range(16)]
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
def test_X_12_threads_with_closures_prim_funcs_and_failures(engine: str):
    text = """prim_func @twice(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n { Y[i] = X[i] * 2.0; }
    }
    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      let f = fn (y: Tensor[(n,), float32]) -> Tensor[(n,), float32] { y + x };
      let r = f(x);
      if sum(r) > 3.0 { f(r) } else { call_tir(@twice, (r,)) -> Tensor[(n,), float32] }
    }
    def @bad(x: Tensor[(n,), float32]) { let y = match_cast(x, Tensor[(3,), float32]); y }
    """
    session = api.start(text, engine=engine)

    def work(seed: int) -> None:
        generator = np.random.default_rng(seed)
        for _ in range(100):
            x = generator.standard_normal(int(generator.integers(4, 9))).astype(np.float32)
            result: Any = session.call("main", [x])
            expected = x + x + x if (x + x).sum() > 3 else (x + x) * np.float32(2)
            assert np.array_equal(result, expected)
            with pytest.raises(RunFailure) as caught:
                session.call("bad", [x])
            assert caught.value.message.endswith(f"found {x.size}")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [None] * 8


@pytest.fixture
def importer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    import relax_lang.importer

    relax_lang.importer.install()
    yield tmp_path
    for name in ("my_model", "my_bad_model", "my_package", "my_package.net"):
        sys.modules.pop(name, None)


def test_programs_are_imported(importer: Path):
    (importer / "my_model.rlx").write_text(TEXT)
    import my_model  # pyright: ignore[reportMissingImports]

    assert my_model.twice(X).tolist() == [2, 4]
    assert my_model.__file__ == str(importer / "my_model.rlx")
    assert isinstance(my_model.relax, Module)


def test_programs_are_loaded_again(importer: Path):
    (importer / "my_model.rlx").write_text(TEXT)
    import my_model  # pyright: ignore[reportMissingImports]

    (importer / "my_model.rlx").write_text(
        "def @main(x: Tensor[(n,), float32]) { x + x }\ndef @relax() { 1 }\ndef @__name__() { 1 }\n"
    )
    importlib.reload(my_model)
    assert my_model.main(X).tolist() == [2, 4]
    assert not hasattr(my_model, "count")
    assert isinstance(my_model.relax, Module)
    assert my_model.__name__ == "my_model"
    assert my_model.relax["__name__"]() == 1


def test_programs_in_packages_are_imported(importer: Path):
    (importer / "my_package").mkdir()
    (importer / "my_package" / "__init__.py").write_text("")
    (importer / "my_package" / "net.rlx").write_text(TEXT)
    from my_package import net  # pyright: ignore[reportMissingImports]

    assert net.main(X, 0.0).tolist() == [2, 4]


def test_a_program_with_errors_is_not_imported(importer: Path):
    (importer / "my_bad_model.rlx").write_text("def @main() { y }")
    with pytest.raises(ImportError, match="undefined-variable"):
        import my_bad_model  # noqa: F401  # pyright: ignore[reportMissingImports]
    with pytest.raises(ModuleNotFoundError):
        import there_is_no_such_model  # noqa: F401  # pyright: ignore[reportMissingImports]


def test_notebooks_show_programs_and_errors():
    html = loads("def @main(x: Tensor[(n,), float32]) -> Object { add(x, x) }")._repr_html_()
    assert "<pre>def @main(x: Tensor[(n,), float32]) -&gt; Object {\n  add(x, x)" in html
    with pytest.raises(relax_lang.RelaxError) as caught:
        loads("def @main() { a<b }")
    html = caught.value._repr_html_()
    assert "RLX0201 undefined-variable" in html
    assert "<u " in html
    assert "&lt;" in html
