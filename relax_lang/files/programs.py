"""Programs: reading them whatever they hold, finding them in folders, writing them so that none is lost."""

from __future__ import annotations

import errno
import os
import sys

from relax_lang.base.source import PythonFile, RelayFile, SourceFile
from relax_lang.files.reasons import reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.files.git_ignores import GitIgnores

    IsExcluded = Callable[[str, bool], bool]
    """Whether a path, and that of a folder or not, is left out."""
    IsIncluded = Callable[[str], bool]
    """Whether a Python file takes part."""

MAX_BYTES = 32 * 1024 * 1024
STDIN = "-"
SUFFIX = ".rlx"
RELAY_SUFFIXES = (".relay", ".rly")
MODEL_SUFFIX = ".onnx"
"""Of files that are imported when they are named."""
PYTHON_SUFFIX = ".py"
"""Of files that are read as TVMScript when they are named; those in folders take part where settings include them."""
IGNORE_FILE = ".relaxignore"
"""Names what the commands leave out when they are given its folder or one above it."""

# The rules are imported where something is wrong: a clean run does without them.


def read(path: str, stdin_name: str = "") -> tuple[SourceFile, Diagnostic | None]:
    """Return the text of a file (`-`: of standard input) and what is wrong with it, if anything is.

    The text is there even then, as far as it could be read, for the diagnostic to point into.
    """
    shown = (stdin_name or "<stdin>") if path == STDIN else path
    if shown.endswith(MODEL_SUFFIX) and path != STDIN:
        from relax_lang.files.models import read_model  # only for models

        return read_model(path)
    try:
        data = _read_bytes(path)
    except OSError as error:
        return SourceFile("", shown), _unreadable(shown, error)
    except ValueError:  # no file has a name with a NUL
        return SourceFile("", shown), _unreadable(shown, FileNotFoundError())
    if data is None:
        from relax_lang.files import diagnostics as diag

        return SourceFile("", shown), diag.file_too_large(shown, MAX_BYTES)
    return _decode(data, shown)


def _read_bytes(path: str) -> bytes | None:
    """Return the bytes of a file, or None if they are too many. One byte more than allowed shows that of a device."""
    if path == STDIN:
        if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - it is where the stream is closed
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    else:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_BYTES:
                return None
            data = file.read(MAX_BYTES + 1)
    return data if len(data) <= MAX_BYTES else None


def _decode(data: bytes, shown: str) -> tuple[SourceFile, Diagnostic | None]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        from relax_lang.files import diagnostics as diag

        before = data[: error.start].decode("utf-8")
        place = len(before), len(before) + 1
        # One line of what follows is enough to recognize the place by.
        rest = data[error.start : error.start + 80].decode("utf-8", "replace").partition("\n")[0]
        return SourceFile(before + rest, shown), diag.not_utf8(place, data[error.start], error.start)
    nul = text.find("\0")
    if nul >= 0:
        from relax_lang.files import diagnostics as diag

        return SourceFile(text, shown), diag.nul_in_text((nul, nul + 1))
    if shown.endswith(PYTHON_SUFFIX):
        return PythonFile(text, shown), None
    return (RelayFile if shown.endswith(RELAY_SUFFIXES) else SourceFile)(text, shown), None


def _unreadable(shown: str, error: OSError) -> Diagnostic:
    from relax_lang.files import diagnostics as diag

    if isinstance(error, FileNotFoundError):
        found = diag.file_not_found(shown)
        return found.note(f"it is a link to `{os.readlink(shown)}`") if os.path.islink(shown) else found
    return diag.unreadable_file(shown, reason(error))


def discover(
    paths: Iterable[str],
    is_excluded: IsExcluded | None = None,
    is_included: IsIncluded | None = None,
    *,
    force: bool = False,
    suffixes: tuple[str, ...] = (SUFFIX, *RELAY_SUFFIXES),
) -> tuple[list[str], list[tuple[str, Diagnostic]]]:
    """Replace every folder by the programs below it, sorted; return files and (path, problem) pairs.

    Files in folders are programs if their names end in one of `suffixes`.
    Folders whose name starts with a dot and links to folders are not entered, nor are those that
    `is_excluded` leaves out. Python files in folders count if `is_included` says so and there may be TVMScript in them.
    With `force`, files that are named are left out for the same reasons as those in folders. No file comes twice.
    """
    files: list[str] = []
    problems: list[tuple[str, Diagnostic]] = []
    for path in paths:
        if path != STDIN and os.path.isdir(path):
            before = len(problems)
            found = _programs_below(path, problems, suffixes, is_excluded, is_included)
            if not found and len(problems) == before:  # otherwise it is not known what is there
                from relax_lang.files.diagnostics import no_programs

                problems.append((path, no_programs(path)))
            files += found
            continue
        if force and path != STDIN and _is_left_out(path, is_excluded):
            continue
        files.append(path)
    return list(dict.fromkeys(files)), problems


