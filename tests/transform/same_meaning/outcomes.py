"""What programs do before and after passes: values, what the host was told, kinds of failures."""

from __future__ import annotations

import operator
from ast import literal_eval
from functools import lru_cache, partial
from typing import Any, Protocol

import numpy as np

from relax_lang import api
from relax_lang.runtime.session import Session
from relax_lang.transform.catalogue import parse_passes
from relax_lang.transform.pass_manager.comparing import magnitude, same_values
from relax_lang.typed import Typed
from relax_lang.values import RunFailure
from tests.runtime.compiler.random_host import Host
from tests.runtime.compiler.random_programs import Program


class Made(Protocol):
    """A program that a generator made of a seed."""

    text: str
    max_calls: int

    def __init__(self, seed: int) -> None: ...

    def arguments(self) -> list[object]:
        """Return what `@main` is called with."""
        ...


@lru_cache(maxsize=256)
def sound_program(seed: int, kind: type[Made] = Program) -> tuple[Made, Typed] | None:
    """Return a random program, unless the checker finds that it must fail."""
    program = kind(seed)
    checked = api.check(program.text)
    return None if checked.has_errors else (program, api.typed(checked))


@lru_cache(maxsize=256)
def expected_outcome(seed: int, kind: type[Made] = Program) -> tuple[object, list[str]]:
    """Return what the interpreter makes of a sound program before any pass."""
    found = sound_program(seed, kind)
    assert found is not None
    return outcome(*found)


@lru_cache(maxsize=128)
def after_passes(seed: int, names: tuple[str, ...], kind: type[Made] = Program) -> Typed:
    """Return a sound program after passes; what several sequences begin with is done once."""
    if not names:
        found = sound_program(seed, kind)
        assert found is not None
        return found[1]
    return parse_passes(names[-1])(after_passes(seed, names[:-1], kind))


def outcome(program: Made, typed: Typed, engine: str = "interpreter") -> tuple[object, list[str]]:
    """Run a program; return its value or the kind of its failure, and what the host was told."""
    host = Host(program.text)
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
        return failure.slug, [*host.told, repr(host.plain(tuple(arguments)))]
    return ("value", host.plain(value)), [*host.told, repr(host.plain(tuple(arguments)))]


@lru_cache(maxsize=128)
def outcome_once(program: Made, typed: Typed, engine: str) -> tuple[object, list[str]]:
    """Return what `outcome` finds; several sequences of passes come to one program."""
    return outcome(program, typed, engine)


def same(expected: object, found: object, given: float = 0.0) -> bool:
    """Return whether two outcomes are the same up to the rounding of floats, and up to which check failed.

    `given` is the largest number among the arguments.
    """
    (value, told), (other, other_told) = expected, found  # pyright: ignore[reportGeneralTypeIssues]
    if isinstance(value, str) or isinstance(other, str):
        if not (isinstance(value, str) and isinstance(other, str)):
            return False
    elif not close(value, other, given):
        return False
    if len(told) != len(other_told):
        return False
    for one, two in zip(told, other_told, strict=True):
        (word, values), (other_word, other_values) = _read(one), _read(two)
        if word != other_word or not close(values, other_values, given):
            return False
    return True


def _read(told: str) -> tuple[str, object]:
    """Return what the host was told with, and what; printed text as it is."""
    word, _, values = told.partition(" ") if told[:1].isalpha() else ("", "", told)
    try:
        return word, literal_eval(values)
    except (ValueError, SyntaxError):
        return told, None


def close(left: object, right: object, given: float = 0.0) -> bool:
    """Return whether two values that `plain` made are the same up to the rounding of floats."""
    if isinstance(left, tuple | list) and isinstance(right, tuple | list):
        if len(left) == len(right) == 3 and left[0] == right[0] in ("float64", "float32", "float16"):
            one, other = _array(left), _array(right)
            return one.shape == other.shape and same_values(one, other, given)
        return len(left) == len(right) and all(close(a, b, given) for a, b in zip(left, right, strict=True))
    return left == right


def _array(value: Any) -> np.ndarray:
    name, shape, content = value
    if isinstance(content, bytes):
        return np.frombuffer(content, name).reshape(shape)
    known = content.replace("nan", "None").replace("inf", "1e999")
    return np.array(literal_eval(known), object).astype(name).reshape(shape)


def compare(
    seed: int,
    names: tuple[str, ...],
    *,
    before: tuple[str, ...] = (),
    kind: type[Made] = Program,
    engines: tuple[str, ...] = ("interpreter", "compiled"),
    defines_more: bool = False,
    rounds: bool = False,
    limited: bool = False,
) -> bool:
    """Hold a random program after passes against the same before; return whether the passes changed anything.

    Passes in `before` prepare the program. Whether the text is a program is left to `Verify`.
    With `rounds`, floats may be rounded in another way, and another check may be the one that fails.
    With `limited`, calls may be deeper or less deep than they were, and so meet the limit or not.
    With `defines_more`, what failed may do anything afterwards: failures in dataflow blocks may vanish. [X.O2]
    """
    found = sound_program(seed, kind)
    if found is None:
        return False
    program, typed = found
    expected = expected_outcome(seed, kind)
    prepared = after_passes(seed, before, kind)
    after = after_passes(seed, (*before, *names), kind)
    if after is typed:
        return False
    if not defines_more or isinstance(expected[0], tuple):
        equal = partial(same, given=magnitude(program.arguments())) if rounds else operator.eq
        for engine in engines:
            found = outcome_once(program, after, engine)
            if limited and "recursion-limit" in (expected[0], found[0]):
                continue
            if engine == "compiled" and isinstance(expected[0], str) and not equal(expected, found):
                # What fails in a dataflow block, and is not needed, is left out before any pass. [X.O2]
                expected = outcome_once(program, typed, engine)
            if not equal(expected, found):
                shown = f"seed {seed}, {', '.join(before)}; {', '.join(names)}, {engine}\n{program.text}"
                raise AssertionError(f"{shown}\n--- before\n{prepared}\n--- after\n{after}")
    return after is not prepared
