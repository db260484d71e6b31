"""Dimension expressions as operands of operators and as conditions: names, struct infos, values. (X15.1, OP.3, OP.7)"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR
from relax_lang.format.printer import show

PARAMS = "x: Tensor[(n, 3), float32], i: Tensor[(n,), int32], h: Tensor[(m,), float16], c: Tensor[(), bool], u: Tensor"

Array = npt.NDArray[Any]
ARGUMENTS = (
    np.ones((2, 3), np.float32),
    np.full(2, 2, np.int32),
    np.ones(5, np.float16),
    np.asarray(True),
    np.ones(1),
)


def program(body: str) -> str:
    return f"def @main({PARAMS}) -> Object {{\n  {body}\n}}\n"


def errors(body: str) -> list[tuple[str, str]]:
    found = api.check(program(body)).diagnostics
    return [(one.slug, one.message) for one in found if one.severity == ERROR]


@pytest.mark.parametrize(
    ("expression", "info"),
    [
        ("x / n", "Tensor[(n, 3), float32]"),
        ("n / x", "Tensor[(n, 3), float32]"),
        ("x * (n + m // 2)", "Tensor[(n, 3), float32]"),
        ("n * 2 * x", "Tensor[(n, 3), float32]"),
        ("i + n", "Tensor[(n,), int32]"),
        ("h * m", "Tensor[(m,), float16]"),
        ("u * n", "Tensor"),
        ("multiply(x, n)", "Tensor[(n, 3), float32]"),
        ("maximum(n, x)", "Tensor[(n, 3), float32]"),
        ("where(c, n, x)", "Tensor[(n, 3), float32]"),
        ("where(n > m, x, 0.0)", "Tensor[(n, 3), float32]"),
        ("x > n", "Tensor[(n, 3), bool]"),
        ("n > 1", "Tensor[(), bool]"),
        ("!(n > 1) && m != n", "Tensor[(), bool]"),
        ("n > 1 && c", "Tensor[(), bool]"),
        ("n + 1", "Tensor[(), int64]"),
        ("-n", "Tensor[(), int64]"),
        ("n ** 2", "Tensor[(), int64]"),
        ("power(n, 2)", "Tensor[(), int64]"),
        ("n / 2.0", "Tensor[(), float32]"),
        ("full(shape(), n)", "Tensor[(), int64]"),
        ("full(shape(m), n, dtype=float32)", "Tensor[(m,), float32]"),
        ("astype(min(n, m), dtype=float64)", "Tensor[(), float64]"),
        ("add(n, m)", "Tensor[(), int64]"),
        ("scalar(n)", "Tensor[(), int64]"),
        ("scalar(n > m)", "Tensor[(), bool]"),
        ("scalar(n, h)", "Tensor[(), float16]"),
        ("scalar(0.5, i)", "Tensor[(), float32]"),
        ("if n > 1 { x } else { x + x }", "Tensor[(n, 3), float32]"),
        ("if n > 1 && c { x } else { x + x }", "Tensor[(n, 3), float32]"),
    ],
)
def test_X15_1_infos(expression: str, info: str) -> None:
    text = program(f"let y = {expression};\n  y")
    checked = api.check(text)
    assert not checked.has_errors, checked.diagnostics
    found = checked.inferred.at(text.index("y ="))
    assert found is not None
    assert show(found) == info
    formatted = api.format_text(text)
    assert api.format_text(formatted) == formatted
    normal = show(checked.normal)
    again = api.check(normal)
    assert not again.has_errors, again.diagnostics
    assert show(again.normal) == normal, "the normal form of a normal form is itself"


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("x / n", np.full((2, 3), 0.5, np.float32)),
        ("n - x", np.full((2, 3), 1, np.float32)),
        ("i * (n + m)", np.full(2, 14, np.int32)),
        ("n // 2 + x", np.full((2, 3), 2, np.float32)),
        ("n * 2.5", np.asarray(5, np.float32)),
        ("n - m", np.asarray(-3, np.int64)),
        ("(n - m) // 2", np.asarray(-2, np.int64)),
        ("m ** n", np.asarray(25, np.int64)),
        ("if m > n { i } else { i + i }", np.full(2, 2, np.int32)),
        ("where(n == 2, x, 0.0)", np.full((2, 3), 1, np.float32)),
        ("full(shape(2), m)", np.full(2, 5, np.int64)),
        (
            "(fn (a: Tensor[(k,), float32]) -> Tensor { a * k })(reshape(x, shape(6)))",
            np.full(6, 6, np.float32),
        ),
    ],
)
def test_X15_1_values(engine: str, expression: str, value: Array) -> None:
    text = program(f"let y = {expression};\n  y")
    result = api.run(text, *ARGUMENTS, engine=engine)
    assert isinstance(result, np.ndarray)
    assert (result.dtype.name, result.tolist()) == (value.dtype.name, value.tolist())


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
def test_OP_7_a_size_that_the_dtype_does_not_hold_ends_the_program(engine: str) -> None:
    text = program("i * (n * 2147483648)")
    with pytest.raises(api.RelaxError, match="4294967296 is not a value of int32"):
        api.run(text, *ARGUMENTS, engine=engine)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        # Alone it is not clear whether a scalar or a shape is meant.
        ("let y = n; y", [("shape-var-as-value", "`n` is a shape variable, which is not a value by itself")]),
        ("(x, n)", [("shape-var-as-value", "`n` is a shape variable, which is not a value by itself")]),
        # The rules of operators hold, and each mistake is reported once.
        ("c + n", [("op-dtype-mismatch", "add: `x1` is bool, `x2` is int64; one dtype is needed")]),
        ("shape(n) * n", [("op-argument", "argument 1 of multiply must be a tensor, not `Shape[(n,)]`")]),
        ("exp(n)", [("op-dtype-mismatch", "exp: does not take int64 for `x`: a float dtype is needed")]),
        (
            "if n { x } else { x }",
            [("condition-not-bool", "the condition must be a scalar bool, not `Tensor[(), int64]`")],
        ),
        ("x * (n + k)", [("undefined-variable", "`k` is not defined")]),
        ("x * (n // 0)", [("dim-division-by-zero", "division by zero")]),
    ],
)
def test_Z_5_errors(body: str, found: list[tuple[str, str]]) -> None:
    assert [
        (slug, message[: len(expected)])
        for (slug, message), (_, expected) in zip(errors(body), found, strict=True)
    ] == found


def test_S_19_a_variable_of_that_name_comes_first() -> None:
    text = "def @main(n: Tensor[(n,), float32]) -> Tensor { n * n }"
    checked = api.check(text)
    assert not checked.has_errors
    assert "scalar" not in show(checked.normal)


def test_S_13_shape_variables_of_a_match_cast_and_of_the_function_around() -> None:
    text = """def @main(x: Tensor[(n,), float32], u: Tensor) -> Tensor {
  let v = match_cast(u, Tensor[(k,), float32]);
  let f = fn (a: Tensor[(j,), float32]) -> Tensor { a * (n + j) };
  f(v) / k
}
"""
    assert api.check(text).diagnostics == []
    result = api.run(text, np.ones(2, np.float32), np.ones(4, np.float32))
    assert isinstance(result, np.ndarray)
    assert result.tolist() == [1.5] * 4


def test_long_chains_are_resolved_in_linear_time() -> None:
    """Every operation is looked at a bounded number of times: a chain of thousands ends soon."""
    chain = " + ".join(["n"] * 2000 + ["x"] * 2000)
    assert not api.check(program(chain)).has_errors
