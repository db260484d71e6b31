"""Everything that is reported of one PrimFunc: mistakes, then, of one without mistakes, what is suspicious or untidy.

`Report` is what `relax check` asks; it looks only once, and only at what is asked for. `analysis` decides whether
names, types and structure are valid, the other modules of this package look at what the code does: indices that leave
their buffers, reads before any write, races. `analyse` is here for callers that need the tables alone.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, in_order
from relax_lang.base.node import walk
from relax_lang.syntax.tree import AssertStmt, Buffer, CallExtern, IntImm, While
from relax_lang.tir.analysis.memory_safety.sample_iterations import Sizes
from relax_lang.tir.analysis.memory_safety.uninitialized import UninitializedReads
from relax_lang.tir.analysis.references.collect_references import collect_references
from relax_lang.tir.check.definedness import suspicious_contents
from relax_lang.tir.ir.typing.well_typed import Analysis, analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.syntax import tree
    from relax_lang.tir.analysis.memory_safety.uninitialized import Uninitialized
    from relax_lang.tir.analysis.references.access_sites import Reference, References
    from relax_lang.tir.ir.symbols import Symbol

__all__ = ["Analysis", "Report", "analyse", "check_prim_func"]


def check_prim_func(func: tree.PrimFunc) -> list[Diagnostic]:
    """Return the mistakes of a PrimFunc, in the order of the text; nothing that is only suspicious. [TIR.1-TIR.19]"""
    return [found for found in Report(func).diagnostics if found.severity == ERROR]


class Report:
    """What was found out about a PrimFunc; `found` is None if it has mistakes that leave the rest unclear."""

    __slots__ = (
        "_accesses",
        "_diagnostics",
        "_reads",
        "_sizes",
        "_stores",
        "already_reported",
        "analysis",
        "found",
    )

    def __init__(self, func: tree.PrimFunc) -> None:
        self.analysis = analyse(func)
        self.found: References | None = (
            None if self.analysis.has_errors else collect_references(self.analysis)
        )
        self.already_reported: set[str] = set()
        """The buffers whose use as a result was found fault with; for callers."""
        self._accesses: dict[Symbol, list[Reference]] | None = None
        self._diagnostics: list[Diagnostic] | None = None
        self._reads: UninitializedReads | None = None
        self._sizes: Sizes | None = None
        self._stores: dict[str, tree.BufferStore] | None = None

    @property
    def stores(self) -> dict[str, tree.BufferStore]:
        """The buffer parameters that are stored to, each with its first store. [O.5]"""
        if self._stores is None:
            self._stores = self.analysis.stores()
        return self._stores

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Everything that is reported of the PrimFunc by itself, in the order of the text."""
        if self._diagnostics is None:
            found = self.analysis.diagnostics
            self._diagnostics = found if self.found is None else in_order([*found, *self._look(self.found)])
        return self._diagnostics

    def _look(self, found: References) -> list[Diagnostic]:
        from relax_lang.tir.check.axis_use import suspicious_axes
        from relax_lang.tir.check.out_of_bounds import out_of_bounds

        diagnostics = [
            *out_of_bounds(found, self._sizes_of(found)),
            *suspicious_contents(found, self.accesses(found), self._reads_of(found)),
            *suspicious_axes(found),
        ]
        if found.views:
            from relax_lang.tir.check.views import wrong_sizes  # hardly any PrimFunc has one

            diagnostics += wrong_sizes(found)
        if self._has_no_effect(found):
            from relax_lang.tir.diagnostics.warnings import no_effect  # only needed for the warning

            func = self.analysis.func
            one = no_effect(func, f"@{func.name.name_hint}")
            buffers = [param.name for param in func.params if isinstance(param, Buffer)]
            one.data["buffer"] = buffers[-1]  # a call may have more to say about it
            diagnostics.append(one)
        if any(loop.kind == "parallel" for access in found.accesses for loop in access.site.loops):
            from relax_lang.tir.check.races import races  # hardly any loop is parallel

            diagnostics += races(found)
        return diagnostics

    def _has_no_effect(self, found: References) -> bool:
        """Return whether there are statements, and nothing that a caller could notice."""
        func = self.analysis.func
        if not func.body or func.ret_dtype is not None or self.stores:
            return False
        params = {self.analysis.symbols[param] for param in func.params if isinstance(param, Buffer)}
        if not params or any(access.writes and access.symbol in params for access in found.accesses):
            return False
        others = (AssertStmt, CallExtern, While)  # a `while` may not end
        return not any(isinstance(node, others) for statement in func.body for node in walk(statement))

    def accesses(self, found: References) -> dict[Symbol, list[Reference]]:
        """Return the accesses to every buffer."""
        if self._accesses is None:
            self._accesses = found.by_buffer()
        return self._accesses

    def unwritten(self, buffer: tree.Buffer) -> bool:
        """Return whether a parameter that is a result is never stored to. [TIR.20]"""
        from relax_lang.tir.check.unwritten_results import is_written

        if any(isinstance(dim, IntImm) and dim.value == 0 for dim in buffer.shape):
            return False  # there is nothing to store
        return self.found is not None and not is_written(self._those(buffer, self.found))

    def read_first(self, buffer: tree.Buffer) -> Uninitialized | None:
        """Return what reads an element of a result, which holds nothing at first, before any store to it. [O.2]"""
        if self.found is None:
            return None
        return self._reads_of(self.found).of(self.analysis.symbols[buffer])

    def unwritten_element(self, buffer: tree.Buffer) -> str | None:
        """Return an element of a result that no store gets to. [TIR.20]"""
        from relax_lang.tir.check.unwritten_results import unwritten_element

        if self.found is None:
            return None
        symbol = self.analysis.symbols[buffer]
        sizes = self._sizes_of(self.found)
        return unwritten_element(self.found, symbol, self._those(buffer, self.found), sizes)

    def _those(self, buffer: tree.Buffer, found: References) -> list[Reference]:
        return self.accesses(found)[self.analysis.symbols[buffer]]

    def _reads_of(self, found: References) -> UninitializedReads:
        if self._reads is None:
            self._reads = UninitializedReads(found, self.accesses(found), self._sizes_of(found))
        return self._reads

    def _sizes_of(self, found: References) -> Sizes:
        if self._sizes is None:
            self._sizes = Sizes(found)
        return self._sizes
