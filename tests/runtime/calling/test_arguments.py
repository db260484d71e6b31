"""Arguments of a run: RUN.2, M.6."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.runtime.calling.argument_text import Untyped, parse_argument
from relax_lang.runtime.calling.argument_values import Fields
from relax_lang.runtime.calling.arguments import ArgumentsRefused, Given
from relax_lang.values import RunFailure, ShapeValue
from tests.runtime.harness import f32, session_of


def main(params: str) -> str:
    return f"def @main({params}) {{ () }}"


def bound(params: str, *positional: object, **more: Any) -> list[Any]:
    return session_of(main(params)).arguments("main", Given(positional, **more))


def refused(params: str, *positional: object, **more: Any) -> list[tuple[str, str]]:
    with pytest.raises(ArgumentsRefused) as caught:
        bound(params, *positional, **more)
    session = session_of(main(params))
    for failure in caught.value.failures:
        assert session.diagnose(failure).slug == failure.slug
    return [(failure.slug, failure.message) for failure in caught.value.failures]


TWO = "x: Tensor[(n, 3), float32], w: Tensor[(n,), float32]"


def test_RUN_2_in_order_by_name_and_from_an_archive() -> None:
    x, w = f32(2, 3), f32(2)
    for given in (
        Given([x, w]),
        Given([x], {"w": w}),
        Given(named={"w": w, "x": x}),
        Given(archive={"x": x, "w": w}),
        Given([x], archive={"w": w}),
    ):
        values = session_of(main(TWO)).arguments("main", given)
        assert values[0] is x
        assert values[1] is w


def test_RUN_2_missing() -> None:
    assert refused(TWO, f32(2, 3)) == [
        ("argument-missing", "@main needs a value for parameter `w` (`Tensor[(n,), float32]`)")
    ]


def test_RUN_2_extra() -> None:
    assert refused("x: Tensor", f32(1), f32(1)) == [
        ("argument-extra", "@main takes 1 argument, 2 were given")
    ]
    assert refused("x: Tensor", f32(1), named={"y": f32(1)}) == [
        ("argument-extra", "@main has no parameter `y`")
    ]
    assert refused("x: Tensor", f32(1), archive={"y": f32(1)}) == [
        ("argument-extra", "@main has no parameter `y`")
    ]
    assert refused("x: Tensor", f32(1), named={"x": f32(1)}) == [
        ("argument-extra", "parameter `x` of @main is given twice")
    ]


def test_RUN_2_nearest_name() -> None:
    session = session_of(main("weights: Tensor"))
    with pytest.raises(ArgumentsRefused) as caught:
        session.arguments("main", Given(named={"weight": f32(1)}))
    assert session.diagnose(caught.value.failures[0]).help == "did you mean `weights`?"


def test_RUN_2_M_6_every_misfit_is_reported() -> None:
    params = "x: Tensor[(n, 3), float32], w: Tensor[(n,), float32], s: Shape, b: Tensor[(), bool]"
    assert refused(params, f32(2, 4), f32(3), f32(1)) == [
        ("argument-missing", "@main needs a value for parameter `b` (`Tensor[(), bool]`)"),
        (
            "argument-check-failed",
            "parameter `x` of @main does not match `Tensor[(n, 3), float32]`: dimension 1: expected 3, found 4",
        ),
        (
            "argument-check-failed",
            "parameter `w` of @main does not match `Tensor[(n,), float32]`: dimension 0: expected n = 2, found 3",
        ),
        (
            "argument-check-failed",
            "parameter `s` of @main does not match `Shape`: expected a shape, found a tensor",
        ),
    ]


def test_RUN_2_dtypes_are_not_converted() -> None:
    assert refused("x: Tensor[(2,), float32]", np.zeros(2))[0][1].endswith(
        "dtype: expected float32, found float64"
    )


def test_numbers_take_the_dtype_of_the_parameter() -> None:
    params = (
        "a: Tensor[(), int8], b: Tensor[(2,), float16], c: Tensor[(), bool], d: Tensor, e: Object, f: Tensor"
    )
    a, b, c, d, e, f = bound(params, 3, [1, 2.5], True, 4, 1.5, [[True], [False]])
    assert (a.dtype.name, b.dtype.name, c.dtype.name) == ("int8", "float16", "bool")
    assert (d.dtype.name, e.dtype.name, f.dtype.name) == ("int32", "float32", "bool")
    assert f.shape == (2, 1)


@pytest.mark.parametrize(
    ("dtype", "value", "why"),
    [
        ("int32", 1.5, "dtype: expected int32, found 1.5"),
        ("int8", 300, "dtype: expected int8, found 300, which does not fit it"),
        ("int8", [1, -129], "dtype: expected int8, found -129, which does not fit it"),
        ("uint8", -1, "dtype: expected uint8, found -1, which does not fit it"),
        ("int64", 1 << 63, "dtype: expected int64, found 9223372036854775808, which does not fit it"),
        ("float32", 1e300, "dtype: expected float32, found 1e+300, which does not fit it"),
        (
            "float16",
            [float("inf"), -65520.0],
            "dtype: expected float16, found -65520.0, which does not fit it",
        ),
        ("bfloat16", 3.4e38, "dtype: expected bfloat16, found 3.4e+38, which does not fit it"),
        ("float32", 10**400, "dtype: expected float32, found an integer of 1329 bits, which does not fit it"),
        ("bool", 1, "dtype: expected bool, found 1"),
        ("float32", True, "dtype: expected float32, found true"),
        ("int32", [1, 2.5], "dtype: expected int32, found 2.5"),
    ],
)
def test_numbers_that_do_not_fit(dtype: str, value: object, why: str) -> None:
    info = f"Tensor[(), {dtype}]"
    assert refused(f"x: {info}", value) == [
        ("argument-check-failed", f"parameter `x` of @main does not match `{info}`: {why}")
    ]


def test_floats_up_to_the_limit_of_their_dtype() -> None:
    inf = float("inf")
    x, y = bound("x: Tensor[(3,), float32], y: Tensor[(), float16]", [3.4028235e38, inf, -inf], 65519.0)
    assert [x.tolist(), y.tolist()] == [[3.4028234663852886e38, inf, -inf], 65504]


def test_lists_of_numpys_numbers_and_of_what_is_no_number() -> None:
    (x,) = bound("x: Tensor[(2,), float32]", [np.float64(1.5), np.int8(2)])
    assert (x.tolist(), x.dtype.name) == ([1.5, 2.0], "float32")
    for element, found in (
        ("a", "an object"),
        (None, "an object"),
        (f32(2), "a tensor"),
        (ShapeValue(()), "a shape"),
    ):
        message = (
            f"parameter `x` of @main does not match `Tensor`: expected a list of numbers, found {found} in it"
        )
        assert refused("x: Tensor", [element]) == [("argument-check-failed", message)]


def test_ragged_lists() -> None:
    assert refused("x: Tensor", [[1], [2, 3]]) == [
        ("argument-file", "cannot read `[[1], [2, 3]]` as an array: its rows have different lengths")
    ]


def test_a_shape_that_is_a_parameter() -> None:
    params = "x: Tensor[s, float32], s: Shape[ndim=2]"
    assert bound(params, f32(2, 3), ShapeValue((2, 3)))[1] == ShapeValue((2, 3))
    assert refused(params, f32(2, 3), ShapeValue((3, 2)))[0][1].endswith(
        "dimension 0: expected s[0] = 3, found 2"
    )
    assert [slug for slug, _ in refused(params, f32(2, 3))] == ["argument-missing"]


def test_RUN_1_the_entry_is_looked_up_first() -> None:
    with pytest.raises(RunFailure) as caught:
        session_of(main("")).arguments("nope", Given())
    assert caught.value.slug == "entry-not-found"


# Random arguments.


def test_random_is_consistent_and_repeatable() -> None:
    params = "x: Tensor[(n, k * 2), float32], w: Tensor[(k,), int64], s: Shape[(n, k)], c: Tensor[(n,), bool]"
    x, w, s, c = bound(params, seed=1, dims={"n": 3})
    assert (x.shape, x.dtype.name) == ((3, 8), "float32")
    assert (w.shape, w.dtype.name) == ((4,), "int64")
    assert ((w >= 0) & (w < 10)).all()
    assert s == ShapeValue((3, 4))
    assert (c.shape, c.dtype.name) == ((3,), "bool")
    again = bound(params, seed=1, dims={"n": 3})
    assert (again[0] == x).all()
    assert not (bound(params, seed=2, dims={"n": 3})[0] == x).all()


def test_random_goes_with_what_is_given() -> None:
    x, w = bound("x: Tensor[(n,), float32], w: Tensor[(n, m), float16]", f32(7), seed=0)
    assert (x.shape, w.shape, w.dtype.name) == ((7,), (7, 4), "float16")


def test_random_of_what_is_less_known() -> None:
    params = """
      a: Tensor, b: Tensor[ndim=3, uint8], c: (Tensor[(n,), float64], Shape[ndim=1]), d: Tensor[s, int32],
      s: Shape[ndim=2]
    """
    a, b, c, d, s = bound(params, seed=0)
    assert a.dtype.name == "float32"
    assert b.ndim == 3
    assert c[0].shape == (4,)
    assert c[1] == ShapeValue((4,))
    assert d.shape == s.values


def test_random_shapes_go_with_the_tensors_that_are_given() -> None:
    s, t = bound("s: Shape[(n, k)], t: Tensor[s, float32]", named={"t": f32(2, 3)}, seed=0)
    assert (s, t.shape) == (ShapeValue((2, 3)), (2, 3))
    s, t, u = bound("s: Shape, t: Tensor[s, float32], u: Tensor[s]", named={"t": f32(5)}, seed=0)
    assert (s, u.shape) == (ShapeValue((5,)), (5,))
    assert refused("s: Shape[ndim=1], t: Tensor[s]", named={"t": f32(2, 3)}, seed=0) == [
        (
            "argument-check-failed",
            "parameter `s` of @main does not match `Shape[ndim=1]`: rank: expected 1, found 2",
        )
    ]


def test_random_says_which_parameter_it_cannot_make_up() -> None:
    failures = refused("x: Tensor, f: (Tensor, fn(Tensor) -> Tensor)", seed=0)
    message = "@main needs a value for parameter `f` (`(Tensor, fn(Tensor) -> Tensor)`)"
    assert failures == [("argument-missing", message)]


def test_Z_5_a_wrong_dimension_is_not_called_a_missing_argument() -> None:
    assert refused("x: Tensor[(n,), float32]", seed=0, dims={"q": 3}) == [
        ("argument-extra", "@main has no dimension `q`")
    ]


def test_RUN_2_lists_that_are_nested_too_deeply() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert refused("x: Tensor", deep)[0][0] == "argument-file"


@pytest.mark.parametrize(
    ("dims", "given", "expected"),
    [
        ("n * 2, m + 1", (6, 5), {"n": 3, "m": 4}),
        ("n * m, m", (6, 2), {"n": 3, "m": 2}),
        ("n // 2, m", (3, 1), {"n": 6, "m": 1}),
        ("(n + 7) // 8 * 8, m", (16, 1), {"n": 9, "m": 1}),
        ("n - 5, m", (2, 1), {"n": 7, "m": 1}),
    ],
)
def test_random_finds_dimensions_in_expressions(
    dims: str, given: tuple[int, ...], expected: dict[str, int]
) -> None:
    params = f"x: Tensor[({dims}), float32], y: Tensor[(n, m), float32]"
    _, made = bound(params, f32(*given), seed=1)
    assert made.shape == (expected["n"], expected["m"])
    pair = f"t: (Shape[({dims})],), y: Tensor[(n, m), float32]"
    assert bound(pair, (ShapeValue(given),), seed=1)[1].shape == made.shape


def test_random_says_what_no_dimension_makes_true() -> None:
    found = refused("x: Tensor[(n * 2,), float32], y: Tensor[(n,), float32]", f32(3), seed=1)
    assert len(found) == 1
    assert found[0][1].endswith("dimension 0: expected n * 2 = 8, found 3")


def test_random_needs_no_more_memory_than_the_tensor() -> None:
    params = "x: Tensor[(n,), int8], f: Tensor[(n,), float32]"
    session = session_of(main(params), max_bytes=400_000)
    bytes_, floats = session.arguments("main", Given(seed=1, dims={"n": 100_000}))
    assert isinstance(bytes_, np.ndarray)
    assert isinstance(floats, np.ndarray)
    assert (bytes_.dtype, bytes_.shape, floats.dtype) == (np.int8, (100_000,), np.float32)
    assert 0.99 < floats.std() < 1.01
    assert set(np.unique(bytes_)) == set(range(10))


def test_RUN_2_fields_of_tuples_are_named() -> None:
    fields = Fields()
    fields.values = {0: Untyped(1), 1: Untyped(5)}
    assert refused("t: (Tensor[(), int32], Tensor[(), bool])", fields) == [
        (
            "argument-check-failed",
            (
                "parameter `t` of @main does not match `(Tensor[(), int32], Tensor[(), bool])`: "
                "field 1: dtype: expected bool, found 5"
            ),
        )
    ]


def test_V_3_the_unit_is_an_argument() -> None:
    assert bound("u: ()", parse_argument("()")) == [()]


def test_RUN_2_given_twice() -> None:
    session = session_of(main("x: Tensor"))
    with pytest.raises(ArgumentsRefused) as caught:
        session.arguments("main", Given([f32(1)], {"x": f32(1)}))
    diagnostic = session.diagnose(caught.value.failures[0])
    assert (diagnostic.slug, diagnostic.primary) == ("argument-extra", "this parameter")


def test_random_has_limits() -> None:
    assert refused("f: fn(Tensor) -> Tensor, x: Tensor", seed=0)[0][0] == "argument-missing"
    assert (
        refused("x: Tensor[(n - 9,), float32], y: Tensor[(n,), float32]", seed=0)[0][0]
        == "negative-dimension"
    )
    huge = refused("x: Tensor[(n, n, n), float32]", seed=0, dims={"n": 1 << 20})
    assert huge[0][0] == "out-of-memory"


def test_dimensions_are_checked() -> None:
    assert refused("x: Tensor[(n,), float32]", f32(3), dims={"m": 3}) == [
        ("argument-extra", "@main has no dimension `m`")
    ]
    assert refused("x: Tensor[(n,), float32]", f32(3), dims={"n": 4})[0][1].endswith(
        "expected n = 4, found 3"
    )


# What stands on a command line.


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-2", -2),
        ("+3", 3.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e-3", 0.001),
        ("true", True),
        ("false", False),
        ("inf", float("inf")),
        ("-inf", float("-inf")),
        ("[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
        ("[]", []),
        ("[inf, -inf]", [float("inf"), float("-inf")]),
        (" [true, false] ", [True, False]),
    ],
)
def test_parse_argument_literals(text: str, value: object) -> None:
    parsed = parse_argument(text)
    assert isinstance(parsed, Untyped)
    assert parsed.value == value
    assert type(parsed.value) is type(value)


@pytest.mark.parametrize(
    ("text", "values"), [("shape:2,3", (2, 3)), ("shape:", ()), ("shape: 4", (4,)), ("shape:(2, 3)", (2, 3))]
)
def test_parse_argument_shapes(text: str, values: tuple[int, ...]) -> None:
    assert parse_argument(text) == ShapeValue(values)


def test_parse_argument_files() -> None:
    loaded: list[str] = []
    for path in ("x.npy", "2.npy", "-", "+x", "data/1e5", "1.2.3"):
        assert parse_argument(path, lambda text: (loaded.append(text), 7)[1]) == 7
    assert loaded == ["x.npy", "2.npy", "-", "+x", "data/1e5", "1.2.3"]


@pytest.mark.parametrize(
    "text",
    [
        "shape:2,x",
        "shape:-1",
        "shape:9223372036854775808",
        "shape:99999999999999999999999999",
        "[nano]",
        "shape:²",
        "[1, ",
        '["a"]',
        "[null]",
        "[{}]",
        "nothing",
        "",
        "[" * 100_000,
        "[1]]",
    ],
)
def test_RUN_2_what_cannot_be_read(text: str) -> None:
    with pytest.raises(RunFailure) as caught:
        parse_argument(text)
    assert caught.value.slug == "argument-file"
    assert caught.value.message.startswith("cannot read `")


def test_parsed_arguments_take_the_dtype_of_the_parameter() -> None:
    (x,) = bound("x: Tensor[(2,), float64]", parse_argument("[1, 2]"))
    assert x.dtype.name == "float64"
