"""Shapes in memory: sizes in a vector, and checks written out, as a program for the virtual machine has them.

The vector is called the *shape heap*: it has a slot for each shape variable and for each size that is computed of them.
Codes say what a dimension has to do with it: `"store"` keeps it in the slot that the operand names, `"slot"` compares
it with a slot, `"number"` with the operand itself, and `"any"` lets it be what it is.
"""

from __future__ import annotations

from relax_lang.base.wording import counted, mismatch_text
from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import name_of, numpy_dtype
from relax_lang.ops.core.errors import OpError, bad_attribute, bad_value
from relax_lang.ops.core.operator import BY_RUNTIME, Family
from relax_lang.ops.shape_rules.shared import fixed
from relax_lang.values import RunFailure, ShapeValue, is_tensor, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree

family = Family(__name__, "Shapes in memory", since="later")

UNWRITTEN = -(2**63)
"""What a slot has before something is stored in it: no dimension is so small."""
MOST = 2**63 - 1
"""The largest number that a slot holds."""

MATCHES = ("store", "slot", "number", "any")
MAKES = ("slot", "number")
"""The codes of dimensions that are compared, and of those that are made."""
CHECKS = ("match-cast-failed", "annotation-check-failed", "return-check-failed")
"""What a check that was written out can be in the program: its failure is that one, in the same words. [Z.7]"""


def _heap(call: Inference) -> tree.StructInfo:
    from relax_lang.syntax import tree

    return call.tensor_of((tree.IntImm(call.attrs["size"]),), "int64")


def _matched(call: Inference) -> tree.StructInfo:
    _check_codes(call, MATCHES)
    return _checked(call)


def _shape(call: Inference) -> tree.StructInfo:
    from relax_lang.syntax import tree

    _check_codes(call, MAKES)
    for axis, (code, operand) in enumerate(zip(call.attrs["codes"], call.attrs["operands"], strict=False)):
        if code == "number" and operand < 0:
            call.bad_attribute("operands", f"dimension {axis} is {operand}")
            break
    return tree.ShapeStructInfo(None, len(call.attrs["codes"]), call.call.pos, call.call.end)


def _prim(call: Inference) -> tree.StructInfo:
    from relax_lang.syntax import tree

    return tree.PrimStructInfo(tree.DType(call.attrs["dtype"]), call.call.pos, call.call.end)


def _scalar(call: Inference) -> tree.StructInfo:
    return call.tensor_of((), call.attrs["dtype"])


def _checked(call: Inference) -> tree.StructInfo:
    _check_failure(call)
    return fixed.unit(call)


def _check_codes(call: Inference, known: Sequence[str]) -> None:
    attrs = call.attrs
    problem = _problem(attrs["codes"], attrs["operands"], known, attrs["dims"])
    if problem is not None:
        call.bad_attribute(*problem)


def _check_failure(call: Inference) -> None:
    failure = call.attrs["failure"]
    if failure not in ("", *CHECKS):
        call.bad_attribute("failure", _no_check(failure))


@family.operator(
    "vm.alloc_shape_heap", "", "size: int>=0", infer=_heap, example="vm.alloc_shape_heap(size=4)"
)
def alloc_shape_heap(size: int) -> Any:
    """Make a shape heap: a vector of `size` int64 slots, of which none is written yet."""
    return np.full((size,), UNWRITTEN, np.int64)


