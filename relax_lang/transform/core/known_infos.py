"""Struct infos of arguments in one function of a program. [D.3] [T.K3]"""

from __future__ import annotations

from relax_lang.analysis.operand_infos import operand_info
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.syntax.constants import constant_dtype, constant_shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


class KnownInfos:
    """What is known of the variables of one function by their names, which are unique in it, and of other arguments."""

    __slots__ = ("_names", "_typed")

    def __init__(self, typed: Typed, function: tree.Function) -> None:
        self._typed = typed
        self._names: dict[str, tree.StructInfo] = {}
        infos = typed.infos
        for node in walk(function):
            if isinstance(node, tree.Function):
                for param in node.params:
                    if param in infos:
                        self._names[param.name_hint] = infos[param]
            elif isinstance(node, tree.Binding) and node.var in infos:
                assert node.var is not None
                self._names[node.var.name_hint] = infos[node.var]

    def __getitem__(self, name: str) -> tree.StructInfo:
        """Return what is known of a variable."""
        return self._names.get(name) or tree.ObjectStructInfo()

    def of(self, arg: tree.Expr) -> tree.StructInfo | None:
        """Return what is known of an argument; None for scalars."""
        return operand_info(arg, self.__getitem__, self._constant)

    def _constant(self, constant: tree.Constant) -> tree.StructInfo:
        if isinstance(constant.data, tree.FileLit):
            header = self._typed.headers.get(constant.data)
            if header is None:
                return tree.ObjectStructInfo()
            dtype, shape = header
        else:
            dtype, shape = constant_dtype(constant), constant_shape(constant)
        dims = tree.ShapeExpr(tuple([tree.IntImm(size) for size in shape]))
        return tree.TensorStructInfo(dims, tree.DType(dtype), None)


def match_sizes(param: tree.StructInfo, arg: tree.StructInfo | None, sizes: dict[str, tree.PrimExpr]) -> None:
    """Note what bare shape variables of a parameter are, where the argument has dimensions in their place."""
    if isinstance(param, tree.TupleStructInfo) and isinstance(arg, tree.TupleStructInfo):
        for one, other in zip(param.fields, arg.fields, strict=False):
            match_sizes(one, other, sizes)
    dims = _dims(param)
    given = None if arg is None else _dims(arg)
    if dims is not None and given is not None:
        for one, other in zip(dims, given, strict=False):
            if isinstance(one, tree.PrimVar):
                sizes.setdefault(one.name, other)


def _dims(info: tree.StructInfo) -> tuple[tree.PrimExpr, ...] | None:
    if isinstance(info, tree.TensorStructInfo) and isinstance(info.shape, tree.ShapeExpr):
        return info.shape.values
    return info.values if isinstance(info, tree.ShapeStructInfo) else None
