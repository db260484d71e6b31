"""The file of an executable, `.rlxe`: a head, a table of sections with their checksums, and the sections.

    8 bytes   magic
    u32 u32   version of the format, number of sections
    each      8 bytes name, u64 offset, u64 length, 32 bytes SHA-256

Numbers are little-endian. Sections: `manifest` and `trees` are JSON, `code` is 64-bit words, `arrays` has `.npy` files
one after the other, `source` is text. Nothing in it is pickled, and no code of Python is in it.
"""

from __future__ import annotations

import io
import re
import struct
from array import array
from sys import byteorder
from typing import cast

import numpy as np

from relax_lang.base.nested_text import parse_json
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.runtime.values.tensors import MAX_RANK
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.vm.executable import VM
from relax_lang.vm.instructions import Call, Goto, If, Operand, Ret
from relax_lang.vm.serialization.kept import codes_of, executable_of_kept, kept_form, key_of
from relax_lang.vm.serialization.parts import MAX_LIST, Parts, Row, executable_of, parts_of
from relax_lang.vm.serialization.trees import as_list
from relax_lang.vm.verify import BadExecutable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.tir.options.keeping import KeptCodes
    from relax_lang.vm.executable import Executable
    from relax_lang.vm.instructions import Instruction

MAGIC = b"\x93RLXE\r\n\x1a"
VERSION = 2
NAMES = ("manifest", "code", "trees", "arrays", "source")
_HEAD = struct.Struct("<8sII")
_ENTRY = struct.Struct("<8sQQ32s")
_ALIGNMENT = 64
CALL, RET, GOTO, IF = range(4)
"""How instructions are numbered in a file."""
_KIND_BITS = 56


class OtherVersion(BadExecutable):
    """A file in a format of another version; `found` is that version."""

    def __init__(self, found: int) -> None:
        super().__init__(f"format {found}")
        self.found = found


def to_bytes(executable: Executable) -> bytes:
    """Return the file of an executable; equal executables have equal files."""
    parts = parts_of(executable)
    words: list[int] = []
    rows: list[Any] = []
    for row in parts.rows:
        if row.kind != VM:
            rows.append([row.kind, row.name])
            continue
        start = len(words)
        for one in row.instructions:
            words += _words(one)
        rows.append(
            [
                row.kind,
                row.name,
                row.signature,
                row.captures,
                row.dims,
                row.own,
                row.registers,
                start,
                len(words),
            ]
        )
    arrays = io.BytesIO()
    constants = [_constant(one, arrays) for one in parts.constants]
    manifest = {
        "functions": rows,
        "constants": constants,
        "sites": parts.sites,
        "prim_funcs": parts.spans,
        "path": parts.path,
    }
    code = array("q", words)
    if byteorder == "big":
        code.byteswap()
    return _joined(
        {
            "manifest": _json(manifest),
            "code": code.tobytes(),
            "trees": _json(parts.trees),
            "arrays": arrays.getvalue(),
            "source": parts.text.encode("utf-8", "surrogatepass"),
        }
    )


def _json(data: object) -> bytes:
    import json  # an executable that is known is read without it, and without the digests of sections

    return json.dumps(data, separators=(",", ":")).encode("ascii")


def _joined(sections: dict[str, bytes]) -> bytes:
    from hashlib import sha256

    offset = _padded(_HEAD.size + len(sections) * _ENTRY.size)
    head = [_HEAD.pack(MAGIC, VERSION, len(sections))]
    body: list[bytes] = []
    for name, data in sections.items():
        head.append(_ENTRY.pack(name.encode(), offset, len(data), sha256(data).digest()))
        body.append(data.ljust(_padded(len(data)), b"\0"))
        offset += len(body[-1])
    first = b"".join(head)
    return b"".join([first.ljust(_padded(len(first)), b"\0"), *body])


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _words(one: Instruction) -> list[int]:
    if isinstance(one, Call):
        args = [arg.kind << _KIND_BITS | (arg.value & (1 << _KIND_BITS) - 1) for arg in one.args]
        return [CALL, one.dst, one.function, one.site, len(args), *args]
    if isinstance(one, Ret):
        return [RET, one.src]
    return [GOTO, one.offset] if isinstance(one, Goto) else [IF, one.cond, one.false_offset]


def _constant(one: Any, arrays: io.BytesIO) -> list[Any]:
    if type(one) is int:
        return ["node", one]
    if isinstance(one, tuple):
        return ["shape", *cast("tuple[int, ...]", one)]
    start = arrays.tell()
    data = array_bytes(one)
    arrays.write(data.ljust(_padded(len(data)), b"\0"))
    return ["tensor", one.dtype.name, start, len(data)]


