"""One program through all phases: parse, scope, PrimFuncs, operator calls, constants in files.

A phase sees everything but what an earlier one already reported: one mistake gives one diagnostic. [Z.5]
Nothing here reads files; what is known of constants in files comes from the caller.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from relax_lang.base.diagnostic import ERROR, has_errors, in_order
from relax_lang.base.node import walk
from relax_lang.scope.resolve import resolve
from relax_lang.syntax.parser import parse
from relax_lang.syntax.tree import FileLit, PrimFunc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.check.calls import Stores
    from relax_lang.scope.resolve import Resolved
    from relax_lang.syntax.parser import Parsed
    from relax_lang.syntax.tree import IRModule, Item

    CheckConstant = Callable[[FileLit], Diagnostic | None]


class Checked:
    """What checking found out about one program. The tree is as written; `normal` is its normal form."""

    __slots__ = ("_normal", "diagnostics", "ignored", "parsed", "resolved", "source")

    def __init__(
        self,
        source: SourceFile,
        parsed: Parsed,
        resolved: Resolved,
        diagnostics: list[Diagnostic],
        ignored: list[Diagnostic],
    ) -> None:
        self.source = source
        self.parsed = parsed
        self.resolved = resolved
        self.diagnostics = diagnostics
        """Everything found, in the order of the text, nothing twice."""
        self.ignored = ignored
        """What comments of the program silence; it is wrong all the same."""
        self._normal: IRModule | None = None

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
        """The module in normal form, made when first asked for; only of programs without errors. [N.0]"""
        if self._normal is None:
            if self.has_errors:
                raise ValueError("a program with errors has no normal form")
            from relax_lang.normalize.normalize import normalize  # `relax check` never comes here

            self._normal = normalize(self.tree, self.resolved)
        return self._normal


def check_source(source: SourceFile, check_constant: CheckConstant | None = None) -> Checked:
    """Check one program; `check_constant` tells what is wrong with a `file(…)` literal.

    Raises nothing on account of the text. Deep programs need a raised recursion limit, see `relax_lang.api`.
    """
    parsed = parse(source.text)
    found = list(parsed.diagnostics)
    broken = _Broken(parsed)
    resolved = resolve(parsed.tree)
    # Whatever the parser marked is said already, though the scopes may find fault with the same text.
    marked = {(one.pos, one.end) for one in parsed.diagnostics if one.severity == ERROR}
    found += [
        one for one in resolved.diagnostics if not broken.explains(one) and (one.pos, one.end) not in marked
    ]
    errors = _places_of_errors(found)
    whole = [item for item in parsed.tree.items if not _any_within(errors, item)]
    stores: Stores = {}
    for item in whole:
        found += _check_item(item, resolved, stores)
    if "dataflow" in source.text or "pure" in source.text:  # otherwise nothing says where effects may not be
        from relax_lang.check.purity import check_purity

        found += check_purity(whole, resolved, source.text)
    if resolved.recursive or any(resolved.references.values()):
        from relax_lang.check.recursion import check_recursion  # only where functions mention functions

        found += [one for one in check_recursion(resolved) if not broken.explains(one)]
    if check_constant is not None and "file" in source.text:
        found += _check_constants(parsed.tree, check_constant)
    found = _without_repeats(found)
    if "relax:" not in source.text:
        return Checked(source, parsed, resolved, found, [])
    from relax_lang.check.ignores import apply_ignores  # hardly any text has such comments

    stay, ignored = apply_ignores(source, parsed, found)
    return Checked(source, parsed, resolved, in_order(stay), ignored)


class _Broken:
    """The parts of a text that could not be read, and so say nothing about the rest."""

    __slots__ = ("_ends", "_lost", "_starts", "_text")

    def __init__(self, parsed: Parsed) -> None:
        # Most syntax errors leave a whole tree behind (a missing `;` is put in); only gaps have consequences.
        places = sorted([pos for pos, _ in parsed.broken])
        spans = [(item.pos, item.end) for item in parsed.tree.items if _any_within(places, item)]
        self._text = bool(places)
        self._lost = parsed.lost_globals
        self._starts = [pos for pos, _ in spans]
        self._ends = [end for _, end in spans]

    def explains(self, later: Diagnostic) -> bool:
        """Tell whether a finding of a later phase is only a consequence of the syntax errors."""
        if later.slug == "no-entry-point" and self._text:
            return True
        if later.slug == "undefined-global" and later.data.get("name") in self._lost:
            return True
        before = bisect_right(self._starts, later.pos)
        return before > 0 and later.pos <= self._ends[before - 1]


def _places_of_errors(found: Iterable[Diagnostic]) -> list[int]:
    return sorted([one.pos for one in found if one.severity == ERROR])


def _any_within(places: list[int], item: Item) -> bool:
    following = bisect_left(places, item.pos)
    return following < len(places) and places[following] <= item.end


def _check_item(item: Item, resolved: Resolved, stores: Stores) -> list[Diagnostic]:
    # Each is imported for programs that need it: most have no PrimFuncs, or nothing else.
    if isinstance(item, PrimFunc):
        from relax_lang.tir.check import check_prim_func

        return check_prim_func(item)
    from relax_lang.check.calls import check_calls

    return check_calls(item, resolved.globals, stores)


def _check_constants(module: IRModule, check_constant: CheckConstant) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for node in walk(module):
        if isinstance(node, FileLit):
            problem = check_constant(node)
            if problem is not None:
                found.append(problem)
    return found


def _without_repeats(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    unique = {(one.code, one.pos, one.end, one.message): one for one in diagnostics}
    return in_order(unique.values())
