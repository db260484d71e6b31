"""Arrays that hold what the kernels of a block compute on the way: made once before the loop over the blocks.

An array that is made anew for every block takes fresh pages from the system each time, which costs as much as an
operation on it. Kernels run one after the other, so each may use the arrays of the one before.
"""

from __future__ import annotations

from relax_lang.base.wording import tuple_text
from relax_lang.tir.analysis.vector_ir import replace_name
from relax_lang.tir.codegen.writer import Temporaries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.tir.analysis.vector_ir import Loop
    from relax_lang.tir.codegen.writer import Writer


class Workspace(Temporaries):
    """The temporary arrays of one block: `size` rows are at hand at a time, at most `step`."""

    def __init__(self, size: Polynomial, step: Polynomial) -> None:
        self.lines: list[str] = []
        """What makes the arrays."""
        self._size = str(size)
        self._step = step
        self._made: dict[tuple[str, str], list[str]] = {}
        self._taken: dict[tuple[str, str], int] = {}

    def release(self) -> None:
        """Note that a kernel is done: nothing that it computed on the way is needed any more."""
        self._taken.clear()

    def take(self, writer: Writer, loops: Sequence[Loop], dtype: str) -> str | None:
        """Return the text of an array over some loops whose contents nobody needs; None where there is none."""
        extents = [loop.extent for loop in loops]
        if any(writer.space.varies(extent) for extent in extents):
            return None
        most = [replace_name(extent, self._size, self._step) for extent in extents]
        known = writer.entry.is_nonnegative
        lengths = [str(extent) if known(extent) else f"max(0, {extent})" for extent in most]
        key = tuple_text(lengths), writer.dtype(dtype)
        made, taken = self._made.setdefault(key, []), self._taken.get(key, 0)
        self._taken[key] = taken + 1
        if taken == len(made):
            made.append(writer.fresh("scratch"))
            self.lines.append(f"{made[-1]} = np.empty({key[0]}, {key[1]})")
        slices = [":" if cut == whole else f":{cut}" for cut, whole in zip(extents, most, strict=True)]
        while slices and slices[-1] == ":":
            slices.pop()
        return f"{made[taken]}[{', '.join(slices)}]" if slices else made[taken]
