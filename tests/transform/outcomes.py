"""What programs do before and after passes: values, what the host was told, kinds of failures."""

from __future__ import annotations

from functools import lru_cache

from relax_lang import api
from relax_lang.runtime.session import Session
from relax_lang.transform.core.sequence import Sequential
from relax_lang.typed import Typed
from relax_lang.values import RunFailure
from tests.runtime.compiler.random_programs import Host, Program, plain


@lru_cache(maxsize=256)
def sound_program(seed: int) -> tuple[Program, Typed] | None:
    """Return a random program, unless the checker finds that it must fail."""
    program = Program(seed)
    checked = api.check(program.text)
    return None if checked.has_errors else (program, api.typed(checked))


@lru_cache(maxsize=256)
def expected_outcome(seed: int) -> tuple[object, list[str]]:
    """Return what the interpreter makes of a sound program before any pass."""
    found = sound_program(seed)
    assert found is not None
    return outcome(*found)


def outcome(program: Program, typed: Typed, engine: str = "interpreter") -> tuple[object, list[str]]:
    """Run a program; return its value or the kind of its failure, and what the host was told."""
    host = Host()
    session = Session(
        typed.module,
        typed.source,
        packed=host.functions,
        write=host.write,
        engine=engine,
        max_calls=program.max_calls,
        load_constant=lambda path, key: typed.source.arrays[path, key].copy(),
        proved=typed.inferred.proved if engine == "compiled" else frozenset(),
    )
    arguments = program.arguments()
    try:
        value = session.call("main", arguments)
    except RunFailure as failure:
        return failure.slug, [*host.told, repr(plain(tuple(arguments)))]
    return ("value", plain(value)), [*host.told, repr(plain(tuple(arguments)))]


def compare(seed: int, passes: Sequential, *, defines_more: bool = False) -> bool:
    """Hold a random program after passes against the same before; return whether anything changed.

    Whether the text is a program is left to `Verify`.
    With `defines_more`, what failed may do anything afterwards: failures in dataflow blocks may vanish. [X.O2]
    """
    found = sound_program(seed)
    if found is None:
        return False
    program, before = found
    expected = expected_outcome(seed)
    after = passes(before)
    shown = f"seed {seed}, {passes!r}\n{program.text}\n--- before\n{before}\n--- after\n{after}"
    if not defines_more or isinstance(expected[0], tuple):
        assert outcome(program, after) == expected, shown
        assert outcome(program, after, "compiled") == expected, shown
    return after is not before
