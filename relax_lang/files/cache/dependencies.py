"""What decides, beside versions, what is found in a program: its text, its place, and the arrays that it mentions."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.source import SourceFile
    from relax_lang.syntax.tree import IRModule

    State = tuple[int, int, int] | None

PLUGINS = "relax_lang.ops.plugins.register"
"""Loaded where operators may be other ones than those that are built in."""


def of_source(source: SourceFile) -> tuple[object, ...] | None:
    """Return what belongs to a key of something that was found in a program; None if that is more than can be said."""
    if PLUGINS in sys.modules or source.path.startswith("<"):
        return None
    allowed = [os.path.abspath(one) for one in source.allowed]
    return os.path.abspath(source.path), source.path, allowed, source.text


def arrays_of(source: SourceFile, module: IRModule) -> list[str] | None:
    """Return the files of arrays that a program mentions; None if one lies where it must not."""
    from relax_lang.base.node import walk
    from relax_lang.files.arrays.constants import OutsideError, constant_files
    from relax_lang.syntax.tree import FileLit

    files = constant_files(source)
    try:
        return [files.path(node.path) for node in walk(module) if isinstance(node, FileLit)]
    except (OSError, OutsideError):
        return None


def states(paths: Sequence[str]) -> list[tuple[str, State]]:
    """Return what changes when one of some files changes."""
    return [(path, _state(path)) for path in paths]


def are_as_before(kept: Sequence[tuple[str, State]]) -> bool:
    """Return whether no file has changed since `states` was asked. Raises ValueError for what that never returned."""
    return not [path for path, state in kept if _state(path) != state]


def _state(path: str) -> State:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino
