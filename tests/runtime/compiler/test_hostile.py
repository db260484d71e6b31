"""Names, strings and shapes of programs that generated code must survive. [Y.11] [X.11]"""

from __future__ import annotations

import ast
import keyword

import numpy as np
import pytest

from relax_lang.base.node import walk
from relax_lang.runtime.interpreter.machine import Interrupted
from relax_lang.syntax.parser import parse
from relax_lang.syntax.tree import ExternFunc
from relax_lang.values import RunFailure
from tests.runtime.compiler.support import both, compiled
from tests.runtime.harness import body, f32, failure_of, run_text, session_of

I32 = "Tensor[(), int32]"
NAMES = [
    "np", "x", "x_1", "X", "ShapeValue", "Activation", "truth", "field", "check_arguments_of_main", "main", "exec",
    "__import__", "None", "True", "print", "constant", "exp", "closure", "value", "unused", "interpret", "large",
    "a b", "a-b", "a_b", "0", "1x", "é", "e", "ﬁ", "fi", "ª", "a", "变量", "𝔵", "'", '"', "\\\\",
    "\\n", "\\t#", "x = 1", "'''", "{x}", "%s", "\\u0000", ");import os", "_", "__class__", "self", "yield", "lambda",
    *keyword.kwlist, *keyword.softkwlist,
]  # fmt: skip


def quoted(name: str) -> str:
    return f"`{name}`"


def test_names_of_variables() -> None:
    names = [name for name in dict.fromkeys(NAMES) if name != "_"]
    lets = [f"let {quoted(name)} = {number(at)};" for at, name in enumerate(names)]
    text = body(" ".join(lets) + f" ({', '.join([quoted(name) for name in names])})")
    assert [int(value) for value in both(text)] == list(range(len(names)))
    ast.parse(compiled(text).text)


def number(value: int) -> str:
    return f"const({value}, int32)"


@pytest.mark.parametrize("name", NAMES)
def test_names_of_functions_parameters_shape_variables_and_closures(name: str) -> None:
    local = quoted(name) if name != "_" else "`__`"
    text = f"""
    def @"{name if name != '"' else "q"}"({local}: Tensor[({local}, 2), float32]) -> Tensor[({local}, 2), float32] {{
      let `f {name}` = fn(`a {name}`: Tensor[(k, 2), float32]) {{
        match_cast({local}, Tensor[(`d {name}`, k), float32]);
        `a {name}` + {local}
      }};
      let t = ({local}, shape({local}, {local} * 2));
      if sum(t[0]) > 0.0 {{ `f {name}`({local}) }} else {{ {local} }}
    }}
    """
    entry = "main"
    call = f'def @main(x: Tensor) {{ @"{name if name != chr(34) else "q"}"(x) }}' if name != "main" else ""
    argument = f32(2, 2)
    both(text + call, argument, entry=entry)


def test_strings() -> None:
    strings = ["'''", '\\"', "\\n#", "\\\\", "%d", "\\u0000", "é", "');import os;('"]
    told: list[str] = []
    prints = [f'print(x, format="{one} {{}}");' for one in strings]
    externs = [f'extern "{one}"(x);' for one in strings]
    text = body(" ".join([*prints, *externs]) + " x", f"x: {I32}")
    names = [node.global_symbol for node in walk(parse(text).tree) if isinstance(node, ExternFunc)]
    packed = {name: lambda _x, name=name: told.append(name) for name in names}
    written: list[str] = []
    run_text(text, np.array(1, np.int32), packed=packed, write=written.append)
    assert told == names
    expected: list[str] = []
    run_text(text, np.array(1, np.int32), packed=packed, write=expected.append, engine="interpreter")
    assert written == expected
    ast.parse(compiled(text).text)


def test_no_program_text_is_code() -> None:
    """Whatever a program says, its code names only what the engine put there."""
    text = body("let `__import__('os').system('true')` = x; `__import__('os').system('true')`", f"x: {I32}")
    names = {node.id for node in ast.walk(ast.parse(compiled(text).text)) if isinstance(node, ast.Name)}
    assert not [name for name in names if "import" in name and not name.isidentifier()]
    assert "__import__" not in names


@pytest.mark.parametrize("depth", [10, 59, 60, 61, 200])
def test_nested_branches(depth: int) -> None:
    nested = "x"
    for at in range(depth):
        nested = f"if c {{ let a{at} = {nested}; a{at} + 1 }} else {{ x }}"
    text = body(nested, f"x: {I32}, c: Tensor[(), bool]")
    assert both(text, np.array(0, np.int32), np.array(True)) == depth


def test_nested_tuples_and_long_dimensions() -> None:
    nested = "x"
    for _ in range(300):
        nested = f"({nested},)"
    text = body(f"let t = {nested}; t", f"x: {I32}")
    both(text, np.array(0, np.int32))
    dims = "n" + " + 1" * 3000
    both(body(f"shape({dims})", "x: Tensor[(n,), float32]"), f32(2))


