"""Arguments as they are written on the command line."""

from __future__ import annotations

import pytest

from relax_lang.runtime.calling.argument_text import Untyped, parse_argument
from relax_lang.values import RunFailure, ShapeValue
from tests.runtime.calling.bound_arguments import bound


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
