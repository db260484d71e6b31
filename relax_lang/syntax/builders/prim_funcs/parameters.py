"""From reductions of the parser to nodes: the parameters of PrimFuncs, and what they allocate."""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.parts import Word
from relax_lang.syntax.builders.prim_funcs.results import PrimResultBuilder
from relax_lang.syntax.dtypes import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.builders.parts import Given


CONSTANT = "constexpr"
CONSTANT_MESSAGE = "a constant of Triton is a scalar parameter, or a number where it is used"


class PrimParamBuilder(PrimResultBuilder):
    """The callbacks for buffers and scalars."""

    def buffer(self, pos: int, end: int, name: str, kind: str, args: list[Given]) -> tree.Buffer:
        """`X: Buffer[(n, m), float32]`, a parameter, which may bind its extents. [TIR.1]"""
        return self.declared_buffer(pos, end, name, kind, args, binds=True)

    def declared_buffer(
        self, pos: int, end: int, name: str, kind: str, args: list[Given], *, binds: bool = False
    ) -> tree.Buffer:
        """Make a buffer of a parameter or of a statement."""
        if kind in DTYPES:
            return self._typed_buffer(pos, end, name, kind, kind, args)
        if kind != "Buffer":
            from relax_lang.syntax.vocabulary import foreign_words  # only for this mistake

            dtype = foreign_words.dtype_of(kind)
            if dtype is not None:
                return self._typed_buffer(pos, end, name, kind, dtype, args)
            at = self.offset_of(kind, self.name_end(pos, name))
            found = diag.syntax((at, at + len(kind)), f"expected `Buffer[…]` or a dtype, found `{kind}[…]`")
            self.report(found.replace((at, at + len(kind)), "Buffer", "write `Buffer`"))
        if len(args) == 2 and type(args[0]) is tree.ShapeExpr and type(args[1]) is Word:
            dtype = self.dtype(args[1].pos, args[1].end, args[1].name)
            return tree.Buffer(name, args[0].values, dtype, pos, end)
        from relax_lang.syntax.builders.foreign_prim_funcs import foreign_buffers  # only for this mistake

        at = self.offset_of(kind, self.name_end(pos, name))
        dims, dtype = foreign_buffers.settle(self, (at, end), args, binds=binds)
        return tree.Buffer(name, dims, dtype, pos, end)

    def _typed_buffer(
        self, pos: int, end: int, name: str, kind: str, dtype: str, args: list[Given]
    ) -> tree.Buffer:
        """Error: `T: float32[n, m]`, `T: float[n]`."""
        dims = [
            dim
            for arg in args
            for dim in (arg.values if type(arg) is tree.ShapeExpr else (arg,))
            if isinstance(dim, tree.PrimExpr | Word)
        ]
        at = self.offset_of(kind, self.name_end(pos, name))
        written = [self.text[dim.pos : dim.end] for dim in dims]
        form = f"Buffer[({', '.join(written)}{',' if len(dims) == 1 else ''}), {dtype}]"
        self.mute(at, end)  # what was said of its dimensions
        found = diag.syntax((at, end), f"a buffer has dimensions and a dtype: `{form}`")
        self.report(found.replace((at, end), form, f"write `{form}`", applicability=SAFE))
        shape = [tree.PrimVar(dim.name, dim.pos, dim.end) if type(dim) is Word else dim for dim in dims]
        made = tuple([dim for dim in shape if isinstance(dim, tree.PrimExpr)])
        return tree.Buffer(name, made, tree.DType(dtype, at, at + len(kind)), pos, end)

    def buffer_called(self, pos: int, end: int, name: str, kind: str, args: list[Given]) -> tree.Buffer:
        """Error: `X: Buffer((n,), float32)`."""
        opener = self.offset_of("(", self.offset_of(kind, self.name_end(pos, name), end), end - 1)
        found = diag.syntax((opener, end), f"the arguments of `{kind}` are written in brackets: `{kind}[…]`")
        inner = self.text[opener + 1 : end - 1].replace('"', "").replace("dtype=", "")
        made = self.buffer(pos, end, name, kind, args)
        self.mute(pos, end)  # consequences
        self.report(found.fix("use brackets", Edit(opener, end, f"[{inner}]")))
        return made

    def buffer_dotted(self, pos: int, end: int, name: str, kind: str, args: list[Given]) -> tree.Buffer:
        """Error: `X: T.Buffer((n,), "float32")`."""
        at = self.offset_of(kind, self.name_end(pos, name), end)
        last = kind.rpartition(".")[2]
        made = self.buffer(pos, end, name, "Buffer", args)
        self.mute(pos, end)  # consequences
        found = diag.syntax((at, at + len(kind)), f"expected `Buffer[…]` or a dtype, found `{kind}`")
        if last in ("Buffer", "Tensor"):
            inner = self.text[at + len(kind) + 1 : end - 1].replace('"', "").replace("dtype=", "")
            found.message = "this is a form of TVMScript"
            found.replace((at, end), f"Buffer[{inner}]", f"write `Buffer[{inner}]`")
        self.report(found)
        return made

    def scalar_param(self, pos: int, end: int, name: str, dtype: tree.DType) -> tree.ScalarParam:
        """`k: int64`."""
        if dtype.name not in DTYPES:
            return self._scalar_of_other(pos, name, dtype)
        return tree.ScalarParam(name, dtype, pos, end)

    def scalar_param_dotted(self, pos: int, end: int, name: str, kind: str) -> tree.ScalarParam:
        """Error: `X: T.Buffer`."""
        from relax_lang.syntax.builders.foreign_prim_funcs import foreign_buffers
        from relax_lang.syntax.vocabulary import foreign_words  # only for this mistake

        place = (end - len(kind), end)
        last = kind.rpartition(".")[2]
        found = diag.syntax(place, f"expected `Buffer[…]` or a dtype, found `{kind}`")
        dtype = foreign_words.dtype_with_prefix(kind)
        if last == CONSTANT:
            found.message = CONSTANT_MESSAGE
            found.replace(place, "int64", "write `int64`: a scalar parameter")
        elif last in ("Buffer", "handle"):
            found.message = foreign_buffers.FORM
        elif dtype is not None:
            found.message = f"a dtype has no prefix: `{dtype}`"
            found.replace(place, dtype, f"write `{dtype}`", applicability=SAFE)
        self.report(found)
        return tree.ScalarParam(name, tree.DType(dtype or "int64", *place), pos, end)

    def _scalar_of_other(self, pos: int, name: str, dtype: tree.DType) -> tree.ScalarParam:
        """Error: `BLOCK: constexpr`, `A: Buffer`."""
        from relax_lang.syntax.builders.foreign_prim_funcs import foreign_buffers  # only for this mistake

        end = dtype.end
        if dtype.name == CONSTANT:
            self.mute(dtype.pos, end)
            found = diag.syntax(dtype, CONSTANT_MESSAGE)
            self.report(found.replace(dtype, "int64", "write `int64`: a scalar parameter"))
        elif dtype.name in ("Buffer", "Tensor"):
            self.mute(dtype.pos, end)
            self.report(diag.syntax(dtype, foreign_buffers.FORM))
        return tree.ScalarParam(name, dtype, pos, end)

    def prim_param_bare(self, pos: int, end: int, name: str) -> tree.ScalarParam:
        """Error: a parameter without a kind."""
        found = diag.syntax((pos, end), f"parameter `{name}` needs `: Buffer[(dims), dtype]` or `: dtype`")
        self.report(found)
        return tree.ScalarParam(name, tree.DType("int64", end, end), pos, end)
