"""Which arguments of a `call_tir` its results may share memory with: where nothing can see it. [X.9.1] [X.O4]"""

from __future__ import annotations

from relax_lang.analysis.effects import copied_inputs
from relax_lang.runtime.compiler.refinements import dtype_of, sizes_of
from relax_lang.syntax import tree
from relax_lang.tir.options.sharing import Sharing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.runtime.compiler.codegen.function_writer import FunctionWriter


def shared_memory(
    writer: FunctionWriter, call: tree.Call, func: tree.PrimFunc, args: Sequence[tree.Expr]
) -> tuple[Sharing, bool]:
    """Return what the results of a planned call may share memory with, and whether nothing else refers to it then."""
    is_tensor = not isinstance(call.struct_info, tree.TupleStructInfo)
    binding = writer.binding
    var = binding.var if isinstance(binding, tree.VarBinding) and binding.value is call else None
    if var is None or var.name_hint == "_":
        return Sharing(), is_tensor
    last = writer.last_uses()
    names = [arg.name_hint if isinstance(arg, tree.Var) else "" for arg in args]
    owned = [name != "" and name in last and name in writer.facts.fresh for name in names]
    views = _views(writer, func, names, var.name_hint)
    for at in views:
        if not owned[at]:
            writer.facts.escapes(names[at])
    over: list[int] = []
    if is_tensor and call.struct_info is not None:
        wanted = dtype_of(call.struct_info), sizes_of(call.struct_info)
        for at, arg in enumerate(args):
            info = writer.facts.of(arg)
            if owned[at] and names.count(names[at]) == 1 and (dtype_of(info), sizes_of(info)) == wanted:
                over.append(at)
    return Sharing(tuple(views), tuple(over)), is_tensor and all(owned[at] for at in views)


def _views(writer: FunctionWriter, func: tree.PrimFunc, names: Sequence[str], result: str) -> list[int]:
    """Return the arguments that the result may be a view of, and note that it is."""
    if writer.plan.function is not writer.plan.top:
        return []  # what a local function captures has other owners
    copied = [at for at in copied_inputs(func) if at < len(names)]
    aliasing = writer.aliasing() if copied else None
    if aliasing is None or not aliasing.is_private(result):
        return []
    if not all(names[at] and aliasing.may_be_joined(names[at], result) for at in copied):
        return []
    for at in copied:
        aliasing.join(names[at], result)
    return copied