def test_functions_that_call_each_other_in_a_long_row() -> None:
    functions = [f"def @f{at}(x: {I32}) {{ @f{at + 1}(x) + 1 }}" for at in range(400)]
    text = "\n".join([*functions, f"def @f400(x: {I32}) {{ x }}"])
    assert both(text, np.array(0, np.int32), entry="f0") == 400
    for limit in (1, 50, 99, 100, 101, 250, 400):
        slugs = {
            failure_of(text, np.array(0, np.int32), entry="f0", max_calls=limit, engine=engine).slug
            for engine in ("compiled", "interpreter")
        }
        assert slugs == {"recursion-limit"}
    run_text(text, np.array(0, np.int32), entry="f0", max_calls=401)


def test_X_11_a_hundred_thousand_calls_through_closures() -> None:
    statements = f"""
    let f = fn(i: {I32}) -> {I32} {{ if i == 0 {{ i }} else {{ f(i - 1) }} }};
    f(x)
    """
    assert run_text(body(statements, f"x: {I32}"), np.array(100_000, np.int32)) == 0


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_X_11_every_call_counts_near_the_limit(limit: int) -> None:
    text = f"""
    def @c(x: {I32}) {{ x + 1 }}
    def @b(x: {I32}) {{ @c(x) + 1 }}
    def @a(x: {I32}) {{ let f = fn(y: {I32}) {{ @b(y) }}; f(x) }}
    def @main(x: {I32}) {{ @a(x) }}
    """
    outcomes = [ended(text, engine, limit) for engine in ("interpreter", "compiled")]
    assert outcomes[0] == outcomes[1]


def ended(text: str, engine: str, limit: int) -> object:
    """Return the value of a program, or how it failed."""
    session = session_of(text, engine=engine, max_calls=limit)
    try:
        return repr(session.call("main", [np.array(1, np.int32)]))
    except RunFailure as failure:
        node, calls = failure.node, failure.facts["calls"]
        return failure.slug, node and node.pos, calls and [name for name, _ in calls]


def test_an_interrupt_says_where_it_was() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    text = f'def @main(x: {I32}) {{ @f(x) }} def @f(x: {I32}) {{ let y = x; extern "stop"(); y }}'
    for engine in ("interpreter", "compiled"):
        with pytest.raises(Interrupted) as caught:
            session_of(text, packed={"stop": stop}, engine=engine).call("main", [np.array(1, np.int32)])
        failure = caught.value.failure
        assert failure.node is not None
        assert text[failure.node.pos :].startswith('extern "stop"')
        calls = failure.facts["calls"]
        assert isinstance(calls, list)
        assert [name for name, _ in calls] == ["@f", "@main"]


def test_a_program_that_runs_itself_through_the_host() -> None:
    """A packed function calls the session that calls it; each run knows its own calls."""
    text = f"""
    def @main(x: {I32}) {{ extern "again"(x) }}
    def @inner(x: {I32}) {{ let y = x + ones(shape(2), dtype=int32); match_cast(y, Tensor[ndim=3]); y }}
    """
    for engine in ("interpreter", "compiled"):
        sessions: list[object] = []

        def again(x: object) -> object:
            return sessions[0].call("inner", [x])  # noqa: B023

        session = session_of(text, packed={"again": again}, engine=engine)
        sessions.append(session)
        with pytest.raises(RunFailure) as caught:
            session.call("main", [np.array(1, np.int32)])
        assert caught.value.slug == "match-cast-failed"
        calls = caught.value.facts["calls"]
        assert isinstance(calls, list)
        assert [name for name, _ in calls] == ["@main"]


@pytest.mark.parametrize("result", ["x40", "let r = if c { x40 } else { y40 }; r", "@f(x40)"])
def test_tuples_whose_fields_are_shared(result: str) -> None:
    lines = "".join([f"let x{i + 1} = (x{i}, x{i}); let y{i + 1} = (y{i}, y{i});\n" for i in range(40)])
    head = "def @main(x0: Tensor[ndim=1, float32], c: Tensor[(), bool]) { let y0 = x0;"
    text = f"{head}\n{lines}{result} }}\ndef @f(x: Object) -> Object {{ let y = match_cast(x, (Object, Object)); y }}"
    for engine in ("interpreter", "compiled"):
        value = session_of(text, engine=engine).call("main", [f32(2), np.array(True)])
        for _ in range(40):
            assert isinstance(value, tuple)
            value = value[1]
        assert value.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("def @main() { const(" + "[" * 65 + "1" + "]" * 65 + ") }", "literal-does-not-fit"),
        ("prim_func @f(A: Buffer[(" + "1, " * 65 + "), float32]) { A[" + ", ".join("0" * 65) + "] = 1.0; }\n"
         "def @main() { call_tir(@f, ()) -> Tensor[(" + "1, " * 65 + "), float32] }", "out-of-memory"),
    ],
    ids=["constant", "result"],
)  # fmt: skip
def test_X_O5_more_dimensions_than_arrays_have(text: str, slug: str) -> None:
    for engine in ("interpreter", "compiled"):
        failure = failure_of(text, engine=engine)
        assert failure.slug == slug
        assert "65 dimensions, an array of NumPy has at most" in failure.message
