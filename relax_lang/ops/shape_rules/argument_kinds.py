"""Whether the arguments of a call are what the signature of the operator names: kinds, ranks, dtypes. [OP.3] [OP.7]

`calls.evaluate` makes the same checks of values when a program runs; this module uses what is known before. An `Object`
is never accepted as anything else: it needs a match_cast.
"""

from __future__ import annotations

from relax_lang.ops.core.dtypes import CLASSES
from relax_lang.ops.core.signature import WORDS
from relax_lang.ops.shape_rules.shared.dims import CONDITIONS
from relax_lang.struct_info.context import REJECTED
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.ops.core.inference import Inference, Where
    from relax_lang.ops.core.signature import Param


def check_kinds(call: Inference) -> bool:
    """Check all arguments; return whether the rule of the operator can work with them, whatever it finds. [OP.3]"""
    params = call.operator.params
    usable = True
    misfits: dict[int, list[int]] = {}
    for index in range(len(call.args)):
        param = params[min(index, len(params) - 1)]
        if param.kind == "any" or not call.given(index):
            if not param.optional and not param.variadic and param.kind in ("tensor", "shape", "prim"):
                # `()` is written for an argument that is required.
                usable = _wrong(call, index, param)
            continue
        info = call.infos[index]
        if param.ndim is not None and _has_other_rank(call, info, param.ndim):
            misfits.setdefault(param.ndim, []).append(index)
        else:
            usable &= _CHECK[param.kind](call, index, param)
    for ndim, indices in misfits.items():
        call.bad_arguments(indices, f"a tensor of rank {ndim}")
    return usable and not misfits


def _has_other_rank(call: Inference, info: tree.StructInfo | None, ndim: int) -> bool:
    """Return whether an argument is a tensor of a wrong rank: several of those are one mistake."""
    return isinstance(info, tree.TensorStructInfo) and call.context.rank_of(info) not in (None, ndim)


def _wrong(call: Inference, where: Where, param: Param) -> bool:
    rank = f" of rank {param.ndim}" if param.kind == "tensor" and param.ndim is not None else ""
    call.bad_argument(where, WORDS[param.kind] + rank)
    return False


def _tensor(call: Inference, index: int, param: Param) -> bool:
    return _is_tensor(call, index, call.infos[index], param)


def _is_tensor(call: Inference, where: Where, info: tree.StructInfo | None, param: Param) -> bool:
    if info is REJECTED:
        return False
    if isinstance(info, tree.ObjectStructInfo):
        call.not_known(where, tree.TensorStructInfo(None, None, param.ndim))
        return False
    if not isinstance(info, tree.TensorStructInfo):
        if isinstance(where, tuple):
            call.bad_argument(where, WORDS["tensor"])
            return False
        return _wrong(call, where, param)
    if param.ndim is not None and call.context.rank_of(info) not in (None, param.ndim):
        call.bad_argument(where, f"a tensor of rank {param.ndim}")
        return False
    if param.dtypes and info.dtype is not None:
        members, words = CLASSES[param.dtypes]
        if info.dtype.name not in members:
            call.bad_dtype(where, words)
    return True


def _tensors(call: Inference, index: int, param: Param) -> bool:
    info = call.infos[index]
    if isinstance(info, tree.ObjectStructInfo):
        call.not_known(index, tree.TupleStructInfo(()))
        call.findings[-1].expected = None  # how many there are is not known either: nothing to insert
        return False
    if not isinstance(info, tree.TupleStructInfo):
        return _wrong(call, index, param)
    # All fields are looked at, not only up to the first wrong one.
    found = [_is_tensor(call, (index, at), field, param) for at, field in enumerate(info.fields)]
    return False not in found


def _shape(call: Inference, index: int, param: Param) -> bool:
    info = call.infos[index]
    if isinstance(info, tree.ObjectStructInfo):
        call.not_known(index, tree.ShapeStructInfo(None, None))
        return False
    return isinstance(info, tree.ShapeStructInfo) or _wrong(call, index, param)


def _prim(call: Inference, index: int, param: Param) -> bool:
    scalar = call.scalar(index)
    if scalar is None:
        return _wrong(call, index, param)
    if param.dtypes == "int" and isinstance(scalar, (tree.FloatImm, *CONDITIONS)):
        call.bad_argument(index, "an integer")
        return False
    return True


def _prims(call: Inference, index: int, param: Param) -> bool:
    arg, info = call.args[index], call.infos[index]
    if isinstance(info, tree.ShapeStructInfo):
        return True
    if isinstance(arg, tree.Tuple):
        for field in arg.fields:
            if not isinstance(field, tree.PrimValue):
                return _wrong(call, index, param)
            if param.dtypes == "int" and isinstance(field.value, (tree.FloatImm, *CONDITIONS)):
                call.bad_argument(index, "a tuple of integers")
                return False
        return True
    return _wrong(call, index, param)


def _tuple(call: Inference, index: int, param: Param) -> bool:
    info = call.infos[index]
    if isinstance(info, tree.ObjectStructInfo):
        call.not_known(index, tree.TupleStructInfo(()))
        call.findings[-1].expected = None
        return False
    return isinstance(info, tree.TupleStructInfo) or _wrong(call, index, param)


def _callee(_call: Inference, _index: int, _param: Param) -> bool:
    return True  # the rule of the operator decides what may be called


_CHECK: dict[str, Callable[[Inference, int, Param], bool]] = {
    "tensor": _tensor,
    "tensors": _tensors,
    "shape": _shape,
    "prim": _prim,
    "prims": _prims,
    "tuple": _tuple,
    "callee": _callee,
}
