"""The passes over the array IR, in this order.

Each rewrites the statements of a function and leaves them right, so that any can be left out but `naming`, which gives
results the names of Python that they are printed with. Tests verify what each of them makes. Dead code comes last, when
the checks at the entry are there, too.
"""

from __future__ import annotations

from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import names_in
from relax_lang.tir.codegen.passes.effects import definitions
from relax_lang.tir.codegen.passes.loops.column_copies import copy_columns
from relax_lang.tir.codegen.passes.loops.diagonals import slice_diagonals
from relax_lang.tir.codegen.passes.loops.invariant_motion import hoist_invariants
from relax_lang.tir.codegen.passes.loops.row_iteration import iterate_over_rows
from relax_lang.tir.codegen.passes.loops.unswitching import unswitch
from relax_lang.tir.codegen.passes.storage.contraction import contract_arrays
from relax_lang.tir.codegen.passes.storage.destination_passing import pass_destinations
from relax_lang.tir.codegen.passes.storage.workspace_reuse import reuse_workspaces
from relax_lang.tir.codegen.passes.values.linearization import linearize
from relax_lang.tir.codegen.passes.values.naming import give_names
from relax_lang.tir.codegen.passes.values.peephole import rewrite_patterns
from relax_lang.tir.codegen.passes.values.plain_numbers import use_plain_numbers
from relax_lang.tir.codegen.passes.values.shared_indices import share_indices
from relax_lang.tir.codegen.passes.values.value_numbering import number_values
from relax_lang.tir.codegen.passes.verify import Verifier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from relax_lang.tir.array_ir.nodes import Statement
    from relax_lang.tir.codegen.passes.context import Context

    Pass = Callable[[list[Statement], Context], None]
    Dump = Callable[[str, list[Statement]], None]


PASSES: dict[str, Pass] = {
    "unswitching": unswitch,
    "index-sharing": share_indices,
    "value-numbering": number_values,
    "peephole": rewrite_patterns,
    "plain-numbers": use_plain_numbers,
    "array-contraction": contract_arrays,
    "diagonals": slice_diagonals,
    "column-copies": copy_columns,
    "invariant-motion": hoist_invariants,
    "linearization": linearize,
    "destination-passing": pass_destinations,
    "workspace-reuse": reuse_workspaces,
    "row-iteration": iterate_over_rows,
    "naming": give_names,
}
"""The passes over the statements of a PrimFunc, by name."""
SELECTION, DEAD_CODE = "selection", "dead-code"
NAMES = (SELECTION, *PASSES, DEAD_CODE)
"""What can be looked at, in order: what is selected for the plan, then what each pass makes of it."""


def verify(body: list[Statement]) -> None:
    """Check what a pass has made, where tests ask for it; names that are not defined in it are known at the entry."""
    if Verifier.is_on:
        names = names_in(ir.Restoring((), body))
        Verifier(names - set(definitions(body))).check(body)


def run_passes(
    body: list[Statement], context: Context, without: Collection[str] = (), dump: Dump | None = None
) -> None:
    """Run the passes; those named in `without` are left out, `dump` is given the statements after each."""
    if dump is not None:
        dump(SELECTION, body)
    for name, run in PASSES.items():
        if name not in without:
            run(body, context)
            verify(body)
        if dump is not None:
            dump(name, body)
