"""What of the toolchain itself decides what it finds: results of another version are not results of this one."""

from __future__ import annotations

import os
import sys

from relax_lang._version import VERSION
from relax_lang.base.digests import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


_FOUND: list[str] = []


def fingerprint() -> str:
    """Return what of this program and of Python decides what is found: versions, and the state of a checkout.

    A checkout has hundreds of files, and what a process has loaded of them does not change: they are looked at once.
    """
    if not _FOUND:
        _FOUND.append(_fingerprint())
    return _FOUND[0]


def _fingerprint() -> str:
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parts = [VERSION, sys.version, str(sys.flags.optimize), sys.platform]
    if not os.path.isdir(os.path.join(own, "cli")):  # a checkout: its files change under the same version
        roots = [own, os.path.join(os.path.dirname(own), "cli")]
        parts += [
            f"{path} {found.st_size} {found.st_mtime_ns}" for root in roots for path, found in _sources(root)
        ]
    return digest("\n".join(parts))


def _sources(root: str) -> Iterator[tuple[str, os.stat_result]]:
    for entry in sorted(os.scandir(root), key=lambda one: one.name):
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                yield from _sources(entry.path)
        elif entry.name.endswith(".py"):
            yield entry.path, entry.stat()
