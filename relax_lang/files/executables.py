"""Executables in files, `.rlxe`."""

from __future__ import annotations

import os
import stat

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.files import diagnostics as file_diag
from relax_lang.files.reasons import reason
from relax_lang.files.replacing import replace_file
from relax_lang.vm import diagnostics as diag
from relax_lang.vm.serialization.container import VERSION, OtherVersion, from_bytes, keep, to_bytes
from relax_lang.vm.verify import BadExecutable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.options.keeping import KeptCodes
    from relax_lang.vm.executable import Executable

SUFFIX = ".rlxe"
MAX_BYTES = 1 << 34
"""A larger file is not read."""


def read_executable(path: str, kept: KeptCodes | None = None) -> Executable | Diagnostic:
    """Return the executable in a file, or what is wrong with the file; see `vm.serialization.container.from_bytes`."""
    try:
        mode = os.stat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a pipe may never end, some devices never do
            return file_diag.unreadable_file(path, "it is not a regular file")
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_BYTES:
                return file_diag.file_too_large(path, MAX_BYTES)
            data = file.read(size)  # memory is reserved for as many bytes as are asked for
    except (FileNotFoundError, ValueError):  # no file has a name with a NUL
        return file_diag.file_not_found(path)
    except OSError as error:
        return file_diag.unreadable_file(path, reason(error))
    try:
        return from_bytes(data, kept)
    except OtherVersion as error:
        return diag.executable_version(path, error.found, VERSION)
    except BadExecutable as error:
        return diag.executable_invalid(path, str(error))


def write_executable(path: str, executable: Executable, kept: KeptCodes | None = None) -> Diagnostic | None:
    """Write an executable into a file, in one step; return what went wrong. `kept` keeps what its first run needs."""
    data = to_bytes(executable)
    try:
        replace_file(path, lambda file: file.write(data), create=True)
    except (OSError, ValueError) as error:
        return file_diag.cannot_write(path, reason(error) if isinstance(error, OSError) else str(error))
    if kept is not None:
        keep(data, executable, kept)
    return None
