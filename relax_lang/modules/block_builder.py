"""`BlockBuilder`: programs from Python that can be checked, printed and run.

>>> from relax_lang import BlockBuilder, Tensor, dim, op
>>> bb = BlockBuilder()
>>> n = dim("n")
>>> x, w = bb.var("x", Tensor((n, 4), "float32")), bb.var("w", Tensor((4, 2), "float32"))
>>> with bb.function("main", [x, w]):
...     y = bb.emit(op.nn.relu(x @ w))
...     _ = bb.emit_func_output(y)
>>> y.struct_info
<struct info Tensor[(n, 2), float32]>
>>> print(bb.get().script(), end="")
def @main(x: Tensor[(n, 4), float32], w: Tensor[(4, 2), float32]) {
  let gv = matmul(x, w);
  let gv_1 = nn.relu(gv);
  gv_1
}
"""

from __future__ import annotations

from relax_lang.base.diagnostic import WARNING
from relax_lang.base.relax_error import RelaxError
from relax_lang.builder.module_builder import ModuleBuilder
from relax_lang.modules.loaded import Module


class BlockBuilder(ModuleBuilder):
    """Builds a module; `get` returns it, ready to run."""

    def get(self, *, strict: bool = False) -> Module:
        """Return the module built so far; the builder stays usable. Raises RelaxError if it has errors.

        With `strict`, warnings are errors, too.
        """
        built = Module(self.module())
        if strict and any(one.severity == WARNING for one in built.warnings):
            raise RelaxError(built.source, [one for one in built.warnings if one.severity == WARNING])
        return built

    finalize = get
