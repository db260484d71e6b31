"""Programs with explicit memory as the compiled engine runs them: on the virtual machine.

A storage, a tensor in it and a call with both take three steps with all their checks where an operator takes one. The
machine has forms of such functions for the dtypes and shapes of their arguments (`vm.machine.specialized`), which leave
most of that out; so it is what makes lowered programs as fast as those they were made of.
"""

from __future__ import annotations

from relax_lang.analysis.bindings import bindings_of
from relax_lang.base.node import walk
from relax_lang.ops.definitions.program.memory import ALLOCATING
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import SourceFile
    from relax_lang.runtime.values.tensors import LoadConstant
    from relax_lang.vm.machine.linked import Linked


def on_machine(module: tree.IRModule, source: SourceFile, load_constant: LoadConstant) -> Linked | None:
    """Return what runs a module in normal form without errors if its functions have explicit memory; None for others.

    Nothing is taken as proved: packed functions can change what they are given. A program with constants in files
    stays with the engine, which reads them where they are needed.
    """
    functions = [item for item in module.items if isinstance(item, tree.Function)]
    if not any(_allocates(one) for one in functions):
        return None
    if any(isinstance(node, tree.FileLit) for one in functions for node in walk(one)):
        return None
    from relax_lang.vm.compiler.codegen import generate  # only for lowered programs
    from relax_lang.vm.machine.linked import GENERATED, Linked

    return Linked(generate(module, source, load_constant), GENERATED)


def _allocates(function: tree.Function) -> bool:
    """Return whether a function makes storages, outside of its branches."""
    body = function.body
    calls = [one.value for one in bindings_of(body)] if isinstance(body, tree.SeqExpr) else []
    return any(
        isinstance(call, tree.Call) and isinstance(call.op, tree.Op) and call.op.op_name in ALLOCATING
        for call in calls
    )
