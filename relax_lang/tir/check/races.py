"""Races of `parallel` loops: two iterations that meet in one element, one of them writing. [TIR.15]

A race is reported only where an example of it is proved: iterations i and i + d of the loop, inner loops at the
same iteration or one apart, for which the indices are equal for all sizes for which the loops run that often.
Buffers made inside the loop belong to one iteration, and are left out; so are accesses under conditions that
depend on the loop or on data.
"""

from __future__ import annotations

from itertools import islice, product

from relax_lang.arith.substitute import free_variables, substitute
from relax_lang.syntax import tree
from relax_lang.tir.analysis.references import depth_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.tir.analysis.references import LoopVariable, Reference, References

    Shifts = dict[str, int]

PARALLEL = "parallel"

_MOST_PAIRS = 60
_MOST_ACCESSES = 200
_MOST_LOOPS = 20
_MOST_INNER = 3


def races(found: References) -> list[Diagnostic]:
    """Return the races of parallel loops that can be proved, one for each loop and buffer. [TIR.15]"""
    loops: dict[LoopVariable, list[Reference]] = {}
    for access in found.accesses:
        for depth, loop in enumerate(access.place.loops):
            if loop.kind == PARALLEL and depth_of(found, access.symbol)[0] <= depth:
                loops.setdefault(loop, []).append(access)
    diagnostics: list[Diagnostic] = []
    for loop, accesses in islice(loops.items(), _MOST_LOOPS):
        if not _is_single(loop):
            diagnostics += _of_loop(loop, accesses)
    return diagnostics


def _is_single(loop: LoopVariable) -> bool:
    """Return whether a loop has no two iterations."""
    return not _has_steps(loop, 1)


def _has_steps(loop: LoopVariable, distance: int) -> bool:
    """Return whether iterations of a loop may be so far apart."""
    if isinstance(loop.low, tree.IntImm) and isinstance(loop.stop, tree.IntImm):
        return loop.stop.value - loop.low.value > distance
    from relax_lang.arith.facts import Facts
    from relax_lang.arith.prover import prove

    within = tree.LE(tree.Sub(loop.stop, loop.low), tree.IntImm(distance))
    return prove(within, Facts(None)) is not True


def _of_loop(loop: LoopVariable, accesses: Sequence[Reference]) -> list[Diagnostic]:
    told: set[object] = set()
    diagnostics: list[Diagnostic] = []
    for store, other in islice(_pairs(loop, accesses), _MOST_PAIRS):
        if store.symbol in told:
            continue
        meeting = _meeting(loop, store, other)
        if meeting is not None:
            told.add(store.symbol)
            diagnostics.append(_report(loop, store, other, meeting))
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
    place = access.place
    if loop.name in place.once:
        return False
    inner = place.loops[place.loops.index(loop) + 1 :]
    varying = {loop.name, *[one.name for one in inner]}
    for guard in place.guards:
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


def _meeting(loop: LoopVariable, store: Reference, other: Reference) -> Shifts | None:
    """Return by how much loop variables differ between two iterations whose accesses meet in one element."""
    mine, theirs = store.resolved or (), other.resolved or ()
    inner = other.place.loops[other.place.loops.index(loop) + 1 :]
    renamed = _matched(loop, store, other)
    theirs = tuple([substitute(index, renamed) for index in theirs])
    shifted = [one for one in inner if one.name not in renamed and _is_in(one, theirs)][:_MOST_INNER]
    for shifts in _candidates(loop, shifted, mine, theirs):
        moved = {name: tree.Add(tree.PrimVar(name), tree.IntImm(by)) for name, by in shifts.items() if by}
        if _are_equal(mine, tuple([substitute(index, moved) for index in theirs])):
            return shifts
    return None


def _is_in(loop: LoopVariable, indices: Sequence[tree.PrimExpr]) -> bool:
    return any(loop.name in _names(index) for index in indices)


def _matched(loop: LoopVariable, store: Reference, other: Reference) -> dict[str, tree.PrimExpr]:
    """Say for the loops around the other access only at which iteration they meet the store.

    Where both index one dimension by a loop of the same range, at the same one; otherwise at the first.
    """
    around = set(store.place.loops)
    own = {one.name: one for one in other.place.loops if one not in around}
    around_only = {one.name: one for one in store.place.loops[store.place.loops.index(loop) + 1 :]}
    found: dict[str, tree.PrimExpr] = {}
    for mine, theirs in zip(store.resolved or (), other.resolved or (), strict=True):
        if not isinstance(mine, tree.PrimVar) or not isinstance(theirs, tree.PrimVar):
            continue
        a, b = around_only.get(mine.name), own.get(theirs.name)
        if a is not None and b is not None and _are_equal((a.low, a.stop), (b.low, b.stop)):
            found.setdefault(b.name, mine)
    for name, one in own.items():
        found.setdefault(name, one.low)
    return found


def _candidates(
    loop: LoopVariable,
    inner: Sequence[LoopVariable],
    mine: Sequence[tree.PrimExpr],
    theirs: Sequence[tree.PrimExpr],
) -> Iterator[Shifts]:
    """Yield distances to try: those of the parallel loop are never 0, inner loops stay where they are if possible."""
    distances = [distance for distance in _distances(loop, mine, theirs) if _has_steps(loop, abs(distance))]
    choices = [(0, 1, -1) if _has_steps(one, 1) else (0,) for one in inner]
    for steps in product(*choices):
        for distance in distances:
            yield {loop.name: distance, **{one.name: by for one, by in zip(inner, steps, strict=True)}}


def _distances(
    loop: LoopVariable, mine: Sequence[tree.PrimExpr], theirs: Sequence[tree.PrimExpr]
) -> list[int]:
    """Return distances at which the indices may be equal: 1, and where `i * c + a` meets `i * c + b`."""
    from relax_lang.arith.atoms import TooComplexError
    from relax_lang.arith.evaluate import DimensionError
    from relax_lang.arith.facts import Facts
    from relax_lang.arith.normal_form import polynomial_of

    found = [1, -1]
    known = Facts(None).known
    for a, b in zip(mine, theirs, strict=True):
        try:
            left, right = polynomial_of(a, known), polynomial_of(b, known)
        except (DimensionError, TooComplexError):
            continue
        apart, factor = (left - right).value, right.terms.get((loop.name,))
        if apart is not None and factor is not None and apart and apart % factor == 0:
            found.append(apart // factor)
    return list(dict.fromkeys(found))


def _are_equal(mine: Sequence[tree.PrimExpr], theirs: Sequence[tree.PrimExpr]) -> bool:
    from relax_lang.arith.facts import Facts
    from relax_lang.arith.prover import EQUAL, compare

    facts = Facts(None)
    return all(compare(a, b, facts) == EQUAL for a, b in zip(mine, theirs, strict=True))


def _report(loop: LoopVariable, store: Reference, other: Reference, meeting: Shifts) -> Diagnostic:
    from relax_lang.format.printer import show
    from relax_lang.tir.diagnostics.warnings import race

    name, by = loop.var.name, meeting[loop.name]
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
