"""Operators on random numbers: Threefry with four words of 64 bits and 20 rounds, as TVM's operators use it. [R.33]

A key is ten words: four of a key proper, two of a path, two of a counter of which the second counts, and two for the
place of the next step of the path. What is drawn depends on the key alone. The generator is that of J. K. Salmon and
others, "Parallel random numbers: as easy as 1, 2, 3" (2011), without its last addition of the key: TVM leaves it out.
"""

from __future__ import annotations

from math import pi, prod

from relax_lang.relay.operators.core import NotLowered, Refused, declare
from relax_lang.relay.operators.dims import cast, differ, ints, ranked, reshaped
from relax_lang.relay.operators.relations import by_lowering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Emitter, Value

_ROTATIONS = ((14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32))
_PARITY = 0x1BD11BDAA9FC1A22
_FRACTIONS = {"float32": 23, "float64": 52}
"""The bits of a number that are drawn, by dtype."""


def _hashed(key: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return lines of a PrimFunc that hash the counter in four places of a buffer with a key, in these places."""
    keys = [*key, "parity"]
    lines = [f"let parity = cast({_PARITY}, uint64) ^ {' ^ '.join(key)};"]
    at = list(words)
    for turn in range(20):
        if turn % 4 == 0:
            step = turn // 4
            lines += [f"{at[place]} = {at[place]} + {keys[(step + place) % 5]};" for place in range(4)]
            lines += [f"{at[3]} = {at[3]} + cast({step}, uint64);"] if step else []
        for one, other, bits in ((*at[:2], _ROTATIONS[turn % 8][0]), (*at[2:], _ROTATIONS[turn % 8][1])):
            lines += [
                f"{one} = {one} + {other};",
                f"{other} = {one} ^ ({other} << {bits} | {other} >> {64 - bits});",
            ]
        at[1], at[3] = at[3], at[1]
    return lines


def _state_text(count: int) -> str:
    """Return the PrimFunc that gives the key that `count` numbers are drawn with.

    It is the key itself while its counter has room, then that of the next step of the path, then one that is hashed.
    """
    words = [f"State[{place}]" for place in range(4)]
    hashed = _hashed([f"Key[{place}]" for place in range(4)], words)
    body = [
        "let none = cast(0, uint64);",
        "let one = cast(1, uint64);",
        f"if Key[7] < none - one - cast({count}, uint64) {{",
        *[f"  State[{n}] = Key[{n}];" for n in range(10)],
        "} else {",
        *[f"  State[{n}] = none;" for n in (6, 7)],
        "  if Key[8] == none && Key[9] == none {",
        *[f"    {word} = none - one;" for word in words],
        *[f"    {line}" for line in hashed],
        *[f"    State[{n}] = none;" for n in (4, 5, 9)],
        "    State[8] = one << 63;",
        "  } else {",
        *[f"    State[{n}] = Key[{n}];" for n in range(4)],
        *[f"    State[{n}] = Key[{n}] | Key[{n + 4}];" for n in (4, 5)],
        "    State[8] = select(Key[8] == one, none, Key[8] >> 1);",
        "    State[9] = select(Key[8] == one, one << 63, select(Key[8] == none, Key[9] >> 1, none));",
        "  }",
        "}",
    ]
    return _prim_func("threefry_state", "Key: Buffer[(10,), uint64], State: Buffer[(10,), uint64]", "", body)


def _bits_text() -> str:
    """Return the PrimFunc that draws four words for each count of a key."""
    words = [f"Y[i, {place}]" for place in range(4)]
    body = [f"{word} = State[{place + 4}] + cast(i, uint64);" for place, word in enumerate(words)]
    body += _hashed([f"State[{place}]" for place in range(4)], words)
    return _prim_func(
        "threefry_bits", "State: Buffer[(10,), uint64], Y: Buffer[(n, 4), uint64]", "i in 0..n", body
    )


def _prim_func(name: str, params: str, loop: str, body: list[str]) -> str:
    lines = [f"for {loop} {{", *body, "}"] if loop else body
    return "\n".join([f"private prim_func @{name}({params}) {{", *lines, "}", ""])


def _drawn(to: Emitter, key: Value, shape: Sequence[int]) -> tuple[Value, Value]:
    """Return the key after a draw, and words of 64 random bits in a shape."""
    (length,) = ranked(to, key, 1, "key", 0)
    if differ(length, 10) or to.dtype(key) != "uint64":
        raise Refused("`key` has to be ten words: Tensor[(10), uint64]", argument=0)
    count = prod(shape)
    if count % 4 or min(shape, default=0) < 0:
        message = f"numbers are drawn by fours, and `out_shape` is of {count}"
        raise Refused(message, attribute="out_shape", rule="attribute_value")
    state = to.prim_func(_state_text(count), [key], [([10], "uint64")])
    bits = to.prim_func(_bits_text(), [state], [([count // 4, 4], "uint64")])
    more = to.const([0] * 7 + [count, 0, 0], "uint64")
    kept = to.const([1] * 6 + [0] + [1] * 3, "uint64")  # the other word of the counter is not used
    return to.call("add", to.call("multiply", state, kept), more), reshaped(to, bits, shape)


def _generate(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.fields(_drawn(to, args[0], ints(attrs["out_shape"])))


def _standard(to: Emitter, key: Value, shape: Sequence[int], dtype: str) -> tuple[Value, Value]:
    """Return the key after a draw, and numbers from 0 up to 1."""
    if dtype not in _FRACTIONS:
        raise NotLowered(f"random numbers of {dtype}")
    after, bits = _drawn(to, key, shape)
    kept = to.call("right_shift", bits, to.const(64 - _FRACTIONS[dtype], "uint64"))
    numbers = to.call("divide", cast(to, kept, dtype), to.const(float(1 << _FRACTIONS[dtype]), dtype))
    return after, numbers


def _uniform(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """Numbers from `low` up to `high`."""
    key, low, high = args
    after, numbers = _standard(to, key, ints(attrs["out_shape"]), attrs["out_dtype"] or "float32")
    return to.fields(
        [after, to.call("add", to.call("multiply", numbers, to.call("subtract", high, low)), low)]
    )


def _normal(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """Numbers around `mean`, made of two uniform ones each, after Box and Muller."""
    key, mean, scale = args
    shape, dtype = ints(attrs["out_shape"]), attrs["out_dtype"] or "float32"
    after, numbers = _standard(to, key, [2, *shape], dtype)
    halves = to.call("split", numbers, indices_or_sections=2, axis=0)
    radius, angle = [reshaped(to, to.field(halves, index), shape) for index in (0, 1)]
    radius = to.call("log", to.call("subtract", to.const(1.0, dtype), radius))
    radius = to.call("sqrt", to.call("multiply", radius, to.const(-2.0, dtype)))
    wave = to.call("cos", to.call("multiply", angle, to.const(2 * pi, dtype)))
    found = to.call("multiply", to.call("multiply", radius, wave), scale)
    return to.fields([after, to.call("add", found, mean)])


declare(
    "random.uniform",
    "key low high",
    'out_shape: ints, out_dtype: str = ""',
    relation=by_lowering,
    lower=_uniform,
)
declare(
    "random.normal",
    "key mean scale",
    'out_shape: ints, out_dtype: str = ""',
    relation=by_lowering,
    lower=_normal,
)
declare("random.threefry_generate", "key", "out_shape: ints", relation=by_lowering, lower=_generate)
