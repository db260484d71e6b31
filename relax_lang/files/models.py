"""Models of ONNX in files, and the data that they keep beside them: in their folder and below, and nowhere else."""

from __future__ import annotations

import os

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.base.source import ModelFile, SourceFile
from relax_lang.files import diagnostics as file_diag
from relax_lang.files.reasons import reason
from relax_lang.onnx import diagnostics as diag
from relax_lang.onnx.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import BinaryIO

    from relax_lang.onnx.model import Model
    from relax_lang.onnx.program import Imported
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


def load_model(path: str) -> Model | Diagnostic:
    """Return the model in a file, or what is wrong with the file."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_BYTES:
                return file_diag.file_too_large(path, MAX_BYTES)
            return _decoded(path, file)
    except FileNotFoundError:
        return file_diag.file_not_found(path)
    except OSError as error:
        return file_diag.unreadable_file(path, reason(error))


def _decoded(path: str, file: BinaryIO) -> Model | Diagnostic:
    """Return the model in an open file. Of a large one the weights are read one by one, as its fields name them."""
    import mmap

    external = ExternalData(os.path.dirname(path))
    size = os.fstat(file.fileno()).st_size

    def read(start: int, length: int) -> bytes:
        file.seek(start)
        return file.read(length)

    try:
        from relax_lang.onnx.model import decode  # optional: needs the package

        if size <= _LARGE:
            return decode(file.read(MAX_BYTES + 1), external)
        return decode(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)), external, read)
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
    model = load_model(path)
    if isinstance(model, Diagnostic):
        return model
    from relax_lang.onnx.program import import_model

    stem = os.path.splitext(os.path.basename(path))[0]
    archive = archive or f"{stem}.npz"
    return import_model(model, shapes=shapes, constants=constants, archive=archive, fold=fold)


def read_model(path: str) -> tuple[SourceFile, Diagnostic | None]:
    """Return a model as a program whose weights are in memory, or what is wrong with its file."""
    found = import_file(path)
    if isinstance(found, Diagnostic):
        return SourceFile("", path), found
    return ModelFile(found.text, path, found.arrays, found.diagnostics), None
