"""Tensors of ONNX as arrays: dtypes by their numbers, and bytes in the message, in its file or in a file beside it.

Sizes are compared with the bytes that are there.
"""

from __future__ import annotations

import math

import numpy as np

from relax_lang.onnx.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from relax_lang.onnx.values import Array

    External = Callable[[str, int, int | None], bytes | memoryview]
    """Returns bytes of a file beside the model: location, offset, and length or None for the rest."""

DTYPES = {
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool",
    10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 16: "bfloat16",
}  # fmt: skip
"""The dtypes that the language has, by their numbers in ONNX."""

OTHER_DTYPES = {
    8: "string", 14: "complex64", 15: "complex128", 17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2",
    20: "float8e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2",
}  # fmt: skip
"""Those that it has not."""

HALF_BYTES = {21: "uint4", 22: "int4"}
"""Those of which two elements are in a byte. Weights of them are read as int8 and uint8."""

MAX_RANK = 64


def text(value: str | bytes) -> str:
    """Return a string of a message; one that is not UTF-8 comes as bytes."""
    return value if isinstance(value, str) else value.decode("utf-8", "replace")


class Bytes:
    """Where the bytes of tensors are: in the message, in its file under a mark, or in a file beside it."""

    __slots__ = ("external", "taken")

    def __init__(self, external: External, taken: Mapping[bytes, bytes | memoryview]) -> None:
        self.external = external
        self.taken = taken

    def of(self, tensor: Any, wanted: int) -> bytes | memoryview | None:
        """Return the bytes of a tensor, or None if its elements are numbers of the message. Raises Invalid."""
        if tensor.data_location == 1:
            return _external_bytes(tensor, self.external, wanted)
        if not tensor.HasField("raw_data"):
            return None
        data: bytes = tensor.raw_data
        return self.taken.get(data, data)


def array_of(tensor: Any, source: Bytes) -> Array:
    """Return the array of a tensor, without a copy where its bytes are in order. Raises Invalid."""
    name = text(tensor.name) or "a tensor"
    dtype = DTYPES.get(tensor.data_type)
    if dtype is None:
        shown = OTHER_DTYPES.get(tensor.data_type, f"{tensor.data_type}")
        raise Invalid(f"`{name}` has the dtype {shown}, which Relax does not have")
    shape = _shape_of(tensor)
    wanted = math.prod(shape)
    kind = numpy_dtype(dtype)
    data = source.of(tensor, wanted * kind.itemsize)
    if data is None:
        return _typed(tensor, dtype, wanted, name).reshape(shape)
    if len(data) != wanted * kind.itemsize:
        raise Invalid(
            f"`{name}` of shape {shape} and dtype {dtype} takes {wanted * kind.itemsize} bytes, {len(data)} are there"
        )
    return np.frombuffer(data, kind.newbyteorder("<")).astype(kind, copy=False).reshape(shape)


def _shape_of(tensor: Any) -> tuple[int, ...]:
    shape = tuple([int(one) for one in tensor.dims])
    if any(one < 0 for one in shape) or len(shape) > MAX_RANK:
        raise Invalid(f"`{text(tensor.name) or 'a tensor'}` has the shape {shape}")
    return shape


def half_bytes(tensor: Any, source: Bytes) -> Array:
    """Return a tensor of 4-bit integers as bytes; the first of two is in the lower half. Raises Invalid."""
    shape = _shape_of(tensor)
    wanted = math.prod(shape)
    size = (wanted + 1) // 2
    data = source.of(tensor, size)
    items = bytes([one & 255 for one in tensor.int32_data]) if data is None else data
    if len(items) != size:
        raise Invalid(f"`{text(tensor.name)}` of shape {shape} takes {size} bytes, {len(items)} are there")
    packed = np.frombuffer(items, np.uint8)
    found = np.empty(2 * size, np.uint8)
    np.bitwise_and(packed, 15, out=found[0::2])
    np.right_shift(packed, 4, out=found[1::2])
    if HALF_BYTES[tensor.data_type] == "int4":
        found ^= 8
        found -= 8  # modulo 256, which is what int8 shows as negative
        found = found.view(np.int8)
    return found[:wanted].reshape(shape)


def _external_bytes(tensor: Any, external: External, wanted: int) -> bytes | memoryview:
    entries = {text(one.key): text(one.value) for one in tensor.external_data}
    try:
        offset, length = int(entries.get("offset", "0")), int(entries.get("length", str(wanted)))
    except ValueError:
        raise Invalid(f"`{text(tensor.name)}`: the place of its data is not a number") from None
    if offset < 0 or length != wanted:
        raise Invalid(f"`{text(tensor.name)}` takes {wanted} bytes, {length} from {offset} on are named")
    return external(str(entries.get("location", "")), offset, length)


_FIELDS = {
    "float32": "float_data", "float64": "double_data", "int64": "int64_data", "uint64": "uint64_data",
    "uint32": "uint64_data",
}  # fmt: skip


def _typed(tensor: Any, dtype: str, wanted: int, name: str) -> Array:
    items: Any = getattr(tensor, _FIELDS.get(dtype, "int32_data"))
    if len(items) != wanted:
        raise Invalid(f"`{name}` has {wanted} elements by its shape, {len(items)} are there")
    kind = numpy_dtype(dtype)
    try:
        if dtype in ("float16", "bfloat16"):  # their bits
            return np.array(items, np.int64).astype(np.uint16).view(kind)
        return np.array(items, np.float64 if dtype == "float64" else None).astype(kind)
    except (OverflowError, ValueError) as error:
        raise Invalid(f"`{name}`: its elements do not fit {dtype}") from error


def numpy_dtype(name: str) -> np.dtype[Any]:
    """Return NumPy's dtype of one of the language."""
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def dtype_number(dtype: str) -> int:
    """Return the number of a dtype in ONNX."""
    return next(number for number, name in DTYPES.items() if name == dtype)
