"""Arrays that hold what the kernels of a block compute on the way: made once before the loop over the blocks.

An array that is made anew for every block takes fresh pages from the system each time, which costs as much as an
operation on it. Kernels run one after the other, so each may use the arrays of the one before.
"""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.tir.analysis.vector_ir import replace_name
from relax_lang.tir.codegen.writer import Temporaries, name_of
from relax_lang.tir.ir import array_ir as ir
from relax_lang.tir.ir.array_ir import Literal, Scalar, ScalarOp
from relax_lang.tir.ir.ir_node import Ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.ir.array_ir import Expr, Statement


class Workspace(Temporaries):
    """The temporary arrays of one block: `size` rows are at hand at a time, at most `step`."""

    def __init__(self, size: Polynomial | None, step: Polynomial | None) -> None:
        self.made: list[Statement] = []
        """What makes the arrays."""
        self._size = size
        self._step = step
        self._names: dict[tuple[tuple[Scalar, ...], str], list[str]] = {}
        self._taken: dict[tuple[tuple[Scalar, ...], str], int] = {}

    def release(self) -> None:
        """Note that a kernel is done: nothing that it computed on the way is needed any more."""
        self._taken.clear()

    def take(self, writer: Writer, loops: Sequence[Loop], dtype: str) -> Expr | None:
        """Return an array over some loops whose contents are not needed; None where there is none."""
        extents = [loop.extent for loop in loops]
        if any(writer.space.varies(extent) for extent in extents):
            return None
        most = extents
        if self._size is not None and self._step is not None:
            most = [replace_name(extent, name_of(self._size), self._step) for extent in extents]
        known = writer.entry.is_nonnegative
        lengths = [extent if known(extent) else ScalarOp("max", (Literal(0), extent)) for extent in most]
        key = tuple(lengths), dtype
        made, taken = self._names.setdefault(key, []), self._taken.get(key, 0)
        self._taken[key] = taken + 1
        if taken == len(made):
            made.append(writer.fresh("scratch"))
            self.made.append(ir.Allocate(made[-1], key[0], dtype, workspace=True))
        array = Ref(made[taken], dtype, tuple(most))
        zero = Polynomial.constant(0)
        axes = [ir.Slice(zero, cut, whole=cut == whole) for cut, whole in zip(extents, most, strict=True)]
        return array if all(axis.whole for axis in axes) else ir.View(array, tuple(axes))
