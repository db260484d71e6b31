"""Which calls have no effect but their result. [P.3] [X.O2]"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.ops.registry import is_built_in, lookup
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import buffers

INVOKING = ("invoke_closure", "invoke_pure_closure")
PACKED_CALLS = ("call_pure_packed", "call_inplace_packed", "call_py_func")
OVERWRITING = ("call_tir_inplace", "call_inplace_packed", "call_dps_packed")
"""Operators that may write into their arguments."""
PLACING = ("memory.alloc_tensor", "vm.alloc_tensor", "vm.alloc_tensor_at")
"""Operators that make a tensor in a storage."""
KILLING = ("memory.kill_storage", "memory.kill_tensor", "vm.kill_object")
"""Operators that state that their argument is not used any more, and do nothing."""

DOES_MORE = (
    tree.AssertStmt,
    tree.Break,
    tree.CallExtern,
    tree.Continue,
    tree.While,
    tree.IfThenElse,
    tree.Allocate,
    tree.BufferView,
)
"""What a PrimFunc that only copies elements has not."""


def is_quiet(call: tree.Call, prim_funcs: dict[str, tree.PrimFunc]) -> bool:
    """Return whether a call of an operator, closures aside, has no effect but its result. [P.3]"""
    assert isinstance(call.op, tree.Op)
    name = call.op.op_name
    operator = lookup(name)
    if operator is None or not operator.pure or name in OVERWRITING or not is_built_in(operator):
        return False
    if not name.startswith(("call_tir", "dist.call_tir")):
        return True
    callee = call.args[0] if call.args else None
    func = prim_funcs.get(callee.name_hint) if isinstance(callee, tree.GlobalVar) else None
    return func is not None and not calls_out(func)


def calls_out(func: tree.PrimFunc) -> bool:
    """Return whether a PrimFunc calls functions of the embedder. [TIR.19]"""
    return _seen(func)[0]


def stored_to(func: tree.PrimFunc) -> frozenset[str]:
    """Return the names of the buffers that a PrimFunc stores to."""
    return _seen(func)[1]


def _seen(func: tree.PrimFunc) -> tuple[bool, frozenset[str], frozenset[str]]:
    """Go over a PrimFunc once: every call of it asks. Return whether it calls out, the buffers that it stores to, and
    those whose elements it stores as they are, none if it does more.
    """
    found = _SEEN.get(func)
    if found is None:
        calls, copies, stored, copied = False, True, set[str](), set[str]()
        views: list[tree.BufferView] = []
        for node in walk(func):
            if type(node) is tree.BufferStore:
                stored.add(node.buffer.name)
                if type(node.value) is tree.BufferLoad:
                    copied.add(node.value.buffer.name)
                else:
                    copies = False
            elif type(node) in DOES_MORE:
                copies = False
                if type(node) is tree.CallExtern:
                    calls = True
                elif type(node) is tree.BufferView:
                    views.append(node)
        for view in reversed(views):  # one of a view comes after that
            if view.buffer.name in stored:
                stored.add(view.source.name)
        if len(_SEEN) >= _REMEMBERED:
            _SEEN.clear()
        found = _SEEN[func] = calls, frozenset(stored), frozenset(copied if copies else ())
    return found


def copied_inputs(func: tree.PrimFunc) -> list[int]:
    """Return the positions of the buffers whose elements are stored as they are; none if a PrimFunc does more."""
    copied = _seen(func)[2]
    if not copied:
        return []
    names = [buffer.name for buffer in buffers(func)]
    return sorted([names.index(one) for one in copied]) if copied <= {*names} else []


_SEEN: dict[tree.PrimFunc, tuple[bool, frozenset[str], frozenset[str]]] = {}
_REMEMBERED = 512
