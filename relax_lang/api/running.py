"""Programs that run."""

from __future__ import annotations

from relax_lang.api.programs import RelaxError, check, check_sound, is_loaded
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import RelayFile, SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from relax_lang.api.programs import AnyProgram, Program
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.files.cache.kept_codes import CodeStore, ProgramCodes
    from relax_lang.runtime.interpreter.machine import Instrumentation
    from relax_lang.runtime.session import Session
    from relax_lang.syntax.tree import IRModule, PrimFunc


def run(
    program: AnyProgram,
    *arguments: object,
    entry: str = "main",
    named: Mapping[str, object] | None = None,
    packed: Mapping[str, Callable[..., object]] | None = None,
    engine: str = "compiled",
    sequential: str = "auto",
    threads: int = 0,
) -> object:
    """Run a function of a program and return its value. [RUN.1-RUN.5]

    Tensors are `numpy.ndarray`s of exactly the dtype and shape that the parameter asks for; numbers and
    lists become tensors of its dtype. Tuples are Python tuples, shapes are `relax_lang.ShapeValue`s, the
    unit is `()`. Arrays are passed as they are, so that a program that changes its arguments changes them.
    `named` are arguments by the names of their parameters, `packed` are functions for `extern` to find,
    beside those that a module was loaded with, and those registered with `register_packed_func`.
    Functions run as Python and PrimFuncs as NumPy code, or, with the engine `interpreter`, step by step and one
    element after the other; both mean the same. Loops of PrimFuncs that stay sequential are compiled by numba where it
    is installed (`sequential`: `auto`, `numpy`, `numba`). PrimFuncs compute rows of large arrays on `threads`, if they
    are apart; 0 are as many as processors for arrays of more than a million elements.

    Raises RelaxError if the program has errors, the arguments do not fit, or it fails while it runs; its
    `diagnostics` say why. Raises ValueError for an engine that does not exist and fewer threads than 0, ImportError for
    `numba` without numba.

    >>> run("def @main(x: Tensor[(n,), int32]) { x * x }", [1, 2, 3])
    array([1, 4, 9], dtype=int32)
    >>> run("def @main(x: Tensor[(), int32]) { x }")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    relax_lang.api.RelaxError: <text>:1:11: error[RLX0931 argument-missing] @main needs a value for ...
    """
    session = start(program, packed=packed, engine=engine, sequential=sequential, threads=threads)
    return run_session(session, entry, arguments, named)


def run_session(
    session: Session,
    entry: str,
    arguments: Sequence[object],
    named: Mapping[str, object] | None = None,
    convert: Callable[[object], object] | None = None,
) -> object:
    """Run a function of a program that was started, with arguments as `run` takes them. Raises RelaxError.

    `convert` makes values of arguments that are not NumPy's; it may raise RunFailure.
    """
    try:
        return session.run(entry, arguments, named, convert)
    except Exception as error:
        from relax_lang.runtime.calling.arguments import ArgumentsRefused
        from relax_lang.values import RunFailure

        if isinstance(error, ArgumentsRefused):
            failures = error.failures
        elif isinstance(error, RunFailure):
            failures = [error]
        else:
            raise
        assert session.source is not None
        raise RelaxError(session.source, [session.diagnose(failure) for failure in failures]) from None


