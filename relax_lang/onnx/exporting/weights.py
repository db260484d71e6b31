"""Weights of a model in a file of their own, beside it, as ONNX has it (*external data*)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LEAST = 1 << 10
"""Bytes of a weight that is moved out; smaller ones stay in the model."""
ALIGNMENT = 64
"""Weights begin at multiples of so many bytes, so that they can be used where they are mapped."""
_EXTERNAL = 1


def move_out(model: Any, location: str) -> Iterator[bytes]:
    """Yield the bytes of a file that holds the large weights of a model, which refers to them by `location` then.

    The model (an `onnx.ModelProto`) is changed while the bytes are taken.
    """
    at = 0
    for tensor in model.graph.initializer:
        data: bytes = tensor.raw_data
        if len(data) < LEAST:
            continue
        gap = -at % ALIGNMENT
        yield bytes(gap) + data
        at += gap
        for key, value in (("location", location), ("offset", at), ("length", len(data))):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, str(value)
        tensor.data_location = _EXTERNAL
        tensor.ClearField("raw_data")
        at += len(data)
