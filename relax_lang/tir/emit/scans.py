"""Running operations as calls of `accumulate`, or of `running` of the prelude."""

from __future__ import annotations

from relax_lang.tir.emit.arrays import Arrays
from relax_lang.tir.emit.views import view
from relax_lang.tir.emit.writer import literal
from relax_lang.tir.vectorize.plan import COMBINES, identity
from relax_lang.tir.vectorize.vector import Const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.emit.writer import Writer
    from relax_lang.tir.vectorize.plan import Kernel
    from relax_lang.tir.vectorize.vector import Vector


def scan(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    """Write a running operation along the last dimension."""
    assert not masks, "a running operation has no conditions"
    stage = kernel.stage
    target, order = view(writer, stage.target, stage.index, [loop.name for loop in kernel.kept])
    text = writer.named(Arrays(writer, order).text(kernel.operand))
    if kernel.operand.dims - writer.fixed != frozenset(order):
        shape = ", ".join([writer.extent(writer.space.loops[name]) for name in order])
        text = f"np.broadcast_to({text}, ({shape},))"
    first = literal(Const(identity(kernel.combine, stage.target.dtype), stage.target.dtype))
    writer.line(f"{writer.helper('running')}({COMBINES[kernel.combine]}, {text}, {target}, {first})")
