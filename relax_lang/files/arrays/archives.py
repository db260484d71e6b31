"""Archives that stay open: the directory of one is read once for all the arrays that a program has in it."""

from __future__ import annotations

import os
import stat

from relax_lang.files.arrays import array_files as arrays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zipfile import ZipFile

    from relax_lang.files.arrays.array_files import Array, Header
    from relax_lang.files.arrays.safetensors import Entry

    Stamp = tuple[int, int, int]

_ENDING = ".npz"


class Archives:
    """The `.npz` archives that were read from, by their paths. One that changed since is opened again.

    Several threads may read at once. Files are closed when nothing refers to this any more.
    """

    __slots__ = ("_directories", "_open")

    def __init__(self) -> None:
        self._open: dict[str, tuple[Stamp, ZipFile, dict[str, str]]] = {}
        self._directories: dict[str, tuple[Stamp, dict[str, Entry]]] = {}
        """The directories of `.safetensors` files."""

    def read_header(self, path: str, key: str | None) -> Header:
        """Return dtype and shape of an array, as `arrays.read_header` does."""
        if path.endswith(arrays.SAFETENSORS):
            from relax_lang.files.arrays.safetensors import check_dtype  # here and below: only for such files

            return check_dtype(self._entry(path, key))
        found = self._member(path, key)
        if found is None:
            return arrays.read_header(path, key)
        try:
            return arrays.header_in(*found)
        except arrays.ArrayFileError:
            raise
        except Exception as error:  # what zipfile and its decompressors raise has no common class
            raise arrays.damaged_archive(error) from error

    def load(self, path: str, key: str | None, max_bytes: int) -> Array:
        """Return an array, as `arrays.load` does."""
        if path.endswith(arrays.SAFETENSORS):
            from relax_lang.files.arrays.safetensors import read_tensor

            entry = self._entry(path, key)
            with open(path, "rb") as file:
                return read_tensor(file, entry, max_bytes)
        found = self._member(path, key)
        if found is None:
            return arrays.load(path, key, max_bytes)
        try:
            return arrays.array_in(*found, max_bytes)
        except arrays.ArrayFileError:
            raise
        except Exception as error:  # as above
            raise arrays.damaged_archive(error) from error

    def _entry(self, path: str, key: str | None) -> Entry:
        """Return where a tensor is. Raises ArrayFileError, NoSuchArrayError or OSError."""
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise arrays.ArrayFileError("it is not a regular file")
        stamp = status.st_mtime_ns, status.st_size, status.st_ino
        found = self._directories.get(path)
        if found is None or found[0] != stamp:
            from relax_lang.files.arrays.safetensors import read_directory

            with open(path, "rb") as file:
                found = self._directories[path] = stamp, read_directory(file, status.st_size)
        entries = found[1]
        if key is None and len(entries) == 1:
            return next(iter(entries.values()))
        if key is None or key not in entries:
            raise arrays.NoSuchArrayError(key, list(entries))
        return entries[key]

    def _member(self, path: str, key: str | None) -> tuple[ZipFile, str] | None:
        """Return an open archive and the name of the array in it; None for what is read in another way, or fails."""
        if key is None or not path.endswith(_ENDING):
            return None
        import zipfile  # only for programs with constants in archives

        try:
            status = os.stat(path)
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        stamp = status.st_mtime_ns, status.st_size, status.st_ino
        found = self._open.get(path)
        if found is None or found[0] != stamp:
            try:
                archive = zipfile.ZipFile(path)
            except Exception:  # which is reported where it is read in the other way
                return None
            names = {name.removesuffix(".npy"): name for name in archive.namelist()}
            found = self._open[path] = stamp, archive, names
        member = found[2].get(key)
        return None if member is None else (found[1], member)
