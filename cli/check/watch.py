"""`relax check --watch`: runs the check again whenever a program, an array file or the settings change."""

from __future__ import annotations

import os
import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SUFFIXES = (".rlx", ".npy", ".npz")
NAMES = ("relax.toml", "pyproject.toml", ".relaxignore")

CLEAR = "\x1b[2J\x1b[3J\x1b[H"


def watch(paths: Sequence[str], check: Callable[[], int]) -> int:
    """Check now and after every change, until interrupted; return the last exit status."""
    # An extra, and `check` has looked whether it is there.
    changes: Callable[..., Iterable[object]] = import_module("watchfiles").watch
    status = _run(check)
    files = [os.path.realpath(path) for path in paths if not os.path.isdir(path)]
    folders = [path for path in paths if os.path.isdir(path)]

    def matters(change: object, path: str) -> bool:
        del change
        return is_watched(path, files, everything=bool(folders))

    # Editors replace files as a whole: what is watched is the folder of a file.
    places = dict.fromkeys(
        [*folders, *[os.path.dirname(file) for file in files if os.path.isdir(os.path.dirname(file))]]
    )
    if not places:  # paths that lead nowhere: the check has said so
        return status
    for _ in changes(*places, watch_filter=matters, recursive=bool(folders)):
        status = _run(check)
    return status


def is_watched(path: str, files: Sequence[str], *, everything: bool) -> bool:
    """Return whether a change of a path may change what is found: a program, its arrays, its settings."""
    name = os.path.basename(path)
    if name in NAMES or name.endswith(SUFFIXES[1:]):
        return True
    if everything and name.endswith(SUFFIXES[0]):
        return True
    return os.path.realpath(path) in files


def _run(check: Callable[[], int]) -> int:
    if sys.stdout.isatty():
        sys.stdout.write(CLEAR)
    status = check()
    sys.stdout.flush()
    print("Watching for changes; Ctrl-C ends.", file=sys.stderr, flush=True)
    return status
