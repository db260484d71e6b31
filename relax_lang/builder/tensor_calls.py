"""`emit_te`: a function of tensor expressions becomes a PrimFunc and its call. [O.1-O.4]"""

from __future__ import annotations

from relax_lang.base.python_callers import calling_line
from relax_lang.base.relax_error import refused
from relax_lang.base.sequences import is_sequence
from relax_lang.builder import diagnostics as diag
from relax_lang.builder.values import Pending, Value, literal
from relax_lang.syntax import tree
from relax_lang.te.diagnostics import not_a_tensor
from relax_lang.te.expr import Expr, dim
from relax_lang.te.prim_func import create_prim_func, scalar_names
from relax_lang.te.tensor import Tensor, placeholder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from relax_lang.builder.scopes import FunctionBuilder
    from relax_lang.builder.values import Atom

    class AddsFunctions(Protocol):
        """What a module builder does for calls."""

        def add_func(self, item: tree.Item, hint: str = "") -> Atom:
            """Add a function."""
            ...


def call_te(
    builder: AddsFunctions,
    function: FunctionBuilder,
    make: Callable[..., Any],
    args: Sequence[Any],
    named: dict[str, Any],
) -> Pending:
    """Return the call of the PrimFunc that `make` describes; see `ModuleBuilder.call_te`."""
    place = calling_line()
    name = named.pop("primfunc_name", "") or getattr(make, "__name__", "compute").strip("<>")
    attrs: dict[str, Any] = named.pop("primfunc_attrs", None) or {}
    inputs = Inputs(function, _hints(make, len(args)))
    given = [inputs.converted(one, at) for at, one in enumerate(args)]
    others = {key: inputs.converted(one, key) for key, one in named.items()}
    made = make(*given, **others)
    results: list[Any] = list(made) if is_sequence(made) else [made]
    for one in results:
        if not isinstance(one, Tensor):
            raise refused(not_a_tensor, one, "the result of a function for `emit_te`")
    literals = tuple([tree.Attr(key, literal(value)) for key, value in attrs.items()])
    if name == "lambda":
        name = results[0].hint
    func = create_prim_func(
        [*inputs.tensors, *results], name, private=True, attrs=literals, outputs=len(results)
    )
    callee = builder.add_func(func, name)
    infos = [_info(one) for one in results]
    result = tree.TupleStructInfo(tuple(infos)) if is_sequence(made) else infos[0]
    operands: tuple[object, ...] = (callee, tuple(inputs.nodes))
    scalars = [dim(one) for one in scalar_names(func)]
    if scalars:
        operands = (*operands, tuple(scalars))
    return Pending("call_tir", operands, (), place, result)


def _info(tensor: Tensor) -> tree.TensorStructInfo:
    dims = tree.ShapeExpr(tuple([dim.node for dim in tensor.shape]))
    return tree.TensorStructInfo(dims, tree.DType(tensor.dtype), None)


class Inputs:
    """The tensors that a PrimFunc is given: placeholders for it, nodes for its call."""

    __slots__ = ("_function", "_hints", "nodes", "tensors")

    def __init__(self, function: FunctionBuilder, hints: Sequence[str]) -> None:
        self._function = function
        self._hints = hints
        self.nodes: list[tree.Expr] = []
        self.tensors: list[Tensor] = []

    def converted(self, value: Any, at: int | str) -> Any:
        """Return what a function of tensor expressions gets for an argument."""
        if is_sequence(value):
            parts = [self.converted(one, at) for one in value]
            return parts if isinstance(value, list) else tuple(parts)
        if not isinstance(value, Value | tree.Expr) and not hasattr(value, "__array__"):
            return value
        node = self._function.atom(value)
        info = self._function.opened().info_of(node)
        return self._input(node, info, self._hint(at))

    def _hint(self, at: int | str) -> str:
        if isinstance(at, str):
            return at
        return self._hints[at] if at < len(self._hints) else "x"

    def _input(self, node: tree.Expr, info: tree.StructInfo, hint: str) -> Any:
        if isinstance(info, tree.TupleStructInfo) and isinstance(node, tree.Tuple):
            return [self._input(one, each, hint) for one, each in zip(node.fields, info.fields, strict=True)]
        if isinstance(info, tree.ShapeStructInfo) and info.values is not None:
            return tuple([Expr(dim, "int64") for dim in info.values])
        if (
            not isinstance(info, tree.TensorStructInfo)
            or not isinstance(info.shape, tree.ShapeExpr)
            or info.dtype is None
        ):
            from relax_lang.struct_info.printing import shown

            message = f"`emit_te` needs tensors of known shape and dtype, `{hint}` is `{shown(info)}`"
            raise refused(diag.bad_call, message)
        shape = tuple([Expr(dim, "int64") for dim in info.shape.values])
        tensor = placeholder(shape, str(info.dtype.name), hint)
        self.nodes.append(node)
        self.tensors.append(tensor)
        return tensor


def _hints(make: Callable[..., Any], count: int) -> list[str]:
    import inspect

    try:
        params = list(inspect.signature(make).parameters.values())
    except (TypeError, ValueError):
        return []
    return [each.name for each in params if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)][
        :count
    ]
