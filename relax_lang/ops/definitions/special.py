"""Calls, closures, output, devices.

What calls a function is evaluated by the runtime: operators know no functions.
"""

from __future__ import annotations

import sys

from relax_lang.base.output import put
from relax_lang.ops.core.errors import OpError
from relax_lang.ops.core.registry import BY_RUNTIME, Family
from relax_lang.ops.shape_rules.shared import unary
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.shape_rules.shared.call_info import Inference

family = Family("special", "Calls, closures, output, devices")

_OUT = "The result is what `->` says: a tensor with dimensions and a dtype, or a tuple of such."
_INPLACE = """`inplace_indices` says for every result which argument's memory it takes over, or -1 for new
    memory; that argument must not be used afterwards."""

# name, parameters, attributes, pure, tier, since, example, what it is
_CALLS = (
    ("call_tir", "func: callee, args: tuple, tir_vars: shape?", "", True, 1, "spec",
     "call_tir(@f, (x,)) -> Tensor[(n,), float32]",
     f"""Call the PrimFunc `func` with the tensors of `args`, then with new tensors for the results, then
     with the values of the shape `tir_vars` for its trailing scalar parameters; returns the results.
     {_OUT}"""),
    ("call_tir_inplace", "func: callee, args: tuple", "inplace_indices: int|list[int]", True, 2, "later",
     "call_tir_inplace(@f, (x,), inplace_indices=0) -> Tensor[(n,), float32]",
     f"Call a PrimFunc as `call_tir` does, whose results may take over arguments. {_INPLACE} {_OUT}"),
    ("call_tir_with_grad", "func: callee, args: tuple", "te_grad_name: str, te_grad_kwargs: none = none",
     True, 2, "later", 'call_tir_with_grad(@f, (x,), te_grad_name="g") -> Tensor[(n,), float32]',
     f"""Call a PrimFunc as `call_tir` does; `te_grad_name` says what computes its gradient, for training.
     {_OUT}"""),
    ("call_dps_packed", "func: callee, args: tuple", "pure: bool = false", False, 1, "later",
     'call_dps_packed(extern "f", (x,)) -> Tensor[(n,), float32]',
     f"""Call a packed function with `args` and then with new tensors for the results, which it fills;
     returns them. It may also change its arguments, so that the call is impure unless `pure=true` claims
     otherwise. {_OUT}"""),
    ("call_pure_packed", "func: callee, *args: any", "", True, 1, "later",
     'call_pure_packed(extern "f", x) -> Tensor[(n,), float32]',
     """Call a packed function and claim that it has no effect. The result is what `->` says, without it an
     object."""),
    ("call_inplace_packed", "func: callee, *args: any", "inplace_indices: int|list[int]", True, 2, "later",
     'call_inplace_packed(extern "f", x, inplace_indices=0) -> Tensor[(n,), float32]',
     f"Call a packed function that writes its results into arguments and returns them. {_INPLACE}"),
    ("make_closure", "func: callee, args: tuple", "", True, 1, "spec", "make_closure(@f, (x,))",
     """Bind the leading arguments of a function: the result is an object that `invoke_closure` calls with
     the others."""),
    ("invoke_closure", "closure: any, args: tuple", "", False, 1, "spec",
     "invoke_closure(c, (x,)) -> Tensor[(n,), float32]",
     """Call a closure that `make_closure` made, with the arguments that are left. The result is what `->`
     says, without it an object."""),
    ("invoke_pure_closure", "closure: any, args: tuple", "", True, 1, "later",
     "invoke_pure_closure(c, (x,)) -> Tensor[(n,), float32]",
     "Call a closure as `invoke_closure` does, and claim that it has no effect."),
)  # fmt: skip

for _name, _params, _attrs, _pure, _tier, _since, _example, _doc in _CALLS:
    family.declare(
        _name,
        _params,
        _attrs,
        doc=_doc,
        example=_example,
        pure=_pure,
        tier=_tier,
        since=_since,
        evaluated=BY_RUNTIME,
    )


def infer_unit(call: Inference) -> tree.StructInfo:
    """Infer the unit: what is done is the effect. [V.4]"""
    return call.tuple_of(())


def infer_object(call: Inference) -> tree.StructInfo:
    """Infer something of which nothing is known."""
    return tree.ObjectStructInfo(call.call.pos, call.call.end)


@family.operator(
    "print",
    "*vals: any",
    'format: str = ""',
    infer=infer_unit,
    pure=False,
    example='print(const([1, 2]), format="x = {}")',
)
def print_(*vals: Any, **options: str) -> tuple[()]:
    """Write values to the standard output and return the unit.

    Without a format they stand on one line, separated by blanks; else each `{}` of the format is replaced by
    one.
    """
    from relax_lang.ops.core.text_format import (
        written,  # loads `re` and `string`: not for those who only check
    )

    put(written(vals, options["format"]) + "\n", sys.stdout)
    return ()


@family.operator(
    "assert_op",
    "condition: tensor(0-d bool), *format_args: any",
    'format: str = ""',
    infer=infer_unit,
    pure=False,
    example='assert_op(true, format="never shown")',
)
def assert_op(condition: Any, *format_args: Any, **options: str) -> tuple[()]:
    """End the program with a message unless the condition is true; else return the unit.

    The message is the format with its `{}` replaced by the further arguments, or these separated by commas.
    """
    if bool(condition):
        return ()
    from relax_lang.ops.core.text_format import written  # as above

    raise OpError("assertion-failed", written(format_args, options["format"], ", ") or "assertion failed")


@family.operator("null_value", "", infer=infer_object, example="null_value()")
def null_value() -> None:
    """Return the object that stands for nothing."""


@family.operator(
    "hint_on_device",
    "data: tensor",
    'dst_vdevice: str, memory_scope: str = "global"',
    infer=unary.same,
    tier=2,
    since="later",
    aliases=("data",),
    example='hint_on_device(const([1, 2]), dst_vdevice="cpu")',
)
def hint_on_device(data: Any, dst_vdevice: str, memory_scope: str) -> Any:
    """Say on which device a tensor is wanted. There is one device here: the result is `data` itself."""
    return data


@family.operator(
    "to_vdevice",
    "data: tensor",
    "dst_vdevice: str",
    infer=unary.same,
    tier=2,
    since="later",
    aliases=("data",),
    example='to_vdevice(const([1, 2]), dst_vdevice="cpu")',
)
def to_vdevice(data: Any, dst_vdevice: str) -> Any:
    """Move a tensor to a device. There is one device here: the result is `data` itself."""
    return data
