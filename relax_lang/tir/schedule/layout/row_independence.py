"""Rows that have nothing to do with each other: a dimension of each array that a scan goes through, with a loop of
each kernel along it, so that all kernels can run on some rows, then on the next.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.lowered.statement_accesses import accesses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Access, Indices, Loop, Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Space
    from relax_lang.tir.lower.guards import Guards
    from relax_lang.tir.schedule.plan import Kernel

    Places = dict[Storage, tuple[int, Polynomial]]


class Rows:
    """The loops over the rows, one for each kernel, and for each array the dimension that they run along, with the
    index of the first row.
    """

    __slots__ = ("extent", "loops", "places")

    def __init__(self, loops: list[Loop], places: Places) -> None:
        self.loops = loops
        self.places = places
        self.extent = loops[0].extent


def find_rows(space: Space, entry: Guards, kernels: list[Kernel], chosen: list[Storage]) -> Rows | None:
    """Return rows of the `chosen` arrays, and of all that are stored to, that only meet themselves."""
    first = next(kernel for kernel in kernels if kernel.stage.target in chosen)
    shared = {*chosen, *[kernel.stage.target for kernel in kernels]}
    for at, part in enumerate(first.stage.index[:-1]):
        for loop in first.kept:
            offset = part - Polynomial.name(loop.name)
            if not space.varies(offset) and not space.varies(loop.extent) and loop.extent.value != 1:
                found = _followed(space, kernels, shared, {first.stage.target: (at, offset)})
                if found is not None and _are_inside(entry, found, chosen):
                    return found
    return None


def _followed(space: Space, kernels: list[Kernel], shared: set[Storage], places: Places) -> Rows | None:
    """Return the rows of all arrays and kernels, from those of one array on."""
    loops: dict[int, Loop] = {}
    known = -1
    while known < len(loops) + len(places):
        known = len(loops) + len(places)
        for at, kernel in enumerate(kernels):
            for access in accesses(space, kernel.stage):
                if access.storage in shared and not _followed_by(space, access, (at, kernel), loops, places):
                    return None
    if len(loops) < len(kernels) or not shared <= places.keys():
        return None
    if not all(_is_apart(space, kernel, loops[at], loops[0]) for at, kernel in enumerate(kernels)):
        return None
    return Rows([loops[at] for at in range(len(kernels))], places)


def _followed_by(
    space: Space, access: Access, kernel: tuple[int, Kernel], loops: dict[int, Loop], places: Places
) -> bool:
    """Note the loop that an access shows to be the rows of its kernel, or the dimension; return if that fits."""
    at, index = kernel[0], access.index
    if index is None:
        return False
    if access.storage in places:
        loop = _loop_along(kernel[1], index, places[access.storage])
        if loop is None or loops.setdefault(at, loop) is not loop:
            return False
        return len([part for part in index if loop.name in space.dims(part)]) == 1
    if at in loops:
        place = _place_along(space, index, loops[at])
        if place is not None:
            places[access.storage] = place
    return True


def _loop_along(kernel: Kernel, index: Indices, place: tuple[int, Polynomial]) -> Loop | None:
    at, offset = place
    return next((loop for loop in kernel.kept if index[at] == Polynomial.name(loop.name) + offset), None)


def _place_along(space: Space, index: Indices, loop: Loop) -> tuple[int, Polynomial] | None:
    for at, part in enumerate(index):
        offset = part - Polynomial.name(loop.name)
        if not space.varies(offset):
            return at, offset
    return None


def _is_apart(space: Space, kernel: Kernel, loop: Loop, other: Loop) -> bool:
    """Return whether nothing but indices depends on a row, and there are as many as in another kernel."""
    if loop.extent != other.extent:
        return False
    if any(loop.name in space.dims(inner.extent) for inner in kernel.stage.loops):
        return False
    return not any(loop.name in space.dims(value) for value in kernel.requires)


def _are_inside(entry: Guards, rows: Rows, chosen: list[Storage]) -> bool:
    """Return whether all rows are provably rows of the arrays, and no other index names a row."""
    longest = entry.whole_extent(rows.extent)
    for storage in chosen:
        at, offset = rows.places[storage]
        if at == len(storage.sizes) - 1:
            return False
        if not entry.is_nonnegative(offset) or not entry.is_nonnegative(storage.sizes[at] - longest - offset):
            return False
    return True
