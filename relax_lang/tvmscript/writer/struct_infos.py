"""Struct infos and dimensions in TVM's notation."""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OBJECT_NAMES = {"0.27": "R.Any", "0.20": "R.Object"}
PREC_OR, PREC_AND, PREC_NOT, PREC_COMPARE, PREC_BIT_OR, PREC_XOR, PREC_BIT_AND, PREC_SHIFT = range(8)
PREC_SUM, PREC_PRODUCT, PREC_UNARY, PREC_ATOM = range(8, 12)

INFIX: Mapping[type, tuple[str, int]] = {
    tree.Or: ("or", PREC_OR), tree.And: ("and", PREC_AND),
    tree.EQ: ("==", PREC_COMPARE), tree.NE: ("!=", PREC_COMPARE), tree.LT: ("<", PREC_COMPARE),
    tree.LE: ("<=", PREC_COMPARE), tree.GT: (">", PREC_COMPARE), tree.GE: (">=", PREC_COMPARE),
    tree.Add: ("+", PREC_SUM), tree.Sub: ("-", PREC_SUM), tree.Mul: ("*", PREC_PRODUCT),
    tree.FloorDiv: ("//", PREC_PRODUCT), tree.FloorMod: ("%", PREC_PRODUCT),
}  # fmt: skip


def dim_text(node: tree.PrimExpr, level: int = 0) -> str:
    """Return a dimension expression."""
    if isinstance(node, tree.IntImm):
        return str(node.value)
    if isinstance(node, tree.PrimVar):
        return node.name
    if type(node) in INFIX:
        sign, own = INFIX[type(node)]
        text = f"{dim_text(node.a, own)} {sign} {dim_text(node.b, own + 1)}"  # type: ignore[union-attr]
        return f"({text})" if own < level else text
    if isinstance(node, tree.Neg):
        return f"-{dim_text(node.a, PREC_UNARY)}"
    if isinstance(node, tree.Not):
        return f"T.Not({dim_text(node.a)})"
    if isinstance(node, tree.Div):
        return f"T.truncdiv({dim_text(node.a)}, {dim_text(node.b)})"
    if isinstance(node, tree.Min | tree.Max):
        name = "min" if isinstance(node, tree.Min) else "max"
        return f"T.{name}({dim_text(node.a)}, {dim_text(node.b)})"
    if isinstance(node, tree.Select):
        parts = (node.condition, node.true_value, node.false_value)
        return f"T.Select({', '.join([dim_text(one) for one in parts])})"
    if isinstance(node, tree.BoolImm):
        return f"T.bool({node.value})"
    if isinstance(node, tree.FloatImm):
        return f"T.float32({node.value!r})"
    raise ValueError(f"{type(node).__name__} is no dimension")


def quoted_dim(node: tree.PrimExpr) -> str:
    """Return a dimension in a signature, where all but numbers are in quotes."""
    text = dim_text(node)
    return text if isinstance(node, tree.IntImm) else f'"{text}"'


def dims_text(values: tuple[tree.PrimExpr, ...], *, quoted: bool = False) -> str:
    """Return dimensions, separated by commas."""
    return ", ".join([quoted_dim(one) if quoted else dim_text(one) for one in values])


def tuple_text(values: tuple[tree.PrimExpr, ...], *, quoted: bool = False) -> str:
    """Return a tuple of dimensions."""
    inner = dims_text(values, quoted=quoted)
    return f"({inner},)" if len(values) == 1 else f"({inner})"


def info_text(info: tree.StructInfo, *, quoted: bool = False, version: str = "0.27") -> str:
    """Return a struct info; with `quoted` its dimensions are in quotes, as signatures have them."""
    if isinstance(info, tree.TensorStructInfo):
        return _tensor(info, quoted=quoted)
    if isinstance(info, tree.ShapeStructInfo):
        if info.values:
            return f"R.Shape([{dims_text(info.values, quoted=quoted)}])"
        ndim = len(info.values) if info.values is not None else info.ndim
        return "R.Shape" if ndim is None else f"R.Shape(ndim={ndim})"
    if isinstance(info, tree.ObjectStructInfo):
        return OBJECT_NAMES[version]
    if isinstance(info, tree.TupleStructInfo):
        fields = [info_text(one, quoted=quoted, version=version) for one in info.fields]
        return f"R.Tuple({', '.join(fields)})" if fields else "R.Tuple"
    if isinstance(info, tree.FuncStructInfo):
        return _function(info, version)
    if isinstance(info, tree.MatchShapeInfo):
        return f"R.Shape([{dims_text(info.values, quoted=quoted)}])"
    raise ValueError("a struct info that could not be read has no text")


def _tensor(info: tree.TensorStructInfo, *, quoted: bool) -> str:
    parts: list[str] = []
    if isinstance(info.shape, tree.ShapeExpr):
        parts.append(tuple_text(info.shape.values, quoted=quoted))
    elif isinstance(info.shape, tree.Var):
        parts.append(info.shape.name_hint)
    if info.dtype is not None:
        parts.append(f'dtype="{info.dtype.name}"')
    if info.ndim is not None:
        parts.append(f"ndim={info.ndim}")
    return f"R.Tensor({', '.join(parts)})" if parts else "R.Tensor"


def _function(info: tree.FuncStructInfo, version: str) -> str:
    if info.params is None:
        return "R.Callable"
    params = [info_text(one, version=version) for one in info.params]
    listed = f"({params[0]},)" if len(params) == 1 else f"({', '.join(params)})"
    ret = info_text(info.ret, version=version) if info.ret is not None else OBJECT_NAMES[version]
    return f"R.Callable({listed}, {ret}, {info.pure})"
