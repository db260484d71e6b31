"""Bindings one after the other whose rows are apart: those that may run in blocks of rows. [X.O4]

    blocks = in_blocks(main_in_blocks, None, n, w, x) if n >= 64 else None
    if blocks is None:
        lv = matmul(x, w)
        del w, x
        y = np.maximum(lv, 0)
        del lv
    else:
        y, = blocks
        del w, x
    del blocks

The bindings are written as always. When a run of them ends, `row_groups` looks for groups in it, and their lines
move into the branch where they run as they are. A group is written once more, as a function of a block of its rows.
"""

from __future__ import annotations

from relax_lang.analysis.effects import OVERWRITING, is_quiet
from relax_lang.analysis.escape import TIR_CALLS, closed_prim_func
from relax_lang.ops.core.operator import BY_KERNEL
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.runtime.compiler.codegen.function_writer import FunctionWriter
    from relax_lang.runtime.compiler.codegen.row_groups import Group
    from relax_lang.runtime.compiler.codegen.writer import Line
    from relax_lang.runtime.compiler.codegen.written import Written

    Write = Callable[[FunctionWriter, tree.Binding], Written]

_FEWEST = 3
"""A group has at least two values for itself, and a result."""


class RowRun:
    """The bindings of a run; `write` writes one of them."""

    def __init__(self, writer: FunctionWriter, write: Write) -> None:
        self._writer = writer
        self._write = write
        self._written: list[Written] = []

    def takes(self, binding: tree.Binding) -> bool:
        """Return whether a binding may be one of a run: its value has no effect, and nothing else is done with it."""
        writer = self._writer
        if not writer.dims or not isinstance(binding, tree.VarBinding) or binding.var.name_hint == "_":
            return False
        value = binding.value
        if isinstance(value, tree.Tuple | tree.TupleGetItem):
            return True
        if not isinstance(value, tree.Call) or not isinstance(value.op, tree.Op):
            return False
        name, prim_funcs = value.op.op_name, writer.module.graph.prim_funcs
        if name in OVERWRITING or not is_quiet(value, prim_funcs):
            return False
        if name in TIR_CALLS:
            return closed_prim_func(value, prim_funcs) is not None
        operator = lookup(name)
        return operator is not None and operator.kernel is not None and operator.evaluated == BY_KERNEL

    def write(self, binding: tree.Binding) -> None:
        """Write a binding of the run."""
        first = len(self._writer.module.lines)
        written = self._write(self._writer, binding)
        if written.is_checked:
            self.end()
            return
        written.lines = range(first, len(self._writer.module.lines))
        self._written.append(written)

    def end(self) -> None:
        """End the run: what comes next is none of it."""
        written, self._written = self._written, []
        if len(written) < _FEWEST:
            return
        from relax_lang.runtime.compiler.codegen.row_groups import groups_of  # most programs have no such run

        groups = groups_of(self._writer, written)
        if not groups:
            return
        module, binding = self._writer.module, self._writer.binding
        start = done = written[0].lines.start
        lines = module.cut(start)
        for group in groups:
            first, stop = group.written[0].lines.start, group.written[-1].lines.stop
            for line in lines[done - start : first - start]:
                module.paste(line)
            self._writer.binding = group.written[0].binding
            self._write_group(group, lines[first - start : stop - start])
            done = stop
        for line in lines[done - start :]:
            module.paste(line)
        self._writer.binding = binding

    def _write_group(self, group: Group, lines: Sequence[Line]) -> None:
        """Write the choice between blocks of rows and the bindings as they are, whose lines are given."""
        from relax_lang.runtime.compiler import row_blocks

        writer, module = self._writer, self._writer.module
        for line in lines:
            if line.is_size:
                module.paste(line)
        blocks = module.names.fresh("blocks")
        described = group.described()
        module.groups.setdefault(writer.plan.function, []).append(described)
        stub = module.stub("in_blocks", row_blocks.in_blocks(described))
        given = [self._function("in_blocks", group.rows, group.of_block, group.results, ())]
        given.append("None")
        if group.uniform:  # what nothing needs may fail
            given[1] = self._function("common", group.uniform, group.same, group.common, group.common)
        texts = ", ".join([*given, *writer.dims.values(), *map(writer.variable, group.arguments)])
        condition = f"{writer.dim(group.dim)} >= {row_blocks.FEWEST_ROWS}"
        writer.line(f"{blocks} = {stub}({texts}) if {condition} else None", writer.place())
        writer.line(f"if {blocks} is None:")
        for line in lines:
            if not line.is_size:
                module.paste(line, 1)
        writer.line("else:")
        results = [*group.results, *group.same_results]
        writer.line(f"    {', '.join(map(writer.variable, results))}, = {blocks}")
        ended = sorted(map(writer.variable, group.ended))
        if ended:
            writer.line(f"    del {', '.join(ended)}")
        writer.line(f"del {blocks}")
        for name in group.same_results:
            writer.facts.escapes(name)

    def _function(
        self,
        wanted: str,
        bindings: Sequence[Written],
        names: Sequence[str],
        results: Sequence[str],
        keeps: Sequence[str],
    ) -> str:
        """Have a function written that has some of the bindings; return its name.

        It takes the shape variables and the variables `names`, and returns `results`.
        """
        writer, module = self._writer, self._writer.module
        name = module.names.fresh(f"{module.functions[writer.plan.function]}_{wanted}")
        part = writer.part(names, keeps)

        def write() -> None:
            module.lines += ["", ""]
            params = ", ".join([*part.dims.values(), *map(part.variable, names)])
            module.line(0, f"def {name}({params}):")
            for one in bindings:
                self._write(part, one.binding)
            part.line(f"return {', '.join(map(part.variable, results))}," if results else "return ()")

        module.parts.append(write)
        return name
