"""Results of earlier runs, kept in files that only this user could have written.

An entry is a value of plain data under a key that says everything the value follows from: contents, options, versions.
It is one file, whose name is the digest of the key, and begins with a keyed digest over name and data. The secret of
that digest is in a file that only the user can read: an entry that is damaged, that another program or user put there,
or that was moved from another name, is as good as none. Data is read only after that, and runs nothing by being read.

Several processes may use one folder: files are written beside their place and then moved there in one step. When there
is more than `MOST_BYTES` in the folder the entries that were not used for the longest time go.
"""

from __future__ import annotations

import marshal
import os

from relax_lang.base.python.digests import blake2b, digest
from relax_lang.files.cache import folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

MOST_BYTES = 256 << 20
MOST_ENTRY_BYTES = 32 << 20
"""Larger values are not kept."""
_SECRET_BYTES = 32
_DIGEST_BYTES = 32
_USED = 86_400
"""An entry is noted as used once a day."""
_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_WRITES_BETWEEN = 256
"""So many entries are written by one process before it looks again at how much there is."""


class Store:
    """The entries in one folder. Whatever goes wrong with files makes a miss, or an entry that is not kept."""

    __slots__ = ("_secret", "_written", "path")

    def __init__(self, path: str = "") -> None:
        self.path = path or folder()
        self._secret: bytes | None = None
        self._written = 0

    def get(self, key: str) -> Any:
        """Return the value under a key; None if there is none that this user wrote."""
        name = self._name(key)
        try:
            file = os.open(name, _READING)  # without a buffer: a thousand of them are read by one command
            try:
                found = os.fstat(file)
                if found.st_size > MOST_ENTRY_BYTES + _DIGEST_BYTES:
                    return None
                data = os.read(file, found.st_size)
            finally:
                os.close(file)
            secret = self._secret_to_read()
            digest, content = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
            if secret is None or digest != _keyed(secret, name, content):
                return None
            value = marshal.loads(content)
            _note_use(name, found)
        except (OSError, ValueError, EOFError, TypeError):
            return None
        return value

    def put(self, key: str, value: Any) -> None:
        """Keep a value of plain data, if that is possible."""
        try:
            content = marshal.dumps(value)
        except ValueError:  # it is not plain
            return
        if len(content) > MOST_ENTRY_BYTES:
            return
        name = self._name(key)
        try:
            secret = self._secret_to_write()
            if secret is None:
                return
            os.makedirs(os.path.dirname(name), mode=0o700, exist_ok=True)
            _replace(name, _keyed(secret, name, content) + content)
            if self._written % _WRITES_BETWEEN == 0:
                self._shrink()
            self._written += 1
        except OSError:
            return

    def _name(self, key: str) -> str:
        name = digest(key)
        return os.path.join(self.path, name[:2], name[2:])

    # The secret.

    @property
    def _secret_path(self) -> str:
        return os.path.join(self.path, "key")

    def _secret_to_read(self) -> bytes | None:
        """Return the secret; None if there is none that only this user can read."""
        if self._secret is None:
            if not self.is_private():
                return None
            with open(self._secret_path, "rb") as file:
                secret = file.read(_SECRET_BYTES + 1)
            if len(secret) != _SECRET_BYTES:
                return None
            self._secret = secret
        return self._secret

    def _secret_to_write(self) -> bytes | None:
        if not os.path.exists(self._secret_path):
            os.makedirs(self.path, mode=0o700, exist_ok=True)
            made = f"{self._secret_path}.{_unique()}"
            _write_new(made, os.urandom(_SECRET_BYTES))
            try:
                os.link(
                    made, self._secret_path
                )  # fails if another process was faster: then its secret counts
            except FileExistsError:
                pass
            except OSError:  # a file system without links
                if not os.path.exists(self._secret_path):
                    os.replace(made, self._secret_path)
            if os.path.exists(made):
                os.unlink(made)
        return self._secret_to_read()

    def is_private(self) -> bool:
        """Return whether the folder and the secret are of this user, and no other one can write or read them."""
        if not hasattr(os, "geteuid"):
            return True  # profiles of users are private there
        for path, others in ((self.path, 0o022), (self._secret_path, 0o077)):
            found = os.stat(path, follow_symlinks=False)
            if found.st_uid != os.geteuid() or found.st_mode & others:
                return False
        return True

    # How much there is.

    def entries(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield the paths of all entries, and what the file system knows of them."""
        for shard in _scan(self.path):
            if shard.is_dir(follow_symlinks=False) and len(shard.name) == 2:
                for entry in _scan(shard.path):
                    try:
                        yield entry.path, entry.stat(follow_symlinks=False)
                    except OSError:
                        continue  # another process was faster

    def size(self) -> tuple[int, int]:
        """Return the number of entries and their bytes."""
        sizes = [found.st_size for _, found in self.entries()]
        return len(sizes), sum(sizes)

    def clear(self) -> tuple[int, int]:
        """Remove all entries and the secret; return their number and their bytes."""
        removed = self._remove(list(self.entries()))
        for path in [self._secret_path, *[one.path for one in _scan(self.path) if not one.is_dir()]]:
            _unlink(path)
        for shard in [*_scan(self.path)]:
            _rmdir(shard.path)
        _rmdir(self.path)
        self._secret = None
        return removed

    def _shrink(self) -> None:
        """Remove what was not used for the longest time, to three quarters of what there may be."""
        found = sorted(self.entries(), key=lambda entry: entry[1].st_mtime)
        total = sum([one.st_size for _, one in found])
        if total <= MOST_BYTES:
            return
        gone: list[tuple[str, os.stat_result]] = []
        for path, one in found:
            if total <= MOST_BYTES * 3 // 4:
                break
            gone.append((path, one))
            total -= one.st_size
        self._remove(gone)

    @staticmethod
    def _remove(entries: list[tuple[str, os.stat_result]]) -> tuple[int, int]:
        for path, _ in entries:
            _unlink(path)
        return len(entries), sum([found.st_size for _, found in entries])


def _keyed(secret: bytes, name: str, content: bytes) -> bytes:
    """Return the digest that only who knows the secret can make, over an entry and the name it is kept under."""
    made = blake2b(key=secret, digest_size=_DIGEST_BYTES)
    for part in name.rsplit(os.sep, 2)[1:]:
        made.update(part.encode())
    made.update(content)
    return made.digest()


def _note_use(name: str, found: os.stat_result) -> None:
    from time import time

    if time() - found.st_mtime > _USED:
        os.utime(name)


def _unique() -> str:
    return f"{os.getpid()}-{os.urandom(6).hex()}"


def _replace(path: str, data: bytes) -> None:
    made = f"{path}.{_unique()}"
    _write_new(made, data)
    try:
        os.replace(made, path)
    except OSError:
        _unlink(made)
        raise


def _write_new(path: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)


def _scan(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as found:
            return list(found)
    except OSError:
        return []


def _unlink(path: str) -> None:
    _quietly(os.unlink, path)


def _rmdir(path: str) -> None:
    _quietly(os.rmdir, path)


def _quietly(remove: Callable[[str], None], path: str) -> None:
    try:  # noqa: SIM105 - `contextlib` takes as long to import as all of this
        remove(path)
    except OSError:
        pass
