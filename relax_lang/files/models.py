"""Models of ONNX in files, and the data that they keep beside them: in their folder and below, and nowhere else."""

from __future__ import annotations

import os
import stat

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.base.source import ModelFile, SourceFile
from relax_lang.files import diagnostics as file_diag
from relax_lang.files.reasons import reason
from relax_lang.onnx import diagnostics as diag
from relax_lang.onnx.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from io import BufferedReader

    from relax_lang.onnx.conversion.program import Imported
    from relax_lang.onnx.reading.model import Model
    from relax_lang.onnx.values import Array

MAX_BYTES = 1 << 31
"""Of a model without its external data: protocol buffers hold no more."""
_LARGE = 1 << 20
"""Bytes of a file from which on it is mapped and not read whole."""


class ExternalData:
    """Files beside a model, mapped into memory when they are first asked for."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.realpath(folder or os.curdir)
        self._mapped: dict[str, memoryview] = {}

    def __call__(self, location: str, offset: int, length: int | None) -> memoryview:
        """Return bytes of a file. Raises Invalid."""
        data = self._mapped.get(location)
        if data is None:
            data = self._mapped[location] = self._map(location)
        end = len(data) if length is None else offset + length
        if offset > len(data) or end > len(data):
            raise Invalid(f"`{location}` has {len(data)} bytes, those from {offset} to {end} are named")
        return data[offset:end]

    def _map(self, location: str) -> memoryview:
        import mmap

        parts = location.replace("\\", "/").split("/")
        inside = bool(location) and "\0" not in location and ".." not in parts and not os.path.isabs(location)
        path = os.path.realpath(os.path.join(self.folder, location if inside else ""))
        if not (inside and path.startswith(os.path.join(self.folder, ""))):
            raise Invalid(f"its data would be read from `{location}`, which is outside of its folder")
        if not os.path.isfile(path):
            raise Invalid(f"there is no file `{location}` with its data")
        try:
            with open(path, "rb") as file:
                if os.fstat(file.fileno()).st_size == 0:
                    return memoryview(b"")
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except OSError as error:
            raise Invalid(f"`{location}` cannot be read: {reason(error)}") from error


class _Map:
    """A file of which only those pages are in memory that are read. What was read can be let go of again."""

    def __init__(self, file: BufferedReader) -> None:
        import mmap

        self._file = file
        self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._unneeded: int | None = getattr(mmap, "MADV_DONTNEED", None)  # Windows has none
        self.data = memoryview(self._map)

    def release(self) -> None:
        """Give back the memory of the pages that were read; the system reads them again where they are needed."""
        if self._unneeded is not None:
            self._map.madvise(self._unneeded)

    def owned(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """Return arrays of which none is a part of the map, so that they stay if the file changes. Raises Invalid."""
        import numpy as np

        self.release()
        whole = np.frombuffer(self.data, np.uint8)
        begin = whole.ctypes.data
        copies: dict[int, Array] = {}
        made: dict[str, Array] = {}
        for key, array in arrays.items():
            if array.size and np.may_share_memory(array, whole):  # which compares the bounds
                if id(array) not in copies:
                    in_order = array.flags.c_contiguous or array.flags.f_contiguous
                    start = array.ctypes.data - begin
                    copies[id(array)] = self._read(array, start) if in_order else array.copy()
                made[key] = copies[id(array)]
            else:
                made[key] = array
        return made

    def _read(self, array: Array, start: int) -> Array:
        """Return an array from the file, not through the map: the system maps much around each byte. Raises Invalid."""
        import numpy as np

        made = np.empty_like(array)  # of the same order
        self._file.seek(start)
        if self._file.readinto(made.ravel("K").view(np.uint8).data) != array.nbytes:
            raise Invalid("it became shorter while it was read")
        made.flags.writeable = False
        return made


def _decoded(path: str, file: BufferedReader) -> tuple[Model, _Map | None] | Diagnostic:
    """Return the model in an open file. A large one is mapped: weights are read where something is done with them."""
    external = ExternalData(os.path.dirname(path))
    size = os.fstat(file.fileno()).st_size

    def read(start: int, length: int) -> bytes:
        file.seek(start)
        return file.read(length)

    try:
        from relax_lang.onnx.reading.model import decode  # optional: needs the package

        if size <= _LARGE:
            return decode(file.read(size), external), None
        mapped = _Map(file)
        model = decode(mapped.data, external, read)
        model.release = mapped.release
        return model, mapped
    except ImportError:
        return diag.not_installed(path)
    except Invalid as error:
        return diag.unreadable(path, str(error))


def import_file(
    path: str,
    *,
    shapes: Mapping[str, Sequence[int | str]] | None = None,
    constants: Mapping[str, Array] | None = None,
    archive: str = "",
    fold: bool = True,
) -> Imported | Diagnostic:
    """Import the model in a file; see `onnx.program.import_model`. `archive` holds the weights, beside the text."""
    try:
        mode = os.stat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a pipe may never end, some devices never do
            return file_diag.unreadable_file(path, "it is not a regular file")
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_BYTES:
                return file_diag.file_too_large(path, MAX_BYTES)
            loaded = _decoded(path, file)
            if isinstance(loaded, Diagnostic):
                return loaded
            from relax_lang.onnx.conversion.program import Imported, import_model

            model, mapped = loaded
            archive = archive or f"{os.path.splitext(os.path.basename(path))[0]}.npz"
            found = import_model(model, shapes=shapes, constants=constants, archive=archive, fold=fold)
            if mapped is None:
                return found
            del loaded, model  # their memory is for the weights, which are read now
            return Imported(found.text, mapped.owned(found.weights), found.diagnostics, archive)
    except FileNotFoundError:
        return file_diag.file_not_found(path)
    except OSError as error:
        return file_diag.unreadable_file(path, reason(error))
    except Invalid as error:
        return diag.unreadable(path, str(error))


def read_model(path: str) -> tuple[SourceFile, Diagnostic | None]:
    """Return a model as a program whose weights are in memory, or what is wrong with its file."""
    found = import_file(path)
    if isinstance(found, Diagnostic):
        return SourceFile("", path), found
    return ModelFile(found.text, path, found.arrays, found.diagnostics), None
