"""Names of values in a model become identifiers, without what exporters write after the name of an operator."""

import pytest

from relax_lang.onnx.building.names import identifier


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("/block/conv/Conv_output_0", "conv"),
        ("dense:0", "dense"),
        ("dense__12:0", "dense"),
        ("Relu_output", "relu"),
        ("Relu_output_0_output_1", "relu"),
        ("output_0", "output_0"),
        ("x1", "x1"),
        ("x_1", "x_1"),
        ("12", "v12"),
        ("_output_0", "v"),
    ],
)
def test_an_identifier(name: str, made: str) -> None:
    assert identifier(name) == made


@pytest.mark.parametrize("end", [":1", "__1", "_output", "_output_1", "1"])
def test_a_name_with_many_endings_is_read_once(end: str) -> None:
    """Where each ending is tried as the first one, this takes minutes."""
    assert len(identifier("a" + end * 100_000 + "?")) < 50
