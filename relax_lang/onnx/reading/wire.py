"""Weights taken out of a file of ONNX before its message is parsed, so that they are in memory once.

A parsed message has a copy of all bytes in it. So the fields of the file are walked first, as protocol buffers encode
them, and the bytes of each large tensor are replaced by a mark that no file can know; what is parsed is small then.
Files whose fields are not in order are parsed as they are, and are reported by that.
"""

from __future__ import annotations

import secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Read = Callable[[int, int], bytes]
    """Returns bytes of the file: from an offset on, so many."""
    Data = bytes | memoryview
    Field = tuple[int, int, int, int]

LARGE = 1 << 12
"""Bytes of a tensor from which on it is taken out."""
BLOCK = 1 << 16
"""Bytes of a file that are read at a time to find its fields."""

_MODEL, _GRAPH, _NODE, _ATTRIBUTE, _TENSOR, _BYTES = range(6)
_INSIDE = {
    _MODEL: {7: _GRAPH},
    _GRAPH: {1: _NODE, 5: _TENSOR},
    _NODE: {5: _ATTRIBUTE},
    _ATTRIBUTE: {5: _TENSOR},
    _TENSOR: {9: _BYTES},
}
"""The fields of each message that hold tensors, by their numbers in onnx.proto."""
_OPERATOR = 4
_FIXED = {1: 8, 5: 4}
_DELIMITED = 2


class _OutOfOrderError(Exception):
    """The bytes are not the fields of a message."""


def take_out(data: Data, read: Read) -> tuple[bytes, dict[bytes, Data]] | None:
    """Return a message without its large tensors, and the bytes of those, parts of `data`, by the marks in their place.

    None if there are none, or if the fields are not in order. Only the fields around tensors are looked at, and these
    through `read`: `data` may be a map of the file.
    """
    work = _Lifting(_Blocks(len(data), read), data)
    try:
        made = work.message(0, len(data), _MODEL)
    except (_OutOfOrderError, IndexError):
        return None
    return None if made is None else (made, work.taken)


class _Blocks:
    """The bytes of a file by their places, of which one block is in memory.

    A map of the file would count as memory: the system maps up to megabytes around each byte that is looked at.
    """

    def __init__(self, size: int, read: Read) -> None:
        self._size = size
        self._read = read
        self._start = 0
        self._block = b""

    def byte(self, at: int) -> int:
        """Return one byte. Raises IndexError."""
        inside = at - self._start
        if not 0 <= inside < len(self._block):
            self._start = at
            self._block = self._read(at, min(BLOCK, self._size - at)) if at < self._size else b""
            inside = 0
        return self._block[inside]

    def part(self, start: int, end: int) -> bytes:
        """Return the bytes of a span."""
        first = start - self._start
        if first >= 0 and end - self._start <= len(self._block):
            return self._block[first : end - self._start]
        return self._read(start, end - start)


class _Lifting:
    def __init__(self, data: _Blocks, whole: Data) -> None:
        self.data = data
        self.whole = whole
        self.taken: dict[bytes, Data] = {}
        self._mark = secrets.token_bytes(16)

    def message(self, start: int, end: int, kind: int) -> bytes | None:
        """Return a message with marks in it, or None if it stays as it is."""
        if kind == _BYTES:
            return self._taken_out(start, end)
        if kind == _NODE and not self._is_constant(start, end):
            return None  # the messages of other nodes are used as they are
        inside = _INSIDE[kind]
        parts: list[bytes] = []
        kept = start
        for number, begin, first, last in self._fields(start, end):
            new = self.message(first, last, inside[number]) if number in inside and last >= first else None
            if new is not None:
                parts += [
                    self.data.part(kept, begin),
                    _varint(number << 3 | _DELIMITED),
                    _varint(len(new)),
                    new,
                ]
                kept = last
        return b"".join([*parts, self.data.part(kept, end)]) if parts else None

    def _taken_out(self, start: int, end: int) -> bytes | None:
        if end - start < LARGE:
            return None
        mark = self._mark + len(self.taken).to_bytes(8, "little")
        self.taken[mark] = self.whole[start:end]
        return mark

    def _is_constant(self, start: int, end: int) -> bool:
        names = [
            self.data.part(first, last)
            for number, _, first, last in self._fields(start, end)
            if number == _OPERATOR
        ]
        return bool(names) and names[-1] == b"Constant"

    def _fields(self, start: int, end: int) -> Iterator[Field]:
        """Yield number, begin, and the span of its content for each field; numbers have none: their span is (0, -1)."""
        at = start
        while at < end:
            begin = at
            key, at = self._number(at, end)
            wire = key & 7
            if wire == _DELIMITED:
                length, at = self._number(at, end)
                if length > end - at:
                    raise _OutOfOrderError
                yield key >> 3, begin, at, at + length
                at += length
                continue
            if wire == 0:
                _, at = self._number(at, end)
            elif wire in _FIXED:
                at += _FIXED[wire]
            else:
                raise _OutOfOrderError
            yield key >> 3, begin, 0, -1
        if at != end:
            raise _OutOfOrderError

    def _number(self, at: int, end: int) -> tuple[int, int]:
        value = shift = 0
        while at < end and shift < 64:
            byte = self.data.byte(at)
            value |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                return value, at
        raise _OutOfOrderError


def _varint(value: int) -> bytes:
    made = bytearray()
    while value >= 128:
        made.append(value & 127 | 128)
        value >>= 7
    made.append(value)
    return bytes(made)
