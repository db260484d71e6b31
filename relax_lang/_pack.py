"""The modules that a clean check loads, from one file in place of one for each.

The build of a wheel writes them (`tools/make_pack.py`). In a checkout and in an editable install there is no such file,
and nothing changes; so it is where Python or the toolchain has another version, and where a source is not what it was:
its size is another, or it was written later than the file. Imports nothing that Python has not loaded.

Modules are in groups: some that functions import, each behind what it needs when it is loaded. They are
executed in the order in which they were when the file was written, without Python's importer, which takes longer for a
module than most modules take themselves. Functions that no clean program needs are there by name alone: the first call
brings the code.
"""

from __future__ import annotations

import _imp
import _thread
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader

from relax_lang._version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FunctionType, ModuleType
    from typing import Any

    Entry = tuple[str, bool, int, int, int, int]
    """The path below the package, whether it is a package, the size of the source, its group and the place in it, and
    how many modules before that place it needs when it is loaded, or `WHOLE`."""
    Group = tuple[int, int, tuple[str, ...]]
    """Where the code of some modules begins and ends, and their names."""
    Ready = tuple[int, list[int], int, dict[str, int], tuple[str | None, ...]]
    """All flags of a pattern, what the engine runs, how many groups it has, their numbers by name, their names."""
    Patterns = dict[tuple[str, int], Ready]
    Names = dict[str, list[tuple[int, str, str]]]
    """By the name of a module: numbers of functions, their qualified names, and the attribute of what has the name
    that holds the function (`fget` of a property), if it is not one itself."""
    Head = tuple[
        dict[str, Entry], list[Group], int, int, Patterns, int, dict[str, bytes], list[tuple[int, int]], Names
    ]
    """Modules, groups, where the code of functions begins, how long all is, patterns, the engine that they are for, the
    numbers of the parse table, where the code of each function is and how long, and the functions by name."""

FILE = "start.pack"
WHOLE = -1
"""A command that imports this module needs all of its group sooner or later."""
patterns: Patterns = {}
"""What the engine of regular expressions is given for a text and flags."""
numbers: dict[str, bytes] = {}
"""What texts of the parse table hold."""
_set_file: Callable[[CodeType, str], None] = vars(_imp)["_fix_co_filename"]
"""Says in code where its source is, as Python's own importer does."""
_other_threads: Callable[[], int] = vars(_thread)["_count"]
_LENGTH = 8
_LATER = 60
"""An installation writes its files within so many seconds."""
_read_code: list[Callable[[int], bytes]] = []
"""Reads the code of a function by its number, once there is a file."""
_names: Names = {}
_functions: dict[int, FunctionType] = {}
"""The functions of the modules that are loaded whose code is apart, by number."""


def key() -> bytes:
    """Return what decides whether the code fits: Python's form of it, and the version of the toolchain."""
    return MAGIC_NUMBER + f"{VERSION} {sys.flags.optimize}\n".encode()