def array_bytes(one: Any) -> bytes:
    """Return an array as an `.npy` file; of dtypes that NumPy does not have, their bits."""
    plain = np.asarray(one, order="C")  # keeps rank 0
    if plain.dtype.isbuiltin != 1:
        plain = plain.view(f"u{plain.dtype.itemsize}")
    file = io.BytesIO()
    np.lib.format.write_array(file, plain, version=(1, 0), allow_pickle=False)
    return file.getvalue()


# Reading.


def from_bytes(data: bytes, kept: KeptCodes | None = None) -> Executable:
    """Return the executable of a file. Raises BadExecutable for what is none, OtherVersion for another format.

    `kept` has what earlier processes found of the same bytes: then nothing is parsed and checked again.
    """
    if kept is None:
        return executable_of(_parts(data))
    key = key_of(data)
    known = kept.get(key)
    if known is not None:
        with no_collection():
            made = executable_of_kept(known, data)
            made.codes = codes_of(made, key, kept)
            return made
    parts = _parts(data)
    made = executable_of(parts)
    kept.put(key, kept_form(made, data, _arrays(parts)))
    return made


def keep(data: bytes, executable: Executable, kept: KeptCodes) -> None:
    """Keep what `from_bytes` would find out of an executable that was made here, and the code of its PrimFuncs."""
    from relax_lang.tir.compile import keep_prim_func  # only for those who keep something

    parts = _parts(data)
    if parts.text != executable.source.text:  # PrimFuncs of passes get their places when they are read
        executable = executable_of(parts)
    key, form = key_of(data), kept_form(executable, data, _arrays(parts))
    kept.put(key, form)
    for row in executable.functions:
        if row.prim_func is not None:
            keep_prim_func(row.prim_func, kept)
    codes_of(executable_of_kept(form, data), key, kept)


def _arrays(parts: Parts) -> list[Any]:
    return [one for one in parts.constants if isinstance(one, np.ndarray)]


def _parts(data: bytes) -> Parts:
    """Return the executable of a file as plain data, of which the form is right. Raises BadExecutable, OtherVersion."""
    sections = _sections(data)
    manifest = _parsed(sections["manifest"], "manifest")
    if not isinstance(manifest, dict):
        raise BadExecutable("the manifest is not a table")
    fields = cast("dict[str, Any]", manifest)
    code = array("q")
    if len(sections["code"]) % 8:
        raise BadExecutable("the code is cut off")
    code.frombytes(sections["code"])
    if byteorder == "big":
        code.byteswap()
    words = code.tolist()
    try:
        text = bytes(sections["source"]).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise BadExecutable("the source is not text") from None
    rows = [_row(one, words) for one in _list(fields, "functions")]
    constants = [_value(one, sections["arrays"]) for one in _list(fields, "constants")]
    spans = [_span(one) for one in _list(fields, "prim_funcs")]
    trees = _parsed(sections["trees"], "trees")
    path = fields.get("path")
    if not isinstance(trees, list) or not isinstance(path, str):
        raise BadExecutable("the manifest or the trees are incomplete")
    return Parts(rows, constants, _list(fields, "sites"), cast("list[Any]", trees), spans, text, path)


def _sections(data: bytes) -> dict[str, memoryview]:
    from hashlib import sha256

    if len(data) < _HEAD.size or data[:8] != MAGIC:
        raise BadExecutable("it does not begin as an executable does")
    _, version, count = _HEAD.unpack_from(data)
    if version != VERSION:
        raise OtherVersion(version)
    if count != len(NAMES) or len(data) < _HEAD.size + count * _ENTRY.size:
        raise BadExecutable("its table of sections is incomplete")
    view = memoryview(data)
    found: dict[str, memoryview] = {}
    for at in range(count):
        name, offset, length, digest = _ENTRY.unpack_from(data, _HEAD.size + at * _ENTRY.size)
        word = name.rstrip(b"\0").decode("ascii", "replace")
        if offset + length > len(data):
            raise BadExecutable(f"section `{word}` goes beyond the end of the file")
        found[word] = view[offset : offset + length]
        if sha256(found[word]).digest() != digest:
            raise BadExecutable(f"section `{word}` was changed")
    if set(found) != set(NAMES):
        raise BadExecutable("a section is missing")
    return found


