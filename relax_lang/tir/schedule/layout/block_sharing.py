"""One array for several that a block of rows makes: those that hold nothing at the same time, or are replaced.

What is replaced is computed element by element from the array in whose place it is stored, and nothing reads that
afterwards. So the memory of a block is what lives at once in it, however many steps it goes through.
"""

from __future__ import annotations

from relax_lang.tir.schedule.plan import ELEMENTWISE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.tir.analysis.accesses import Access, Storage
    from relax_lang.tir.schedule.plan import Kernel

    Step = tuple[Kernel, Sequence[Access]]


def places(steps: Sequence[Step], local: Mapping[Storage, int]) -> dict[Storage, Storage]:
    """Return for the arrays of a block the array that takes their place, if it is another one.

    `steps` are the kernels of the block with their accesses; `local` has the arrays that only these use, with the
    dimension of the rows.
    """
    first: dict[Storage, int] = {}
    last: dict[Storage, int] = {}
    for at, (_, accesses) in enumerate(steps):
        for access in accesses:
            if access.storage in local and not access.storage.is_temporary:
                first.setdefault(access.storage, at)
                last[access.storage] = at
    found: dict[Storage, Storage] = {}
    holds: dict[Storage, Storage] = {}
    """Array to the one whose elements it holds."""
    for made, at in first.items():
        for place, held in holds.items():
            if not _are_alike(place, made, local) or last[held] > at:
                continue
            if last[held] < at or _is_replaced(steps[at], held, made):
                found[made] = place
                break
        else:
            place = made
        holds[place] = made
    return found


def _are_alike(one: Storage, other: Storage, local: Mapping[Storage, int]) -> bool:
    return one.dtype == other.dtype and one.sizes == other.sizes and local[one] == local[other]


def _is_replaced(step: Step, held: Storage, made: Storage) -> bool:
    """Return whether a kernel reads of one array just the element in whose place it stores one of another."""
    kernel, accesses = step
    if kernel.strategy != ELEMENTWISE or kernel.folded or kernel.stage.target is not made:
        return False
    stored = kernel.stage.index
    if any(access.storage is made and not access.is_store for access in accesses):
        return False
    return all(access.index == stored for access in accesses if access.storage is held)
