"""Numbers as Relay writes them: the suffix decides the dtype. [R.11]"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Number: TypeAlias = bool | int | float

_NUMBER = re.compile(r"(\d+)(\.\d+)?([eE][+-]?\d+)?([A-Za-z_]\w*)?|(inf|nan)(\w*)")
_INTS = {"": 32, "i16": 16, "i32": 32, "i64": 64}
_FLOATS = {"f": "float32", "f16": "float16", "f32": "float32", "f64": "float64"}


class Literal:
    """What a number means: its value and dtype, and what is wrong with it, if anything is."""

    __slots__ = ("dtype", "instead", "problem", "value")

    def __init__(self, value: Number, dtype: str, problem: str = "", instead: str = "") -> None:
        self.value = value
        self.dtype = dtype
        self.problem = problem
        self.instead = instead


def read_number(text: str, *, bare_fractions: bool = False) -> Literal:
    """Read a number without a sign. `bare_fractions` is whether `1.5` may be written without `f`, as in attributes."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return Literal(0, "int32", f"`{text}` is not a number")
    whole, fraction, exponent, suffix, word, word_suffix = found.groups()
    if word is not None:
        dtype = _FLOATS.get(word_suffix)
        return Literal(float(word), dtype or "float32", "" if dtype else f"`{text}` is not a number")
    suffix = suffix or ""
    if suffix in _FLOATS:
        digits = text.removesuffix(suffix)
        return Literal(float(digits), _FLOATS[suffix])
    if fraction or exponent:
        value = float(text.removesuffix(suffix))
        if suffix:
            return Literal(value, "float32", *_unknown_suffix(text, suffix))
        if bare_fractions:
            return Literal(value, "float32")
        return Literal(value, "float32", f"a fraction needs a suffix with its width: `{text}f`", f"{text}f")
    if len(whole) > 40:
        return Literal(0, "int64", "this number does not fit int64")
    return _integer(text, int(whole), suffix)


def _integer(text: str, value: int, suffix: str) -> Literal:
    if suffix not in _INTS:
        return Literal(value, "int32", *_unknown_suffix(text, suffix))
    bits = _INTS[suffix]
    if not suffix and value > (1 << 31) - 1:
        bits = 64
    # The sign is not known here: the smallest number is written with the largest one's successor.
    if value > 1 << (bits - 1):
        return Literal(0, f"int{bits}", f"{value} does not fit int{bits}")
    return Literal(value, f"int{bits}")


def _unknown_suffix(text: str, suffix: str) -> tuple[str, str]:
    digits = text.removesuffix(suffix)
    kinds = {"i": "int", "u": "uint", "f": "float", "b": "bfloat"}
    width = suffix[1:]
    if suffix[0] in kinds and width.isdigit():
        dtype = kinds[suffix[0]] + width
        number = f"{digits}f" if "." in digits else digits
        return (
            f"there is no suffix `{suffix}`; the suffixes are i16, i32, i64, f, f16, f32 and f64",
            f'cast({number}, dtype="{dtype}")',
        )
    return f"there is no suffix `{suffix}`; the suffixes are i16, i32, i64, f, f16, f32 and f64", ""
