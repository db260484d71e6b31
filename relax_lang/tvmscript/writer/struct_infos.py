"""Struct infos and dimensions in TVM's notation."""

from __future__ import annotations

from relax_lang.base.node import assert_never, walk
from relax_lang.syntax import tree
from relax_lang.tvmscript.writer.text import literal_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

OBJECT_NAMES = {"0.27": "R.Any", "0.20": "R.Object"}
PREC_OR, PREC_AND, PREC_NOT, PREC_COMPARE, PREC_BIT_OR, PREC_XOR, PREC_BIT_AND, PREC_SHIFT = range(8)
PREC_SUM, PREC_PRODUCT, PREC_UNARY, PREC_ATOM = range(8, 12)

INFIX = {
    tree.Or: ("or", PREC_OR), tree.And: ("and", PREC_AND),
    tree.EQ: ("==", PREC_COMPARE), tree.NE: ("!=", PREC_COMPARE), tree.LT: ("<", PREC_COMPARE),
    tree.LE: ("<=", PREC_COMPARE), tree.GT: (">", PREC_COMPARE), tree.GE: (">=", PREC_COMPARE),
    tree.Add: ("+", PREC_SUM), tree.Sub: ("-", PREC_SUM), tree.Mul: ("*", PREC_PRODUCT),
    tree.FloorDiv: ("//", PREC_PRODUCT), tree.FloorMod: ("%", PREC_PRODUCT),
}  # fmt: skip


_CALLED = {
    tree.And: "And",  # Python has no other way to write it in quotes
    tree.Or: "Or",
    tree.Min: "min",
    tree.Max: "max",
    tree.Div: "truncdiv",
}


def dim_text(node: tree.PrimExpr, level: int = 0) -> str:
    """Return a dimension expression."""
    match node:
        case tree.PrimVar():
            return node.name
        case tree.IntImm():
            return str(node.value)
        case tree.And() | tree.Or() | tree.Min() | tree.Max() | tree.Div():
            return _called(_CALLED[type(node)], node.a, node.b)
        case tree.Arithmetic() | tree.Comparison():
            operator, own = INFIX[type(node)]
            text = f"{dim_text(node.a, own)} {operator} {dim_text(node.b, own + 1)}"
            return f"({text})" if own < level else text
        case tree.Neg():
            return f"-{dim_text(node.a, PREC_UNARY)}"
        case tree.Not():
            return _called("Not", node.a)
        case tree.Select():
            return _called("Select", node.condition, node.true_value, node.false_value)
        case tree.BoolImm():
            return f"T.bool({node.value})"
        case tree.FloatImm():
            return f"T.float32({node.value!r})"
        case tree.PrimFuncOnly():
            raise ValueError(f"{type(node).__name__} is not a dimension")
        case _:
            return assert_never(node)


def _called(name: str, *operands: tree.PrimExpr) -> str:
    return f"T.{name}({', '.join([dim_text(one) for one in operands])})"


def quoted_dim(node: tree.PrimExpr, bound: AbstractSet[str] = frozenset()) -> str:
    """Return a dimension in a signature, where all but numbers, and names of a function around it, are in quotes."""
    text = dim_text(node)
    names = {one.name for one in walk(node) if isinstance(one, tree.PrimVar)}
    return text if not names or names <= bound else f'"{text}"'


def dims_text(
    values: tuple[tree.PrimExpr, ...], *, quoted: bool = False, bound: AbstractSet[str] = frozenset()
) -> str:
    """Return dimensions, separated by commas."""
    return ", ".join([quoted_dim(one, bound) if quoted else dim_text(one) for one in values])


def tuple_text(
    values: tuple[tree.PrimExpr, ...], *, quoted: bool = False, bound: AbstractSet[str] = frozenset()
) -> str:
    """Return a tuple of dimensions."""
    inner = dims_text(values, quoted=quoted, bound=bound)
    return f"({inner},)" if len(values) == 1 else f"({inner})"


def info_text(
    info: tree.StructInfo,
    *,
    quoted: bool = False,
    bound: AbstractSet[str] = frozenset(),
    version: str = "0.27",
    devices: Iterator[str] | None = None,
) -> str:
    """Return a struct info; with `quoted` its dimensions are in quotes, but for names that are `bound` outside.

    `devices` are those of its tensors, in order.
    """

    def inner(one: tree.StructInfo) -> str:
        return info_text(one, quoted=quoted, bound=bound, version=version, devices=devices)

    match info:
        case tree.TensorStructInfo():
            device = "" if devices is None else next(devices, "")
            return _tensor(info, device, quoted=quoted, bound=bound)
        case tree.ShapeStructInfo() | tree.MatchShapeInfo():
            if info.values:
                return f"R.Shape([{dims_text(info.values, quoted=quoted, bound=bound)}])"
            ndim = 0 if info.values is not None else getattr(info, "ndim", None)
            return "R.Shape" if ndim is None else f"R.Shape(ndim={ndim})"
        case tree.PrimStructInfo():
            return f'R.Prim("{info.dtype.name}")'
        case tree.ObjectStructInfo():
            return OBJECT_NAMES[version]
        case tree.TupleStructInfo():
            fields = [inner(one) for one in info.fields]
            return f"R.Tuple({', '.join(fields)})" if fields else "R.Tuple"
        case tree.FuncStructInfo():
            if info.params is None:
                return "R.Callable"
            params = [inner(one) for one in info.params]
            listed = f"({params[0]},)" if len(params) == 1 else f"({', '.join(params)})"
            ret = inner(info.ret) if info.ret is not None else OBJECT_NAMES[version]
            return f"R.Callable({listed}, {ret}, {info.pure})"
        case tree.MissingStructInfo():
            raise ValueError("a struct info that could not be read has no text")
        case _:
            return assert_never(info)


def _tensor(info: tree.TensorStructInfo, device: str, *, quoted: bool, bound: AbstractSet[str]) -> str:
    parts: list[str] = []
    if isinstance(info.shape, tree.ShapeExpr):
        parts.append(tuple_text(info.shape.values, quoted=quoted, bound=bound))
    elif isinstance(info.shape, tree.Var):
        parts.append(info.shape.name_hint)
    if info.dtype is not None:
        parts.append(f'dtype="{info.dtype.name}"')
    if info.ndim is not None:
        parts.append(f"ndim={info.ndim}")
    if device:
        parts.append(f"vdevice={literal_text(device)}")
    return f"R.Tensor({', '.join(parts)})" if parts else "R.Tensor"
