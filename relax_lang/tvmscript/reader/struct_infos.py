"""Struct infos: `R.Tensor((n, 4), "float32")` and its kin, with dimensions."""

from __future__ import annotations

import ast

from relax_lang.base.nested_text import parse_python_expression
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.tvmscript.python.values import items_of
from relax_lang.tvmscript.scalar_reader.reading import Refused
from relax_lang.tvmscript.scalar_reader.scalar_calls import CallReader
from relax_lang.tvmscript.scalar_reader.scalars import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.tvmscript.scalar_reader.reading import Reading

    Infos = list[ast.expr]


class Locals:
    """The names of one function: variables, and shape variables by the dtype that TVM gives them."""

    __slots__ = ("ended", "infos", "nulls", "outer", "scalars", "shape_vars", "variables")

    def __init__(self, outer: Locals | None = None) -> None:
        self.outer = outer
        self.variables: set[str] = set(outer.variables) if outer is not None else set()
        self.shape_vars: set[str] = set(outer.shape_vars) if outer is not None else set()
        self.scalars: set[str] = set(outer.scalars) if outer is not None else set()
        """The variables that are known to hold scalars."""
        self.infos: dict[str, tree.StructInfo] = dict(outer.infos) if outer is not None else {}
        """What annotations say of variables."""
        self.ended: set[str] = set(outer.ended) if outer is not None else set()
        """The variables of branches that have ended."""
        self.nulls: set[str] = set(outer.nulls) if outer is not None else set()
        """The variables that hold nothing, `R.null_value()`."""

    def note(self, name: str, info: tree.StructInfo | None) -> None:
        """Note whether a variable that is defined holds a scalar."""
        if info is None:
            self.infos.pop(name, None)
        else:
            self.infos[name] = info
        if isinstance(info, tree.PrimStructInfo):
            self.scalars.add(name)
        else:
            self.scalars.discard(name)


