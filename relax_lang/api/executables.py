"""Executables: programs that are built once and run without their source."""

from __future__ import annotations

from os import fspath

from relax_lang.api.programs import RelaxError, check_sound
from relax_lang.base.diagnostic import Diagnostic
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from relax_lang.api.programs import AnyProgram
    from relax_lang.runtime.interpreter.machine import Instrumentation
    from relax_lang.runtime.session import Session
    from relax_lang.vm.executable import Executable


def build(program: AnyProgram) -> Executable:
    """Return the executable of a program: code for the virtual machine, with all constants. Raises RelaxError.

    >>> print(build("def @main(x: Tensor[(n,), float32]) { exp(x) }").stats(), end="")
    functions: @main
    PrimFuncs: 0, operators: 1, builtins: 2
    constants: 0 (0 bytes of tensors)
    instructions: 3 Call, 1 Ret
    """
    from relax_lang.files.arrays.array_files import MAX_BYTES
    from relax_lang.files.arrays.constants import constant_loader
    from relax_lang.runtime.failures import to_diagnostic
    from relax_lang.values import RunFailure
    from relax_lang.vm.compiler.codegen import generate

    checked = check_sound(program)
    source = checked.source
    with deep_recursion():
        try:
            return generate(
                checked.normal, source, constant_loader(source, MAX_BYTES), checked.inferred.proved
            )
        except RunFailure as failure:  # a constant that cannot be read
            raise RelaxError(source, [to_diagnostic(failure, source)]) from None


def read_executable(path: str | PathLike[str], *, keep_code: bool = False) -> Executable:
    """Read an executable; everything in it is verified. Raises RelaxError for a file that is none.

    With `keep_code` what was found of the same file is kept in the user's cache folder, and taken from there.

    >>> read_executable("none.rlxe")
    Traceback (most recent call last):
      ...
    relax_lang.api.RelaxError: none.rlxe: error[RLX0001 file-not-found] there is no file `none.rlxe`
    """
    from relax_lang.files import executables
    from relax_lang.files.cache.kept_codes import code_store

    path = fspath(path)
    with deep_recursion():
        found = executables.read_executable(path, code_store() if keep_code else None)
    if isinstance(found, Diagnostic):
        raise RelaxError(SourceFile("", path), [found])
    return found


def write_executable(path: str | PathLike[str], executable: Executable, *, keep_code: bool = False) -> None:
    """Write an executable into a file, in one step. Raises RelaxError if that is not possible.

    With `keep_code` its PrimFuncs are compiled at once and kept in the user's cache folder, for the first run.
    """
    from relax_lang.files import executables
    from relax_lang.files.cache.kept_codes import code_store

    path = fspath(path)
    with deep_recursion():
        problem = executables.write_executable(path, executable, code_store() if keep_code else None)
    if problem is not None:
        raise RelaxError(SourceFile("", path), [problem])


def start_executable(
    executable: Executable,
    *,
    packed: Mapping[str, Callable[..., object]] | None = None,
    write: Callable[[str], object] | None = None,
    max_bytes: int | None = None,
    keep_code: bool = False,
    mode: str = "loop",
    watch: Instrumentation | None = None,
) -> Session:
    """Make an executable ready to be run any number of times; see `start`.

    With the mode `generated` Python is generated from the code of a function when it is first called: that takes longer
    once, and less for each call. Raises ValueError for another mode. `watch` is told of bindings, as with `start`.

    >>> import numpy as np
    >>> start_executable(build("def @main(x: Tensor[(), int32]) { x + x }")).call("main", [np.array(2, np.int32)])
    array(4, dtype=int32)
    """
    from relax_lang.files.cache.kept_codes import code_store
    from relax_lang.vm.machine.virtual_machine import session_of

    with deep_recursion():
        return session_of(
            executable,
            packed=packed,
            write=write,
            max_bytes=max_bytes,
            kept_code=code_store() if keep_code else None,
            mode=mode,
            watch=watch,
        )
