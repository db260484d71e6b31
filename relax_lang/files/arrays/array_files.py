"""Array files: headers without NumPy, arrays with it. Pickled objects are never loaded."""

from __future__ import annotations

import math
import os
import stat

from relax_lang.base.nested_text import parse_json
from relax_lang.base.wording import counted
from relax_lang.files.programs import reason
from relax_lang.files.replacing import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, BinaryIO
    from zipfile import ZipFile

    import numpy as np

    Array = np.ndarray[Any, Any]

MAGIC = b"\x93NUMPY"
MAX_HEADER = 10_000  # of characters, as in NumPy
MAX_RANK = 64
MAX_EXTENT = (1 << 63) - 1
SAFETENSORS = ".safetensors"
MAX_BYTES = 8 << 30
"""Bytes of an array that is read, unless another limit is given; the limit for what programs allocate."""
_PART = 1 << 24
"""What is read at once of a stream of unknown length."""

# NumPy's descriptions of dtypes without the byte order.
DTYPES = {
    "b1": "bool",
    "i1": "int8",
    "i2": "int16",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
}
BYTES = {name: int(description[1:]) for description, name in DTYPES.items()}


class Header:
    """What is known of an array before its elements are read."""

    __slots__ = ("dtype", "shape")

    def __init__(self, dtype: str, shape: tuple[int, ...]) -> None:
        self.dtype = dtype
        self.shape = shape


class ArrayFileError(Exception):
    """A file that is not an array file, or not one that the language can read; the text is the reason."""


class NoSuchArrayError(Exception):
    """An archive has no array of that name (None: it has several and none was named)."""

    def __init__(self, key: str | None, keys: list[str]) -> None:
        super().__init__(key)
        self.key = key
        self.keys = keys


def read_header(path: str, key: str | None = None) -> Header:
    """Return the dtype and shape of the array in a `.npy` file, or of one in a `.npz` archive.

    Raises ArrayFileError, NoSuchArrayError, or OSError if the file cannot be opened.
    """
    with _opened(path) as file:
        start = file.read(len(MAGIC))
        file.seek(0)
        if start == MAGIC:
            if key is not None:
                raise NoSuchArrayError(key, [])
            return _header_of(file, os.fstat(file.fileno()).st_size)
        if start[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
            return _header_in_archive(file, key)
    raise ArrayFileError("it is neither a .npy file nor a .npz archive")


def _opened(path: str) -> BinaryIO:
    """Open a file; pipes and devices are refused: they would be waited for and cannot be read twice."""
    mode = os.stat(path).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # opening a folder fails with the reason
        raise ArrayFileError("it is not a regular file")
    return open(path, "rb")


def _header_in_archive(file: BinaryIO, key: str | None) -> Header:
    import zipfile  # only for programs with constants in archives

    try:
        with zipfile.ZipFile(file) as archive:
            return header_in(archive, _member(archive.namelist(), key))
    except (ArrayFileError, NoSuchArrayError):
        raise
    except (
        Exception
    ) as error:  # what zipfile and its decompressors raise for damaged files has no common class
        raise damaged_archive(error) from error


def header_in(archive: ZipFile, member: str) -> Header:
    """Return dtype and shape of a member of an open archive. Raises ArrayFileError, or what zipfile raises."""
    with archive.open(member) as array:
        return _header_of(array, archive.getinfo(member).file_size)  # pyright: ignore[reportArgumentType]


def array_in(archive: ZipFile, member: str, max_bytes: int = MAX_BYTES) -> Array:
    """Return a member of an open archive. Raises ArrayFileError, or what zipfile raises."""
    _check_size(header_in(archive, member), max_bytes)
    with archive.open(member) as array:
        return _read_array(array)  # pyright: ignore[reportArgumentType]


def damaged_archive(error: Exception) -> ArrayFileError:
    """Return what is said of an archive that zipfile, or a decompressor, does not read."""
    words = " ".join(str(error).split())
    return ArrayFileError(f"the archive is damaged: {words}" if words else "the archive is damaged")


def _member(names: list[str], key: str | None) -> str:
    keys = {name.removesuffix(".npy"): name for name in names}
    if key is None:
        if not keys:
            raise ArrayFileError("the archive is empty")
        if len(keys) != 1:
            raise NoSuchArrayError(None, list(keys))
        return names[0]
    if key not in keys:
        raise NoSuchArrayError(key, list(keys))
    return keys[key]


def _header_of(file: BinaryIO, size: int) -> Header:
    start = file.read(8)
    if start[:6] != MAGIC or len(start) < 8 or start[6] not in (1, 2, 3):
        raise ArrayFileError("it does not start as a .npy file does")
    wide = 2 if start[6] == 1 else 4
    length = int.from_bytes(file.read(wide), "little")
    if length > MAX_HEADER:
        raise ArrayFileError("its header is too long")
    text = file.read(length)
    if len(text) < length:
        raise ArrayFileError("it is cut off")
    header, item_bytes = _parse_header(text)
    n_elements = 1
    for extent in header.shape:
        n_elements *= extent
    if size - 8 - wide - length < n_elements * item_bytes:
        raise ArrayFileError("it is cut off")
    return header


def _parse_header(text: bytes) -> tuple[Header, int]:
    import ast  # only for programs with constants in files

    try:
        fields: Any = ast.literal_eval(text.decode("latin-1").strip())
        description: object = fields["descr"]
        shape: object = fields["shape"]
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError) as error:
        raise ArrayFileError("its header is damaged") from error
    extents = _extents(shape)
    if extents is None:
        raise ArrayFileError("its header is damaged")
    if len(extents) > MAX_RANK:
        raise ArrayFileError(
            f"it has {len(extents)} dimensions, more than the {MAX_RANK} that an array can have"
        )
    if any(extent > MAX_EXTENT for extent in extents):
        raise ArrayFileError("its shape has a size above 2**63 - 1")
    if not isinstance(description, str):
        raise ArrayFileError("its elements are records")
    if description[-1:] == "O":
        raise ArrayFileError("it holds pickled objects, which are never loaded")
    kind = description[1:] if description[:1] in "<>|=" else description
    if kind not in DTYPES:
        raise ArrayFileError(f"its dtype `{description}` is none of the language")
    return Header(DTYPES[kind], extents), int(kind[1:])


