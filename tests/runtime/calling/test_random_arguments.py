"""Arguments that are made up: `--random` and its kin."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.runtime.calling.arguments import Given
from relax_lang.values import ShapeValue
from tests.runtime.calling.bound_arguments import bound, main, refused
from tests.runtime.harness import f32, session_of


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


def test_random_has_limits() -> None:
    assert refused("f: fn(Tensor) -> Tensor, x: Tensor", seed=0)[0][0] == "argument-missing"
    assert (
        refused("x: Tensor[(n - 9,), float32], y: Tensor[(n,), float32]", seed=0)[0][0]
        == "negative-dimension"
    )
    huge = refused("x: Tensor[(n, n, n), float32]", seed=0, dims={"n": 1 << 20})
    assert huge[0][0] == "out-of-memory"
