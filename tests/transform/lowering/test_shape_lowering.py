"""VMShapeLower: sizes in a shape heap mean what shape variables meant, failures with their messages among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.transform.catalogue import PIPELINES, parse_passes
from relax_lang.transform.pass_manager.context import PassContext
from relax_lang.transform.pass_manager.instruments import Explain
from relax_lang.typed import Typed
from relax_lang.values import RunFailure, ShapeValue
from relax_lang.vm.machine.linked import MODES
from tests.runtime.compiler.random_host import plain
from tests.transform.same_meaning.outcomes import after_passes, outcome, same, sound_program

BUILD = PIPELINES["build"]
SAMPLES = sorted([*Path("samples").glob("*.rlx"), *Path("samples/models").glob("*.rlx")])


def lowered(text: str) -> Typed:
    return parse_passes("VMShapeLower")(api.typed(text))


def variables_in(typed: Typed) -> set[str]:
    """Return the functions in whose bodies or results shape variables are left."""
    return {
        function.name.name_hint
        for function in typed.functions
        if function.name is not None
        for part in (function.body, function.ret_struct_info)
        if part is not None and any(isinstance(node, tree.PrimVar) for node in walk(part))
    }


def outcomes(text: str, arguments: list[Any]) -> list[object]:
    """Return what becomes of a program, and of the lowered one in all engines."""
    typed = lowered(text)
    assert not variables_in(typed), str(typed)
    executable = api.build(typed.checked())
    sessions = [
        api.start(text, engine="interpreter"),
        *[api.start(typed.checked(), engine=engine) for engine in ("interpreter", "compiled")],
        *[api.start_executable(executable, mode=mode) for mode in MODES],
    ]
    found: list[object] = []
    for session in sessions:
        try:
            found.append(plain(session.call("main", arguments)))
        except RunFailure as failure:
            found.append((failure.slug, failure.message))
    return found


def test_slots_are_of_variables_and_of_the_sizes_made_of_them() -> None:
    text = str(
        lowered(
            "def @main(x: Tensor[(n, m), float32]) -> Tensor { full(shape(n + 1, m + 1, n), 1.0, dtype=float32) }"
        )
    )
    assert "vm.alloc_shape_heap(size=4)" in text
    assert 'vm.match_shape(x, heap, codes=["store", "store"], operands=[0, 1]);' in text
    assert 'vm.make_shape(heap, codes=["slot", "slot", "slot"], operands=[2, 3, 0])' in text


def test_sizes_are_computed_by_prim_funcs_as_soon_as_they_can_be() -> None:
    text = """
def @main(x: Tensor[(n,), float32], y: Tensor) -> Tensor {
  let a = zeros(shape(n * 2), dtype=float32);
  let b = match_cast(y, Tensor[(m,), float32]);
  zeros(shape(n * 2, m + n), dtype=float32)
}
"""
    typed = lowered(text)
    assert len(typed.prim_funcs) == 2
    assert "heap[1] = heap[0] * 2;" in str(typed)
    assert "heap[3] = heap[2] + heap[0];" in str(typed)
    assert str(typed).count("vm.make_shape(") == 2


def test_a_program_without_shape_variables_stays_as_it_is() -> None:
    typed = api.typed(
        "def @main(x: Tensor[(2,), float32]) -> Tensor[(4,), float32] { concat((x, x), axis=0) }"
    )
    assert parse_passes("VMShapeLower")(typed) is typed


FLOATS = np.arange(6, dtype=np.float32).reshape(2, 3)
CAST = (
    "def @main(x: Tensor[(n, m), float32], o: Object) -> Object { let y = match_cast(o, %s); (y, shape(n)) }"
)


@pytest.mark.parametrize(
    "given", [FLOATS, FLOATS.T, FLOATS[0], FLOATS.astype(np.float64), 3, ShapeValue((2, 3))]
)
@pytest.mark.parametrize(
    "info",
    [
        "Tensor[(n, m), float32]",
        "Tensor[(n, 3), float32]",
        "Tensor[(k, k + 1), float32]",
        "Tensor[(k + 1, k), float32]",
        "Tensor[(m, n), float64]",
        "Tensor[(n * 2,), float32]",
        "Tensor[(n, k)]",
        "Shape[(n, k)]",
        "Shape[(m - n, k)]",
    ],
)
def test_a_match_cast_fails_as_it_did(info: str, given: object) -> None:
    expected, *found = outcomes(CAST % info, [FLOATS, given])
    assert found == [expected] * 4


@pytest.mark.parametrize(
    "given", [(FLOATS, FLOATS), (FLOATS, FLOATS.T), (FLOATS, ShapeValue((2, 3))), (FLOATS,), FLOATS]
)
@pytest.mark.parametrize(
    "info", ["(Tensor[(n, m), float32], Tensor[(k, k + 1), float32])", "(Object, Shape[(n, k)])"]
)
def test_so_does_one_of_a_tuple(info: str, given: object) -> None:
    expected, *found = outcomes(CAST % info, [FLOATS, given])
    assert found == [expected] * 4


@pytest.mark.parametrize("given", [FLOATS, FLOATS.T, FLOATS[0]])
@pytest.mark.parametrize(
    "body",
    [
        "let y: Tensor[(m, n), float32] = x; y",
        "let y: Tensor[(n + 1, m - 1), float32] = x; (y, shape(n))",
        "match_shape(x, (k, k + 1)); shape(k)",
        "if true { let y = match_cast(x, Tensor[(k, 3), float32]); zeros(shape(k * 2), dtype=float32) } else { x }",
        "zeros(shape(n - m, 1), dtype=float32)",
        "scalar(n * 2)",
        "scalar(n, x)",
        "scalar(n < m)",
        "prim_value(n + m)",
        "(x, (shape(n, m), shape(2 * n)))",
    ],
)
def test_annotations_branches_scalars_and_shapes(body: str, given: object) -> None:
    params = "x: Tensor[ndim=2, float32], u: Tensor, q: (Tensor[(n,), float32], Tensor[(n, m), float32])"
    text = f"def @main({params}) -> Object {{ {body} }}"
    expected, *found = outcomes(text, [given, FLOATS, (FLOATS[:, 0].copy(), FLOATS)])
    assert found == [expected] * 4


@pytest.mark.parametrize("given", [FLOATS, FLOATS.T])
def test_a_declared_result_is_checked_unless_it_is_proved(given: object) -> None:
    text = (
        "def @main(x: Tensor[ndim=2, float32], q: Tensor[(n, m), float32]) -> Tensor[(n, m), float32] { x }"
    )
    expected, *found = outcomes(text, [given, FLOATS])
    assert found == [expected] * 4
    text = "def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] { exp(x) }"
    assert "vm." not in str(lowered(text))


def test_places_in_storages_are_sizes_too() -> None:
    text = """
