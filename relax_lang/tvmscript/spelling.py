"""What TVM reads in a program that changes nothing about what it computes: attributes that export alone reads.

Of a PrimFunc: `symbol: "f"`, its `global_symbol` where that is not its name; `s_tir: false` where its decorator has no
`s_tir=True`; `cells: ["x"]`, the variables that are written `x = e`, which is memory of one element to TVM;
`buffers: { A: { strides: [1], align: 8 } }`, options of its parameters, with `pointer: "shared"` for one that is
declared over a pointer to memory of that scope; `extern_results: { g: "void" }`, the dtype that a packed function
gives TVM, where it is not int32; `branches: ["else"]`, a result that is written as `if c: return a` and
`else: return b`, or with "after" instead of `else`.

A block has `reads: [], writes: []` if it says that it has no regions, a loop `range: [1, 128, 5]` if it has a step, and
`launch: true` if its threads are launched by `T.launch_thread`. An `alloc` has such options among its own attributes,
and `sblock: false` if it is a statement, not one of the block around it, `cell: true` if it is a variable that changes.

Of a Relax function: `devices: { x: "cuda:0", return: "cuda:0" }`. The second variable `x` is `"x#2"`, a value with
several tensors has a list, in which a tensor without a device is `""`.

Of a module: `vdevices: [["cuda", 0, "global"]]`.
"""

from __future__ import annotations

from relax_lang.base.node import children, walk
from relax_lang.syntax import tree
from relax_lang.tvmscript.index_dtypes import Occurrences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

S_TIR, BUFFERS, CELLS, SYMBOL = "s_tir", "buffers", "cells", "symbol"
RESULTS, BRANCHES = "extern_results", "branches"
ELSE, AFTER = "else", "after"
REGIONS = ("reads", "writes")
"""Attributes of a block that names its regions and says that there are none."""
LAUNCH = "launch"
"""The attribute of a loop over threads that are launched, not of a loop that is bound to them."""
RANGE = "range"
"""The attribute of a loop that has a step: its three numbers."""
IGNORED = "_"
"""The variable of a value that nothing uses, `T.evaluate(e)`."""
ASSUMED = "assumption"
"""The message of an assertion that is `T.assume(c)`."""
SBLOCK = "sblock"
POINTER = "pointer"
CELL = "cell"
"""The attribute of an allocation that is a variable to TVM, `x = T.local_scalar("int32")`."""
OF_EXPORT = frozenset((S_TIR, BUFFERS, CELLS, SYMBOL, RESULTS, BRANCHES))
DEVICES, RETURN = "devices", "return"
VDEVICES = "vdevices"


def keys_of_binders(params: Iterable[tree.Var], body: tree.Node) -> dict[tree.Binder, str]:
    """Return the variables of a function, without those of functions in it, with their keys: `x`, then `x#2`."""
    occurrences = Occurrences()
    found: dict[tree.Binder, str] = {one: occurrences.next(one.name_hint) for one in params}
    todo = [body]
    while todo:
        one = todo.pop()
        if isinstance(one, tree.Function):
            continue
        if isinstance(one, tree.Binding) and one.var is not None:
            found[one.var] = occurrences.next(one.var.name_hint)
        todo += reversed([*children(one)])
    return found


def keys_by_place(function: tree.Function) -> dict[int, str]:
    """Return the keys of the variables of a function, and of functions in it, by where these are in the text."""
    return {
        var.pos: key
        for one in walk(function)
        if isinstance(one, tree.Function)
        for var, key in keys_of_binders(one.params, one.body).items()
    }


def mentioned_devices(module: tree.IRModule) -> list[tuple[str, int, str]]:
    """Return kind, number and scope of the devices that calls mention: `llvm:1` is the second of that kind."""
    scopes: dict[str, dict[int, str]] = {}
    for node in walk(module):
        if isinstance(node, tree.Attr) and node.key == "dst_vdevice" and isinstance(node.value, tree.StrLit):
            kind, index, scope = (*node.value.value.split(":"), "", "")[:3]
            number = int(index) if index.isdigit() and len(index) < 4 else 0
            scopes.setdefault(kind, {}).setdefault(number, scope or "global")
    return [
        (kind, number, of_kind.get(number, "global"))
        for kind, of_kind in scopes.items()
        for number in range(max(of_kind) + 1)
    ]


def are_mentioned(given: tree.Literal, module: tree.IRModule) -> bool:
    """Return whether the devices that a module names are those that it mentions, so that they go without saying."""
    if not isinstance(given, tree.ListLit):
        return False
    named: list[tuple[object, ...]] = []
    for one in given.items:
        parts = [getattr(part, "value", None) for part in one.items] if isinstance(one, tree.ListLit) else []
        named.append((*parts, *(None, 0, "global")[len(parts) :]))
    return named == mentioned_devices(module)
