"""Running operations as calls of `accumulate`, or of `running` of the prelude."""

from __future__ import annotations

from relax_lang.tir.analysis.vector_ir import Const
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.views import view
from relax_lang.tir.codegen.writer import literal
from relax_lang.tir.schedule.plan import COMBINES, identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.vector_ir import Vector
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Kernel


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
