"""Which projects may have their Python code run: a list in the user's own configuration. See docs/security.md.

Settings can name Python files: operators under `plugins`, functions under `packed`. They arrive with a clone, an
archive or a pull, so none of them runs before the user has agreed, in one of three ways: `relax trust FOLDER`, the
option `--trust`, or the environment variable `RELAX_TRUST`.

The list remembers a folder together with a fingerprint of the code. The fingerprint covers every file that an import
from one of the named files can find beside or below it, not only the named files: otherwise a changed helper, or a
new file with the name of a module that the code imports, would run unnoticed. Byte code in `__pycache__` is neither
covered nor read; see `use_private_byte_code`.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relax_lang.base.diagnostic import Diagnostic

VARIABLE = "RELAX_TRUST"
"""`1` trusts every folder; otherwise folders, separated as in PATH: these and all below them are trusted."""

ALLOWED = "allowed"
NOT_TRUSTED = "not trusted"
CHANGED = "changed"

MAX_FILES = 2_000
MAX_BYTES = 64 << 20
"""More code than this has no fingerprint; `relax trust --any-version` and RELAX_TRUST work all the same."""

_SUFFIXES = (".py", ".pyc", ".pyd", ".so")
_ANY_VERSION = "any version"


class TooMuchCodeError(Exception):
    """The Python files beside and below the named ones are too many, or too large, for a fingerprint."""


def verdict(folder: str, names: Sequence[str], *, this_run: bool = False) -> str:
    """Return whether the files `names`, relative to `folder`, may run: ALLOWED, NOT_TRUSTED or CHANGED.

    `this_run` is the option `--trust`.
    """
    if this_run or is_trusted_by_environment(folder):
        return ALLOWED
    known = trusted_folders().get(os.path.realpath(folder))
    if known is None:
        return NOT_TRUSTED
    if known == _ANY_VERSION:
        return ALLOWED
    try:
        return ALLOWED if known == fingerprint(folder, names) else CHANGED
    except (OSError, TooMuchCodeError):
        return CHANGED


def is_trusted_by_environment(folder: str) -> bool:
    """Return whether RELAX_TRUST names a folder, one above it, or all."""
    given = os.environ.get(VARIABLE, "")
    if given in ("", "0"):
        return False
    if given == "1":
        return True
    here = os.path.realpath(folder)
    allowed = [os.path.realpath(one) for one in given.split(os.pathsep) if one]
    return any(here == one or here.startswith(one.rstrip(os.sep) + os.sep) for one in allowed)


def list_path() -> str:
    """Return the path of the list of trusted folders."""
    base = os.environ.get("APPDATA", "") if os.name == "nt" else os.environ.get("XDG_CONFIG_HOME", "")
    return os.path.join(base or os.path.join(os.path.expanduser("~"), ".config"), "relax", "trusted.json")


def trusted_folders() -> dict[str, str]:
    """Return the trusted folders, each with its fingerprint; none if the list is missing, damaged or not the user's."""
    from relax_lang.base.nested_text import parse_json

    path = list_path()
    try:
        with open(path, encoding="utf-8") as file:
            if not is_own(os.fstat(file.fileno())):
                return {}
            data = parse_json(file.read())
    except (OSError, ValueError):
        return {}
    folders = data.get("folders") if isinstance(data, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(folders, dict):
        return {}
    return {str(key): str(value) for key, value in folders.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def remember(folder: str, names: Sequence[str], *, any_version: bool = False) -> Diagnostic | None:
    """Add a folder to the list, with the code as it is now or in any version; return why that failed, or None.

    Raises OSError if a file cannot be read, and TooMuchCodeError.
    """
    mark = _ANY_VERSION if any_version else fingerprint(folder, names)
    return _store({**trusted_folders(), os.path.realpath(folder): mark})


def forget(folder: str) -> tuple[bool, Diagnostic | None]:
    """Take a folder off the list. Return whether it was on it, and why the list could not be written, or None."""
    folders = trusted_folders()
    if folders.pop(os.path.realpath(folder), None) is None:
        return False, None
    return True, _store(folders)


def _store(folders: dict[str, str]) -> Diagnostic | None:
    import json

    from relax_lang.files.diagnostics import cannot_write
    from relax_lang.files.programs import reason, write

    path = list_path()
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    except OSError as error:
        return cannot_write(path, reason(error))
    return write(path, json.dumps({"folders": folders}, indent=2, sort_keys=True) + "\n", create=True)


def fingerprint(folder: str, names: Sequence[str]) -> str:
    """Return the SHA-256 of all that the files `names` of a folder could run: names and contents.

    Raises OSError if a file cannot be read, and TooMuchCodeError.
    """
    from hashlib import sha256

    paths = {os.path.realpath(os.path.join(folder, name)) for name in names}
    found: dict[str, int] = {}
    for path in sorted(paths):
        found[path] = os.stat(path).st_size if os.path.exists(path) else 0
    for parent in sorted({os.path.dirname(path) for path in paths}):
        for path, size in _importable(parent):
            found[path] = size
            if len(found) > MAX_FILES or sum(found.values()) > MAX_BYTES:
                raise TooMuchCodeError
    digest = sha256()
    for path in sorted(found):
        content = b""
        if os.path.exists(path):
            with open(path, "rb") as file:
                content = file.read(MAX_BYTES + 1)
        digest.update(f"{os.path.relpath(path, os.path.realpath(folder))}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _importable(folder: str) -> Iterator[tuple[str, int]]:
    """Yield path and size of every file in a folder that an `import` can load, and of those in folders below it."""
    pending = [folder]
    n_folders = 0
    while pending:
        n_folders += 1
        if n_folders > MAX_FILES:
            raise TooMuchCodeError
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    # A folder with another name cannot be imported; a link could lead around in a circle.
                    if entry.name.isidentifier() and entry.name != "__pycache__":
                        if entry.is_symlink():
                            raise TooMuchCodeError
                        pending.append(entry.path)
                elif entry.name.endswith(_SUFFIXES):
                    yield entry.path, entry.stat().st_size


def use_private_byte_code() -> None:
    """Let Python read and write byte code in the user's own cache only, from now on in this process.

    A `__pycache__` that came with the code could hold anything: Python may run it without looking at the source.
    """
    base = os.environ.get("XDG_CACHE_HOME", "") or os.path.join(os.path.expanduser("~"), ".cache")
    sys.pycache_prefix = os.path.join(base, "relax", "pycache")


def is_own(found: os.stat_result) -> bool:
    """Return whether a file belongs to the user, or to the superuser. Systems without owners always say yes."""
    if not hasattr(os, "geteuid"):
        return True
    own = {0, os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdigit():
        own.add(int(os.environ["SUDO_UID"]))
    return found.st_uid in own