def _extents(shape: object) -> tuple[int, ...] | None:
    if not isinstance(shape, tuple):
        return None
    extents: list[int] = []
    for extent in shape:  # pyright: ignore[reportUnknownVariableType]
        if type(extent) is not int or extent < 0:  # pyright: ignore[reportUnknownArgumentType]
            return None
        extents.append(extent)
    return tuple(extents)


def load(path: str, key: str | None = None, max_bytes: int = MAX_BYTES) -> Array:
    """Return one array of a file, in the byte order of this machine. Raises what `read_header` raises.

    An array of more than `max_bytes` is refused as an ArrayFileError before any of it is read.
    """
    if path.endswith(SAFETENSORS):
        return _one_of(load_archive(path, max_bytes), key)
    _check_size(read_header(path, key), max_bytes)
    with _opened(path) as file:
        if file.read(len(MAGIC)) == MAGIC:
            file.seek(0)
            return _read_array(file)
        return _read_member(file, key)


def load_archive(path: str | BinaryIO, max_bytes: int = MAX_BYTES) -> dict[str, Array]:
    """Return all arrays of a `.npz` archive, or of a `.safetensors` file, by name. Raises ArrayFileError or OSError.

    An open file, which is read as `.npz`, must be one that can be read from any place. No array may take more than
    `max_bytes`, and all together no more than that or than the file itself: an archive can unpack to a thousand times
    its size.
    """
    if not isinstance(path, str):
        return _arrays_in(path, max_bytes)
    if path.endswith(SAFETENSORS):
        with _opened(path) as file:  # whatever is wrong with the file itself is said as for any other
            _check_safetensors(file, max_bytes)
            return _safetensors(path)
    with _opened(path) as file:
        return _arrays_in(file, max_bytes)


def read_limited(stream: BinaryIO, max_bytes: int = MAX_BYTES) -> bytes:
    """Read a stream, such as standard input, to its end. Raises ArrayFileError if that is further than `max_bytes`."""
    parts: list[bytes] = []
    left = max_bytes + 1
    while left and (part := stream.read(min(left, _PART))):  # memory is reserved for all that is asked for
        parts.append(part)
        left -= len(part)
    if not left:
        raise ArrayFileError(f"it has more than {counted(max_bytes, 'byte')}, the limit")
    return b"".join(parts)


def _check_size(header: Header, max_bytes: int) -> int:
    """Return the bytes of an array. Raises ArrayFileError if they are too many."""
    wanted = math.prod(header.shape) * BYTES[header.dtype]
    if wanted > max_bytes:
        raise ArrayFileError(f"it takes {counted(wanted, 'byte')}, the limit is {max_bytes}")
    return wanted


