"""`relax cache`: what earlier commands found out and is kept for later ones. See docs/security.md."""

from __future__ import annotations

import os
import sys

from relax_lang.base.python.output import put
from relax_lang.base.wording import counted
from relax_lang.files.cache import VARIABLE, is_off
from relax_lang.files.cache.store import MOST_BYTES, Store

from .render.report import CLEAN
from .render.width import visible


def info() -> int:
    """Print where the cache is, how much is in it, and whether it is used."""
    store = Store()
    entries, size = store.size()
    lines = [
        f"folder: {visible(store.path)}",
        f"in it: {counted(entries, 'entry', 'entries')}, {_bytes(size)}",
    ]
    lines.append(f"limit: {_bytes(MOST_BYTES)}")
    if is_off():
        lines.append(f"not used: {VARIABLE} is set")
    elif os.path.exists(store.path) and not _is_usable(store):
        lines.append(
            "not used: other users could write to the folder, or read its key; `relax cache clear` starts anew"
        )
    put("".join([f"{line}\n" for line in lines]), sys.stdout)
    return CLEAN


def clear() -> int:
    """Remove everything that is kept, and say how much that was."""
    entries, size = Store().clear()
    put(f"removed {counted(entries, 'entry', 'entries')}, {_bytes(size)}\n", sys.stdout)
    return CLEAN


def _is_usable(store: Store) -> bool:
    try:
        return store.is_private()
    except OSError:  # no key yet, and no entry that it could vouch for
        return store.size()[0] == 0


def _bytes(size: int) -> str:
    if size < 1 << 10:
        return f"{size} B"
    return f"{size / (1 << 10):.1f} KiB" if size < 1 << 20 else f"{size / (1 << 20):.1f} MiB"
