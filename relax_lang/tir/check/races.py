"""Races of `parallel` loops: two iterations that meet in one element, one of them writing. [TIR.15]

A race is reported only where an example of it is proved: iterations i and i + d of the loop, inner loops at the
same iteration or one apart, for which the indices are equal for all sizes for which the loops run that often.
Buffers made inside the loop belong to one iteration, and are left out; so are accesses under conditions that
depend on the loop or on data. Never imported where no loop is parallel: it loads the prover.
"""

from __future__ import annotations

from itertools import islice, product

from relax_lang.arith.polynomials.atoms import TooComplexError, atoms_below
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.arith.substitute import free_variables
from relax_lang.syntax import tree
from relax_lang.tir.analysis.memory_safety.reference_space import ReferenceSpace, in_second
from relax_lang.tir.analysis.references.access_sites import depth_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.tir.analysis.accesses import Access, Loop
    from relax_lang.tir.analysis.references.access_sites import LoopVariable, Reference, References

PARALLEL = "parallel"

_MOST_PAIRS = 60
_MOST_ACCESSES = 200
_MOST_LOOPS = 20
_MOST_INNER = 3


def races(found: References) -> list[Diagnostic]:
    """Return the races of parallel loops that can be proved, one for each loop and buffer. [TIR.15]"""
    loops: dict[LoopVariable, list[Reference]] = {}
    for reference in found.accesses:
        for depth, loop in enumerate(reference.site.loops):
            if loop.kind == PARALLEL and depth_of(found, reference.symbol)[0] <= depth:
                loops.setdefault(loop, []).append(reference)
    space = ReferenceSpace(found)
    diagnostics: list[Diagnostic] = []
    for loop, references in islice(loops.items(), _MOST_LOOPS):
        site = references[0].site
        if _has_steps(space, space.loops_of(site)[site.loops.index(loop)], 1):
            diagnostics += _of_loop(space, loop, references)
    return diagnostics


def _has_steps(space: ReferenceSpace, loop: Loop, distance: int) -> bool:
    """Return whether iterations of a loop may be so far apart."""
    return not space.analyzer.proves(-loop.extent + distance)


def _of_loop(space: ReferenceSpace, loop: LoopVariable, references: Sequence[Reference]) -> list[Diagnostic]:
    reported: set[object] = set()
    diagnostics: list[Diagnostic] = []
    for store, other in islice(_pairs(loop, references), _MOST_PAIRS):
        if store.symbol in reported:
            continue
        try:
            distance = _distance(space, loop, store, other)
        except TooComplexError:  # what one step later makes of the indices is too long
            distance = None
        if distance is not None:
            reported.add(store.symbol)
            diagnostics.append(_report(loop, store, other, distance))
    return diagnostics


def _pairs(loop: LoopVariable, accesses: Sequence[Reference]) -> Iterator[tuple[Reference, Reference]]:
    """Yield stores with accesses to the same buffer.

    Writes first: that two iterations write one element is worse than that one reads what the other writes.
    """
    usable = [access for access in accesses[:_MOST_ACCESSES] if _is_usable(loop, access)]
    stores = [access for access in usable if access.writes]
    for store in stores:
        yield store, store
    for kinds in (stores, [access for access in usable if not access.writes]):
        for store in stores:
            for other in kinds:
                if store is not other and store.symbol is other.symbol:
                    yield store, other


def _is_usable(loop: LoopVariable, access: Reference) -> bool:
    """Return whether nothing but loops decides which elements an access meets in one iteration of a loop."""
    site = access.site
    if loop.name in site.once:
        return False
    inner = site.loops[site.loops.index(loop) + 1 :]
    varying = {loop.name, *[one.name for one in inner]}
    for guard in site.guards:
        if guard.condition is None or not varying.isdisjoint(_names(guard.condition)):
            return False
    fixed = [bound for one in inner for bound in (one.low, one.stop)]
    if any(not varying.isdisjoint(_names(bound)) for bound in fixed):
        return False
    exprs = [*(access.resolved or ()), *fixed]
    return access.resolved is not None and not any(
        name.startswith("?") for expr in exprs for name in _names(expr)
    )