def _parsed(section: memoryview, name: str) -> object:
    try:
        return parse_json(bytes(section))
    except ValueError:
        raise BadExecutable(f"section `{name}` is not JSON") from None


def _list(fields: dict[str, Any], name: str) -> list[Any]:
    found = as_list(fields.get(name))
    if found is None or len(found) > MAX_LIST:
        raise BadExecutable(f"the manifest has no list `{name}`")
    return found


def _span(one: Any) -> tuple[int, int]:
    if not _is(one, int, int):
        raise BadExecutable("the place of a PrimFunc is none")
    return one[0], one[1]


def _is(value: Any, *kinds: type) -> bool:
    """Return whether a value is a list of these types."""
    entries = as_list(value)
    return entries is not None and [type(one) for one in entries] == list(kinds)


def _row(one: Any, words: Sequence[int]) -> Row:
    if _is(one, str, str):
        return Row(one[0], one[1])
    if not _is(one, str, str, int, list, list, str, int, int, int):
        raise BadExecutable("a function of the manifest is incomplete")
    kind, name, signature, captures, dims, own, registers, start, end = one
    if not all(type(each) is str for each in (*captures, *dims)):
        raise BadExecutable(f"the names that @{name} captures are none")
    if not 0 <= start <= end <= len(words):
        raise BadExecutable(f"the code of @{name} is not there")
    code = _instructions(words[start:end], name)
    return Row(kind, name, signature, tuple(captures), tuple(dims), own, registers, code)


def _instructions(words: Sequence[int], name: str) -> tuple[Instruction, ...]:
    made: list[Instruction] = []
    at, end = 0, len(words)
    try:
        while at < end:
            kind = words[at]
            if kind == CALL:
                _, dst, function, site, count = words[at : at + 5]
                if not 0 <= count <= end - at - 5:
                    raise BadExecutable(f"the code of @{name} is cut off")
                args = tuple([_operand(word) for word in words[at + 5 : at + 5 + count]])
                made.append(Call(dst, function, args, site))
                at += 5 + count
            elif kind == RET:
                made.append(Ret(words[at + 1]))
                at += 2
            elif kind == GOTO:
                made.append(Goto(words[at + 1]))
                at += 2
            elif kind == IF:
                made.append(If(words[at + 1], words[at + 2]))
                at += 3
            else:
                raise BadExecutable(f"the code of @{name} has an unknown instruction {kind}")
    except (IndexError, ValueError) as error:
        if isinstance(error, BadExecutable):
            raise
        raise BadExecutable(f"the code of @{name} is cut off") from None
    return tuple(made)


_LIMIT = 1 << _KIND_BITS


def _operand(word: int) -> Operand:
    value = word & _LIMIT - 1
    return Operand(word >> _KIND_BITS, value - _LIMIT if value >= _LIMIT >> 1 else value)


def _value(given: object, arrays: memoryview) -> Any:
    one = as_list(given) or []
    if _is(one, str, int) and one[0] == "node":
        return one[1]
    if one[:1] == ["shape"]:
        return tuple(one[1:])
    if _is(one, str, str, int, int) and one[0] == "tensor" and one[1] in DTYPES:
        _, name, start, length = one
        if start >= 0 and length >= 0 and start + length <= len(arrays):
            return tensor_of(name, arrays[start : start + length])
    raise BadExecutable("a constant of the manifest is none")


def tensor_of(name: str, data: memoryview) -> np.ndarray[Any, Any]:
    """Return an array that looks into the file: it is never changed, as constants are copied or only looked at."""
    wanted = named_dtype(name)
    stored = wanted if wanted.isbuiltin == 1 else np.dtype(f"u{wanted.itemsize}")
    length = int.from_bytes(data[8:10], "little")
    written = bytes(data[10 : 10 + length])
    matched = re.fullmatch(_HEADER, written) if bytes(data[:8]) == _ARRAY_MAGIC else None
    if matched is not None and np.dtype(stored).str == matched[1].decode():
        shape = tuple([int(one) for one in matched[2].replace(b",", b" ").split()])
        size = stored.itemsize
        for extent in shape:
            size *= extent
        if len(shape) <= MAX_RANK and len(data) - 10 - length == size:
            return np.frombuffer(data, stored, offset=10 + length).reshape(shape).view(wanted)
    raise BadExecutable("a tensor among the constants is not an array, or of another dtype")


_ARRAY_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = rb"\{'descr': '([<|][a-z]\d+)', 'fortran_order': False, 'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n"
"""What NumPy writes; other spellings of the same are not read."""
