"""One program through all phases as a whole; `check/phases.py` has what they are, and their order.

A phase sees everything but what an earlier one already reported: one mistake gives one diagnostic. [Z.5]
Nothing here reads files; what is known of constants in files comes from the caller.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import Diagnostic, has_errors
from relax_lang.base.node import walk
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.check import phases
from relax_lang.check.infer.drivers.module import Program, infer
from relax_lang.check.phases import lint, run_phases, together
from relax_lang.scope.resolve import resolve
from relax_lang.syntax.parser import parse
from relax_lang.syntax.tree import FileLit, IRModule, PrimFunc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from relax_lang.base.source import SourceFile
    from relax_lang.check.infer.context.inferred import Inferred
    from relax_lang.check.prim_func_results import Reports
    from relax_lang.scope.resolve import Resolved
    from relax_lang.syntax.parser import Parsed
    from relax_lang.syntax.tree import Item

    class Header(Protocol):
        """What is known of an array in a file."""

        dtype: str
        shape: tuple[int, ...]

    CheckConstant = Callable[[FileLit], Diagnostic | Header | None]
    Headers = dict[FileLit, tuple[str, tuple[int, ...]]]


class Checked:
    """What checking found out about one program. The tree is as written; `normal` is its normal form."""

    __slots__ = ("diagnostics", "ignored", "inferred", "parsed", "resolved", "source")

    def __init__(
        self,
        source: SourceFile,
        parsed: Parsed,
        resolved: Resolved,
        inferred: Inferred,
        diagnostics: list[Diagnostic],
        ignored: list[Diagnostic],
    ) -> None:
        self.source = source
        self.parsed = parsed
        self.resolved = resolved
        self.inferred = inferred
        """What is known of every value, and which run-time checks are needless."""
        self.diagnostics = diagnostics
        """Everything found, in the order of the text, nothing twice."""
        self.ignored = ignored
        """What comments of the program silence; it is wrong all the same."""

    @property
    def tree(self) -> IRModule:
        """The module as written."""
        return self.parsed.tree

    @property
    def has_errors(self) -> bool:
        """Whether the program must not be run. [RUN.3]"""
        return has_errors(self.diagnostics) or has_errors(self.ignored)

    @property
    def normal(self) -> IRModule:
        """The module in normal form; only of programs without errors. [N.0]"""
        if self.has_errors:
            raise ValueError("a program with errors has no normal form")
        return self.inferred.normal


def check_source(
    source: SourceFile, check_constant: CheckConstant | None = None, lints: Sequence[str] = ()
) -> Checked:
    """Check one program; `check_constant` returns what is wrong with a `file(…)` literal or is known of its array.

    `lints` are words (see `select`) for rules that are off and to be looked for all the same.

    Raises nothing on account of the text. Deep programs need a raised recursion limit, see `relax_lang.api`.
    """
    with no_collection():  # between the phases, the collector would walk the tree that the next one needs
        return check_parsed(source, parse(source.text), check_constant, lints)


def check_parsed(
    source: SourceFile,
    parsed: Parsed,
    check_constant: CheckConstant | None = None,
    lints: Sequence[str] = (),
    *,
    silence: bool = True,
) -> Checked:
    """Check one program that was read already, from whatever notation; the rest is that of `check_source`.

    Without `silence`, everything that was found is reported: `silenced` returns later what is wanted of it.
    """
    program = _Whole(parsed, resolve(parsed.tree, parsed.losses, parsed.parens), check_constant)
    found = run_phases(program, program.prim_funcs, parsed.diagnostics)
    found += lint(program, found, parsed.diagnostics, lints)
    found = together(
        [*parsed.diagnostics, *found],
        has_syntax=bool(parsed.diagnostics),
        lists={(one.pos, one.end) for one in parsed.losses.lists},
    )
    ignored: list[Diagnostic] = []
    if silence:
        found, ignored = silenced(source, parsed, found, lints)
    return Checked(source, parsed, program.module, program.inferred, found, ignored)


def silenced(
    source: SourceFile, parsed: Parsed, found: list[Diagnostic], lints: Sequence[str]
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Return what is reported of everything that was found, and what comments of the program silence."""
    directives = (source, parsed.comments, parsed.tree.items) if parsed.features.directives else None
    return phases.silenced(found, lints, directives)


class _Whole:
    """The phases of a program that is checked as a whole; see `Phases`."""

    def __init__(self, parsed: Parsed, module: Resolved, check_constant: CheckConstant | None) -> None:
        self.parsed = parsed
        self.module = module
        self.features = parsed.features
        self.losses = losses = parsed.losses
        self.items = parsed.tree.items
        readable = [
            item
            for item in self.items
            if item not in losses.incomplete and not (type(item) is PrimFunc and item in losses.wrong)
        ]
        self.prim_funcs = [item for item in readable if type(item) is PrimFunc]
        self._readable = readable
        self._check_constant = check_constant
        self._headers: Headers = {}
        self._reports: Reports = {}
        self._inferred: Inferred | None = None

    @property
    def inferred(self) -> Inferred:
        assert self._inferred is not None
        return self._inferred

    def names(self) -> list[Diagnostic]:
        return self.module.diagnostics

    def calls(self) -> list[Diagnostic]:
        functions = [item for item in self._readable if type(item) is not PrimFunc]
        if not functions and not self.losses.understood:
            return []
        from relax_lang.check.calls import check_calls  # a program may have PrimFuncs alone

        # What incomplete functions call wrongly is not inferred; it may follow from what is missing.
        for item in self.losses.understood:
            check_calls(item, self.module, {})
        return [one for item in functions for one in check_calls(item, self.module, self._reports)]

    def prim_func(self, func: PrimFunc) -> list[Diagnostic]:
        from relax_lang.check.prim_func_results import check_prim_func  # most programs have no PrimFuncs

        return check_prim_func(func, self._reports)

    def constants(self) -> list[Diagnostic]:
        check = self._check_constant
        found: list[Diagnostic] = []
        if check is None:
            return found
        for node in walk(self.parsed.tree):
            if isinstance(node, FileLit):
                known = check(node)
                if isinstance(known, Diagnostic):
                    found.append(known)
                elif known is not None:
                    self._headers[node] = known.dtype, known.shape
        return found

    def inference(self) -> list[Diagnostic]:
        module = self.parsed.tree
        left = {*self._readable, *self.losses.understood}
        if len(left) != len(module.items):
            kept = tuple([item for item in module.items if item in left])
            module = IRModule(module.attrs, kept, module.pos, module.end)
        self._inferred = infer(Program(module, self.module, self.parsed, self._headers))
        return self._inferred.diagnostics

    def names_operators(self, prefixes: tuple[str, ...]) -> bool:
        return self.module.calls_operators(prefixes)

    def explicit_memory(self) -> list[Diagnostic]:
        from relax_lang.check.explicit_memory import check_memory  # only for programs that are lowered so far

        return check_memory(self.inferred.normal)

    def unreached(self) -> list[Diagnostic]:
        from relax_lang.check.lints.dead_functions import unreached  # only where something may be unreached

        return unreached(self.parsed.tree, self.module, self.parsed.text)

    def lint(self, items: list[Item], words: tuple[str, ...]) -> list[Diagnostic]:
        from relax_lang.check.lints.core.driver import run_lints  # only if asked for

        parsed = self.parsed
        return run_lints(parsed.tree, items, self.module, self.inferred, parsed.text, parsed.comments, words)
