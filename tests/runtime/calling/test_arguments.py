"""Arguments of a run: RUN.2, M.6."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.runtime.calling.argument_text import Untyped, parse_argument
from relax_lang.runtime.calling.argument_values import Fields
from relax_lang.runtime.calling.arguments import ArgumentsRefused, Given
from relax_lang.values import RunFailure, ShapeValue
from tests.runtime.calling.bound_arguments import bound, main, refused
from tests.runtime.harness import f32, session_of

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


def test_Z_5_a_wrong_dimension_is_not_called_a_missing_argument() -> None:
    assert refused("x: Tensor[(n,), float32]", seed=0, dims={"q": 3}) == [
        ("argument-extra", "@main has no dimension `q`")
    ]


def test_RUN_2_lists_that_are_nested_too_deeply() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert refused("x: Tensor", deep)[0][0] == "argument-file"


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


def test_dimensions_are_checked() -> None:
    assert refused("x: Tensor[(n,), float32]", f32(3), dims={"m": 3}) == [
        ("argument-extra", "@main has no dimension `m`")
    ]
    assert refused("x: Tensor[(n,), float32]", f32(3), dims={"n": 4})[0][1].endswith(
        "expected n = 4, found 3"
    )
