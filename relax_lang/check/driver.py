"""One program through all phases: parse, scope, PrimFuncs, operator calls, constants in files.

A phase sees everything but what an earlier one already reported: one mistake gives one diagnostic. [Z.5]
Nothing here reads files; what is known of constants in files comes from the caller.
"""

from __future__ import annotations

from bisect import bisect_left

from relax_lang.base.diagnostic import ERROR, OFF, Diagnostic, has_errors, in_order
from relax_lang.base.node import walk
from relax_lang.check.infer.module import Program, infer
from relax_lang.scope.resolve import resolve
from relax_lang.syntax.parser import parse
from relax_lang.syntax.tree import FileLit, IRModule, PrimFunc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol

    from relax_lang.base.source import SourceFile
    from relax_lang.check.infer.inferred import Inferred
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


_EXPLICIT_MEMORY = ("memory.", "vm.")
"""How names of operators begin that make memory and sizes explicit."""


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
    resolved = resolve(parsed.tree, parsed.losses, parsed.parens)
    found = [*parsed.diagnostics, *resolved.diagnostics]
    losses = parsed.losses
    readable = [
        item
        for item in parsed.tree.items
        if item not in losses.incomplete and not (_is_prim_func(item) and item in losses.wrong)
    ]
    # What incomplete functions call wrongly is not inferred; it may follow from what is missing.
    for item in losses.understood:
        _check_item(item, resolved, {})
    reports: Reports = {}
    # PrimFuncs come last: calls know more about the results of a PrimFunc than it does.
    for item in sorted(readable, key=_is_prim_func):
        found += _check_item(item, resolved, reports)
    if resolved.recursive or any(resolved.references.values()):
        from relax_lang.check.recursion import check_recursion  # only where functions mention functions

        found += [one for one in check_recursion(resolved) if not _is_within(one, losses.understood)]
    headers: Headers = {}
    if check_constant is not None and parsed.features.files:
        found += _check_constants(parsed.tree, check_constant, headers)
    inferred = _infer(parsed, [*readable, *losses.understood], resolved, headers)
    found += inferred.diagnostics
    if not has_errors(found) and any(
        op.op_name.startswith(_EXPLICIT_MEMORY) for op in resolved.called.values()
    ):
        from relax_lang.check.explicit_memory import check_memory  # only for programs that are lowered so far

        found += check_memory(inferred.normal)
    found += _lint(parsed, resolved, inferred, found, lints)
    found = _without_repeats(found)
    if parsed.diagnostics and any(one.slug in ("op-attribute", "op-argument") for one in found):
        from relax_lang.check.consequences import merged  # hardly any text has mistakes of both kinds

        found = merged(found, {(one.pos, one.end) for one in parsed.losses.lists})
    ignored: list[Diagnostic] = []
    if silence:
        found, ignored = silenced(source, parsed, found, lints)
    return Checked(source, parsed, resolved, inferred, found, ignored)


def silenced(
    source: SourceFile, parsed: Parsed, found: list[Diagnostic], lints: Sequence[str]
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Return what is reported of everything that was found, and what comments of the program silence."""
    ignored: list[Diagnostic] = []
    if parsed.features.directives:
        from relax_lang.check.suppressions import apply_ignores  # hardly any text has such comments

        stay, ignored = apply_ignores(source, parsed.comments, parsed.tree.items, found)
        found = in_order(stay)
    return _asked_for(found, lints), _asked_for(ignored, lints)


def _places_of_errors(found: Iterable[Diagnostic]) -> list[int]:
    return sorted([one.pos for one in found if one.severity == ERROR])


def _any_within(places: list[int], item: Item) -> bool:
    following = bisect_left(places, item.pos)
    return following < len(places) and places[following] <= item.end


def _is_within(one: Diagnostic, items: Iterable[Item]) -> bool:
    return any(item.pos <= one.pos < item.end for item in items)


def _is_prim_func(item: Item) -> bool:
    return isinstance(item, PrimFunc)


def _check_item(item: Item, resolved: Resolved, reports: Reports) -> list[Diagnostic]:
    # Each is imported for programs that need it: most have no PrimFuncs, or nothing else.
    if isinstance(item, PrimFunc):
        from relax_lang.check.prim_func_results import check_prim_func

        found = check_prim_func(item, reports)
        if has_errors(found):
            resolved.rejected.add(item)
        return found
    from relax_lang.check.calls import check_calls

    return check_calls(item, resolved, reports)


def _lint(
    parsed: Parsed,
    resolved: Resolved,
    inferred: Inferred,
    found: list[Diagnostic],
    words: Sequence[str],
) -> list[Diagnostic]:
    """Return what lints find. Errors and what was left out have hidden uses of names: lints would be wrong there."""
    errors = _places_of_errors(found)
    if parsed.losses.some:  # in TVMScript, what cannot be read is a warning
        errors = sorted([*errors, *[one.pos for one in parsed.diagnostics]])
    hints: list[Diagnostic] = []
    if parsed.features.private and not errors:
        from relax_lang.check.lints.dead_functions import unreached  # only where something may be unreached

        hints = unreached(parsed.tree, resolved, parsed.text)
    # A comment that silences a lint is of use, though nothing asks for that lint: so all of them are run.
    has_directives = parsed.features.directives
    if words or has_directives:
        from relax_lang.check.lints.core.driver import ALL, run_lints  # only if asked for

        whole = [item for item in parsed.tree.items if not _any_within(errors, item)]
        chosen = [*ALL, *words] if has_directives else words
        hints += run_lints(parsed.tree, whole, resolved, inferred, parsed.text, parsed.comments, chosen)
    return hints


def _asked_for(found: list[Diagnostic], words: Sequence[str]) -> list[Diagnostic]:
    """Leave out what rules have found that are off, unless one of the words means them."""
    if all(one.severity != OFF for one in found):
        return found
    from relax_lang.check.selection import is_among  # only if something is off

    return [one for one in found if one.severity != OFF or is_among(one, words)]


def _infer(
    parsed: Parsed,
    items: list[Item],
    resolved: Resolved,
    headers: Headers,
) -> Inferred:
    """Infer what could be read."""
    module: IRModule = parsed.tree
    if len(items) != len(module.items):
        left = set(items)
        kept = tuple([item for item in module.items if item in left])
        module = IRModule(module.attrs, kept, module.pos, module.end)
    return infer(Program(module, resolved, parsed, headers))


def _check_constants(module: IRModule, check_constant: CheckConstant, headers: Headers) -> list[Diagnostic]:
    """Return what is wrong with constants in files; note dtype and shape of the others. [CF.1]"""
    found: list[Diagnostic] = []
    for node in walk(module):
        if isinstance(node, FileLit):
            known = check_constant(node)
            if isinstance(known, Diagnostic):
                found.append(known)
            elif known is not None:
                headers[node] = known.dtype, known.shape
    return found


def _without_repeats(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    unique = {(one.code, one.pos, one.end, one.message): one for one in diagnostics}
    return in_order(unique.values())
