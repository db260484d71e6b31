"""Programs as the first drafts of Relax spell them: what has one reading is read so, and a hint says how."""

from __future__ import annotations

import numpy as np
import pytest

import relax_lang
from relax_lang import api
from relax_lang.base.source import PythonFile
from tests.tvmscript.harness import findings, imported

PIPELINE = """
import tvm.script
from tvm.script import relax as R, tir as T

@tvm.script.ir_module
class Pipeline:
    @T.prim_func
    def halve(x: T.handle, y: T.handle):
        length = T.var("int64")
        X = T.match_buffer(x, (length,), "float32")
        Y = T.match_buffer(y, (length,), "float32")
        for i in T.serial(length):
            Y[i] = X[i] * T.float32(0.5)

    @R.function
    def main(x: R.Tensor[(rows, inner), "float32"], w: R.Tensor[_, "float32"]):
        with R.dataflow():
            known = R.match_shape(w, (inner, cols))
            product: R.Tensor[(rows, cols), "float32"] = R.dot(x, known)
            flat: R.Tensor[(rows * cols,), "float32"] = R.flatten(product)
            size: R.Shape = (rows * cols,)
            half = R.call_tir(halve, [flat], size, dtype="float32")
            R.outputs(half)

        R.call_packed("log", half)
        return half
"""

LIBRARY = """
from tvm.script import relax as R

@tvm.register_func("sum_of")
def sum_of(a, b):
    return tvm.nd.array(a.numpy() + b.numpy())

@tvm.script.ir_module
class Library:
    # one product for each pair
    @T.prim_func
    def product(x: T.handle, y: T.handle, z: T.handle) -> None:
        m = T.var("int32")
        n = T.var("int32")
        k = T.var("int32")
        A = T.match_buffer(x, (m, n))
        B = T.match_buffer(y, (n, k))
        C = T.match_buffer(z, (m, k))
        for (i0, j0, k0) in T.grid(m, k, n):
            with T.block():
                i, j, r = T.axis.remap("SSR", [i0, j0, k0])
                # nothing yet
                with T.init():
                    C[i, j] = 0.0
                # one more
                C[i, j] += A[i, r] * B[r, j]

    @R.function
    def main(x: R.Tensor[(m, n), "float32"], y: R.Tensor[(n, k), "float32"]):
        with R.dataflow():
            # the product
            made = R.call_tir(product, (x, y), (m, k), dtype="float32")
            R.outputs(made)
        # shown
        R.call_packed("show", made)
        twice = R.call_packed("sum_of", made, made)
        wide = R.call_dps_packed("tile", (made), (m, k * 2), dtype="float32")
        return (twice, wide)
"""

DIRECT = """
from tvm.script import relax as R
from tvm.script.relax import Tensor, Tuple

@R.function
def main(x: Tensor((m, n), "int32"), y: Tensor(_, "int32"), t: Tuple(Tensor((m,), "float32"), Tensor)):
    return R.add(x, x)
"""

SHAPES = """
from tvm.script import relax as R

@R.function
def main(x: R.Tensor[(n, 2, 3), "float32"]):
    with R.dataflow():
        size: R.Shape = (n * 6,)
        more: R.Shape = R.call_packed("shape_of_result", size)
        y = R.call_tir("fill", (x,), more, dtype="float32")
        some: R.Tensor[_, "float32"] = R.unique(y)
        known: R.Tensor[(m,), "float32"] = R.match_shape(some, (m,))
        z: R.Tensor[(m,), "float32"] = R.exp(known)
        R.outputs(z)
    return z
"""

STYLES = """
from tvm.script import relax as R

@tvm.script.ir_module
class Styles:
    @T.prim_func
    def product(x: T.handle, y: T.handle, z: T.handle) -> None:
        m = T.var("int32")
        n = T.var("int32")
        k = T.var("int32")
        A = T.match_buffer(x, (m, n))
        B = T.match_buffer(y, (n, k))
        C = T.match_buffer(z, (m, k))
        for (i0, j0, k0) in T.grid(m, k, n):
            with T.block():
                i, j, r = T.axis.remap("SSR", [i0, j0, k0])
                with T.init():
                    C[i, j] = 0.0
                C[i, j] += A[i, r] * B[r, j]

    @R.function
    def main(x: R.Tensor[(m, n), "float32"], y: R.Tensor[(n, k), "float32"]):
        with R.dataflow():
            p = R.call_tir(product, (x, y), (m, k), dtype="float32")
            R.outputs(p)
        R.call_packed("show", p)
        q = R.call_packed("twice", p, p)
        r = R.call_dps_packed("tile", (q), output_shape=(m, k * 2), output_dtype="float32")
        return r
"""