class InfoReader(CallReader):
    """Reads dimensions and struct infos of Relax functions."""

    def __init__(self, reading: Reading, names: Locals) -> None:
        super().__init__(reading)
        self.names = names
        self.signature = False
        """Whether a parameter or a result is read, where a quoted name declares a shape variable."""

    # -- dimensions --------------------------------------------------------------------------------------------

    def variable(self, node: ast.Name) -> Scalar | None:
        """Return a shape variable."""
        if node.id in self.names.shape_vars:
            return Scalar(tree.PrimVar(node.id, *self.reading.span(node)), "int64", True)
        if node.id in self.names.scalars:
            raise self.reading.unsupported(
                node, f"the scalar `{node.id}` as a size", "sizes are shape variables: `R.Shape([n])`"
            )
        if node.id in self.names.variables:
            return Scalar(
                tree.PrimVar(node.id, *self.reading.span(node)), "int64", True
            )  # reported by the check
        return None

    def quoted(self, node: ast.expr, value: str) -> Scalar:
        """Read `"n * 2"`; names in it are shape variables, which it declares."""
        try:
            inner = parse_python_expression(value.strip())
        except SyntaxError:
            raise self.reading.wrong(node, f"`{value}` is not a dimension") from None
        pos, end = self.reading.span(node)
        base = pos + 1 if end - pos == len(value) + 2 and value == value.strip() and value.isascii() else None
        _QuotedPlaces(self.reading.py.text, base, node).visit(inner)
        for one in ast.walk(inner):
            if isinstance(one, ast.Name) and one.id not in self.reading.aliases.letters():
                self.names.shape_vars.add(one.id)
        return self.scalar(inner)

    def dimension(self, node: ast.expr) -> tree.PrimExpr:
        """Read one dimension."""
        read = self.scalar(node)
        if not read.index and read.dtype not in (None, "int64", "int32"):
            raise self.reading.wrong(node, f"a dimension is an integer, not `{self.reading.py.shown(node)}`")
        return read.node

    def dimensions(self, node: ast.expr) -> tuple[tree.PrimExpr, ...] | None:
        """Read a shape that is written out, `(n, 4)`, `[n, 4]`, `R.shape([n])`; None if it is something else."""
        if isinstance(node, ast.Tuple | ast.List):
            return tuple([self.dimension(one) for one in node.elts])
        if isinstance(node, ast.Call):
            if self.reading.called(node) in (("R", "shape"), ("R", "ShapeExpr")) and node.args:
                return self.dimensions(node.args[0])
            return None
        if (
            isinstance(node, ast.Name)
            and node.id not in self.names.variables
            and node.id not in self.names.shape_vars
        ):
            value = self.reading.value(node)
            if (items := items_of(value)) is not None:
                return tuple([self.constant_value(node, one).as_index() for one in items])
        return None

    # -- struct infos ------------------------------------------------------------------------------------------

    def info(self, node: ast.expr) -> tree.StructInfo:
        """Read a struct info. Raises Refused."""
        span = self.reading.span(node)
        if isinstance(node, ast.Constant):
            if node.value is None:
                return tree.TupleStructInfo((), *span)
            if isinstance(node.value, str):
                return self.info(self._unquoted(node))
        if isinstance(node, ast.Tuple):
            return tree.TupleStructInfo(tuple([self.info(one) for one in node.elts]), *span)
        target = node.func if isinstance(node, ast.Call) else node
        given, named = self._arguments(node)
        if isinstance(target, ast.Subscript):
            target = target.value
        dialect, name = self.reading.path(target)
        row = _ROWS.get(name) if dialect == "R" else None
        if row is not None:
            return row(self, node, given, named)
        if dialect == "T" and name in DTYPES:
            return tree.PrimStructInfo(tree.DType(name, *span), *span)
        if isinstance(node, ast.Attribute) and node.attr in ("ty", "struct_info") and not given:
            known = self.names.infos.get(node.value.id) if isinstance(node.value, ast.Name) else None
            if known is not None:
                return known
            raise self.reading.unsupported(
                node,
                f"`{self.reading.py.shown(node)}`",
                "no annotation gives its struct info: write the struct info",
            )
        if dialect == "R" and name.startswith(("DTensor", "dist.")):
            raise self.reading.unsupported(
                node, f"`{self.reading.py.shown(target)}`", "it is about several devices"
            )
        if isinstance(node, ast.Name) and not dialect:
            return self._captured(node)
        raise self.reading.unsupported(node, f"`{self.reading.py.shown(node)}` as a struct info")

    def _captured(self, node: ast.Name) -> tree.StructInfo:
        """Read a struct info that is given by a name of the file."""
        found = self.reading.env.definitions(node.id)
        if len(found) == 1 and isinstance(found[0], ast.Assign) and isinstance(found[0].value, ast.Call):
            return self.info(found[0].value)
        self.reading.value(node)  # reports what is known of the name
        raise self.reading.wrong(node, f"`{node.id}` is not a struct info")

    def _unquoted(self, node: ast.Constant) -> ast.expr:
        try:
            inner = parse_python_expression(str(node.value).strip())
        except SyntaxError:
            raise self.reading.wrong(node, f"`{node.value}` is not a struct info") from None
        pos, end = self.reading.span(node)
        value = str(node.value)
        base = pos + 1 if end - pos == len(value) + 2 and value == value.strip() and value.isascii() else None
        _QuotedPlaces(self.reading.py.text, base, node).visit(inner)
        return inner

    @staticmethod
    def _arguments(node: ast.expr) -> tuple[Infos, dict[str, ast.expr]]:
        if isinstance(node, ast.Call):
            return list(node.args), {one.arg or "**": one.value for one in node.keywords}
        if isinstance(node, ast.Subscript):  # `R.Tensor[(n, 4), "float32"]`
            given = node.slice
            if isinstance(given, ast.Tuple) and any(
                isinstance(one, ast.Tuple | ast.Constant) and not _is_number(one) for one in given.elts
            ):
                return list(given.elts), {}
            return [given], {}
        return [], {}

    def tensor(self, node: ast.expr, given: Infos, named: dict[str, ast.expr]) -> tree.StructInfo:
        """Read `R.Tensor((n, 4), dtype="float32")`, `R.Tensor("float32", ndim=2)`, and note its device."""
        if isinstance(node, ast.Subscript) or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ):
            self._declare_undefined(given[:1])
        if len(given) > 2 and len(given) <= 4:
            is_device = isinstance(given[2], ast.Constant) and isinstance(given[2].value, str)
            order = ("vdevice",) if is_device else ("ndim", "vdevice")
            named = {**dict(zip(order, given[2:], strict=False)), **named}
            given = given[:2]
        device = named.pop("vdevice", None)
        made = self._tensor(node, given, named)
        if device is not None:
            self.reading.devices[made] = device
        return made

    def _tensor(self, node: ast.expr, given: Infos, named: dict[str, ast.expr]) -> tree.StructInfo:
        reading = self.reading
        shape = given[0] if given else named.pop("shape", None)
        kind = given[1] if len(given) > 1 else named.pop("dtype", None)
        ndim = named.pop("ndim", None)
        if named or len(given) > 2:
            raise reading.wrong(node, "a tensor has a shape, a dtype and `ndim=`")
        if kind is None and shape is not None and self._is_dtype(shape):
            shape, kind = None, shape
        dtype = None if kind is None or self._is_blank(kind) else reading.dtype(kind)
        rank = None if ndim is None else reading.integer(ndim, "`ndim`")
        rank = None if rank == -1 else rank
        span = reading.span(node)
        if (
            shape is None
            or self._is_blank(shape)
            or (isinstance(shape, ast.Constant) and shape.value is None)
        ):
            return tree.TensorStructInfo(None, dtype, rank, *span)
        dims = self.dimensions(shape)
        if dims is not None:
            return tree.TensorStructInfo(tree.ShapeExpr(dims, *reading.span(shape)), dtype, None, *span)
        if isinstance(shape, ast.Name) and shape.id in self.names.variables:
            return tree.TensorStructInfo(tree.Var(shape.id, None, *reading.span(shape)), dtype, None, *span)
        if isinstance(shape, ast.Call) or (
            isinstance(shape, ast.Name) and shape.id not in self.names.shape_vars
        ):
            raise reading.unsupported(shape, f"the shape `{reading.py.shown(shape)}`")
        return tree.TensorStructInfo(
            tree.ShapeExpr((self.dimension(shape),), *reading.span(shape)), dtype, None, *span
        )

    def _declare_undefined(self, given: Infos) -> None:
        """Declare names that nothing defines in `R.Tensor[(n, 4), "float32"]`, `Tensor((n, 4), "float32")`. [B.34]

        The first drafts bind them so.
        """
        names = [one for shape in given if isinstance(shape, ast.Tuple) for one in shape.elts]
        for one in names:
            if not isinstance(one, ast.Name) or self._is_blank(one) or self.variable(one) is not None:
                continue
            if one.id not in self.reading.env.defines and not self.reading.env.definitions(one.id):
                self.names.shape_vars.add(one.id)
                self.reading.read_as(self.reading.span(one), one.id, "a shape variable")

    def _is_dtype(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str)
        if (
            isinstance(node, ast.Name)
            and node.id not in self.names.variables
            and node.id not in self.names.shape_vars
        ):
            try:
                return isinstance(self.reading.value(node), str)
            except Refused:
                return False
        return False

    @staticmethod
    def _is_blank(node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == "_"

    def shape(self, node: ast.expr, given: Infos, named: dict[str, ast.expr]) -> tree.StructInfo:
        """Read `R.Shape([n, 4])`, `R.Shape(ndim=2)`."""
        reading = self.reading
        ndim = named.pop("ndim", None)
        values = given[0] if given else named.pop("values", None)
        if named or len(given) > 1:
            raise reading.wrong(node, "a shape has values or `ndim=`")
        rank = None if ndim is None else reading.integer(ndim, "`ndim`")
        dims = None if values is None else self.dimensions(values)
        if dims == ():
            raise reading.unsupported(
                node, "`R.Shape([])`", "TVM takes it for a shape of unknown rank: write `R.Shape`"
            )
        return tree.ShapeStructInfo(dims, None if rank == -1 else rank, *reading.span(node))

    def tuple(self, node: ast.expr, given: Infos, named: dict[str, ast.expr]) -> tree.StructInfo:
        """Read `R.Tuple(A, B)`, `R.Tuple([A, B])`."""
        if isinstance(node, ast.Subscript):
            given = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(given) == 1 and isinstance(given[0], ast.List | ast.Tuple):
            given = list(given[0].elts)
        return tree.TupleStructInfo(tuple([self.info(one) for one in given]), *self.reading.span(node))

    def object(self, node: ast.expr, given: Infos, named: dict[str, ast.expr]) -> tree.StructInfo:
        """Read `R.Object`, `R.Any`."""
        return tree.ObjectStructInfo(*self.reading.span(node))

    def callable(self, node: ast.expr, given: Infos, named: dict[str, ast.expr]) -> tree.StructInfo:
        """Read `R.Callable((A,), B, True)`; without a signature it is a packed function."""
        reading = self.reading
        names = ("params", "ret", "purity", "derive_func")
        parts = {**dict(zip(names, given, strict=False)), **named}
        span = reading.span(node)
        params = parts.get("params")
        derive = parts.get("derive_func")
        if (
            derive is not None
            or params is None
            or (isinstance(params, ast.Constant) and params.value is None)
        ):
            self.reading.features.packed = True
            name = "default" if derive is None else _derive(reading.string(derive, "a derive function"))
            return tree.FuncStructInfo(None, None, name, False, *span)
        if not isinstance(params, ast.Tuple | ast.List):
            raise reading.wrong(params, "the parameters of a function are a tuple")
        pure = parts.get("purity")
        is_pure = True if pure is None else bool(reading.value(pure))
        inner = InfoReader(reading, Locals(self.names))  # its shape variables are its own
        fields = tuple([inner.info(one) for one in params.elts])
        ret = parts.get("ret")
        result = tree.TupleStructInfo((), *span) if ret is None else inner.info(ret)
        return tree.FuncStructInfo(fields, result, None, is_pure, *span)

    def prim(self, node: ast.expr, given: Infos, named: dict[str, ast.expr]) -> tree.StructInfo:
        """Read `R.Prim("int64")`."""
        reading = self.reading
        if "value" in named:
            return self._prim_of(node, named["value"])
        kind = given[0] if given else named.pop("dtype", None)
        dtype = None if kind is None else reading.dtype(kind)
        if dtype is None or named or len(given) > 1:
            raise reading.wrong(node, "a scalar has a dtype")
        return tree.PrimStructInfo(dtype, *reading.span(node))

    def _prim_of(self, node: ast.expr, value: ast.expr) -> tree.StructInfo:
        """Read `R.Prim(value="n")` of older TVM, where other struct infos bind `n`: the scalar is an int64."""
        reading = self.reading
        inner = (
            self._unquoted(value)
            if isinstance(value, ast.Constant) and isinstance(value.value, str)
            else value
        )
        names = [one.id for one in ast.walk(inner) if isinstance(one, ast.Name)]
        if not all(name in self.names.shape_vars for name in names):
            raise reading.unsupported(
                node, f"`{reading.py.shown(node)}`", "a scalar has a dtype, and binds no shape variables"
            )
        reading.drop(node, "the values of scalars in their struct infos")
        span = reading.span(node)
        return tree.PrimStructInfo(tree.DType("int64", *span), *span)

    def distributed(self, node: ast.expr, given: Infos, named: dict[str, ast.expr]) -> tree.StructInfo:
        """Refuse `R.DTensor(…)`."""
        raise self.reading.unsupported(node, "a distributed tensor", "it is about several devices")


_DERIVED = {"tvm.relax.struct_info.infer_by_sinfo_args": "default"}


def _derive(name: str) -> str:
    return _DERIVED.get(name, "default" if "infer" in name or "default" in name else "empty")


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


class _QuotedPlaces(ast.NodeVisitor):
    """Gives the nodes of an expression in quotes their places in the file: inside the string, or that of all of it."""

    def __init__(self, text: str, base: int | None, holder: ast.expr) -> None:
        self.holder = holder
        self.inside = base is not None

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.expr | ast.keyword):
            holder = self.holder
            if self.inside and holder.lineno == holder.end_lineno:
                node.lineno = node.end_lineno = holder.lineno
                node.col_offset += holder.col_offset + 1
                node.end_col_offset = (node.end_col_offset or 0) + holder.col_offset + 1
            else:
                ast.copy_location(node, holder)
        super().generic_visit(node)


_ROWS: dict[str, Callable[[InfoReader, ast.expr, Infos, dict[str, ast.expr]], tree.StructInfo]] = {
    "Tensor": InfoReader.tensor,
    "Shape": InfoReader.shape,
    "Tuple": InfoReader.tuple,
    "Object": InfoReader.object,
    "Any": InfoReader.object,
    "Callable": InfoReader.callable,
    "Prim": InfoReader.prim,
    "DTensor": InfoReader.distributed,
}