force_pure def @main(x: Tensor[(n, 2), float32]) -> Tensor {
  let storage = vm.alloc_storage(shape(n * 16), 0);
  let y = vm.alloc_tensor(storage, n * 8, shape(n, 2), dtype=float32);
  @copy(x, y);
  y
}
prim_func @copy(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Y[i, j] = X[i, j]; }
}
"""
    assert "vm.alloc_tensor_at(storage, sizes_1, sizes_2, dtype=float32)" in str(lowered(text))
    expected, *found = outcomes(text, [FLOATS.T.copy()])
    assert found == [expected] * 4


@pytest.mark.parametrize("given", [(3,), (4,), (3, 1), ()])
def test_claims_about_results_of_packed_functions_lose_their_dimensions(given: tuple[int, ...]) -> None:
    """They are believed; what is made of the result is checked as before."""
    text = """impure def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      let y = extern "f"(x) -> Tensor[(n,), float32];
      let z = call_pure_packed(extern "f", y) -> Tensor[(n,), float32];
      z
    }"""
    typed = lowered(text)
    assert not variables_in(typed)
    assert 'extern "f"(x) -> Tensor[ndim=1, float32]' in str(typed)
    found: list[object] = []
    for program in (text, str(typed)):
        for engine in ("interpreter", "compiled"):
            session = api.start(program, engine=engine, packed={"f": lambda _: np.ones(given, np.float32)})
            try:
                found.append(plain(session.call("main", [np.ones(3, np.float32)])))
            except RunFailure as failure:
                found.append((failure.slug, failure.message))
    assert found == [found[0]] * 4


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def @main(x: Tensor[(n,), int8]) { dataflow { let y = ones(shape(n), dtype=int32); output y; } y }", "block"),
        ("def @main(x: Tensor[(n,), float32]) { let f = fn (y: Tensor) { (y, shape(n)) }; f(x) }", "local function"),
        ("def @main(x: Tensor[(n,), float32], s: Shape[(k,)]) { shape(n // k) }", "zero"),
        ("impure def @main(x: Tensor[(n,), float32]) { call_dps_packed(extern \"f\", (x,)) -> Tensor[(n,), float32] }",
         "declared result"),
        ("def @main(x: Tensor[(n,), float32]) { arange(n) }", "operand"),
        ("def @main(x: Tensor[(n,), float32], u: Tensor) { scalar(n, u) }", "dtype"),
        ("def @main(x: Tensor[(n, 2), float32]) { reshape(x, shape(n, -1)) }", "follows"),
    ],
)  # fmt: skip
def test_what_needs_shape_variables_keeps_them(text: str, why: str) -> None:
    typed = api.typed(text)
    said = Explain()
    with PassContext(instruments=[said]):
        assert parse_passes("VMShapeLower")(typed) is typed
    assert why in said.table()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_no_shape_variable_is_left_in_samples(path: Path) -> None:
    typed = parse_passes(", ".join(BUILD))(api.typed(api.read(str(path))))
    values = {"adder", "adder_gv_1"}  # of which one makes a closure of the other
    assert variables_in(typed) <= values, path


@pytest.mark.parametrize("start", range(31_000, 31_120, 40))
def test_X_O1_random_programs_before_and_after(start: int) -> None:
    changed = 0
    for seed in range(start, start + 40):
        sound = sound_program(seed)
        if sound is None:
            continue
        at = BUILD.index("VMShapeLower")
        before, after = after_passes(seed, BUILD[:at]), after_passes(seed, BUILD[: at + 1])
        changed += after is not before
        expected = outcome(sound[0], before)
        for engine in ("interpreter", "compiled"):
            assert same(expected, outcome(sound[0], after, engine)), f"seed {seed}, {engine}\n{after}"
    assert changed


def test_the_first_mistake_of_a_tuple_is_named() -> None:
    text = """def @main(x: Tensor[(n,), float32], a: Tensor, b: Tensor) {
      let t = match_cast((a, b), (Tensor[(n,), float32], Tensor[(4,), int32]));
      t
    }"""
    sessions = [api.start(one, engine="interpreter") for one in (text, api.optimize(text, "VMShapeLower"))]
    for a, b in (((3,), np.int64), ((2, 2), np.int64), ((2,), np.int64), ((2,), np.int32)):
        given = [np.ones(2, np.float32), np.ones(a, np.float32), np.ones(5, b)]
        messages: list[str] = []
        for session in sessions:
            with pytest.raises(RunFailure) as failure:
                session.call("main", given)
            messages.append(failure.value.message)
        assert messages[0] == messages[1]
