"""Arrays of which some rows are read or written at a time: `.npy` files mapped into memory, and arrays of Zarr."""

from __future__ import annotations

import os
import shutil

import numpy as np

from relax_lang.base.relax_error import RelaxError
from relax_lang.base.source import SourceFile
from relax_lang.files.arrays import array_files as arrays
from relax_lang.mapping import diagnostics as diag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic

    Array = np.ndarray[Any, Any]

NPY, ZARR = ".npy", ".zarr"
ENDINGS = (NPY, ZARR)
"""The files that rows are read from and written to, by the ends of their names."""

_NO_ZARR = "it takes the package zarr: pip install 'relax-lang[zarr]'"


def refused(found: Diagnostic) -> RelaxError:
    """Return the error for something that has no place in a program."""
    return RelaxError(SourceFile("", "<map>"), [found])


def unwritable(path: str, error: OSError) -> RelaxError:
    """Return the error for something that the system does not let be written."""
    return refused(diag.array_unfit(path, f"cannot write it: {error.strerror or error}"))


class Source:
    """An array that rows are read from; it is opened where it is first read, and again in every process.

    `stamp` says which state of the file this is. Raises RelaxError if it cannot be read.
    """

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        self._open: Any = None
        if path.endswith(NPY):
            try:
                arrays.read_header(path)  # refuses what is damaged, in words
            except (OSError, arrays.ArrayFileError) as error:
                raise refused(diag.array_unfit(path, arrays.why_unreadable(error))) from None
        elif not path.endswith(ZARR):
            raise refused(
                diag.array_unfit(path, "rows are read from `.npy` files and arrays of Zarr (`.zarr`)")
            )
        opened = self._opened()
        self.shape: tuple[int, ...] = tuple(opened.shape)
        try:
            self.dtype = np.dtype(opened.dtype)
        except TypeError as error:  # of a Zarr array: it may have types that NumPy does not have
            raise _damaged(path, error) from None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_open": None}

    def _opened(self) -> Any:
        if self._open is None:
            self._open = _mapped(self.path) if self.path.endswith(NPY) else _zarr_array(self.path)
        return self._open

    def read(self, axis: int, start: int, stop: int) -> Array:
        """Return a copy of the places from `start` to `stop` of an axis, in the byte order of this machine.

        Raises RelaxError if they cannot be read.
        """
        opened = self._opened()
        try:
            part = np.array(opened[(slice(None),) * axis + (slice(start, stop),)])
        except MemoryError:
            raise
        except (
            Exception
        ) as error:  # a piece of a Zarr array is damaged; what the library raises has no common class
            raise _damaged(self.path, error) from None
        return part if part.dtype.isnative else part.astype(part.dtype.newbyteorder("="))

    @property
    def stamp(self) -> list[object]:
        """What changes when the file does: its path, and size and time of it, or of the description of a Zarr array."""
        path = self.path
        if path.endswith(ZARR):
            inside = [os.path.join(path, name) for name in ("zarr.json", ".zarray")]
            path = next((one for one in inside if os.path.exists(one)), path)
        status = os.stat(path)
        return [self.path, status.st_size, status.st_mtime_ns, list(self.shape), str(self.dtype)]


def _mapped(path: str) -> Any:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise refused(diag.array_unfit(path, " ".join(str(error).split()))) from None


def _zarr_array(path: str) -> Any:
    found = zarr()
    if not os.path.isdir(path):
        raise refused(diag.array_unfit(path, "there is no such array"))
    try:
        return found.open_array(path, mode="r")
    except Exception as error:  # what the library raises has no common class
        raise _damaged(path, error) from None


def _damaged(path: str, error: Exception) -> RelaxError:
    return refused(diag.array_unfit(path, " ".join(str(error).split()) or type(error).__name__))


def zarr() -> Any:
    """Return the library. Raises RelaxError if it is not installed."""
    from importlib import import_module

    try:  # optional
        return import_module("zarr")
    except ImportError:
        raise refused(diag.array_unfit("zarr", _NO_ZARR)) from None