def _names(expr: tree.PrimExpr) -> tuple[str, ...]:
    return () if type(expr) is tree.IntImm else free_variables(expr)


def _distance(space: ReferenceSpace, loop: LoopVariable, store: Reference, other: Reference) -> int | None:
    """Return by how many steps of a loop two iterations differ whose accesses meet in one element for all sizes.

    The conflict system excludes most candidates. What it leaves is tried: loops around both at the same step or one
    apart, those around the other access alone at the step that fits, or the first one.
    """
    a, b = space.access(store, True), space.access(other, other.writes)
    level = store.site.loops.index(loop)
    mine, theirs = space.loops_of(store.site), space.loops_of(other.site)
    parallel, around = mine[level], store.site.loops[:level]
    may = space.conflict(a, b, around).directions(parallel)
    if a.index is None or b.index is None or not (may[0] or may[2]):
        return None
    shared = [one for one in theirs[level:] if one in mine]
    own = [one for one in theirs if one not in mine]
    used = set(atoms_below([name for part in b.index for name in part.names()]))
    inner = [one for one in shared[1:] if one.name in used][:_MOST_INNER]
    for steps in product(*[(0, 1, -1) if _has_steps(space, one, 1) else (0,) for one in inner]):
        later = dict(zip([one.name for one in inner], steps, strict=True))
        second = {one.name: Polynomial.name(one.name) + later.get(one.name, 0) for one in shared}
        second.update(_matched(space, a, b, mine[level + 1 :], own))
        del second[parallel.name]
        conflict = space.conflict(a, b, around)
        meeting = tuple(conflict.equations)
        for name, value in second.items():
            conflict.require(Polynomial.name(in_second(name)) - value)
        for distance in conflict.distances(parallel, (1, -1)):
            values = {in_second(name): value for name, value in second.items()}
            values[in_second(parallel.name)] = Polynomial.name(parallel.name) + distance
            if not distance or not _has_steps(space, parallel, abs(distance)):
                continue
            if all(space.analyzer.is_zero(space.replaced(value, values)) for value in meeting):
                return distance
    return None


def _matched(
    space: ReferenceSpace, a: Access, b: Access, inner: Sequence[Loop], own: Sequence[Loop]
) -> dict[str, Polynomial]:
    """Return where loops around the second access alone meet those inside the parallel one around the first: where both
    index a dimension by a loop of the same range, at the same step; otherwise at the first.
    """
    extents = {one.name: one.extent for one in own}
    found: dict[str, Polynomial] = {}
    for mine, theirs in zip(a.index or (), b.index or (), strict=True):
        for one in inner:
            start = mine - Polynomial.name(one.name)
            name = next(iter((theirs - start).names()), "")
            is_range = extents.get(name) == one.extent and start.names().isdisjoint(space.loops)
            if is_range and theirs - start == Polynomial.name(name):
                found.setdefault(name, Polynomial.name(one.name))
    return {**dict.fromkeys(extents, Polynomial.constant(0)), **found}


def _report(loop: LoopVariable, store: Reference, other: Reference, by: int) -> Diagnostic:
    from relax_lang.format.printer import show
    from relax_lang.tir.diagnostics.warnings import race

    name = loop.var.name
    again = f"{name} {'+' if by > 0 else '-'} {abs(by)}"
    assert isinstance(store.node, tree.BufferStore), "a store is one"
    element = f"{store.node.buffer.name}[{', '.join([show(one) for one in store.node.indices]) or '()'}]"
    if not other.writes:
        what = f"meet in `{store.symbol.name}`: one reads what the other writes"
        example = f"iteration `{again}` reads the `{element}` of iteration `{name}`"
    else:
        verb = "update" if store.reads else "write"
        what = f"{verb} the same element of `{store.symbol.name}`"
        example = f"iteration `{again}` {verb}s the `{element}` of iteration `{name}`"
    done = "written" if other.writes else "read"
    return race(store.node, (other.node, done), loop.node, loop.var, what, example)
