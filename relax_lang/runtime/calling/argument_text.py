"""Arguments as they are written on a command line: numbers, lists, shapes. [RUN.2]"""

from __future__ import annotations

import re

import numpy as np

from relax_lang.base.nested_text import NestedTooDeepError, parse_json
from relax_lang.values import RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Untyped:
    """A number, `true`, `false`, or a nested list of them; the parameter decides the dtype."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


def parse_argument(text: str, load: Callable[[str], object] | None = None) -> object:
    """Read one argument: `3`, `1.5`, `true`, `[[1, 2], [3, 4]]`, `shape:2,3`, `()`, or a file to load.

    Raises RunFailure with the slug `argument-file` for what cannot be read. [RUN.2]
    """
    text = text.strip()
    if text.startswith("shape:"):
        return _parse_shape(text)
    if text in _WORDS:
        return Untyped(_WORDS[text])
    if text == "()":
        return ()
    if text[:1] in "[-+.0123456789":
        number = _parse_json(text)
        if number is not None:
            return number
    if load is None:
        raise unreadable(text, "it is not a number, a list, `shape:…`, `true` or `false`")
    return load(text)


_WORDS = {"true": True, "false": False, "nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}


def _parse_shape(text: str) -> ShapeValue:
    sizes = [part.strip() for part in text.removeprefix("shape:").strip("() ").split(",") if part.strip()]
    for size in sizes:
        if not (size.isascii() and size.isdigit()):
            raise unreadable(text, f"`{size}` is not a size; a shape is written `shape:2,3`")
        if len(size) > 19 or int(size) >= 1 << 63:
            raise unreadable(text, f"`{size}` does not fit int64")
    return ShapeValue(tuple([int(size) for size in sizes]))


_NOT_FINITE = re.compile(r"\b(nan|inf)\b")


def _parse_json(text: str) -> Untyped | None:
    """Return a number or a list of lists; None if the text is something else, such as the name of a file."""
    if text.startswith("["):  # JSON has other words for these
        text = _NOT_FINITE.sub(lambda word: {"nan": "NaN", "inf": "Infinity"}[word[0]], text)
    try:
        value: object = parse_json(text)
    except NestedTooDeepError:
        raise unreadable(text[:40] + "…", "the list is nested too deeply") from None
    except ValueError:
        if text.startswith("["):
            raise unreadable(text, "a list is written `[[1, 2], [3, 4]]`") from None
        return _parse_number(text)
    for element in innermost(value):
        if not isinstance(element, (bool, int, float)):
            raise unreadable(text, "a list holds numbers, `true` and `false` only")
    return Untyped(value)


def _parse_number(text: str) -> Untyped | None:
    """Return a number that is written as the language does, such as `.5` or `+3`."""
    if text.strip("+-.0123456789eE_"):
        return None
    try:
        return Untyped(float(text))
    except ValueError:
        return None


def unreadable(what: str, why: str) -> RunFailure:
    """Make the failure of an argument that cannot be read. [RUN.2]"""
    return RunFailure("argument-file", f"cannot read `{what}` as an array: {why}")


def innermost(value: object) -> Iterator[object]:
    """Yield the innermost elements of nested lists. Iterative, since lists may nest deeply."""
    stack: list[object] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(item)  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield item.item() if isinstance(item, np.generic) else item
