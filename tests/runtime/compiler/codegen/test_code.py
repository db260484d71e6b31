"""What generated code looks like, and what it leaves out. [X.O1-X.O4]"""

from __future__ import annotations

import textwrap
import weakref
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.runtime.compiler import program as programs
from relax_lang.runtime.compiler.program import compile_module
from relax_lang.runtime.instrument.observer import Instrumentation
from relax_lang.runtime.interpreter import interpreter
from tests.runtime.compiler.support import both, code_of, compiled
from tests.runtime.harness import HEAD, body, f32, failure_of, run_text, session_of
from tests.work import executed_lines

MATRIX = "Tensor[(n, m), float32]"
I32 = "Tensor[(), int32]"


def dedent(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


def test_an_example_as_a_whole() -> None:
    text = f"""
    def @layer(x: {MATRIX}, w: Tensor[(m, k), float32], b: Tensor[(k,), float32]) -> Tensor[(n, k), float32] {{
      matmul(x, w) + b
    }}
    def @main(x: {MATRIX}, w: Tensor[(m, m), float32], b: Tensor[(m,), float32], c: Tensor[(), bool]) {{
      let h = if c {{ @layer(x, w, b) }} else {{ x }};
      h
    }}
    """
    assert code_of(text) == dedent("""
        def layer(x, w, b):
            n, m, k = check_arguments_of_layer(x, w, b)
            gv = matmul(x, w)
            del w, x
            large = n * k >= 16384
            gv_1 = np.add(gv, b, out=gv) if large else np.add(gv, b)
            del b, gv
            return gv_1


        def main(x, w, b, c):
            n, m = check_arguments_of_main(x, w, b, c)
            if c:
                del c
                gv = layer(x, w, b)
                del b, w, x
                h = gv
                del gv
            else:
                del b, c, w
                h = x
                del x
            return h
        """)


def test_recursive_functions_hand_their_calls_to_the_machine() -> None:
    text = f"def @loop(i: {I32}) -> {I32} {{ if i == 0 {{ i }} else {{ @loop(i - 1) }} }}"
    assert "gv_2 = yield call_loop(at_loop, gv_1)" in code_of(text)


def test_X_O2_bindings_that_nobody_needs_vanish_from_dataflow_blocks() -> None:
    dataflow = "dataflow { let a = exp(x); let b = a + a; let y = negative(x); output y; } y"
    assert code_of(body(dataflow, f"x: {MATRIX}")) == dedent("""
        def main(x):
            n, m = check_arguments_of_main(x)
            y = np.negative(x)
            del x
            return y
        """)
    outside = "let a = exp(x); negative(x)"
    assert "np.exp(x)" in code_of(body(outside, f"x: {MATRIX}"))


def test_X_O2_effects_do_not_vanish() -> None:
    told: list[str] = []
    text = body('dataflow { let a = extern "f"(x, pure=true); let y = exp(x); output y; } y', "x: Tensor")
    run_text(text, f32(2), packed={"f": lambda _x: told.append("f")})
    assert told == ["f"]


def test_X_O2_a_program_becomes_more_defined() -> None:
    text = body(
        "dataflow { let a = add(x, ones(shape(7), dtype=float32)); let y = x; output y; } y", "x: Tensor"
    )
    assert failure_of(text, f32(2), engine="interpreter").slug == "op-runtime-shape"
    assert run_text(text, f32(2)).tolist() == [0, 1]


def test_values_die_at_their_last_use() -> None:
    class Handle:
        pass

    made: list[weakref.ref[Handle]] = []
    alive: list[bool] = []

    def make() -> Handle:
        handle = Handle()
        made.append(weakref.ref(handle))
        return handle

    look = {"make": make, "use": lambda _handle: None, "look": lambda: alive.append(made[-1]() is not None)}
    statements = """
    let h = extern "make"(); extern "look"(); extern "use"(h); extern "look"();
    let g = extern "make"();
    let r = if true { extern "look"(); extern "use"(g); extern "look"(); 1 } else { extern "use"(g); 2 };
    let f = extern "make"();
    let s = if false { extern "use"(f); 1 } else { extern "look"(); 2 };
    (r, s)
    """
    run_text(body(statements), packed=look)
    assert alive == [True, False, True, False, False]


@pytest.mark.parametrize(
    "statements",
    [
        "let a = x + y; let b = a; let c = a * y; (b, c)",
        "let a = x + y; let t = (a, y); let c = negative(a); (t[0], c)",
        "let a = x + y; let f = fn() { a }; let c = negative(a); (f(), c)",
        'let a = x + y; extern "keep"(a); let c = negative(a); (extern "kept"(), c)',
        "let a = x + y; let r = reshape(a, shape(m, n)); let c = negative(a); (r, c)",
        "let a = x + y; let c = if k { negative(a) } else { a }; let d = exp(c); (a, c, d)",
        'let a = x + y; let c = if k { extern "keep"(a); y } else { x }; let d = exp(a); (extern "kept"(), c, d)',
        "let a = x + y; let b = match_cast(a, Tensor); let d = exp(a); (b, d)",
        "let a = x; let b = a + y; (a, b)",
        "let a = const([[1.0, 2.0], [3.0, 4.0]]); let f = fn() { const([[1.0, 2.0], [3.0, 4.0]]) }; (negative(a), f())",
        "let a = @same(x + y); let b = negative(a); (a, b)",
    ],
)
def test_X_O4_memory_is_not_used_again_where_it_is_observed(
    statements: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("relax_lang.ops.calls.overwriting.LARGE", 1)
    kept: list[object] = []

    def keep(value: object) -> None:
        kept.append(value)

    text = f"def @same(x: {MATRIX}) {{ x }}" + body(
        statements, f"x: {MATRIX}, y: {MATRIX}, k: Tensor[(), bool]"
    )
    packed = {"keep": keep, "kept": lambda: kept[-1] if kept else ()}
    x, y = f32(2, 2), f32(2, 2) + 1
    both(text, x, y, np.array(True), packed=packed)
    assert (x == f32(2, 2)).all()
    assert (y == f32(2, 2) + 1).all()


def test_X_O5_what_is_as_large_as_a_product_is_not_asked_for_again() -> None:
    params = "x: Tensor[(n, m), float32], w: Tensor[(m, k), float32], b: Tensor[(l, n, k), float32]"
    same, larger = body("let p = matmul(x, w); p + p", params), body("let p = matmul(x, w); p + b", params)
    assert "ask_for_memory" not in code_of(same)
    assert "ask_for_memory" in code_of(larger)
    args = np.ones((300, 2), np.float32), np.ones((2, 300), np.float32), np.ones((3, 300, 300), np.float32)
    for text, most in ((same, 1 << 17), (larger, 1 << 17), (larger, 1 << 19)):
        failures = [
            failure_of(text, *args, max_bytes=most, engine=one) for one in ("interpreter", "compiled")
        ]
        assert [failure.slug for failure in failures] == ["out-of-memory"] * 2
        assert failures[0].message == failures[1].message
        assert failures[0].facts["bytes"] == failures[1].facts["bytes"]


def test_a_reshape_is_one_of_numpy_where_the_number_of_elements_is_certain() -> None:
    params = "x: Tensor[(n, m, 6), float32], s: Tensor[(k, 6), float32]"
    for target in ("n, m, 2, 3", "m, n * 1, 6", "3, m, n, 2"):
        text = body(f"reshape(x, shape({target}))", params)
        assert ("gv = x.reshape((" in code_of(text)) == ("*" not in target)
        both(text, f32(2, 3, 6), f32(4, 6))
    both(body("reshape(x, shape(n, 2, 3, m))", params), f32(0, 3, 6), f32(4, 6))
    unknown = body("reshape(s, shape(n, 6))", params)
    assert "s.reshape" not in code_of(unknown)
    failures = [
        failure_of(unknown, f32(2, 3, 6), f32(4, 6), engine=one) for one in ("interpreter", "compiled")
    ]
    assert failures[0].message == failures[1].message


def test_X_O4_memory_is_used_again_where_nothing_observes_it() -> None:
    text = body("negative(exp(x + x) * x)", "x: Tensor[(256, 256), float32]")
    assert code_of(text) == dedent("""
        def main(x):
            check_arguments_of_main(x)
            ask_for_memory(x, x)
            gv = np.add(x, x)
            gv_1 = np.exp(gv, out=gv)
            del gv
            gv_2 = np.multiply(gv_1, x, out=gv_1)
            del gv_1, x
            gv_3 = np.negative(gv_2, out=gv_2)
            del gv_2
            return gv_3
        """)


def test_host_code_can_change_what_was_certain() -> None:
    """A packed function gives an array another shape in place; operators look again."""

    def turn(x: Any) -> None:
        x.resize((3, 2), refcheck=False)

    text = body('let y = exp(x); extern "turn"(x); x + y', f"x: {MATRIX}")
    for engine in ("interpreter", "compiled"):
        failure = failure_of(text, f32(2, 3).copy(), packed={"turn": turn}, engine=engine)
        assert failure.slug == "op-runtime-shape"


def test_checks_that_are_proved_are_left_out() -> None:
    text = body(
        f"let y = match_cast(x, Tensor[(n, m), float32]); let z: {MATRIX} = exp(y); z", f"x: {MATRIX}"
    )
    code = code_of(text)
    assert "match_cast" not in code
    assert "check_annotation" not in code
    text = f"def @main(x: {MATRIX}) -> {MATRIX} {{ nn.softmax(x) }}"
    assert "check_result" not in api.compile_functions(text)


def test_proofs_are_relied_on_as_far_as_they_hold() -> None:
    text = """
    def @main(x: Tensor[(n,), float32]) { let y = match_cast(x, Tensor[(k,), float32]); shape(k) }
    """
    session = session_of(text, engine="interpreter")
    function = session._module.items[0]
    binding = function.body.blocks[0].bindings[0]
    program = compile_module(session._module, None, [binding])
    assert "k = match_cast(y)" in program.text  # it binds all the same
    loud = body('extern "f"(x); let y = match_cast(x, Tensor[ndim=1]); y', "x: Tensor")
    module = session_of(loud, engine="interpreter")._module
    binding = module.items[0].body.blocks[0].bindings[1]
    assert "match_cast(y)" in compile_module(module, None, [binding]).text


def test_programs_are_compiled_once_per_content() -> None:
    text = body("exp(x)", f"x: {MATRIX}")
    programs._CACHE.clear()
    first, second = api.start(text), api.start(text)
    assert first._module is second._module
    assert api.start(text + "\n")._module is not first._module
    for number in range(2 * programs._KEPT):
        api.start(body(f"shape({number})"))
    assert len(programs._CACHE) == programs._KEPT


def test_prim_funcs_are_compiled_once_per_content() -> None:
    text = HEAD + body("call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]", "x: Tensor[(2, 3), float32]")
    session = api.start(text)
    session.call("main", [f32(2, 3)])
    again = api.start(text)
    assert again._machine.prim_funcs._compiled == session._machine.prim_funcs._compiled != {}


def test_relax_compile_shows_the_same_code() -> None:
    text = f"def @main(x: {MATRIX}) {{ exp(x) }}"
    assert api.compile_functions(text) == compiled(text).text


def test_operators_that_users_declare_are_code_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may give an argument back, or keep it, whatever they declare."""
    from relax_lang.ops.plugins.register import register_op
    from relax_lang.ops.registry import forget, lookup

    monkeypatch.setattr("relax_lang.ops.calls.overwriting.LARGE", 1)

    @register_op(
        "test.same", "x: tensor", infer=lambda call: call.like(call.tensor(0), None), example="test.same(1)"
    )
    def same(x: Any) -> Any:
        """Give the argument back."""
        return x

    try:
        text = body(
            "let a = x + x; let b = test.same(a); let c = negative(b); (negative(a), b, c)", f"x: {MATRIX}"
        )
        both(text, f32(2, 3))
        assert "out=" not in code_of(text)
    finally:
        operator = lookup("test.same")
        assert operator is not None
        forget(operator)


@pytest.mark.parametrize(
    "statements",
    [
        'let w = {c}; extern "change"(w); x + w',
        'let w = {c}; let t = (w, w); extern "change"(t[0]); x + w',
        'let w = {c}; let v = if true {{ w }} else {{ x }}; extern "change"(v); x + w',
        'let f = fn() {{ {c} }}; let w = f(); extern "change"(w); x + f()',
        'let w = match_cast({c}, Tensor); extern "change"(w); x + w',
        'let w = {c}; let y = reshape(w, shape(2)); extern "change"(y); x + w',
    ],
)
@pytest.mark.parametrize("constant", ["const([1.0, 2.0])", 'const(file("w.npy"))'])
def test_X_1_constants_are_new_whenever_somebody_could_change_them(statements: str, constant: str) -> None:
    def change(value: Any) -> None:
        value += 10

    text = body(statements.format(c=constant), "x: Tensor[(2,), float32]")
    weights = np.array([1, 2], np.float32)
    options: dict[str, Any] = {"packed": {"change": change}, "load_constant": lambda _path, _key: weights}
    expected = run_text(text, f32(2), engine="interpreter", **options).tolist()
    session = session_of(text, **options)
    assert [session.call("main", [f32(2)]).tolist() for _ in range(3)] == [expected] * 3
    assert weights.tolist() == [1, 2]


def test_X_1_constants_that_are_only_looked_at_are_not_copied() -> None:
    params = "x: Tensor[(2,), float32]"
    assert ".copy()" not in code_of(body("let w = const([1.0, 2.0]); x + w * const([2.0])", params))
    assert "constant.copy()" in code_of(body("let w = const([1.0, 2.0]); (x, w)", params))


def test_who_watches_gets_the_interpreter() -> None:
    text = body("exp(x)", f"x: {MATRIX}")
    by_interpreter = [
        session_of(text, engine="interpreter"),
        session_of(text, watch=Instrumentation([])),
        session_of(text, max_bytes=1000),
    ]
    assert {session._machine.activate for session in by_interpreter} == {interpreter.activate}
    assert session_of(text)._machine.activate is not interpreter.activate
    with pytest.raises(ValueError, match="engine is one of compiled, interpreter"):
        session_of(text, engine="turbo")


def test_shapes_that_grow_with_every_operator_are_bounded() -> None:
    def lines(count: int) -> int:
        product = "let y = reshape(matmul(reshape(y, shape(-1, 1)), reshape(y, shape(1, -1))), shape(-1)); "
        text = f"def @main(x: Tensor[(n,), float32]) {{ let y = x; {product * count} y }}"
        return executed_lines(lambda: compiled(text))

    assert lines(24) < 4 * lines(12)


def test_checks_take_the_shape_variables_that_they_mention() -> None:
    def length(count: int) -> int:
        casts = " ".join([f"let v{at} = match_cast(x, Tensor[(n{at}, 4), float32]);" for at in range(count)])
        return len(code_of(f"def @main(x: Object) {{ {casts} x }}"))

    assert length(200) < 2.2 * length(100)


@pytest.mark.parametrize("engine", ["interpreter", "compiled"])
def test_failures_show_all_shape_variables(engine: str) -> None:
    # Those that the check does not mention, and the one that it bound before it failed.
    text = """
    def @main(x: Tensor[(n, m), float32], y: Object) {
      let a = match_cast(y, Tensor[(k, n), float32]);
      a
    }
    """
    failure = failure_of(text, f32(2, 3), f32(5, 4), engine=engine)
    assert failure.facts["shape_vars"] == {"n": 2, "m": 3, "k": 5}
    text = """
    def @main(x: Tensor[(n, m), float32], y: Tensor[(m,), float32], c: Tensor[(), bool]) {
      if c { let z: Tensor[(n,), float32] = y; z } else { y }
    }
    """
    failure = failure_of(text, f32(2, 3), f32(3), np.array(True), engine=engine)
    assert failure.facts["shape_vars"] == {"n": 2, "m": 3}


def test_X_O4_small_results_of_certain_shapes_are_written_over_operands() -> None:
    parts = "let a = x * x; let b = a + x; let c = nn.relu(b); c - x"
    code = code_of(f"def @main(x: Tensor[(2, 3), float32]) {{ {parts} }}")
    assert code.count("out=") == 3, code
    scalars = code_of(f"def @main(x: Tensor[(), float32]) {{ {parts} }}")
    assert "out=" not in scalars, scalars
