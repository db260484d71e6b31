"""The arguments of `relax run`: from words and files on the command line to what the runtime binds. [RUN.2]"""

from __future__ import annotations

import os
import sys

from relax_lang.check.diagnostics import toolchain as diag

from .options import Refused, memory_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.files.arrays.array_files import Array
    from relax_lang.runtime.calling.arguments import Given

    from .options import RunOptions


def given_arguments(options: RunOptions) -> Given:
    """Collect what was given on the command line; reads the files. Raises ArgumentsRefused. [RUN.2]"""
    from relax_lang.runtime.calling.arguments import ArgumentsRefused, Given
    from relax_lang.values import RunFailure

    failures: list[RunFailure] = []

    def read(word: str) -> object:
        from relax_lang.runtime.calling.argument_text import (
            parse_argument,
        )  # random arguments need none of it

        most = _most_bytes(options)
        try:
            return parse_argument(word, lambda path: _load(path, most))
        except RunFailure as failure:
            failures.append(failure)
            return None

    in_order = [read(word) for word in options.args]
    named = {name: read(word) for name, word in named_words(options).items()}
    archive: dict[str, object] = {}
    if options.npz:
        from relax_lang.files.arrays import array_files as arrays
        from relax_lang.runtime.calling.argument_text import unreadable

        try:
            archive.update(_archive(options.npz, _most_bytes(options)))
        except (OSError, arrays.ArrayFileError) as error:
            failures.append(unreadable(options.npz, arrays.why_unreadable(error)))
    if failures:
        raise ArgumentsRefused(failures)
    return Given(in_order, named, archive, dimensions(options), options.random)


def _most_bytes(options: RunOptions) -> int:
    from relax_lang.files.arrays import array_files as arrays

    return memory_limit(options) or arrays.MAX_BYTES


def _archive(path: str, max_bytes: int) -> dict[str, Array]:
    """Load all arrays of an archive; `-` is a `.npz` on standard input."""
    from relax_lang.files.arrays import array_files as arrays

    if path != "-":
        return arrays.load_archive(path, max_bytes)
    from io import BytesIO

    return arrays.load_archive(BytesIO(arrays.read_limited(sys.stdin.buffer, max_bytes)), max_bytes)


def _load(word: str, max_bytes: int) -> object:
    """Load an argument from `x.npy`, an archive that holds one array, or `x.npz:name`, `x.safetensors:name`."""
    from relax_lang.files.arrays import array_files as arrays
    from relax_lang.runtime.calling.argument_text import unreadable

    path, key = word, None
    if (".npz:" in word or ".safetensors:" in word) and not os.path.exists(word):
        path, _, key = word.rpartition(":")
    try:
        return arrays.load(path, key, max_bytes)
    except (OSError, arrays.ArrayFileError, arrays.NoSuchArrayError) as error:
        raise unreadable(word, arrays.why_unreadable(error)) from error


def named_words(options: RunOptions) -> dict[str, str]:
    """Return what `--arg` gives, by name; fields of tuples under names such as `t[0]`. Raises Refused."""
    named: dict[str, str] = {}
    for word in options.arg:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise Refused(diag.usage(f"`--arg` takes a name and a value, such as `x=x.npy`, not `{word}`"))
        name = name.replace(" ", "")
        if name in named:
            raise Refused(diag.usage(f"`--arg` gives `{name}` twice"))
        named[name] = value
    return named


def dimensions(options: RunOptions) -> dict[str, int]:
    """Return what `--dim` gives. Raises Refused."""
    dims: dict[str, int] = {}
    for word in options.dim:
        name, _, size = word.partition("=")
        if not (name and size.isascii() and size.isdigit()):
            raise Refused(diag.usage(f"`--dim` takes a name and a size, such as `n=4`, not `{word}`"))
        if len(size) > 19 or int(size) >= 1 << 63:
            raise Refused(diag.usage(f"`--dim` takes sizes that fit int64, not `{word}`"))
        name = name.strip()
        if name in dims:
            raise Refused(diag.usage(f"`--dim` gives `{name}` twice"))
        dims[name] = int(size)
    return dims