class _Loader(SourceFileLoader):
    """Loads a module whose code is there already."""

    code: CodeType
    module: ModuleType | None = None
    """The module, if it is loaded."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return the module that is loaded; None if Python is to make one."""
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        """Execute a module that is not loaded."""
        if self.module is None:
            super().exec_module(module)
            _note_functions(module.__name__, module.__dict__)

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code, with the place of its source, so that tracebacks show its lines."""
        return self.code


class _Finder:
    """Finds the modules of the file; what it does not know, or was edited, others find."""

    def __init__(
        self,
        folder: str,
        written: float,
        modules: dict[str, Entry],
        groups: list[Group],
        read: Callable[[int, int], bytes],
    ) -> None:
        self._folder = folder
        self._written = written
        self._modules = modules
        self._groups = groups
        self._read = read
        self._codes: dict[int, list[CodeType]] = {}

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return how a module is loaded, and load what it needs; None if it is not one of these."""
        entry = self._modules.get(name)
        if entry is None:
            return None
        if _other_threads():  # they could use a module that is not complete
            return self._spec(name, entry)
        _, _, _, group, place, needs = entry
        names = self._groups[group][2]
        loaded = sys.modules
        for one in names if needs == WHOLE else names[place - needs : place + 1]:
            if one not in loaded:
                self._load(one)
        return loaded[name].__spec__ if name in loaded else self._spec(name, entry)

    def _spec(self, name: str, entry: Entry) -> ModuleSpec | None:
        below, is_package, size, group, place, _ = entry
        source = self._folder + os.sep + (below if os.sep == "/" else below.replace("/", os.sep))
        try:
            found = os.stat(source)
        except OSError:
            return None
        if found.st_size != size or found.st_mtime > self._written + _LATER:
            return None
        loader = _Loader(name, source)
        loader.code = code = self._code(group, place)
        _set_file(code, source)
        spec = ModuleSpec(name, loader, origin=source, is_package=is_package)
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(source))
        spec.has_location = True
        spec.cached = (
            f"{source}c"  # to look for the place in `__pycache__` takes longer, and there is nothing
        )
        return spec

    def _code(self, group: int, place: int) -> CodeType:
        codes = self._codes.get(group)
        if codes is None:
            start, end, _ = self._groups[group]
            codes = self._codes[group] = marshal.loads(self._read(start, end))
        return codes[place]

    def _load(self, name: str) -> None:
        """Load a module as an import does, while no other thread is there; not one that was edited."""
        spec = self._spec(name, self._modules[name])
        above, _, own = name.rpartition(".")
        parent = sys.modules.get(above)
        if spec is None or parent is None:
            return  # who needs it imports it
        module: Any = type(sys)(name)
        sys.modules[name] = module
        space: dict[str, Any] = module.__dict__
        loader: Any = spec.loader
        space["__spec__"], space["__loader__"], space["__package__"] = spec, loader, spec.parent
        space["__file__"], space["__cached__"] = spec.origin, spec.cached
        if spec.submodule_search_locations is not None:
            space["__path__"] = spec.submodule_search_locations
        try:
            exec(loader.code, space)
        except BaseException:
            del sys.modules[name]
            raise
        _note_functions(name, space)
        loader.module = module
        setattr(parent, own, module)


def install() -> None:
    """Take modules from the file beside this one, if it is there and fits."""
    folder = os.path.dirname(__file__)
    path = os.path.join(folder, FILE)
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return
    found = os.fstat(file)
    start = key()
    length = len(start) + _LENGTH
    read = _reader(file, found.st_size)
    first = read(0, length)
    end = length + int.from_bytes(first[len(start) :], "little")
    if not first.startswith(start) or found.st_size < end:
        os.close(file)
        return
    head: Head = marshal.loads(read(length, end))
    modules, groups, functions, total, ready, engine, table, places, names = head
    if total != found.st_size - end:  # it was cut off
        os.close(file)
        return
    # The file stays open: another version that is installed meanwhile has another one.
    first_code = end + functions

    def read_code(number: int) -> bytes:
        start, length = places[number]
        return read(first_code + start, first_code + start + length)

    _read_code.append(read_code)
    _names.update(names)
    sys.meta_path.insert(
        0,
        _Finder(folder, found.st_mtime, modules, groups, lambda start, stop: read(end + start, end + stop)),
    )
    numbers.update(table)
    if engine == engine_version():
        patterns.update(ready)


def _reader(file: int, size: int) -> Callable[[int, int], bytes]:
    """Return what reads from a file that may be shared with other processes and threads."""
    if not hasattr(os, "pread"):
        data = os.read(file, size)
        return lambda start, end: data[start:end]
    return lambda start, end: os.pread(file, end - start, start)


def whole(number: int) -> FunctionType:
    """Return a function by its number, with its code, which it has from now on."""
    function = _functions[number]
    code: CodeType = marshal.loads(_read_code[0](number))
    _set_file(code, function.__code__.co_filename)
    function.__code__ = code
    return function


def _note_functions(module: str, space: dict[str, Any]) -> None:
    """Note the functions of a module that was executed whose code is apart: later a name may mean something else."""
    for number, name, part in _names.get(module, ()):
        *above, own = name.split(".")
        holder: Any = space
        for one in above:
            holder = holder[one].__dict__
        found: Any = holder[own]
        _functions[number] = getattr(found, part) if part else found


def engine_version() -> int:
    """Return which engine of regular expressions this Python has."""
    engine: Any = __import__("_sre")  # a part of the interpreter that `re` stands on
    return engine.MAGIC