def _programs_below(
    folder: str,
    problems: list[tuple[str, Diagnostic]],
    suffixes: tuple[str, ...],
    is_excluded: IsExcluded | None,
    is_included: IsIncluded | None,
) -> list[str]:
    files: list[str] = []
    ignored = _git_ignores(folder)
    folders = [folder]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            problems.append((folder, _unreadable(folder, error)))
            continue
        if any(entry.name == IGNORE_FILE and entry.is_file() for entry in found):
            found = _not_ignored(folder, found)
        if ignored is not None:
            found = ignored.left(folder, found)
        programs = [e.path for e in found if e.name.endswith(suffixes) and e.is_file()]
        if is_included is not None:
            scripts = [e.path for e in found if e.name.endswith(PYTHON_SUFFIX) and e.is_file()]
            programs += [path for path in scripts if is_included(path) and _file_may_hold_tvmscript(path)]
        inner = [
            entry.path
            for entry in found
            if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
        ]
        if is_excluded is not None:
            programs = [path for path in programs if not is_excluded(path, False)]
            inner = [path for path in inner if not is_excluded(path, True)]
        files += programs
        folders += inner
    files.sort()
    return [os.path.normpath(path) for path in files]


_MARKS = (b"ir_module", b"R.function", b"T.prim_func", b"relax.function", b"tir.prim_func")


def may_hold_tvmscript(data: bytes) -> bool:
    """Return whether the text of a Python file has what units of TVMScript begin with."""
    return b"tvm" in data and any(mark in data for mark in _MARKS)


def _file_may_hold_tvmscript(path: str) -> bool:
    try:
        data = _read_bytes(path)
    except OSError:
        return True  # which is reported when it is read
    if data is None:  # reported then, too
        return True
    return may_hold_tvmscript(data)


def _git_ignores(folder: str) -> GitIgnores | None:
    """Return what `.gitignore` leaves out below a folder; None outside of a repository, and in a folder left out."""
    root = _repository(folder)
    if root is None:
        return None
    from relax_lang.files.git_ignores import GitIgnores  # only in repositories

    found = GitIgnores(root)
    return None if found.ignores(folder, is_folder=True) else found


def _repository(folder: str) -> str | None:
    above = os.path.abspath(folder)
    while not os.path.exists(os.path.join(above, ".git")):
        further = os.path.dirname(above)
        if further == above:
            return None
        above = further
    return above


def _is_left_out(path: str, is_excluded: IsExcluded | None) -> bool:
    """Return whether a file would be left out if a folder around it were named."""
    if path.endswith(PYTHON_SUFFIX) and not _file_may_hold_tvmscript(path):
        return True
    if is_excluded is not None and is_excluded(path, False):
        return True
    root = _repository(os.path.dirname(os.path.abspath(path)))
    if root is not None:
        from relax_lang.files.git_ignores import GitIgnores

        if GitIgnores(root).ignores(path, is_folder=False):
            return True
    return _is_ignored(os.path.abspath(path), root, is_excluded)


def _is_ignored(path: str, root: str | None, is_excluded: IsExcluded | None) -> bool:
    """Return whether ignore files leave out a file or a folder around it, as far as the repository reaches."""
    is_folder = False
    while path != root:
        folder, name = os.path.split(path)
        if not name:  # the root of the file system
            break
        ignore_file = os.path.join(folder, IGNORE_FILE)
        if os.path.isfile(ignore_file):
            from relax_lang.files.ignore_files import read_patterns

            if read_patterns(ignore_file).match(name, is_folder=is_folder):
                return True
        path, is_folder = folder, True
        if is_excluded is not None and path != root and is_excluded(path, True):
            return True
    return False


def _not_ignored(folder: str, entries: list[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
    """Leave out what the folder's ignore file names. What is named on the command line itself is never ignored."""
    from relax_lang.files.ignore_files import read_patterns  # only where there is such a file

    patterns = read_patterns(os.path.join(folder, IGNORE_FILE))
    return [entry for entry in entries if not patterns.match(entry.name, is_folder=entry.is_dir())]


def write(path: str, text: str, *, create: bool = False) -> Diagnostic | None:
    """Replace the text of a file in one step, see `replace_file`; return what is wrong if that is not possible.

    With `create` the file need not exist.
    """
    from relax_lang.files.replacing import replace_file  # most commands write nothing

    data = text.encode("utf-8")
    try:
        replace_file(path, lambda file: file.write(data), create=create)
    except OSError as error:
        from relax_lang.files import diagnostics as diag

        return diag.cannot_write(path, reason(error))
    return None
