"""The modules that a clean check loads, from one file in place of one for each.

The build of a wheel writes them (`tools/make_pack.py`). In a checkout and in an editable install there is no such file,
and nothing changes; so it is where Python or the toolchain has another version, and where a source is not what it was:
its size is another, or it was written later than the file. Imports nothing that Python has not loaded.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader

from relax_lang._version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    Entry = tuple[str, bool, int, int, int]
    """The path below the package, whether it is a package, the size of the source, where its code begins and ends."""
    Ready = tuple[int, list[int], int, dict[str, int], tuple[str | None, ...]]
    """All flags of a pattern, what the engine runs, how many groups it has, their numbers by name, their names."""
    Patterns = dict[tuple[str, int], Ready]

FILE = "start.pack"
patterns: Patterns = {}
"""What the engine of regular expressions is given for a text and flags."""
numbers: dict[str, bytes] = {}
"""What texts of the parse table hold."""
_set_file: Callable[[CodeType, str], None] = vars(_imp)["_fix_co_filename"]
"""Says in code where its source is, as Python's own importer does."""
_LENGTH = 8
_LATER = 60
"""An installation writes its files within so many seconds."""


def key() -> bytes:
    """Return what decides whether the code fits: Python's form of it, and the version of the toolchain."""
    return MAGIC_NUMBER + f"{VERSION} {sys.flags.optimize}\n".encode()


class _Loader(SourceFileLoader):
    """Loads a module whose code is there already."""

    def __init__(self, name: str, path: str, data: memoryview) -> None:
        super().__init__(name, path)
        self._data = data

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code, with the place of its source, so that tracebacks show its lines."""
        code: CodeType = marshal.loads(self._data)
        _set_file(code, self.path)
        return code


class _Finder:
    """Finds the modules of the file; what it does not know, or was edited, others find."""

    def __init__(self, folder: str, written: float, modules: dict[str, Entry], code: memoryview) -> None:
        self._folder = folder
        self._written = written
        self._modules = modules
        self._code = code

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return how a module is loaded; None if it is not one of these."""
        entry = self._modules.get(name)
        if entry is None:
            return None
        below, is_package, size, start, end = entry
        source = self._folder + os.sep + (below if os.sep == "/" else below.replace("/", os.sep))
        try:
            found = os.stat(source)
        except OSError:
            return None
        if found.st_size != size or found.st_mtime > self._written + _LATER:
            return None
        loader = _Loader(name, source, self._code[start:end])
        spec = ModuleSpec(name, loader, origin=source, is_package=is_package)
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(source))
        spec.has_location = True
        spec.cached = (
            f"{source}c"  # to look for the place in `__pycache__` takes longer, and there is nothing
        )
        return spec


def install() -> None:
    """Take modules from the file beside this one, if it is there and fits."""
    folder = os.path.dirname(__file__)
    path = os.path.join(folder, FILE)
    try:
        written = os.stat(path).st_mtime
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return
    start = key()
    length = len(start) + _LENGTH
    end = length + int.from_bytes(data[len(start) : length], "little")
    if not data.startswith(start) or len(data) < end:
        return
    modules: dict[str, Entry]
    modules, ready, engine, table = marshal.loads(data[length:end])
    if max([entry[-1] for entry in modules.values()], default=0) <= len(data) - end:  # it was not cut off
        sys.meta_path.insert(0, _Finder(folder, written, modules, memoryview(data)[end:]))
        numbers.update(table)
        if engine == engine_version():
            patterns.update(ready)


def engine_version() -> int:
    """Return which engine of regular expressions this Python has."""
    engine: Any = __import__("_sre")  # a part of the interpreter that `re` stands on
    return engine.MAGIC


def packed(
    modules: dict[str, tuple[str, bool, int, bytes]], ready: Patterns, unpacked: dict[str, bytes]
) -> bytes:
    """Return such a file: of each module the path below the package, whether it is a package, the size of its source,
    and its code as `marshal` writes it; and ready-made patterns and numbers.
    """
    table: dict[str, Entry] = {}
    codes: list[bytes] = []
    at = 0
    for name, (below, is_package, size, code) in modules.items():
        table[name] = below, is_package, size, at, at + len(code)
        at += len(code)
        codes.append(code)
    names = marshal.dumps((table, ready, engine_version(), unpacked))
    return b"".join([key(), len(names).to_bytes(_LENGTH, "little"), names, *codes])
