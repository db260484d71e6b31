"""Random numbers: those of Threefry, computed here word by word, the same on every engine. [R.33]"""

# ruff: noqa: E501 - programs

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.source import RelayFile
from tests.relay.support import checked

MOST = (1 << 64) - 1
ROTATIONS = ((14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32))
FRESH = [3, 1, 4, 1, 0, 0, 0, 0, 1 << 63, 0]
ENGINES = ("relay", "compiled", "interpreter")


def threefry(key: list[int], counter: list[int], *, whole: bool = False) -> list[int]:
    """Four words; `whole` is the generator as it is published, with a last addition of the key."""
    keys = [*key, 0x1BD11BDAA9FC1A22]
    for word in key:
        keys[4] ^= word
    state = [word & MOST for word in counter]

    def add_key(step: int) -> None:
        for place in range(4):
            state[place] = (state[place] + keys[(step + place) % 5] + (step if place == 3 else 0)) & MOST

    for turn in range(20):
        if turn % 4 == 0:
            add_key(turn // 4)
        for one, bits in zip((0, 2), ROTATIONS[turn % 8], strict=True):
            other = one + 1
            state[one] = (state[one] + state[other]) & MOST
            state[other] = ((state[other] << bits | state[other] >> (64 - bits)) & MOST) ^ state[one]
        state[1], state[3] = state[3], state[1]
    if whole:
        add_key(5)
    return state


def drawn(key: list[int], count: int) -> tuple[list[int], list[int]]:
    """The key after a draw, and the words."""
    if key[7] < MOST - count:
        state = list(key)
    elif key[8] == key[9] == 0:
        state = [*threefry(key[:4], [MOST] * 4), 0, 0, 0, 0, 1 << 63, 0]
    else:
        place = ((key[8] << 64) | key[9]) >> 1
        state = [*key[:4], key[4] | key[8], key[5] | key[9], 0, 0, place >> 64, place & MOST]
    words = [
        word for at in range(count // 4) for word in threefry(state[:4], [one + at for one in state[4:8]])
    ]
    return [*state[:6], 0, state[7] + count, *state[8:]], words


def run(call: str, key: list[int], engine: str, *more: float) -> tuple[np.ndarray, np.ndarray]:
    params = "".join([f", %{name}: float32" for name, _ in zip("ab", more, strict=False)])
    text = f"def @main(%k: Tensor[(10), uint64]{params}) {{ {call} }}"
    assert [str(one) for one in checked(text).diagnostics] == []
    args = (np.array(key, np.uint64), *[np.float32(one) for one in more])
    return api.run_session(api.start(RelayFile(text), engine=engine), "main", args)


def test_the_generator_here_is_the_published_one():
    """Its known answer for a key and a counter of zeros."""
    words = [0x09218EBDE6C85537, 0x55941F5266D86105, 0x4BD25E16282434DC, 0xEE29EC846BD2E40B]
    assert threefry([0] * 4, [0] * 4, whole=True) == words


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "key",
    [
        [0] * 8 + [1 << 63, 0],
        FRESH,
        [*FRESH[:7], 1000, *FRESH[8:]],
        [*FRESH[:7], MOST - 20, *FRESH[8:]],
        [*FRESH[:7], MOST - 9, *FRESH[8:]],
        [*FRESH[:7], MOST, 1, 0],
        [*FRESH[:7], MOST, 0, 1 << 40],
        [*FRESH[:7], MOST, 0, 0],
    ],
)
def test_R_33_words_are_those_of_threefry(key, engine):
    after, words = run("random.threefry_generate(%k, out_shape=[2, 2, 4])", key, engine)
    expected = drawn(key, 16)
    assert [int(one) for one in after] == expected[0]
    assert [int(one) for one in words.ravel()] == expected[1]
    assert (words.shape, words.dtype) == ((2, 2, 4), np.uint64)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("dtype", "bits"), [("float32", 23), ("float64", 52)])
def test_R_33_uniform_numbers(dtype, bits, engine):
    call = f'random.uniform(%k, cast(%a, dtype="{dtype}"), cast(%b, dtype="{dtype}"), out_shape=[3, 4], out_dtype="{dtype}")'
    after, found = run(call, FRESH, engine, -2.0, 6.0)
    words = np.array(drawn(FRESH, 12)[1], np.uint64).reshape(3, 4)
    share = (words >> np.uint64(64 - bits)).astype(dtype) / np.dtype(dtype).type(2**bits)
    np.testing.assert_allclose(found, share * 8 - 2, rtol=1e-6)
    assert (found.dtype, int(after[7])) == (dtype, 12)


@pytest.mark.parametrize("engine", ENGINES)
def test_R_33_normal_numbers(engine):
    after, found = run("random.normal(%k, %a, %b, out_shape=[500, 4])", FRESH, engine, 5.0, 2.0)
    words = np.array(drawn(FRESH, 4000)[1], np.uint64).reshape(2, 500, 4)
    one, other = (words >> np.uint64(41)).astype(np.float32) / np.float32(2**23)
    expected = np.sqrt(-2 * np.log(1 - one)) * np.cos(2 * np.pi * other) * 2 + 5
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
    assert abs(found.mean() - 5) < 0.2
    assert abs(found.std() - 2) < 0.2
    assert int(after[7]) == 4000


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("random.uniform(%k, 0f, 1f, out_shape=[2, 3])", "by fours, and `out_shape` is of 6"),
        ("random.normal(%x, 0f, 1f, out_shape=[4])", "`key` has to be ten words"),
        ('random.uniform(%k, 0f, 1f, out_shape=[4], out_dtype="float16")', "random numbers of float16"),
    ],
)
def test_R_33_what_cannot_be_drawn(call, words):
    (found,) = checked(
        f"def @main(%k: Tensor[(10), uint64], %x: Tensor[(9), uint64]) {{ {call} }}"
    ).diagnostics
    assert words in found.message
