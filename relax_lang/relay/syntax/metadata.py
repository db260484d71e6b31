"""The objects of a module that have no text: what follows `#[metadata]`. [R.12]

It is JSON as TVM writes it: a graph of nodes, and arrays in base64. Sizes are bounded, and nothing is executed.
"""

from __future__ import annotations

import struct
from binascii import Error as Base64Error
from binascii import a2b_base64

from relax_lang.base.nested_text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    class Objects(Protocol):
        """Objects without a text, by key and index."""

        def count(self, key: str) -> int:
            """Return how many objects there are under a key."""
            ...

        def constant(self, key: str, index: int) -> Array | None:
            """Return a constant; None if there is none. Raises Invalid if it cannot be read."""
            ...


MAX_BYTES = 512 * 1024 * 1024
"""Of one array."""
_MAGIC = 0xDD5E40F096B4A13F
_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat"}


class Array:
    """A constant: dtype, shape, and its elements as bytes, little-endian."""

    __slots__ = ("data", "dtype", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: str, data: bytes) -> None:
        self.shape = shape
        self.dtype = dtype
        self.data = data


class Invalid(ValueError):  # noqa: N818 - it is not an error of this program
    """The section cannot be read; the text has the reason."""


class Metadata:
    """The objects by key and index."""

    def __init__(self, text: str) -> None:
        """Read a section with its mark. Raises Invalid."""
        body = text.partition("]" if text.startswith("#[") else ":")[2]
        try:
            content: Any = parse_json(body)
            self._nodes: list[Any] = list(content["nodes"])
            self._arrays: list[Any] = list(content.get("b64ndarrays", []))
            self._root: Any = self._nodes[content["root"]] if self._nodes else {}
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise Invalid(f"the metadata is not JSON of the form that is known: {error}") from error
        self._read: dict[int, Array] = {}

    def _listed(self, key: str) -> list[Any]:
        try:
            table = dict(zip(self._root.get("keys", []), self._root.get("data", []), strict=False))
            return list(self._nodes[table[key]].get("data", [])) if key in table else []
        except (KeyError, TypeError, IndexError, AttributeError):
            return []

    def count(self, key: str) -> int:
        """Return how many objects there are under a key."""
        return len(self._listed(key))

    def constant(self, key: str, index: int) -> Array | None:
        """Return a constant; None if there is none, or it is not a constant. Raises Invalid if it cannot be read."""
        listed = self._listed(key)
        if key != "relay.Constant" or index >= len(listed):
            return None
        try:
            at = int(self._nodes[listed[index]]["attrs"]["data"])
            if at not in self._read:
                self._read[at] = read_array(str(self._arrays[at]))
            return self._read[at]
        except (KeyError, TypeError, IndexError, ValueError) as error:
            if isinstance(error, Invalid):
                raise
            raise Invalid(f"`meta[{key}][{index}]` is not an array as it should be") from error


class Constants:
    """Constants out of an archive of arrays, by index."""

    def __init__(self, arrays: Mapping[int, Array]) -> None:
        self._arrays = arrays

    def count(self, key: str) -> int:
        """Return how many objects there are under a key."""
        return len(self._arrays) if key == "relay.Constant" else 0

    def constant(self, key: str, index: int) -> Array | None:
        """Return a constant; None if there is none."""
        return self._arrays.get(index) if key == "relay.Constant" else None


class Joined:
    """The objects of the section of a file, then those of another file."""

    def __init__(self, own: Objects, other: Objects) -> None:
        self._own = own
        self._other = other

    def count(self, key: str) -> int:
        """Return how many objects there are under a key."""
        return max(self._own.count(key), self._other.count(key))

    def constant(self, key: str, index: int) -> Array | None:
        """Return a constant; None if there is none. Raises Invalid if it cannot be read."""
        found = self._own.constant(key, index)
        return self._other.constant(key, index) if found is None else found


def read_array(text: str) -> Array:
    """Read an array in TVM's own form, in base64. Raises Invalid."""
    if len(text) > MAX_BYTES * 4 // 3:
        raise Invalid(f"an array takes more than {MAX_BYTES >> 20} MiB")
    try:
        data = a2b_base64(text)
        magic, _, _, _, ndim, code, bits, lanes = struct.unpack_from("<QQiiiBBH", data)
        if magic != _MAGIC or not 0 <= ndim <= 32:
            raise Invalid("an array does not begin as arrays do")
        at = struct.calcsize("<QQiiiBBH")
        shape = struct.unpack_from(f"<{ndim}q", data, at)
        (size,) = struct.unpack_from("<q", data, at + 8 * ndim)
    except (Base64Error, struct.error) as error:
        raise Invalid(f"an array cannot be read: {error}") from error
    if lanes != 1 or code not in _CODES:
        raise Invalid("an array has a dtype that is not known")
    dtype = "bool" if (code, bits) == (1, 1) else f"{_CODES[code]}{bits}"
    begin = at + 8 * ndim + 8
    count = 1
    for extent in shape:
        count *= extent
    if min(shape, default=0) < 0 or size != count * max(bits, 8) // 8 or len(data) - begin != size:
        raise Invalid("an array has another number of bytes than its shape needs")
    return Array(tuple(shape), dtype, data[begin:])
