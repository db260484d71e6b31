"""Calls from Python whose arguments fitted before: the same values, the same errors. [RUN.2]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import RelaxError, ShapeValue, load, loads
from relax_lang.runtime.calling import entry_point

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from relax_lang.runtime.values.tensors import Tensor

ADD = "def @main(x: Tensor[(n, m), float32], y: Tensor[(m,), float32]) -> Tensor[(n, m), float32] { x + y }"


def called(function: Callable[..., object], *arguments: object) -> Tensor:
    result = function(*arguments)
    assert isinstance(result, np.ndarray)
    return result  # pyright: ignore[reportUnknownVariableType]


def ones(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.ones(shape, dtype)


def test_arguments_that_fit_are_bound_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bound: list[object] = []
    bind = entry_point.EntryPoint.bind

    def counting(*args: object) -> object:
        bound.append(args)
        return bind(*args)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(entry_point.EntryPoint, "bind", counting)
    main = loads(ADD)["main"]
    for _ in range(5):
        main(ones(2, 3), ones(3))
        main(y=ones(3), x=ones(2, 3))
    assert len(bound) == 1
    for size in range(4, 40):
        main(ones(size, 3), ones(3))
    assert len(bound) == 1, "plain arrays are seen to fit, whatever their sizes are"


def test_combinations_of_other_annotations_are_bound_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bound: list[object] = []
    bind = entry_point.EntryPoint.bind

    def counting(*args: object) -> object:
        bound.append(args)
        return bind(*args)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(entry_point.EntryPoint, "bind", counting)
    main = loads("def @main(x: Tensor[(n, 2 * m), float32], y: Tensor[(m,), float32]) -> Object { y }")[
        "main"
    ]
    for _ in range(5):
        main(ones(2, 6), ones(3))
        main(y=ones(3), x=ones(2, 6))
    assert len(bound) == 1
    main(ones(4, 6), ones(3))
    assert len(bound) == 2
    main(ones(2, 6), ones(3))
    assert len(bound) == 2, "an earlier combination is still known"


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (ones(2, 3), ones(2), "expected m = 3, found 2"),
        (ones(2, 3, dtype="float64"), ones(3), "expected float32, found float64"),
        (ones(2, 3, 1), ones(3), "rank: expected 2, found 3"),
        (ones(2, 3), (), "expected a tensor"),
    ],
)
def test_others_are_refused_as_at_the_first_call(x: object, y: object, message: str) -> None:
    def refused(main: object) -> str:
        with pytest.raises(RelaxError) as caught:
            main(x, y)  # pyright: ignore[reportCallIssue, reportUnknownVariableType]
        return str(caught.value)

    fresh, used = loads(ADD)["main"], loads(ADD)["main"]
    used(ones(2, 3), ones(3))
    used(ones(3, 3), ones(3))
    assert refused(used) == refused(fresh)
    assert message in refused(used)


def test_the_number_of_arguments_counts() -> None:
    main = loads(ADD)["main"]
    main(ones(2, 3), ones(3))
    for given in ((), (ones(2, 3),), (ones(2, 3), ones(3), ones(3))):
        with pytest.raises(RelaxError, match="argument-"):
            main(*given)
    with pytest.raises(RelaxError, match="no parameter `z`"):
        main(x=ones(2, 3), z=ones(3))
    with pytest.raises(RelaxError, match="given twice"):
        main(ones(2, 3), x=ones(2, 3))


class Matrix(np.ndarray):  # pyright: ignore[reportMissingTypeArgument]
    """An array of a class of its own, as libraries have them."""


def test_what_is_converted_is_converted_every_time(tmp_path: Path) -> None:
    module = loads("def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] { x }")
    swapped = np.arange(3, dtype=np.float32).astype(">f4")
    for _ in range(3):
        result = called(module["main"], swapped)
        assert result.dtype.isnative
        assert result.tolist() == [0, 1, 2]
        result = module["main"](np.arange(3, dtype=np.float32).view(Matrix))
        assert type(result) is np.ndarray
        assert called(module["main"], [1.0, 2.0]).tolist() == [1, 2]
    np.save(tmp_path / "x.npy", np.arange(3, dtype=np.float32))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert type(module["main"](mapped)) is np.ndarray


def test_results_are_passed_on_in_place_as_at_the_first_call() -> None:
    """Arrays are not copied, whether or not the combination is known."""
    main = loads("def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] { x }")["main"]
    x = ones(3)
    assert main(x) is x
    assert main(x) is x


def test_parameters_that_are_more_than_tensors_are_bound_each_time() -> None:
    main = loads(
        "def @main(s: Shape[(n,)], x: Tensor[s, float32], t: (Tensor[(), int32], Object)) -> Object { (x, t) }"
    )["main"]
    for size in (2, 3, 2):
        x, one = ones(size), np.array(1, np.int32)
        result = main(ShapeValue((size,)), x, (one, x))
        assert isinstance(result, tuple)
        assert result[0] is x
        with pytest.raises(RelaxError, match="argument-check-failed"):
            main(ShapeValue((size + 1,)), x, (one, x))


FAILING = """def @inner(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
  let y = match_cast(x, Tensor[(4,), float32]);
  x
}

def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
  @inner(x)
}
"""


def test_a_failure_names_the_calls_that_led_to_it(tmp_path: Path) -> None:
    path = tmp_path / "failing.rlx"
    path.write_text(FAILING, encoding="utf-8")
    main = load(str(path))["main"]
    main(ones(4))
    for _ in range(2):
        with pytest.raises(RelaxError, match="match-cast-failed") as caught:
            main(ones(5))
        (failure,) = caught.value.diagnostics
        assert failure.notes == ["shape variables: n = 5", "called from @main at line 7"]
        main(ones(4))