class Target:
    """An array that rows are written to. Until it is `finished` it has another name: the path and `.part`.

    `axis` is that of the rows, None for an array that is written as a whole.
    """

    def __init__(self, path: str, shape: tuple[int, ...], dtype: str, axis: int | None) -> None:
        self.path = os.path.abspath(path)
        self.shape = shape
        self.dtype = dtype
        self.axis = axis
        self._open: Any = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_open": None}

    @property
    def part(self) -> str:
        """Where it is while it is written."""
        return f"{self.path}.part"

    def create(self, rows_at_a_time: int) -> None:
        """Make an array of zeros; its place on the disk is taken at once. Raises RelaxError if there is none."""
        self.discard()
        try:
            if self.path.endswith(ZARR):
                chunks = list(self.shape)
                if self.axis is not None and rows_at_a_time:
                    chunks[self.axis] = min(rows_at_a_time, max(1, self.shape[self.axis]))
                chunks = [max(1, size) for size in chunks]
                zarr().create_array(self.part, shape=self.shape, dtype=self.dtype, chunks=tuple(chunks))
                return
            with open(self.part, "xb") as file:
                header = {"descr": np.dtype(self.dtype).str, "fortran_order": False, "shape": self.shape}
                np.lib.format.write_array_header_1_0(file, header)
                size = file.tell() + int(np.prod(self.shape, dtype=object)) * np.dtype(self.dtype).itemsize
                file.truncate(size)
                if (
                    hasattr(os, "posix_fallocate") and size
                ):  # a full disk is found here, and not while it is mapped
                    os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            self.discard()
            raise unwritable(self.path, error) from None

    def exists(self) -> bool:
        """Return whether there is a part of it that can be gone on with."""
        return os.path.exists(self.part)

    def write(self, start: int, array: Array) -> None:
        """Write places from `start` on of the axis of the rows, or the whole array. Raises RelaxError."""
        try:
            if self._open is None:
                is_zarr = self.path.endswith(ZARR)
                self._open = zarr().open_array(self.part, mode="r+") if is_zarr else _writable(self.part)
            if self.axis is None:
                self._open[...] = array
            elif array.shape[self.axis]:
                stop = start + array.shape[self.axis]
                self._open[(slice(None),) * self.axis + (slice(start, stop),)] = array
        except OSError as error:  # the disk is full, or the file is gone
            raise unwritable(self.path, error) from None

    def commit(self) -> None:
        """Bring what was written, by whichever process, to the disk. Raises RelaxError."""
        if self.path.endswith(ZARR):
            return  # its library closes a file for each piece
        try:
            with open(self.part, "r+b") as file:
                os.fsync(file.fileno())
        except OSError as error:
            raise unwritable(self.path, error) from None

    def finish(self) -> None:
        """Give it its name; what had that name before is replaced. Raises RelaxError."""
        self._open = None
        try:
            if self.path.endswith(ZARR):
                _remove(self.path)
            os.replace(self.part, self.path)
        except OSError as error:
            raise unwritable(self.path, error) from None

    def discard(self) -> None:
        """Remove what was written."""
        self._open = None
        _remove(self.part)


def _writable(path: str) -> Any:
    opened: Any = np.load(path, mmap_mode="r+", allow_pickle=False)
    return opened


def _remove(path: str) -> None:
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)


def check_target(path: str) -> None:
    """Refuse an output that is none, before anything runs. Raises RelaxError."""
    if not path.endswith(ENDINGS):
        raise refused(diag.array_unfit(path, "rows are written to `.npy` files and arrays of Zarr (`.zarr`)"))
    if path.endswith(ZARR):
        zarr()
        described = [os.path.join(path, name) for name in ("zarr.json", ".zarray")]
        if os.path.isdir(path) and os.listdir(path) and not any(map(os.path.exists, described)):
            raise refused(
                diag.array_unfit(path, "it is a folder, and no array of Zarr that could be replaced")
            )
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise refused(diag.array_unfit(path, "its folder does not exist"))
