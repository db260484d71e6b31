"""Constants in files, `const(file("w.npz", "fc1"))`: beside the program and nowhere else. [CF.1-CF.4]"""

from __future__ import annotations

import os

from relax_lang.files import diagnostics as diag
from relax_lang.files.arrays import array_files as arrays
from relax_lang.files.arrays.archives import Archives
from relax_lang.files.programs import reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import Arrays, SourceFile
    from relax_lang.files.arrays.array_files import Array, Header
    from relax_lang.syntax.tree import FileLit


class OutsideError(Exception):
    """A path that leaves the folder of the program."""


class ConstantFiles:
    """The array files that one program may read: those in its folder and below, and in folders that the user allowed.

    `folder` is where the program's file lies; the current folder for text that comes from elsewhere. `held` are arrays
    of constants whose files do not exist yet.
    """

    __slots__ = ("_archives", "allowed", "folder", "held")

    def __init__(self, folder: str = "", allowed: Sequence[str] = (), held: Arrays | None = None) -> None:
        self.folder = os.path.realpath(folder or os.curdir)
        self.allowed = [os.path.realpath(one or os.curdir) for one in allowed]
        self.held: Arrays = held or {}
        self._archives = Archives()

    @classmethod
    def beside(cls, program: str, allowed: Sequence[str] = ()) -> ConstantFiles:
        """Return the files beside a program."""
        return cls(os.path.dirname(program), allowed)

    def path(self, written: str) -> str:
        """Return where a written path leads. Raises OutsideError. [CF.3]"""
        if not written or "\0" in written:
            raise OutsideError
        found = os.path.realpath(os.path.join(self.folder, written))
        parts = written.replace("\\", "/").split("/")
        leaves = ".." in parts or os.path.isabs(written) or ":" in parts[0]
        folders = self.allowed if leaves else [self.folder, *self.allowed]
        if not [one for one in folders if _below(found, one)]:
            raise OutsideError
        return found

    def header(self, literal: FileLit) -> Header:
        """Read dtype and shape only. Raises what `problem` turns into a diagnostic. [CF.1] [CF.4]"""
        array = self.held.get((literal.path, literal.key))
        if array is not None:
            return arrays.Header(array.dtype.name, array.shape)
        return self._archives.read_header(self.path(literal.path), literal.key)

    def load(self, literal: FileLit, max_bytes: int = arrays.MAX_BYTES) -> Array:
        """Read the array, a new one at each call. Raises what `problem` turns into a diagnostic. [CF.4]"""
        array = self.held.get((literal.path, literal.key))
        if array is not None:
            return array.copy()
        return self._archives.load(self.path(literal.path), literal.key, max_bytes)

    def check(self, literal: FileLit) -> Diagnostic | Header:
        """Return dtype and shape of a constant, or what is wrong with its file. [CF.1] [CF.2] [CF.3]"""
        try:
            return self.header(literal)
        except (OSError, OutsideError, arrays.ArrayFileError, arrays.NoSuchArrayError) as error:
            return problem(literal, error)


def _below(path: str, folder: str) -> bool:
    try:
        return os.path.commonpath((folder, path)) == folder
    except ValueError:  # on different drives
        return False


def problem(literal: FileLit, error: Exception) -> Diagnostic:
    """Return the diagnostic for an error that `header` or `load` raised."""
    written = literal.path
    if isinstance(error, OutsideError):
        return diag.constant_file_outside(literal, written)
    if isinstance(error, arrays.NoSuchArrayError):
        return diag.constant_key_missing(literal, written, error.key, error.keys)
    if isinstance(error, FileNotFoundError):
        return diag.constant_file_missing(literal, written)
    if isinstance(error, OSError):
        return diag.constant_file_invalid(literal, written, reason(error))
    return diag.constant_file_invalid(literal, written, str(error))


def constant_files(source: SourceFile) -> ConstantFiles:
    """Return the array files that a program may read. [CF.3]"""
    folder = "" if source.path.startswith("<") else os.path.dirname(source.path)
    return ConstantFiles(folder, source.allowed, source.arrays)


def constant_loader(
    source: SourceFile, max_bytes: int = arrays.MAX_BYTES
) -> Callable[[str, str | None], Array]:
    """Return the function that reads constants while the program runs; files may have changed since the check."""
    return constant_readers(source, max_bytes)[0]


def constant_readers(
    source: SourceFile, max_bytes: int = arrays.MAX_BYTES
) -> tuple[
    Callable[[str, str | None], Array], Callable[[str, str | None], tuple[str, tuple[int, ...]] | None]
]:
    """Return `constant_loader`, and what reads dtype and shape of a constant alone; None where it cannot."""
    from relax_lang.syntax.tree import FileLit
    from relax_lang.values import RunFailure

    files = constant_files(source)

    def header(path: str, key: str | None) -> tuple[str, tuple[int, ...]] | None:
        try:
            found = files.header(FileLit(path, key))
        except (OSError, OutsideError, arrays.ArrayFileError, arrays.NoSuchArrayError):
            return None
        return found.dtype, found.shape

    def load(path: str, key: str | None) -> Array:
        literal = FileLit(path, key)
        try:
            return files.load(literal, max_bytes)
        except (OSError, OutsideError, arrays.ArrayFileError, arrays.NoSuchArrayError) as error:
            found = problem(literal, error)
            raise RunFailure(found.slug, found.message) from error

    return load, header
