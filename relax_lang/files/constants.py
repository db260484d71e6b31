"""Constants in files, `const(file("w.npz", "fc1"))`: beside the program and nowhere else. [CF.1-CF.4]"""

from __future__ import annotations

import os

from relax_lang.files import arrays, problems
from relax_lang.files.text import reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.files.arrays import Array, Header
    from relax_lang.syntax.tree import FileLit


class OutsideError(Exception):
    """A path that leaves the folder of the program."""


class ConstantFiles:
    """The array files that one program may read: those in its folder and below.

    `folder` is where the program's file lies; the current folder for text that comes from elsewhere.
    """

    __slots__ = ("folder",)

    def __init__(self, folder: str = "") -> None:
        self.folder = os.path.realpath(folder or os.curdir)

    @classmethod
    def beside(cls, program: str) -> ConstantFiles:
        """Return the files beside a program."""
        return cls(os.path.dirname(program))

    def path(self, written: str) -> str:
        """Return where a written path leads. Raises OutsideError. [CF.3]"""
        parts = written.replace("\\", "/").split("/")
        if not written or "\0" in written or ".." in parts or os.path.isabs(written) or ":" in parts[0]:
            raise OutsideError
        found = os.path.realpath(os.path.join(self.folder, written))
        if os.path.commonpath((self.folder, found)) != self.folder:
            raise OutsideError
        return found

    def header(self, literal: FileLit) -> Header:
        """Read dtype and shape only. Raises what `problem` turns into a diagnostic. [CF.1] [CF.4]"""
        return arrays.read_header(self.path(literal.path), literal.key)

    def load(self, literal: FileLit) -> Array:
        """Read the array, a new one at each call. Raises what `problem` turns into a diagnostic. [CF.4]"""
        return arrays.load(self.path(literal.path), literal.key)

    def check(self, literal: FileLit) -> Diagnostic | None:
        """Return what is wrong with a constant's file, from its header alone. [CF.1] [CF.2] [CF.3]"""
        try:
            self.header(literal)
        except (OSError, OutsideError, arrays.ArrayFileError, arrays.NoSuchArrayError) as error:
            return problem(literal, error)
        return None


def problem(literal: FileLit, error: Exception) -> Diagnostic:
    """Return the diagnostic for an error that `header` or `load` raised."""
    written = literal.path
    if isinstance(error, OutsideError):
        return problems.constant_file_outside(literal, written)
    if isinstance(error, arrays.NoSuchArrayError):
        return problems.constant_key_missing(literal, written, error.key, error.keys)
    if isinstance(error, FileNotFoundError):
        return problems.constant_file_missing(literal, written)
    if isinstance(error, OSError):
        return problems.constant_file_invalid(literal, written, reason(error))
    return problems.constant_file_invalid(literal, written, str(error))
