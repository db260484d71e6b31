"""Packed functions that misbehave, for the programs of this folder that name this file."""

from typing import Any

from relax_lang import register_packed_func


@register_packed_func("bad.refuse")
def refuse(_: object) -> object:
    """Raise an exception, as a packed function may by mistake."""
    raise ValueError("this number is not welcome here")


@register_packed_func("bad.list")
def as_list(_: object) -> object:
    """Return something that the language has no value for."""
    return [1, 2, 3]


@register_packed_func("bad.interrupt")
def interrupt() -> None:
    """Do what Ctrl-C does."""
    raise KeyboardInterrupt


@register_packed_func("bad.increment")
def increment(x: Any, result: Any) -> None:
    """Write into the argument as well as into the result."""
    x += 1
    result[...] = x


@register_packed_func("bad.forgets")
def forgets(_: object, __: object) -> None:
    """Write nothing into the result."""
