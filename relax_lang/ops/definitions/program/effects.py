"""Output, assertions, devices, and the null object."""

from __future__ import annotations

import sys

from relax_lang.base.python.output import put
from relax_lang.ops.core.errors import OpError
from relax_lang.ops.core.operator import Family
from relax_lang.ops.shape_rules.shared import fixed, unary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

family = Family(__name__, "Output, assertions, devices")


@family.operator(
    "print",
    "*vals: any",
    'format: str = ""',
    infer=fixed.unit,
    pure=False,
    example='print(const([1, 2]), format="x = {}")',
)
def print_(*vals: Any, **options: str) -> tuple[()]:
    """Write values to the standard output and return the unit.

    Without a format they are written on one line, separated by blanks; else each `{}` of the format is replaced by
    one.
    """
    from relax_lang.ops.attribute_syntax.format_string import (
        written,
    )  # loads `re` and `string`: which checking does not need

    put(written(vals, options["format"]) + "\n", sys.stdout)
    return ()


@family.operator(
    "assert_op",
    "condition: tensor(0-d bool), *format_args: any",
    'format: str = ""',
    infer=fixed.unit,
    pure=False,
    example='assert_op(true, format="never shown")',
)
def assert_op(condition: Any, *format_args: Any, **options: str) -> tuple[()]:
    """End the program with a message unless the condition is true; else return the unit.

    The message is the format with its `{}` replaced by the further arguments, or these separated by commas.
    """
    if bool(condition):
        return ()
    from relax_lang.ops.attribute_syntax.format_string import written  # as above

    raise OpError("assertion-failed", written(format_args, options["format"], ", ") or "assertion failed")


@family.operator("null_value", "", infer=fixed.any_object, example="null_value()")
def null_value() -> None:
    """Return the null object."""


@family.operator(
    "hint_on_device",
    "data: tensor",
    'dst_vdevice: str, memory_scope: str = "global"',
    infer=unary.same,
    rows="elementwise",
    since="later",
    aliases=("data",),
    example='hint_on_device(const([1, 2]), dst_vdevice="cpu")',
)
def hint_on_device(data: Any, dst_vdevice: str, memory_scope: str) -> Any:
    """Hint on which device a tensor is wanted. There is one device here: the result is `data` itself."""
    return data


@family.operator(
    "to_vdevice",
    "data: tensor",
    "dst_vdevice: str",
    infer=unary.same,
    rows="elementwise",
    since="later",
    aliases=("data",),
    also=("jax.device_put",),
    example='to_vdevice(const([1, 2]), dst_vdevice="cpu")',
)
def to_vdevice(data: Any, dst_vdevice: str) -> Any:
    """Move a tensor to a device. There is one device here: the result is `data` itself."""
    return data