def _check_safetensors(file: BinaryIO, max_bytes: int) -> None:
    """Look at the sizes of tensors before they are read; what is damaged is found by the library."""
    try:
        entries: dict[str, Any] = parse_json(file.read(int.from_bytes(file.read(8), "little")))
        sizes = {
            name: int(entry["data_offsets"][1]) - int(entry["data_offsets"][0])
            for name, entry in entries.items()
            if name != "__metadata__"
        }
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError):
        return
    for name, size in sizes.items():
        if size > max_bytes:
            raise ArrayFileError(f"`{name}`: it takes {counted(size, 'byte')}, the limit is {max_bytes}")


def _arrays_in(file: BinaryIO, max_bytes: int) -> dict[str, Array]:
    import zipfile

    most = max(max_bytes, file.seek(0, os.SEEK_END))
    file.seek(0)

    if file.read(len(MAGIC)) == MAGIC:
        raise ArrayFileError("it is a single array, not an archive")
    try:
        with zipfile.ZipFile(file) as archive:
            keys = [name.removesuffix(".npy") for name in archive.namelist()]
    except Exception as error:
        raise damaged_archive(error) from error
    arrays: dict[str, Array] = {}
    total = 0
    for key in keys:
        try:
            total += _check_size(_header_in_archive(file, key), max_bytes)
            if total > most:
                unpacked = counted(total, "byte")
                raise ArrayFileError(f"the archive unpacks to {unpacked} or more, the limit is {most}")
            arrays[key] = _read_member(file, key)
        except ArrayFileError as error:
            raise ArrayFileError(f"`{key}`: {error}") from error
    return arrays


def _safetensors(path: str) -> dict[str, Array]:
    try:
        from safetensors.numpy import load_file  # optional  # pyright: ignore[reportMissingImports, reportUnknownVariableType]
    except ImportError:
        raise ArrayFileError(
            "it takes the package safetensors to read it: pip install 'relax-lang[safetensors]'"
        ) from None
    try:
        return dict(sorted(load_file(path).items()))  # the library gives them in no order
    except Exception as error:  # what the library raises has no common class
        raise ArrayFileError(" ".join(str(error).split()) or "it is damaged") from error


def _one_of(arrays: dict[str, Array], key: str | None) -> Array:
    if key is None and len(arrays) == 1:
        return next(iter(arrays.values()))
    if key is None or key not in arrays:
        raise NoSuchArrayError(key, list(arrays))
    return arrays[key]


def _read_member(file: BinaryIO, key: str | None) -> Array:
    import zipfile

    try:
        with zipfile.ZipFile(file) as archive, archive.open(_member(archive.namelist(), key)) as member:
            return _read_array(member)  # pyright: ignore[reportArgumentType]
    except (ArrayFileError, NoSuchArrayError):
        raise
    except Exception as error:
        raise damaged_archive(error) from error


def _read_array(file: BinaryIO) -> Array:
    """Read an array whose header was looked at before. The rest of an archive's member is checked with it."""
    import numpy as np

    try:
        array: Array = np.lib.format.read_array(file, allow_pickle=False)
        file.read(1)  # only at the end an archive compares the checksum
    except (ValueError, EOFError) as error:
        raise ArrayFileError(str(error)) from error
    except MemoryError:
        raise ArrayFileError("there is not enough memory for it") from None
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def save(path: str, arrays: Mapping[str, Array] | Array) -> None:
    """Write one array (`.npy`) or several by name (`.npz`); bfloat16 as float32. Raises OSError."""
    import numpy as np

    def storable(array: Array) -> Array:
        # The file format has no name for it, and every bfloat16 is a float32.
        return array.astype(np.float32) if array.dtype.name == "bfloat16" else array

    def fill(file: BinaryIO) -> None:
        if isinstance(arrays, np.ndarray):
            np.save(file, storable(arrays), allow_pickle=False)
        else:
            named = {name: storable(array) for name, array in arrays.items()}
            np.savez(file, allow_pickle=False, **named)  # pyright: ignore[reportArgumentType]

    replace_file(path, fill, create=True)


def why_unreadable(error: Exception) -> str:
    """Say in a few words why an array could not be read."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, OSError):
        return reason(error)
    if isinstance(error, NoSuchArrayError):
        listed = ", ".join(f"`{key}`" for key in error.keys) or "none"
        return f"it has no array `{error.key}`; it has {listed}" if error.key else f"it has several: {listed}"
    return str(error)