def start(  # noqa: PLR0913 - what a program can be given
    program: AnyProgram,
    *,
    packed: Mapping[str, Callable[..., object]] | None = None,
    engine: str = "compiled",
    write: Callable[[str], object] | None = None,
    max_bytes: int | None = None,
    watch: Instrumentation | None = None,
    strict_effects: bool = False,
    keep_code: bool = False,
    sequential: str = "auto",
    threads: int = 0,
) -> Session:
    """Make a program ready to be run any number of times. [RUN.3]

    `packed`, `engine`, `sequential` and `threads` are those of `run`; programs in Relay have the engine `relay`, too.
    `write` gets what the program prints, standard output if it is not given. `max_bytes` bounds what is allocated in
    one piece. `watch` is told of every binding, see `relax_lang.runtime.instrument`. With `strict_effects` packed
    functions are held to what their calls promise. With `keep_code` the code of PrimFuncs, and the normal form of
    a program that was read from a file, are kept in the user's cache folder and taken from there (docs/security.md).
    Raises RelaxError if the program has errors, ValueError for an engine that does not exist. The session's `call`
    takes values as they are, one for each parameter, and raises `relax_lang.values.RunFailure`, which `diagnose`
    turns into a diagnostic.

    >>> session = start("def @twice(x: Tensor[(), int32]) { x + x }")
    >>> session.entries()
    ['twice']
    """
    if engine == "relay" and isinstance(program, RelayFile):
        from relax_lang.api.relay import start_relay  # only for programs in Relay

        checked = check_sound(program)
        return start_relay(program, checked, packed=packed, write=write, max_bytes=max_bytes)
    if is_loaded(program):
        packed = {**program.__relax_packed__(), **(packed or {})}
    source, normal, proved, key = _sound(program, keep=keep_code)
    from relax_lang.files.arrays.constants import constant_readers
    from relax_lang.runtime.session import (
        SMALLEST_LIMIT,
        Session,
    )  # imports NumPy, after the errors of the program
    from relax_lang.runtime.values.tensors import DEFAULT_MAX_BYTES

    most = DEFAULT_MAX_BYTES if max_bytes is None else max_bytes
    load_constant, constant_header = constant_readers(source, most)
    with deep_recursion():
        on = None
        if engine == "compiled" and watch is None and not strict_effects and most >= SMALLEST_LIMIT:
            from relax_lang.vm.machine.lowered import on_machine

            on = on_machine(normal, source, load_constant)
        kept, forms = _kept_code(normal, key) if keep_code and engine == "compiled" else (None, None)
        return Session(
            normal,
            source,
            packed=packed,
            program=on,
            load_constant=load_constant,
            constant_header=constant_header,
            write=write,
            engine=engine,
            max_bytes=most,
            watch=watch,
            strict_effects=strict_effects,
            proved=proved,
            kept_code=kept,
            forms=forms,
            sequential=sequential,
            threads=threads,
        )


def _sound(program: AnyProgram, *, keep: bool) -> tuple[SourceFile, IRModule, Collection[Node], str | None]:
    """Return the text, the normal form, the checks that cannot fail, and what all that is kept under, if it is.

    Raises RelaxError for errors.
    """
    store = key = None
    if keep and type(program) is SourceFile:
        from relax_lang.files.cache.kept_programs import program_store

        store = program_store()
        key = store.key(program) if store is not None else None
        if store is not None and key is not None:
            with no_collection():
                known = store.get(key)
            if known is not None:
                return program, *known, key
    checked = check_sound(program)
    proved = checked.inferred.proved
    if store is not None and key is not None:
        store.put(key, checked.source, checked.normal, proved)
    return checked.source, checked.normal, proved, key


def _kept_code(
    module: IRModule, key: str | None
) -> tuple[CodeStore | ProgramCodes | None, dict[PrimFunc, str] | None]:
    """Return where the code of PrimFuncs is kept, and what each of them is kept under, if the program is kept."""
    from relax_lang.files.cache.kept_codes import ProgramCodes, code_store
    from relax_lang.syntax import tree

    prim_funcs = [item for item in module.items if isinstance(item, tree.PrimFunc)]
    if key is None or len(prim_funcs) < 2:
        return code_store(), None
    codes = ProgramCodes(key)
    if len(codes.forms) != len(prim_funcs):
        from relax_lang.tir.compile import form_of

        codes.expect([form_of(one) for one in prim_funcs])
    return codes, dict(zip(prim_funcs, codes.forms, strict=True))


def test(program: Program) -> list[Diagnostic]:
    """Compare a program with the expectations in its comments; return what differs, in order.

    >>> test("def @f() { y }  # error: undefined-variable")
    []
    >>> [one.slug for one in test("def @f() { y }")]
    ['unexpected-finding']
    """
    from relax_lang.runtime.expectation_tests import differences

    checked = check(program, lints=["all"])
    return differences(checked, lambda write: start(checked, write=write))