def tile(x: np.ndarray, out: np.ndarray) -> None:
    """Write what a packed function of `STYLES` gives."""
    out[:] = np.tile(x, (1, 2))


def fill(x: np.ndarray, out: np.ndarray) -> None:
    """Write what a packed function of `SHAPES` gives."""
    out[:] = x.reshape(-1)


X, W = np.arange(6, dtype="float32").reshape(2, 3), np.ones((3, 4), "float32")
PROGRAMS = {
    "pipeline": (PIPELINE, [X, W], {"log": lambda x: None}, ((X @ W) / 2).reshape(-1)),
    "shapes": (
        SHAPES,
        [np.ones((2, 2, 3), "float32")],
        {"shape_of_result": lambda size: size, "fill": fill},
        np.exp(np.ones(1, "float32")),
    ),
    "styles": (
        STYLES,
        [X, W],
        {"show": lambda x: None, "twice": lambda a, b: a + b, "tile": tile},
        np.tile(2 * X @ W, (1, 2)),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_of_the_first_drafts_are_imported_checked_and_run(name: str) -> None:
    text, arguments, packed, expected = PROGRAMS[name]
    source = PythonFile(text, "draft.py")
    found = api.check(source).diagnostics
    assert [one.slug for one in found if one.severity == "error"] == []
    assert "tvmscript-read-as" in [one.slug for one in found]
    for engine in ("compiled", "interpreter"):
        result = api.run(source, *arguments, packed=packed, engine=engine)
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("slip", "place"),
    [
        ("R.dot(x, x)", "R.dot"),
        ('R.call_tir("f", (x,), (n, n), dtype="float32")', '"float32"'),
    ],
)
def test_a_hint_names_the_slip(slip: str, place: str) -> None:
    text = f"""@R.function
def main(x: R.Tensor(('n', 'n'), "float32")):
    n = T.int64()
    y = {slip}
    return y
"""
    assert ("tvmscript-read-as", place) in findings(text)


def test_names_in_brackets_bind_only_where_nothing_defines_them() -> None:
    text = 'n = 4\n@R.function\ndef main(x: R.Tensor[(n, k), "float32"]):\n    return x\n'
    assert "x: Tensor[(4, k), float32]" in imported(text)


def test_B_34_struct_infos_without_a_prefix() -> None:
    assert imported(DIRECT).startswith(
        "def @main(x: Tensor[(m, n), int32], y: Tensor[_, int32], t: (Tensor[(m,), float32], Tensor)) {\n"
    )


def test_a_program_with_packed_functions_is_read_checked_and_run() -> None:
    assert {slug for slug, _ in findings(LIBRARY)} == {"tvmscript-read-as", "tvmscript-impure"}
    made = imported(LIBRARY)
    assert made.startswith("# one product for each pair\nprim_func @product(")
    for line in (
        "# nothing yet\n",
        "      init { C[i, j] = 0.0; }\n      # one more\n",
        "    # the product\n    let made",
    ):
        assert line in made
    assert '  # shown\n  extern "show"(made);' in made

    def tile(array: np.ndarray, out: np.ndarray) -> None:
        out[:] = np.tile(array, (1, 2))

    packed = {"show": lambda array: None, "sum_of": lambda a, b: a + b, "tile": tile}
    loaded = relax_lang.from_tvmscript(LIBRARY, packed=packed)
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(12, dtype=np.float32).reshape(3, 4)
    twice, wide = loaded.main(x, y)
    np.testing.assert_array_equal(twice, x @ y * 2)
    np.testing.assert_array_equal(wide, np.tile(x @ y, (1, 2)))


def test_both_branches_bind_a_number_last() -> None:
    text = """
@R.function
def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")):
    if c:
        y = R.add(x, x)
        k = R.prim_value(2)
    else:
        y = R.multiply(x, x)
        k = R.prim_value(3)
    return k
"""
    loaded = relax_lang.from_tvmscript(text)
    x = np.zeros(4, np.float32)
    assert [loaded.main(np.array(flag), x) for flag in (True, False)] == [2, 3]
