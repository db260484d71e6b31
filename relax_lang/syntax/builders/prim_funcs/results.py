"""From reductions of the parser to nodes: the bodies of PrimFuncs with their results. [TIR.20]"""

from __future__ import annotations

from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.parts import Body
from relax_lang.syntax.builders.prim_funcs.expressions import PrimBuilder
from relax_lang.syntax.vocabulary.words import STRUCT_INFOS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.builders.parts import Given


class PrimResultBuilder(PrimBuilder):
    """The callbacks for results, and what is checked of them."""

    def tir_body(
        self, pos: int, end: int, statements: list[Given], result: tree.PrimExpr | None = None
    ) -> Body:
        """`{ Y[i] = X[i]; }`, `{ a + b }`."""
        return Body(statements, result)

    def check_result(self, func: tree.PrimFunc) -> None:
        """Report a result without a dtype, and a dtype without a result."""
        if func.result is not None and func.ret_dtype is None:
            result = func.result
            if result in self.wrong or any(result.pos <= one.pos < result.end for one in self.diagnostics):
                return
            found = diag.syntax(result, f"@{func.name.name_hint} does not say that it has a result")
            self.report(
                found.helped("write `-> dtype` behind its parameters, or `;` if something is missing")
            )
        elif func.ret_dtype is not None and func.ret_dtype.name in (*STRUCT_INFOS, "Buffer"):
            self._no_number(func, func.ret_dtype)
        elif func.ret_dtype is not None and func.result is None and not self._ends_in_a_value(func):
            found = diag.syntax(
                (func.end - 1, func.end), f"expected a result, of dtype {func.ret_dtype.name}"
            )
            self.report(found.label(func.ret_dtype, "declared here").helped("write it last, without `;`"))

    def _no_number(self, func: tree.PrimFunc, dtype: tree.DType) -> None:
        """Report `-> Tensor`, instead of an unknown dtype."""
        start = self.text.rfind("->", func.pos, dtype.pos)
        if start < 0:  # without the arrow, which was reported
            return
        found = diag.syntax(
            (start, dtype.end), "a prim_func returns no arrays: its results are its last buffers"
        )
        found.replace((start, dtype.end + 1), "", "remove the result")
        place = (dtype.pos, dtype.end)
        self.diagnostics = [found if (one.pos, one.end) == place else one for one in self.diagnostics]

    def _ends_in_a_value(self, func: tree.PrimFunc) -> bool:
        """Return whether a PrimFunc ends in `n;`, which was reported."""
        last = func.body[-1] if func.body else None
        return isinstance(last, tree.Break) and not self.text.startswith("break", last.pos)
