"""Calls of functions that do not exist in PrimFuncs, or exist with other arguments. [TIR.7] Only imported for them."""

from __future__ import annotations

from string import Formatter

from relax_lang.format.printer import show
from relax_lang.syntax import dtypes, tree
from relax_lang.syntax.vocabulary import foreign_functions
from relax_lang.tir.diagnostics import type_errors
from relax_lang.tir.ir import intrinsics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.ir.typing.context import Context


def report(ctx: Context, expr: tree.PrimCall, infer: Callable[[Context, tree.PrimExpr], object]) -> None:
    """Report a call of something unknown, or of a built-in function with a wrong number of arguments. [TIR.7]

    `infer` types the arguments, of which more may be wrong.
    """
    buffers = [_buffer(ctx, argument) for argument in expr.args]
    for argument, named in zip(expr.args, buffers, strict=True):
        is_dtype = isinstance(argument, tree.PrimVar) and argument.name in dtypes.DTYPES
        if not is_dtype and named is None:  # a function that is not there may well take whole buffers
            infer(ctx, argument)
    takes = intrinsics.BUILT_IN.get(expr.name)
    if takes is not None:
        ctx.report(type_errors.arity(expr, expr.name, takes, len(expr.args)))
        return
    if expr.name == "len" and len(buffers) == 1 and buffers[0] is not None and buffers[0].shape:
        ctx.report(type_errors.no_length(expr, buffers[0].shape[0]))
        return
    known = [*intrinsics.INTRINSICS, *intrinsics.BUILT_IN]
    written = foreign_functions.OTHER_FORMS.get(expr.name)
    symbol = ctx.scopes.find(expr.name)
    buffer = None if symbol is None or symbol.shape is None else symbol.node
    found = type_errors.unknown_intrinsic(expr, written, known, buffer, intrinsics.COMPOSED)
    if expr.name in intrinsics.COMPOSED:
        _compose(expr, intrinsics.COMPOSED[expr.name], found)
    elif expr.name in intrinsics.SUMMED:
        found.helped("a loop does this: start the element of a buffer with a value, and accumulate in it")
    ctx.report(found)


def _compose(call: tree.PrimCall, template: str, found: Diagnostic) -> None:
    """Offer to compute a function from others."""
    names = list(dict.fromkeys([name for _, name, _, _ in Formatter().parse(template) if name]))
    found.help = f"write `{template.format(**{name: name for name in names})}`"
    if len(call.args) != len(names) or call.pos < 0:
        return
    texts: list[str] = []
    for argument in call.args:
        atomic = template.startswith("min(") or isinstance(argument, _ATOMIC)
        texts.append(show(argument) if atomic else f"({show(argument)})")
    written = template.format(**dict(zip(names, texts, strict=True)))
    found.replace(call, written if template.endswith(")") else f"({written})", found.help)


_ATOMIC = (tree.PrimVar, tree.IntImm, tree.FloatImm, tree.BufferLoad, tree.PrimCall, tree.Cast)
"""What needs no parentheses as an operand."""


def _buffer(ctx: Context, argument: tree.PrimExpr) -> Symbol | None:
    """Return the buffer that an argument names."""
    symbol = ctx.scopes.find(argument.name) if isinstance(argument, tree.PrimVar) else None
    return symbol if symbol is not None and symbol.shape is not None else None
