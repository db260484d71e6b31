"""Packed functions that misbehave, for extern-failed.rlx and unsupported-packed-result.rlx."""

from relax_lang import register_packed_func


@register_packed_func("bad.refuse")
def refuse(_: object) -> object:
    """Raise an exception, as a packed function may by mistake."""
    raise ValueError("this number is not welcome here")


@register_packed_func("bad.list")
def as_list(_: object) -> object:
    """Return something that the language has no value for."""
    return [1, 2, 3]