@family.operator(
    "vm.match_shape",
    "value: any, heap: tensor(1-d int64)",
    'codes: list[str], operands: list[int], dims: list[str] = [], context: str = "", failure: str = ""',
    infer=_matched,
    pure=False,
    writes=("heap",),
    example='vm.match_shape(shape(2, 3), vm.alloc_shape_heap(size=2), codes=["store", "any"], operands=[1, 0])',
)
def match_shape(
    value: Any, heap: Any, codes: list[str], operands: list[int], dims: list[str], context: str, failure: str
) -> tuple[()]:
    """Hold the dimensions of a tensor or a shape against a shape heap, and store in it; returns the unit.

    There is a code for each dimension: `"store"` puts it in the slot that the operand names, `"slot"` compares it with
    that slot, `"number"` with the operand itself, and `"any"` lets it be anything. The program ends where a dimension
    is another one; the message begins with `context`, and shows a slot as what `dims` says of it. `failure` is the
    slug of the check that this one was in the program.
    """
    _check_known(failure)
    found: Sequence[int]
    if is_tensor(value):
        found = value.shape
    elif isinstance(value, ShapeValue):
        found = value.values
    else:
        raise _another(context, failure, "", "a tensor or a shape", kind_of(value))
    if len(found) != len(codes):
        raise _another(context, failure, "rank", len(codes), len(found))
    for axis, (code, operand) in enumerate(_pairs(codes, operands, MATCHES, dims)):
        if code == "store":
            if found[axis] > MOST:
                raise bad_value(f"dimension {axis} is {found[axis]}, which is not an int64")
            heap[_slot(heap, operand)] = found[axis]
        elif code != "any":
            wanted = operand if code == "number" else _read(heap, operand)
            if found[axis] != wanted:
                shown = f"{dims[axis]} = {wanted}" if dims and code == "slot" else wanted
                raise _another(context, failure, f"dimension {axis}", shown, found[axis])
    return ()


@family.operator(
    "vm.make_shape",
    "heap: tensor(1-d int64)",
    "codes: list[str], operands: list[int], dims: list[str] = []",
    infer=_shape,
    example='vm.make_shape(vm.alloc_shape_heap(size=0), codes=["number", "number"], operands=[2, 3])',
)
def make_shape(heap: Any, codes: list[str], operands: list[int], dims: list[str]) -> ShapeValue:
    """Make a shape of slots of a shape heap and of numbers: for each dimension the code `"slot"` or `"number"`.

    None may be negative; the message shows it as what `dims` says of it.
    """
    made: list[int] = []
    for axis, (code, operand) in enumerate(_pairs(codes, operands, MAKES, dims)):
        dim = operand if code == "number" else _read(heap, operand)
        if dim < 0:
            shown = f" (`{dims[axis]}`)" if dims else ""
            raise RunFailure("negative-dimension", f"dimension {axis}{shown} is {dim}")
        made.append(dim)
    return ShapeValue(tuple(made))


@family.operator(
    "vm.make_prim_value",
    "heap: tensor(1-d int64)",
    "slot: int>=0, dtype: dtype = int64",
    infer=_prim,
    example="vm.make_prim_value(const([3, 4], int64), slot=1)",
)
def make_prim_value(heap: Any, slot: int, dtype: str) -> Any:
    """Make a scalar of a slot of a shape heap: a value of `Prim[…]`. A condition is a slot with 0 or 1."""
    return _made(heap, slot, dtype)


@family.operator(
    "vm.make_scalar",
    "heap: tensor(1-d int64)",
    "slot: int>=0, dtype: dtype = int64",
    infer=_scalar,
    example="vm.make_scalar(const([3, 4], int64), slot=1, dtype=float32)",
)
def make_scalar(heap: Any, slot: int, dtype: str) -> Any:
    """Make a tensor of rank 0 of a slot of a shape heap. A condition is a slot with 0 or 1."""
    return _made(heap, slot, dtype)


@family.operator(
    "vm.check_tensor_info",
    "value: any",
    'ndim: int = -1, dtype: dtype|none = none, context: str = "", failure: str = ""',
    infer=_checked,
    pure=False,
    example="vm.check_tensor_info(const([1, 2], int32), ndim=1, dtype=int32)",
)
def check_tensor_info(value: Any, ndim: int, dtype: str | None, context: str, failure: str) -> tuple[()]:
    """Hold a value against a rank (-1: any) and a dtype (`null`: any); returns the unit.

    The program ends if it is something else; the message begins with `context`, and `failure` is the slug of the check
    that this one was in the program.
    """
    _check_known(failure)
    if not is_tensor(value):
        raise _another(context, failure, "", "a tensor", kind_of(value))
    if ndim not in (-1, value.ndim):
        raise _another(context, failure, "rank", ndim, value.ndim)
    if dtype is not None and name_of(value.dtype) != dtype:
        raise _another(context, failure, "dtype", dtype, name_of(value.dtype))
    return ()


