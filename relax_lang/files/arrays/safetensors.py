"""Files in the format safetensors: the directory of one, in JSON, is read without any of its tensors.

Eight bytes with the length of the directory, the directory, and the bytes of all tensors. What a file claims is
compared with its size before anything is read.
"""

from __future__ import annotations

import json
import math

from relax_lang.base.nested_text import parse_json
from relax_lang.base.wording import counted
from relax_lang.files.arrays.array_files import BYTES, ArrayFileError, Header
from relax_lang.files.replacing import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, BinaryIO

    from relax_lang.files.arrays.array_files import Array

MOST_DIRECTORY = 100 << 20
"""Bytes of a directory, as the format limits them."""

_NAMES = {
    "BOOL": "bool",
    "I8": "int8",
    "I16": "int16",
    "I32": "int32",
    "I64": "int64",
    "U8": "uint8",
    "U16": "uint16",
    "U32": "uint32",
    "U64": "uint64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
}
"""Dtypes of the format that the language has."""


class Entry(Header):
    """A tensor of a file: dtype, shape, and where its bytes are. A dtype that is not ours has the file's name."""

    __slots__ = ("n_bytes", "start")

    def __init__(self, dtype: str, shape: tuple[int, ...], start: int, n_bytes: int) -> None:
        super().__init__(dtype, shape)
        self.start = start
        self.n_bytes = n_bytes


def read_directory(file: BinaryIO, size: int) -> dict[str, Entry]:
    """Return the tensors of a file of so many bytes by name. Raises ArrayFileError if it is damaged."""
    length = int.from_bytes(file.read(8), "little")
    if not 0 < length <= min(size - 8, MOST_DIRECTORY):
        raise ArrayFileError("it does not start as a .safetensors file does")
    try:
        written: Any = parse_json(file.read(length))
        found = {
            str(name): _entry(str(name), one, 8 + length, size)
            for name, one in written.items()
            if name != "__metadata__"
        }
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise ArrayFileError("its directory is damaged") from error
    return found


def _entry(name: str, written: Any, begin: int, size: int) -> Entry:
    shape = tuple([int(extent) for extent in written["shape"]])
    start, stop = [int(offset) for offset in written["data_offsets"]]
    if min((*shape, start), default=0) < 0 or not start <= stop <= size - begin:
        raise ArrayFileError(f"`{name}` is outside of the file")
    dtype = _NAMES.get(str(written["dtype"]), str(written["dtype"]))
    wanted = 2 if dtype == "bfloat16" else BYTES.get(dtype, 0)
    if wanted and math.prod(shape) * wanted != stop - start:
        raise ArrayFileError(f"`{name}` has {counted(stop - start, 'byte')} for a shape of {shape}")
    return Entry(dtype, shape, begin + start, stop - start)


def check_dtype(entry: Entry) -> Entry:
    """Return a tensor whose dtype the language has. Raises ArrayFileError for others."""
    if entry.dtype not in _NAMES.values():
        raise ArrayFileError(f"its dtype `{entry.dtype}` is none of the language")
    return entry


def read_tensor(file: BinaryIO, entry: Entry, max_bytes: int) -> Array:
    """Read one tensor of an open file. Raises ArrayFileError."""
    import numpy as np

    if check_dtype(entry).n_bytes > max_bytes:
        raise ArrayFileError(f"it takes {counted(entry.n_bytes, 'byte')}, the limit is {max_bytes}")
    if entry.dtype == "bfloat16":
        try:
            from ml_dtypes import bfloat16  # optional  # pyright: ignore[reportMissingTypeStubs]
        except ImportError:
            raise ArrayFileError("bfloat16 takes the package ml_dtypes") from None
        dtype: Any = np.dtype(bfloat16)
    else:
        dtype = np.dtype(entry.dtype).newbyteorder("<")
    array = np.empty(entry.shape, dtype)
    file.seek(entry.start)
    if array.nbytes and file.readinto(array.reshape(-1).view(np.uint8)) < array.nbytes:  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        raise ArrayFileError("it is cut off")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def save(path: str, arrays: Mapping[str, Array]) -> None:
    """Write a file of tensors by name. Raises OSError."""
    replace_file(path, lambda file: _write(file, arrays), create=True)


def _write(file: BinaryIO, arrays: Mapping[str, Array]) -> None:
    """Write tensors by name, one after the other: no more than one is copied at a time."""
    import numpy as np

    names = {ours: theirs for theirs, ours in _NAMES.items()}
    directory: dict[str, object] = {}
    at = 0
    for name, array in arrays.items():
        dtype, shape = names[array.dtype.name], list(array.shape)
        directory[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(directory, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    file.write(len(text).to_bytes(8, "little") + text)
    for array in arrays.values():
        little = array if array.dtype.byteorder != ">" else array.astype(array.dtype.newbyteorder("<"))
        if little.nbytes:
            file.write(np.ascontiguousarray(little).reshape(-1).view(np.uint8).data)
