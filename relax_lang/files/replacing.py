"""Replacing a file in one step: whatever goes wrong, it holds either the old contents or the new ones."""

from __future__ import annotations

import os
import signal
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO


def replace_file(path: str, fill: Callable[[BinaryIO], object], *, create: bool) -> None:
    """Replace the contents of a file by what `fill` writes, keeping its mode; a link stays, its target is replaced.

    The new contents are written beside the file under a random name that did not exist, so that no planted link is
    followed, and that a process which was killed leaves nothing in the way; one that is asked to end removes it. With
    `create` the file need not exist. Raises OSError.
    """
    target = os.path.realpath(path)
    before = None if create and not os.path.exists(target) else os.stat(target)
    if before is not None and stat.S_ISDIR(before.st_mode):
        raise IsADirectoryError(21, os.strerror(21))
    if before is not None and not stat.S_ISREG(before.st_mode):
        raise OSError(22, "it is not a regular file")
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, "the file is read-only")
    temporary = os.path.join(os.path.dirname(target), f".relax-{os.urandom(8).hex()}.tmp")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    before_signal = _raise_when_terminated()
    try:
        _write(temporary, flags, fill, before, target)
    except _Terminated:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)
    finally:
        if before_signal:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _write(
    temporary: str,
    flags: int,
    fill: Callable[[BinaryIO], object],
    before: os.stat_result | None,
    target: str,
) -> None:
    opened = os.open(temporary, flags, 0o600)
    try:
        with os.fdopen(opened, "w+b") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        if before is None:
            mask = os.umask(0)  # it can only be read by setting it
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
        else:
            os.chmod(temporary, stat.S_IMODE(before.st_mode))
            _keep_owner(temporary, before)
        os.replace(temporary, target)
    except BaseException:
        if os.path.lexists(temporary):  # an interrupt may come right after the replacement
            os.unlink(temporary)
        raise


class _Terminated(BaseException):
    """The process is to end."""


def _raise_when_terminated() -> bool:
    """Let a request to end raise, so that what was begun is put back; return whether it does.

    That is left alone where the process handles the request itself, and in threads, which cannot handle it.
    """
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return False

    def end(number: int, frame: object) -> None:
        raise _Terminated

    try:
        signal.signal(signal.SIGTERM, end)
    except ValueError:
        return False
    return True


def _keep_owner(path: str, before: os.stat_result) -> None:
    if hasattr(os, "chown") and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        try:
            os.chown(path, before.st_uid, before.st_gid)
        except PermissionError:
            return  # only the superuser gives files away; the writer owns the new one


def is_same_file(path: str, other: str) -> bool:
    """Return whether two paths lead to one existing file, by whatever names and links."""
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):
        return False