@family.operator(
    "vm.check_shape_info",
    "value: any",
    'ndim: int = -1, context: str = "", failure: str = ""',
    infer=_checked,
    pure=False,
    example="vm.check_shape_info(shape(2, 3), ndim=2)",
)
def check_shape_info(value: Any, ndim: int, context: str, failure: str) -> tuple[()]:
    """Check that a value is a shape, of a rank unless that is -1; returns the unit."""
    _check_known(failure)
    if not isinstance(value, ShapeValue):
        raise _another(context, failure, "", "a shape", kind_of(value))
    if ndim not in (-1, len(value)):
        raise _another(context, failure, "rank", ndim, len(value))
    return ()


@family.operator(
    "vm.check_tuple_info",
    "value: any",
    'size: int>=0, context: str = "", failure: str = ""',
    infer=_checked,
    pure=False,
    example="vm.check_tuple_info((const(1), const(2)), size=2)",
)
def check_tuple_info(value: Any, size: int, context: str, failure: str) -> tuple[()]:
    """Check that a value is a tuple with so many fields; returns the unit."""
    _check_known(failure)
    if not isinstance(value, tuple):
        raise _another(context, failure, "", "a tuple", kind_of(value))
    fields: tuple[object, ...] = value  # pyright: ignore[reportUnknownVariableType]
    if len(fields) != size:
        raise _another(context, failure, "fields", size, len(fields))
    return ()


family.declare(
    "vm.call_tir_dyn",
    "func: callee, args: tuple",
    pure=False,
    since="spec",
    evaluated=BY_RUNTIME,
    example="vm.call_tir_dyn(@f, (x, y))",
    doc="""Call the PrimFunc `func` with all its buffers and scalars in order, as `@f(x, y)` does; returns the unit.
     What it writes is seen in the tensors of `args`.""",
)


def _another(context: str, failure: str, what: str, expected: object, found: object) -> OpError | RunFailure:
    """Return the refusal of a value that is another one than was expected, in the words of all such checks. [Z.7]"""
    said = mismatch_text((), what, str(expected), str(found))
    message = f"{context}: {said}" if context else said
    if not failure:
        return bad_value(message)
    return RunFailure(failure, message)


def _check_known(failure: str) -> None:
    """Raise OpError if something is named that is not a check."""
    if failure not in ("", *CHECKS):
        raise bad_attribute("failure", _no_check(failure))


def _no_check(failure: str) -> str:
    return f'"{failure}" is none of {", ".join(CHECKS)}'


def _made(heap: Any, slot: int, dtype: str) -> Any:
    value, wanted = _read(heap, slot), numpy_dtype(dtype)
    if wanted.kind in "iu" and not np.iinfo(wanted).min <= value <= np.iinfo(wanted).max:
        raise bad_value(f"{value} is not a value of {dtype}")
    with np.errstate(over="ignore"):
        return np.asarray(value).astype(wanted)


def _problem(
    codes: list[str], operands: list[int], known: Sequence[str], dims: list[str]
) -> tuple[str, str] | None:
    """Return the attribute that is wrong, and why: a code that is not known, or not one operand for each code."""
    if len(codes) != len(operands):
        return "operands", f"{counted(len(operands), 'operand')} for {counted(len(codes), 'code')}"
    if dims and len(codes) != len(dims):
        return "dims", f"{counted(len(dims), 'dimension')} for {counted(len(codes), 'code')}"
    for code in codes:
        if code not in known:
            return "codes", f'"{code}" is none of {", ".join(known)}'
    return None


def _pairs(
    codes: list[str], operands: list[int], known: Sequence[str], dims: list[str]
) -> Iterator[tuple[str, int]]:
    """Return codes with their operands. Raises OpError if something is wrong with them."""
    problem = _problem(codes, operands, known, dims)
    if problem is not None:
        raise bad_attribute(*problem)
    return zip(codes, operands, strict=True)


def _slot(heap: Any, slot: int) -> int:
    if not 0 <= slot < heap.size:
        raise bad_value(no_slot(slot, heap.size))
    return slot


def no_slot(slot: int, size: int) -> str:
    """Say that a shape heap has no such slot."""
    return f"slot {slot}: the heap has {counted(size, 'slot')}"


def _read(heap: Any, slot: int) -> int:
    value = int(heap[_slot(heap, slot)])
    if value == UNWRITTEN:
        raise OpError("heap-slot-unwritten", unwritten(slot))
    return value


def unwritten(slot: int) -> str:
    """Say that a slot is read too early."""
    return f"slot {slot} of the shape heap is read, but nothing was stored in it"
