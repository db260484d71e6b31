"""The tree of a Relax program. Generated from grammar/tree.asdl by tools/make_tree.py: do not edit.

Nodes are values: nothing is changed after construction and a tree never carries what a pass learned.
Compare trees with `relax_lang.base.node.same`; `==` is identity.

A group such as `Expr` is an abstract class at run time and the closed union of its classes to a type checker.
So a pass that lacks a new node is a type error: in a `match` or a chain of tests that ends in `assert_never`,
and in a table that is declared `Table[Expr, …]` (both in `relax_lang.base.node`). A kind such as `Atom` is a base class
that some classes of a group have in common, for passes that treat these alike: `case tree.Atom():` covers them all, and
so do the rows `**dict.fromkeys(tree.ATOM, …)` of a table; `AnyAtom` is their union, for annotations.
"""

from __future__ import annotations

from relax_lang.base.node import Node

TYPE_CHECKING = False  # `typing` costs milliseconds at start-up; type checkers know this name
if TYPE_CHECKING:
    from typing import TypeAlias, final
else:

    def final(cls):
        """Return the class: that it has no subclasses matters to type checkers alone."""
        return cls


class _Module(Node):
    """A whole file."""

    __slots__ = ()


class _Attribute(Node):
    """A name with a literal, in `attrs { }` or in a call. [G.35]"""

    __slots__ = ()


class _Item(Node):
    """Items: what a module consists of."""

    __slots__ = ()


class _Expr(Node):
    """A Relax expression."""

    __slots__ = ()


class _BlockOfBindings(Node):
    """A run of bindings."""

    __slots__ = ()


class _Binding(Node):
    """A statement of a Relax function."""

    __slots__ = ()


class _StructInfo(Node):
    """Structural information; erasing its dimensions gives the type. [G.9-G.21]"""

    __slots__ = ()


class _Literal(Node):
    """A value known when the text is read: in constants and attributes."""

    __slots__ = ()


class _PrimExpr(Node):
    """A scalar expression: a dimension, or code of a PrimFunc. The names are TIR's own. [G.1-G.8]"""

    __slots__ = ()


class _PrimParam(Node):
    """A parameter of a PrimFunc, and what `alloc` declares."""

    __slots__ = ()


class _Stmt(Node):
    """A statement of a PrimFunc."""

    __slots__ = ()


class _TirPart(Node):
    """Parts of PrimFunc statements."""

    __slots__ = ()


class Atom(Node):
    """What is evaluated at once in the normal form: an operand, or a right-hand side that calls and chooses nothing. [N.2]"""

    __slots__ = ()


class NeverBound(Node):
    """What is neither an operand nor a right-hand side in the normal form of a program without errors: `Op` is a callee there, `SeqExpr` a body."""

    __slots__ = ()


class Arithmetic(Node):
    """`a + b`, `min(a, b)`: two numbers give one of the same dtype."""

    __slots__ = ()


class Comparison(Node):
    """`a < b`: two numbers give a truth value."""

    __slots__ = ()


class Logical(Node):
    """`a && b`: the right operand is evaluated only if the left one does not decide."""

    __slots__ = ()


class Bitwise(Node):
    """`a & b`, `a << b`: two integers give one; `& | ^` take bools too."""

    __slots__ = ()


class BinaryPrimExpr(Node):
    """A scalar expression of two operands, `a` and `b`."""

    __slots__ = ()


class UnaryPrimExpr(Node):
    """A scalar expression of one operand, `a`."""

    __slots__ = ()


class PrimFuncOnly(Node):
    """What only the code of a PrimFunc has: no dimension is made of it."""

    __slots__ = ()


@final
class IRModule(_Module):
    """One file: `module attrs { author: "me" }`, then `def` and `prim_func` items in any order. [G.40]"""

    __slots__ = ("attrs", "items")
    FIELDS = ("attrs", "items")
    CHILDREN = ("attrs", "items")
    __match_args__ = ("attrs", "items")
    attrs: tuple[Attr, ...]
    items: tuple[Item, ...]

    def __init__(
        self,
        attrs: tuple[Attr, ...] = (),
        items: tuple[Item, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.attrs = attrs
        self.items = items
        self.pos = pos
        self.end = end


@final
class Attr(_Attribute):
    """`axis=-1` in a call, `axis: -1` in `attrs { }`. [G.35]"""

    __slots__ = ("key", "value")
    FIELDS = ("key", "value")
    CHILDREN = ("value",)
    __match_args__ = ("key", "value")
    key: str
    value: Literal

    def __init__(
        self,
        key: str,
        value: Literal,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.key = key
        self.value = value
        self.pos = pos
        self.end = end


@final
class PrimFunc(_Item):
    """`prim_func @relu(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) { … }`. [G.41] `prim_func @add(a: int32, b: int32) -> int32 { a + b }` has a result."""

    __slots__ = ("name", "private", "params", "attrs", "body", "ret_dtype", "result")
    FIELDS = ("name", "private", "params", "attrs", "body", "ret_dtype", "result")
    CHILDREN = ("name", "params", "attrs", "body", "ret_dtype", "result")
    __match_args__ = ("name", "private", "params", "attrs", "body", "ret_dtype", "result")
    name: GlobalVar
    private: bool
    params: tuple[PrimParam, ...]
    attrs: tuple[Attr, ...]
    body: tuple[Stmt, ...]
    ret_dtype: DType | None
    result: PrimExpr | None

    def __init__(
        self,
        name: GlobalVar,
        private: bool = False,
        params: tuple[PrimParam, ...] = (),
        attrs: tuple[Attr, ...] = (),
        body: tuple[Stmt, ...] = (),
        ret_dtype: DType | None = None,
        result: PrimExpr | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.private = private
        self.params = params
        self.attrs = attrs
        self.body = body
        self.ret_dtype = ret_dtype
        self.result = result
        self.pos = pos
        self.end = end


@final
class Constant(_Expr, Atom):
    """`1`, `1.5`, `true`, `const([[1, 2]], int64)`, `const(file("w.npz", "key"))`. [G.22]"""

    __slots__ = ("data", "dtype")
    FIELDS = ("data", "dtype")
    CHILDREN = ("data", "dtype")
    __match_args__ = ("data", "dtype")
    data: Literal
    dtype: DType | None

    def __init__(
        self,
        data: Literal,
        dtype: DType | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.data = data
        self.dtype = dtype
        self.pos = pos
        self.end = end


@final
class Var(_Expr, Atom):
    """A Relax variable: its use, or, with an annotation or at a binding, its definition. As a callee of a tree as written, a bare name, which may mean an operator. [G.23] [G.34]"""

    __slots__ = ("name_hint", "struct_info_annotation")
    FIELDS = ("name_hint", "struct_info_annotation")
    CHILDREN = ("struct_info_annotation",)
    __match_args__ = ("name_hint", "struct_info_annotation")
    name_hint: str
    struct_info_annotation: StructInfo | None

    def __init__(
        self,
        name_hint: str,
        struct_info_annotation: StructInfo | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name_hint = name_hint
        self.struct_info_annotation = struct_info_annotation
        self.pos = pos
        self.end = end


@final
class DataflowVar(_Expr, Atom):
    """In the normal form, the definition of a variable that lives in one `dataflow { }` only; its uses are `Var`. The parser makes a `Var` of every definition. [G.24]"""

    __slots__ = ("name_hint", "struct_info_annotation")
    FIELDS = ("name_hint", "struct_info_annotation")
    CHILDREN = ("struct_info_annotation",)
    __match_args__ = ("name_hint", "struct_info_annotation")
    name_hint: str
    struct_info_annotation: StructInfo | None

    def __init__(
        self,
        name_hint: str,
        struct_info_annotation: StructInfo | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name_hint = name_hint
        self.struct_info_annotation = struct_info_annotation
        self.pos = pos
        self.end = end


@final
class GlobalVar(_Expr, Atom):
    """`@main`, `@"fused.add 1"`. [G.25]"""

    __slots__ = ("name_hint",)
    FIELDS = ("name_hint",)
    CHILDREN = ()
    __match_args__ = ("name_hint",)
    name_hint: str

    def __init__(
        self,
        name_hint: str,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name_hint = name_hint
        self.pos = pos
        self.end = end


@final
class Tuple(_Expr, Atom):
    """`(a, b)`, `(a,)`, `()`. [G.26]"""

    __slots__ = ("fields",)
    FIELDS = ("fields",)
    CHILDREN = ("fields",)
    __match_args__ = ("fields",)
    fields: tuple[Expr, ...]

    def __init__(
        self,
        fields: tuple[Expr, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.fields = fields
        self.pos = pos
        self.end = end


@final
class SeqExpr(_Expr, NeverBound):
    """`{ let y = x; y }`: blocks of bindings, then the value. [G.27]"""

    __slots__ = ("blocks", "body")
    FIELDS = ("blocks", "body")
    CHILDREN = ("blocks", "body")
    __match_args__ = ("blocks", "body")
    blocks: tuple[BlockOfBindings, ...]
    body: Expr

    def __init__(
        self,
        blocks: tuple[BlockOfBindings, ...],
        body: Expr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.blocks = blocks
        self.body = body
        self.pos = pos
        self.end = end


@final
class Function(_Expr, _Item):
    """`def @f(x: Tensor) -> Tensor { x }` (with a name) or `fn (x: Tensor) -> Tensor { x }` (without). [G.28]"""

    __slots__ = ("name", "private", "purity", "params", "ret_struct_info", "attrs", "body", "purity_pos")
    FIELDS = ("name", "private", "purity", "params", "ret_struct_info", "attrs", "body")
    CHILDREN = ("name", "params", "ret_struct_info", "attrs", "body")
    __match_args__ = ("name", "private", "purity", "params", "ret_struct_info", "attrs", "body")
    name: GlobalVar | None
    private: bool
    purity: str | None
    params: tuple[Var, ...]
    ret_struct_info: StructInfo | None
    attrs: tuple[Attr, ...]
    body: Expr
    purity_pos: int

    def __init__(
        self,
        name: GlobalVar | None,
        private: bool,
        purity: str | None,
        params: tuple[Var, ...],
        ret_struct_info: StructInfo | None,
        attrs: tuple[Attr, ...],
        body: Expr,
        pos: int = -1,
        end: int = -1,
        purity_pos: int = -1,
    ) -> None:
        self.name = name
        self.private = private
        self.purity = purity
        self.params = params
        self.ret_struct_info = ret_struct_info
        self.attrs = attrs
        self.body = body
        self.purity_pos = purity_pos
        self.pos = pos
        self.end = end


@final
class If(_Expr):
    """`if c { x } else { y }`. [G.29]"""

    __slots__ = ("cond", "true_branch", "false_branch")
    FIELDS = ("cond", "true_branch", "false_branch")
    CHILDREN = ("cond", "true_branch", "false_branch")
    __match_args__ = ("cond", "true_branch", "false_branch")
    cond: Expr
    true_branch: Expr
    false_branch: Expr

    def __init__(
        self,
        cond: Expr,
        true_branch: Expr,
        false_branch: Expr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.cond = cond
        self.true_branch = true_branch
        self.false_branch = false_branch
        self.pos = pos
        self.end = end


@final
class ExternFunc(_Expr, Atom):
    """`extern "my.add"`. [G.30]"""

    __slots__ = ("global_symbol",)
    FIELDS = ("global_symbol",)
    CHILDREN = ()
    __match_args__ = ("global_symbol",)
    global_symbol: str

    def __init__(
        self,
        global_symbol: str,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.global_symbol = global_symbol
        self.pos = pos
        self.end = end


@final
class Call(_Expr):
    """`matmul(x, w)`, `extern "f"(x, pure=true) -> Tensor`; `struct_info` is what `->` gives, the specification's type_args. [G.31]"""

    __slots__ = ("op", "args", "attrs", "struct_info")
    FIELDS = ("op", "args", "attrs", "struct_info")
    CHILDREN = ("op", "args", "attrs", "struct_info")
    __match_args__ = ("op", "args", "attrs", "struct_info")
    op: Expr
    args: tuple[Expr, ...]
    attrs: tuple[Attr, ...]
    struct_info: StructInfo | None

    def __init__(
        self,
        op: Expr,
        args: tuple[Expr, ...] = (),
        attrs: tuple[Attr, ...] = (),
        struct_info: StructInfo | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.op = op
        self.args = args
        self.attrs = attrs
        self.struct_info = struct_info
        self.pos = pos
        self.end = end


@final
class ShapeExpr(_Expr, Atom):
    """`shape(n, m * 2)`; also the `(n, 4)` of `Tensor[(n, 4)]`. [G.32]"""

    __slots__ = ("values",)
    FIELDS = ("values",)
    CHILDREN = ("values",)
    __match_args__ = ("values",)
    values: tuple[PrimExpr, ...]

    def __init__(
        self,
        values: tuple[PrimExpr, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.values = values
        self.pos = pos
        self.end = end


@final
class TupleGetItem(_Expr):
    """`t[0]`. [G.33] An index below 0, as in `t[-1]`, was reported where it was read."""

    __slots__ = ("tuple_value", "index", "index_pos", "index_end")
    FIELDS = ("tuple_value", "index")
    CHILDREN = ("tuple_value",)
    __match_args__ = ("tuple_value", "index")
    tuple_value: Expr
    index: int
    index_pos: int
    index_end: int

    def __init__(
        self,
        tuple_value: Expr,
        index: int,
        pos: int = -1,
        end: int = -1,
        index_pos: int = -1,
        index_end: int = -1,
    ) -> None:
        self.tuple_value = tuple_value
        self.index = index
        self.index_pos = index_pos
        self.index_end = index_end
        self.pos = pos
        self.end = end


@final
class MissingField(_Expr, NeverBound):
    """`t[i]`: something other than the number of a field is in the brackets, which was reported where it was read; `several` where only parts of a tensor can be meant, `t[0, 1]` and `t[1:]`. It has no text form. [Y.8]"""

    __slots__ = ("tuple_value", "several", "index_pos", "index_end")
    FIELDS = ("tuple_value", "several")
    CHILDREN = ("tuple_value",)
    __match_args__ = ("tuple_value", "several")
    tuple_value: Expr
    several: bool
    index_pos: int
    index_end: int

    def __init__(
        self,
        tuple_value: Expr,
        several: bool = False,
        pos: int = -1,
        end: int = -1,
        index_pos: int = -1,
        index_end: int = -1,
    ) -> None:
        self.tuple_value = tuple_value
        self.several = several
        self.index_pos = index_pos
        self.index_end = index_end
        self.pos = pos
        self.end = end


@final
class Op(_Expr, NeverBound):
    """`nn.softmax` as a callee; in the normal form `matmul` too, which the parser reads as a `Var`. [G.34]"""

    __slots__ = ("op_name",)
    FIELDS = ("op_name",)
    CHILDREN = ()
    __match_args__ = ("op_name",)
    op_name: str

    def __init__(
        self,
        op_name: str,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.op_name = op_name
        self.pos = pos
        self.end = end


@final
class PrimValue(_Expr, Atom):
    """A scalar operand over shape variables, `n * 2` in `arange(0, n * 2)`; made by normalization. [X15.1]"""

    __slots__ = ("value",)
    FIELDS = ("value",)
    CHILDREN = ("value",)
    __match_args__ = ("value",)
    value: PrimExpr

    def __init__(
        self,
        value: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.pos = pos
        self.end = end


@final
class BinaryOp(_Expr, NeverBound):
    """Infix sugar: `x + y`, `x == y`; one of `+ - * / // % ** == != < <= > >= && ||`. [OP.8]"""

    __slots__ = ("op", "lhs", "rhs")
    FIELDS = ("op", "lhs", "rhs")
    CHILDREN = ("lhs", "rhs")
    __match_args__ = ("op", "lhs", "rhs")
    op: str
    lhs: Expr
    rhs: Expr

    def __init__(
        self,
        op: str,
        lhs: Expr,
        rhs: Expr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.op = op
        self.lhs = lhs
        self.rhs = rhs
        self.pos = pos
        self.end = end


@final
class UnaryOp(_Expr, NeverBound):
    """Prefix sugar: `-x`, `!c`. [OP.8]"""

    __slots__ = ("op", "operand")
    FIELDS = ("op", "operand")
    CHILDREN = ("operand",)
    __match_args__ = ("op", "operand")
    op: str
    operand: Expr

    def __init__(
        self,
        op: str,
        operand: Expr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.op = op
        self.operand = operand
        self.pos = pos
        self.end = end


@final
class Missing(_Expr, NeverBound):
    """In place of an expression that could not be read, or, in the normal form, of a shape with a mistake: reported, so that nothing follows from it. It has no text form. [Y.8] [Z.5]"""

    __slots__ = ()
    FIELDS = ()
    CHILDREN = ()
    __match_args__ = ()

    def __init__(
        self,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.pos = pos
        self.end = end


@final
class BindingBlock(_BlockOfBindings):
    """Adjacent statements, or `bindings { … }` where a boundary is written out. [G.36]"""

    __slots__ = ("bindings", "explicit")
    FIELDS = ("bindings",)
    CHILDREN = ("bindings",)
    __match_args__ = ("bindings",)
    bindings: tuple[Binding, ...]
    explicit: bool

    def __init__(
        self,
        bindings: tuple[Binding, ...] = (),
        explicit: bool = False,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.bindings = bindings
        self.explicit = explicit
        self.pos = pos
        self.end = end


@final
class DataflowBlock(_BlockOfBindings):
    """`dataflow { let lv = add(x, x); let gv = add(lv, lv); output gv; }`. [G.37]"""

    __slots__ = ("bindings", "outputs", "outputs_pos", "outputs_end")
    FIELDS = ("bindings", "outputs")
    CHILDREN = ("bindings", "outputs")
    __match_args__ = ("bindings", "outputs")
    bindings: tuple[Binding, ...]
    outputs: tuple[Var, ...]
    outputs_pos: int
    outputs_end: int

    def __init__(
        self,
        bindings: tuple[Binding, ...] = (),
        outputs: tuple[Var, ...] = (),
        pos: int = -1,
        end: int = -1,
        outputs_pos: int = -1,
        outputs_end: int = -1,
    ) -> None:
        self.bindings = bindings
        self.outputs = outputs
        self.outputs_pos = outputs_pos
        self.outputs_end = outputs_end
        self.pos = pos
        self.end = end


@final
class VarBinding(_Binding):
    """`let v = e;`; `e;` alone binds `_`. [G.38]"""

    __slots__ = ("var", "value")
    FIELDS = ("var", "value")
    CHILDREN = ("var", "value")
    __match_args__ = ("var", "value")
    var: Binder
    value: Expr

    def __init__(
        self,
        var: Binder,
        value: Expr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.var = var
        self.value = value
        self.pos = pos
        self.end = end


@final
class MatchCast(_Binding):
    """`let v = match_cast(e, S);`, `match_cast(e, S);`. [G.39]"""

    __slots__ = ("var", "struct_info", "value", "cast_pos", "cast_end")
    FIELDS = ("var", "struct_info", "value")
    CHILDREN = ("var", "struct_info", "value")
    __match_args__ = ("var", "struct_info", "value")
    var: Binder | None
    struct_info: StructInfo
    value: Expr
    cast_pos: int
    cast_end: int

    def __init__(
        self,
        var: Binder | None,
        struct_info: StructInfo,
        value: Expr,
        pos: int = -1,
        end: int = -1,
        cast_pos: int = -1,
        cast_end: int = -1,
    ) -> None:
        self.var = var
        self.struct_info = struct_info
        self.value = value
        self.cast_pos = cast_pos
        self.cast_end = cast_end
        self.pos = pos
        self.end = end


@final
class TensorStructInfo(_StructInfo):
    """`Tensor`, `Tensor[(n, 4), float32]`, `Tensor[ndim=2]`, `Tensor[s, float32]`; shape is a ShapeExpr or a Var. [G.9] [G.16]"""

    __slots__ = ("shape", "dtype", "ndim")
    FIELDS = ("shape", "dtype", "ndim")
    CHILDREN = ("shape", "dtype")
    __match_args__ = ("shape", "dtype", "ndim")
    shape: Expr | None
    dtype: DType | None
    ndim: int | None

    def __init__(
        self,
        shape: Expr | None = None,
        dtype: DType | None = None,
        ndim: int | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self.ndim = ndim
        self.pos = pos
        self.end = end


@final
class ShapeStructInfo(_StructInfo):
    """`Shape`, `Shape[(n, m)]`, `Shape[ndim=2]`. [G.10] [G.17]"""

    __slots__ = ("values", "ndim")
    FIELDS = ("values", "ndim")
    CHILDREN = ("values",)
    __match_args__ = ("values", "ndim")
    values: tuple[PrimExpr, ...] | None
    ndim: int | None

    def __init__(
        self,
        values: tuple[PrimExpr, ...] | None = None,
        ndim: int | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.values = values
        self.ndim = ndim
        self.pos = pos
        self.end = end


@final
class PrimStructInfo(_StructInfo):
    """`Prim[float32]`: a number, no tensor; fits where a tensor of rank 0 is expected."""

    __slots__ = ("dtype",)
    FIELDS = ("dtype",)
    CHILDREN = ("dtype",)
    __match_args__ = ("dtype",)
    dtype: DType

    def __init__(
        self,
        dtype: DType,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.dtype = dtype
        self.pos = pos
        self.end = end


@final
class ObjectStructInfo(_StructInfo):
    """`Object`. [G.11] [G.18]"""

    __slots__ = ()
    FIELDS = ()
    CHILDREN = ()
    __match_args__ = ()

    def __init__(
        self,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.pos = pos
        self.end = end


@final
class TupleStructInfo(_StructInfo):
    """`(A, B)`, `(A,)`, `()`. [G.12] [G.19]"""

    __slots__ = ("fields",)
    FIELDS = ("fields",)
    CHILDREN = ("fields",)
    __match_args__ = ("fields",)
    fields: tuple[StructInfo, ...]

    def __init__(
        self,
        fields: tuple[StructInfo, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.fields = fields
        self.pos = pos
        self.end = end


@final
class FuncStructInfo(_StructInfo):
    """`fn(A) -> B`, `impure fn(A) -> B`; without params `PackedFunc[derive="empty"]`. [G.13] [G.14] [G.20]"""

    __slots__ = ("params", "ret", "derive_func", "pure")
    FIELDS = ("params", "ret", "derive_func", "pure")
    CHILDREN = ("params", "ret")
    __match_args__ = ("params", "ret", "derive_func", "pure")
    params: tuple[StructInfo, ...] | None
    ret: StructInfo | None
    derive_func: str | None
    pure: bool

    def __init__(
        self,
        params: tuple[StructInfo, ...] | None = None,
        ret: StructInfo | None = None,
        derive_func: str | None = None,
        pure: bool = True,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.params = params
        self.ret = ret
        self.derive_func = derive_func
        self.pure = pure
        self.pos = pos
        self.end = end


@final
class MatchShapeInfo(_StructInfo):
    """The pattern of `match_shape(e, (n, m))`: a tensor's shape or a shape value, whichever `e` is. [B.1]"""

    __slots__ = ("values",)
    FIELDS = ("values",)
    CHILDREN = ("values",)
    __match_args__ = ("values",)
    values: tuple[PrimExpr, ...]

    def __init__(
        self,
        values: tuple[PrimExpr, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.values = values
        self.pos = pos
        self.end = end


@final
class MissingStructInfo(_StructInfo):
    """In place of a struct info that could not be read, or, in the normal form, of one with a mistake, which is `part`: reported, so that nothing follows from it. It has no text form. [Y.8] [Z.5]"""

    __slots__ = ("part",)
    FIELDS = ("part",)
    CHILDREN = ("part",)
    __match_args__ = ("part",)
    part: StructInfo | None

    def __init__(
        self,
        part: StructInfo | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.part = part
        self.pos = pos
        self.end = end


@final
class IntLit(_Literal):
    """`3`, `-1`."""

    __slots__ = ("value", "text")
    FIELDS = ("value",)
    CHILDREN = ()
    __match_args__ = ("value",)
    value: int
    text: str | None

    def __init__(
        self,
        value: int,
        text: str | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.text = text
        self.pos = pos
        self.end = end


@final
class FloatLit(_Literal):
    """`1.5`, `-inf`, `nan`."""

    __slots__ = ("value", "text")
    FIELDS = ("value",)
    CHILDREN = ()
    __match_args__ = ("value",)
    value: float
    text: str | None

    def __init__(
        self,
        value: float,
        text: str | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.text = text
        self.pos = pos
        self.end = end


@final
class BoolLit(_Literal):
    """`true`."""

    __slots__ = ("value",)
    FIELDS = ("value",)
    CHILDREN = ()
    __match_args__ = ("value",)
    value: bool

    def __init__(
        self,
        value: bool = False,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.pos = pos
        self.end = end


@final
class StrLit(_Literal):
    """`"NHWC"`."""

    __slots__ = ("value",)
    FIELDS = ("value",)
    CHILDREN = ()
    __match_args__ = ("value",)
    value: str

    def __init__(
        self,
        value: str,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.pos = pos
        self.end = end


@final
class NullLit(_Literal):
    """`null`."""

    __slots__ = ()
    FIELDS = ()
    CHILDREN = ()
    __match_args__ = ()

    def __init__(
        self,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.pos = pos
        self.end = end


@final
class ListLit(_Literal):
    """`[1, 2, 3]`."""

    __slots__ = ("items",)
    FIELDS = ("items",)
    CHILDREN = ("items",)
    __match_args__ = ("items",)
    items: tuple[Literal, ...]

    def __init__(
        self,
        items: tuple[Literal, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.items = items
        self.pos = pos
        self.end = end


@final
class MapLit(_Literal):
    """`{ n: 2048, "a b": [1, 2] }`: the value of an attribute."""

    __slots__ = ("items",)
    FIELDS = ("items",)
    CHILDREN = ("items",)
    __match_args__ = ("items",)
    items: tuple[Attr, ...]

    def __init__(
        self,
        items: tuple[Attr, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.items = items
        self.pos = pos
        self.end = end


@final
class DType(_Literal):
    """`float32`; the dtype of an annotation too. [G.15]"""

    __slots__ = ("name",)
    FIELDS = ("name",)
    CHILDREN = ()
    __match_args__ = ("name",)
    name: str

    def __init__(
        self,
        name: str,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.pos = pos
        self.end = end


@final
class FileLit(_Literal):
    """`file("weights.npz", "fc1")`. [CF.1]"""

    __slots__ = ("path", "key")
    FIELDS = ("path", "key")
    CHILDREN = ()
    __match_args__ = ("path", "key")
    path: str
    key: str | None

    def __init__(
        self,
        path: str,
        key: str | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.path = path
        self.key = key
        self.pos = pos
        self.end = end


@final
class PrimVar(_PrimExpr):
    """`n`: a shape variable; in a PrimFunc also a loop variable, a `let`, or a buffer as a whole. [G.1]"""

    __slots__ = ("name",)
    FIELDS = ("name",)
    CHILDREN = ()
    __match_args__ = ("name",)
    name: str

    def __init__(
        self,
        name: str,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.pos = pos
        self.end = end


@final
class IntImm(_PrimExpr):
    """`3`, `int64(3)`. [G.2]"""

    __slots__ = ("value", "dtype", "text")
    FIELDS = ("value", "dtype")
    CHILDREN = ("dtype",)
    __match_args__ = ("value", "dtype")
    value: int
    dtype: DType | None
    text: str | None

    def __init__(
        self,
        value: int,
        dtype: DType | None = None,
        text: str | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.dtype = dtype
        self.text = text
        self.pos = pos
        self.end = end


@final
class FloatImm(_PrimExpr):
    """`0.5`, `float16(0.5)`, `inf`, `nan`."""

    __slots__ = ("value", "dtype", "text")
    FIELDS = ("value", "dtype")
    CHILDREN = ("dtype",)
    __match_args__ = ("value", "dtype")
    value: float
    dtype: DType | None
    text: str | None

    def __init__(
        self,
        value: float,
        dtype: DType | None = None,
        text: str | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.dtype = dtype
        self.text = text
        self.pos = pos
        self.end = end


@final
class BoolImm(_PrimExpr):
    """`true`."""

    __slots__ = ("value",)
    FIELDS = ("value",)
    CHILDREN = ()
    __match_args__ = ("value",)
    value: bool

    def __init__(
        self,
        value: bool = False,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.pos = pos
        self.end = end


@final
class Add(_PrimExpr, Arithmetic, BinaryPrimExpr):
    """`a + b`. [G.3]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class Sub(_PrimExpr, Arithmetic, BinaryPrimExpr):
    """`a - b`. [G.3]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class Mul(_PrimExpr, Arithmetic, BinaryPrimExpr):
    """`a * b`. [G.3]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class Div(_PrimExpr, Arithmetic, BinaryPrimExpr):
    """`a / b`: truncates toward zero on integers. [G.4]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class FloorDiv(_PrimExpr, Arithmetic, BinaryPrimExpr):
    """`a // b`. [G.4]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class FloorMod(_PrimExpr, Arithmetic, BinaryPrimExpr):
    """`a % b`: the remainder of `//`. [G.4]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class Min(_PrimExpr, Arithmetic, BinaryPrimExpr):
    """`min(a, b)`. [G.5]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class Max(_PrimExpr, Arithmetic, BinaryPrimExpr):
    """`max(a, b)`. [G.5]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class EQ(_PrimExpr, Comparison, BinaryPrimExpr):
    """`a == b`. [G.8]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class NE(_PrimExpr, Comparison, BinaryPrimExpr):
    """`a != b`. [G.8]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class LT(_PrimExpr, Comparison, BinaryPrimExpr):
    """`a < b`. [G.8]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class LE(_PrimExpr, Comparison, BinaryPrimExpr):
    """`a <= b`. [G.8]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class GT(_PrimExpr, Comparison, BinaryPrimExpr):
    """`a > b`. [G.8]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class GE(_PrimExpr, Comparison, BinaryPrimExpr):
    """`a >= b`. [G.8]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class And(_PrimExpr, Logical, BinaryPrimExpr):
    """`a && b`. [G.6]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class Or(_PrimExpr, Logical, BinaryPrimExpr):
    """`a || b`. [G.6]"""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class Not(_PrimExpr, UnaryPrimExpr):
    """`!a`. [G.6]"""

    __slots__ = ("a",)
    FIELDS = ("a",)
    CHILDREN = ("a",)
    __match_args__ = ("a",)
    a: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.pos = pos
        self.end = end


@final
class Neg(_PrimExpr, UnaryPrimExpr):
    """`-a`."""

    __slots__ = ("a",)
    FIELDS = ("a",)
    CHILDREN = ("a",)
    __match_args__ = ("a",)
    a: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.pos = pos
        self.end = end


@final
class Select(_PrimExpr):
    """`select(c, a, b)`: both sides are evaluated. [G.7]"""

    __slots__ = ("condition", "true_value", "false_value")
    FIELDS = ("condition", "true_value", "false_value")
    CHILDREN = ("condition", "true_value", "false_value")
    __match_args__ = ("condition", "true_value", "false_value")
    condition: PrimExpr
    true_value: PrimExpr
    false_value: PrimExpr

    def __init__(
        self,
        condition: PrimExpr,
        true_value: PrimExpr,
        false_value: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.condition = condition
        self.true_value = true_value
        self.false_value = false_value
        self.pos = pos
        self.end = end


@final
class BitAnd(_PrimExpr, Bitwise, BinaryPrimExpr, PrimFuncOnly):
    """`a & b`, in PrimFuncs."""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class BitOr(_PrimExpr, Bitwise, BinaryPrimExpr, PrimFuncOnly):
    """`a | b`, in PrimFuncs."""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class BitXor(_PrimExpr, Bitwise, BinaryPrimExpr, PrimFuncOnly):
    """`a ^ b`, in PrimFuncs."""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class ShiftLeft(_PrimExpr, Bitwise, BinaryPrimExpr, PrimFuncOnly):
    """`a << b`, in PrimFuncs."""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class ShiftRight(_PrimExpr, Bitwise, BinaryPrimExpr, PrimFuncOnly):
    """`a >> b`, in PrimFuncs: arithmetic on signed integers."""

    __slots__ = ("a", "b")
    FIELDS = ("a", "b")
    CHILDREN = ("a", "b")
    __match_args__ = ("a", "b")
    a: PrimExpr
    b: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        b: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.b = b
        self.pos = pos
        self.end = end


@final
class BitNot(_PrimExpr, UnaryPrimExpr, PrimFuncOnly):
    """`~a`, in PrimFuncs."""

    __slots__ = ("a",)
    FIELDS = ("a",)
    CHILDREN = ("a",)
    __match_args__ = ("a",)
    a: PrimExpr

    def __init__(
        self,
        a: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.a = a
        self.pos = pos
        self.end = end


@final
class Cast(_PrimExpr, PrimFuncOnly):
    """`cast(e, float16)`, in PrimFuncs."""

    __slots__ = ("value", "dtype")
    FIELDS = ("value", "dtype")
    CHILDREN = ("value", "dtype")
    __match_args__ = ("value", "dtype")
    value: PrimExpr
    dtype: DType

    def __init__(
        self,
        value: PrimExpr,
        dtype: DType,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.dtype = dtype
        self.pos = pos
        self.end = end


@final
class TypeLimit(_PrimExpr, PrimFuncOnly):
    """`min_value(int8)`, `max_value(int8)`, in PrimFuncs."""

    __slots__ = ("name", "dtype")
    FIELDS = ("name", "dtype")
    CHILDREN = ("dtype",)
    __match_args__ = ("name", "dtype")
    name: str
    dtype: DType

    def __init__(
        self,
        name: str,
        dtype: DType,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.dtype = dtype
        self.pos = pos
        self.end = end


@final
class BufferLoad(_PrimExpr, PrimFuncOnly):
    """`X[i, j]`, `S[()]`, in PrimFuncs. [TIR.3]"""

    __slots__ = ("buffer", "indices")
    FIELDS = ("buffer", "indices")
    CHILDREN = ("buffer", "indices")
    __match_args__ = ("buffer", "indices")
    buffer: PrimVar
    indices: tuple[PrimExpr, ...]

    def __init__(
        self,
        buffer: PrimVar,
        indices: tuple[PrimExpr, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.buffer = buffer
        self.indices = indices
        self.pos = pos
        self.end = end


@final
class PrimCall(_PrimExpr, PrimFuncOnly):
    """`exp(x)`, `if_then_else(c, a, b)`, in PrimFuncs. [TIR.7]"""

    __slots__ = ("name", "args")
    FIELDS = ("name", "args")
    CHILDREN = ("args",)
    __match_args__ = ("name", "args")
    name: str
    args: tuple[PrimExpr, ...]

    def __init__(
        self,
        name: str,
        args: tuple[PrimExpr, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.args = args
        self.pos = pos
        self.end = end


@final
class Buffer(_PrimParam):
    """`X: Buffer[(n, m), float32]`. [TIR.1]"""

    __slots__ = ("name", "shape", "dtype")
    FIELDS = ("name", "shape", "dtype")
    CHILDREN = ("shape", "dtype")
    __match_args__ = ("name", "shape", "dtype")
    name: str
    shape: tuple[PrimExpr, ...]
    dtype: DType

    def __init__(
        self,
        name: str,
        shape: tuple[PrimExpr, ...],
        dtype: DType,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.shape = shape
        self.dtype = dtype
        self.pos = pos
        self.end = end


@final
class ScalarParam(_PrimParam):
    """`k: int64`."""

    __slots__ = ("name", "dtype")
    FIELDS = ("name", "dtype")
    CHILDREN = ("dtype",)
    __match_args__ = ("name", "dtype")
    name: str
    dtype: DType

    def __init__(
        self,
        name: str,
        dtype: DType,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.dtype = dtype
        self.pos = pos
        self.end = end


@final
class For(_Stmt):
    """`for i in 0..n attrs { unroll: 4 } { }`, `for i, j in grid(n, m) { }`; kind: serial parallel vectorized unrolled thread. [TIR.15]"""

    __slots__ = ("kind", "thread", "loop_vars", "ranges", "body", "attrs", "grid")
    FIELDS = ("kind", "thread", "loop_vars", "ranges", "body", "attrs")
    CHILDREN = ("loop_vars", "ranges", "body", "attrs")
    __match_args__ = ("kind", "thread", "loop_vars", "ranges", "body", "attrs")
    kind: str
    thread: str | None
    loop_vars: tuple[PrimVar, ...]
    ranges: tuple[Range, ...]
    body: tuple[Stmt, ...]
    attrs: tuple[Attr, ...]
    grid: bool

    def __init__(
        self,
        kind: str,
        thread: str | None = None,
        loop_vars: tuple[PrimVar, ...] = (),
        ranges: tuple[Range, ...] = (),
        body: tuple[Stmt, ...] = (),
        attrs: tuple[Attr, ...] = (),
        grid: bool = False,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.kind = kind
        self.thread = thread
        self.loop_vars = loop_vars
        self.ranges = ranges
        self.body = body
        self.attrs = attrs
        self.grid = grid
        self.pos = pos
        self.end = end


@final
class Block(_Stmt):
    """`block name (v = spatial(i)) where c reads [A[v]] writes [B[v]] attrs { } { init { } … }`. [TIR.9-TIR.12]"""

    __slots__ = ("name", "axes", "predicate", "reads", "writes", "attrs", "init", "body")
    FIELDS = ("name", "axes", "predicate", "reads", "writes", "attrs", "init", "body")
    CHILDREN = ("axes", "predicate", "reads", "writes", "attrs", "init", "body")
    __match_args__ = ("name", "axes", "predicate", "reads", "writes", "attrs", "init", "body")
    name: str
    axes: tuple[IterVar, ...]
    predicate: PrimExpr | None
    reads: tuple[BufferRegion, ...] | None
    writes: tuple[BufferRegion, ...] | None
    attrs: tuple[Attr, ...]
    init: tuple[Stmt, ...] | None
    body: tuple[Stmt, ...]

    def __init__(
        self,
        name: str,
        axes: tuple[IterVar, ...] = (),
        predicate: PrimExpr | None = None,
        reads: tuple[BufferRegion, ...] | None = None,
        writes: tuple[BufferRegion, ...] | None = None,
        attrs: tuple[Attr, ...] = (),
        init: tuple[Stmt, ...] | None = None,
        body: tuple[Stmt, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.axes = axes
        self.predicate = predicate
        self.reads = reads
        self.writes = writes
        self.attrs = attrs
        self.init = init
        self.body = body
        self.pos = pos
        self.end = end


@final
class Allocate(_Stmt):
    """`alloc T: Buffer[(n,), float32] in "local" attrs { strides: [1] };`. [TIR.18]"""

    __slots__ = ("buffer", "scope", "attrs")
    FIELDS = ("buffer", "scope", "attrs")
    CHILDREN = ("buffer", "attrs")
    __match_args__ = ("buffer", "scope", "attrs")
    buffer: Buffer
    scope: str | None
    attrs: tuple[Attr, ...]

    def __init__(
        self,
        buffer: Buffer,
        scope: str | None = None,
        attrs: tuple[Attr, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.buffer = buffer
        self.scope = scope
        self.attrs = attrs
        self.pos = pos
        self.end = end


@final
class BufferView(_Stmt):
    """`let V: Buffer[(4,), float32] = A[i, 0..4];`, elements of another buffer; without a region, `= A`, all of them in order. [TIR.3]"""

    __slots__ = ("buffer", "source", "region", "attrs")
    FIELDS = ("buffer", "source", "region", "attrs")
    CHILDREN = ("buffer", "source", "region", "attrs")
    __match_args__ = ("buffer", "source", "region", "attrs")
    buffer: Buffer
    source: PrimVar
    region: tuple[RegionIndex, ...] | None
    attrs: tuple[Attr, ...]

    def __init__(
        self,
        buffer: Buffer,
        source: PrimVar,
        region: tuple[RegionIndex, ...] | None = None,
        attrs: tuple[Attr, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.buffer = buffer
        self.source = source
        self.region = region
        self.attrs = attrs
        self.pos = pos
        self.end = end


@final
class LetStmt(_Stmt):
    """`let v: int32 = e;`. [TIR.16]"""

    __slots__ = ("var", "dtype", "value")
    FIELDS = ("var", "dtype", "value")
    CHILDREN = ("var", "dtype", "value")
    __match_args__ = ("var", "dtype", "value")
    var: PrimVar
    dtype: DType | None
    value: PrimExpr

    def __init__(
        self,
        var: PrimVar,
        dtype: DType | None,
        value: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.var = var
        self.dtype = dtype
        self.value = value
        self.pos = pos
        self.end = end


@final
class BufferStore(_Stmt):
    """`B[i, j] = e;`, `B[i] += e;`; op is `=`, `+=`, `-=` or `*=`. [TIR.15]"""

    __slots__ = ("buffer", "indices", "op", "value")
    FIELDS = ("buffer", "indices", "op", "value")
    CHILDREN = ("buffer", "indices", "value")
    __match_args__ = ("buffer", "indices", "op", "value")
    buffer: PrimVar
    indices: tuple[PrimExpr, ...]
    op: str
    value: PrimExpr

    def __init__(
        self,
        buffer: PrimVar,
        indices: tuple[PrimExpr, ...],
        op: str,
        value: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.buffer = buffer
        self.indices = indices
        self.op = op
        self.value = value
        self.pos = pos
        self.end = end


@final
class IfThenElse(_Stmt):
    """`if c { } else { }`; no `else` is an empty tuple. [TIR.6]"""

    __slots__ = ("condition", "then_case", "else_case")
    FIELDS = ("condition", "then_case", "else_case")
    CHILDREN = ("condition", "then_case", "else_case")
    __match_args__ = ("condition", "then_case", "else_case")
    condition: PrimExpr
    then_case: tuple[Stmt, ...]
    else_case: tuple[Stmt, ...]

    def __init__(
        self,
        condition: PrimExpr,
        then_case: tuple[Stmt, ...] = (),
        else_case: tuple[Stmt, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.condition = condition
        self.then_case = then_case
        self.else_case = else_case
        self.pos = pos
        self.end = end


@final
class While(_Stmt):
    """`while c { }`. [TIR.6]"""

    __slots__ = ("condition", "body")
    FIELDS = ("condition", "body")
    CHILDREN = ("condition", "body")
    __match_args__ = ("condition", "body")
    condition: PrimExpr
    body: tuple[Stmt, ...]

    def __init__(
        self,
        condition: PrimExpr,
        body: tuple[Stmt, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.condition = condition
        self.body = body
        self.pos = pos
        self.end = end


@final
class AssertStmt(_Stmt):
    """`assert c, "message";`. [TIR.17]"""

    __slots__ = ("condition", "message")
    FIELDS = ("condition", "message")
    CHILDREN = ("condition",)
    __match_args__ = ("condition", "message")
    condition: PrimExpr
    message: str

    def __init__(
        self,
        condition: PrimExpr,
        message: str,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.condition = condition
        self.message = message
        self.pos = pos
        self.end = end


@final
class Break(_Stmt):
    """`break;`: ends the innermost loop, of a `grid` that of its last variable. [TIR.15]"""

    __slots__ = ()
    FIELDS = ()
    CHILDREN = ()
    __match_args__ = ()

    def __init__(
        self,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.pos = pos
        self.end = end


@final
class Continue(_Stmt):
    """`continue;`: goes on with the next iteration of the innermost loop. [TIR.15]"""

    __slots__ = ()
    FIELDS = ()
    CHILDREN = ()
    __match_args__ = ()

    def __init__(
        self,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.pos = pos
        self.end = end


@final
class CallExtern(_Stmt):
    """`call_extern("name", A, n, "nearest");`. [TIR.19]"""

    __slots__ = ("name", "args")
    FIELDS = ("name", "args")
    CHILDREN = ("args",)
    __match_args__ = ("name", "args")
    name: str
    args: tuple[ExternArg, ...]

    def __init__(
        self,
        name: str,
        args: tuple[ExternArg, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.args = args
        self.pos = pos
        self.end = end


@final
class Range(_TirPart):
    """`0..n`: from min up to, not including, stop."""

    __slots__ = ("min", "stop")
    FIELDS = ("min", "stop")
    CHILDREN = ("min", "stop")
    __match_args__ = ("min", "stop")
    min: PrimExpr
    stop: PrimExpr

    def __init__(
        self,
        min: PrimExpr,
        stop: PrimExpr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.min = min
        self.stop = stop
        self.pos = pos
        self.end = end


@final
class IterVar(_TirPart):
    """`v = spatial(i)`, `r = reduce(k, 0..n)`. [TIR.9]"""

    __slots__ = ("var", "kind", "value", "dom")
    FIELDS = ("var", "kind", "value", "dom")
    CHILDREN = ("var", "value", "dom")
    __match_args__ = ("var", "kind", "value", "dom")
    var: PrimVar
    kind: str
    value: PrimExpr
    dom: Range | None

    def __init__(
        self,
        var: PrimVar,
        kind: str,
        value: PrimExpr,
        dom: Range | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.var = var
        self.kind = kind
        self.value = value
        self.dom = dom
        self.pos = pos
        self.end = end


@final
class BufferRegion(_TirPart):
    """`A[v, 0..k]` in `reads` and `writes`; an index is a PrimExpr or a Range. [TIR.11]"""

    __slots__ = ("buffer", "region")
    FIELDS = ("buffer", "region")
    CHILDREN = ("buffer", "region")
    __match_args__ = ("buffer", "region")
    buffer: PrimVar
    region: tuple[RegionIndex, ...]

    def __init__(
        self,
        buffer: PrimVar,
        region: tuple[RegionIndex, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.buffer = buffer
        self.region = region
        self.pos = pos
        self.end = end


if TYPE_CHECKING:
    Module: TypeAlias = IRModule
    Attribute: TypeAlias = Attr
    Item: TypeAlias = (
        PrimFunc
        | Function
    )
    Expr: TypeAlias = (
        Constant
        | Var
        | DataflowVar
        | GlobalVar
        | Tuple
        | SeqExpr
        | Function
        | If
        | ExternFunc
        | Call
        | ShapeExpr
        | TupleGetItem
        | MissingField
        | Op
        | PrimValue
        | BinaryOp
        | UnaryOp
        | Missing
    )
    BlockOfBindings: TypeAlias = (
        BindingBlock
        | DataflowBlock
    )
    Binding: TypeAlias = (
        VarBinding
        | MatchCast
    )
    StructInfo: TypeAlias = (
        TensorStructInfo
        | ShapeStructInfo
        | PrimStructInfo
        | ObjectStructInfo
        | TupleStructInfo
        | FuncStructInfo
        | MatchShapeInfo
        | MissingStructInfo
    )
    Literal: TypeAlias = (
        IntLit
        | FloatLit
        | BoolLit
        | StrLit
        | NullLit
        | ListLit
        | MapLit
        | DType
        | FileLit
    )
    PrimExpr: TypeAlias = (
        PrimVar
        | IntImm
        | FloatImm
        | BoolImm
        | Add
        | Sub
        | Mul
        | Div
        | FloorDiv
        | FloorMod
        | Min
        | Max
        | EQ
        | NE
        | LT
        | LE
        | GT
        | GE
        | And
        | Or
        | Not
        | Neg
        | Select
        | BitAnd
        | BitOr
        | BitXor
        | ShiftLeft
        | ShiftRight
        | BitNot
        | Cast
        | TypeLimit
        | BufferLoad
        | PrimCall
    )
    PrimParam: TypeAlias = (
        Buffer
        | ScalarParam
    )
    Stmt: TypeAlias = (
        For
        | Block
        | Allocate
        | BufferView
        | LetStmt
        | BufferStore
        | IfThenElse
        | While
        | AssertStmt
        | Break
        | Continue
        | CallExtern
    )
    TirPart: TypeAlias = (
        Range
        | IterVar
        | BufferRegion
    )
    AnyAtom: TypeAlias = (
        Constant
        | Var
        | DataflowVar
        | GlobalVar
        | Tuple
        | ShapeExpr
        | ExternFunc
        | PrimValue
    )
    AnyNeverBound: TypeAlias = (
        SeqExpr
        | Op
        | BinaryOp
        | UnaryOp
        | Missing
        | MissingField
    )
    AnyArithmetic: TypeAlias = (
        Add
        | Sub
        | Mul
        | Div
        | FloorDiv
        | FloorMod
        | Min
        | Max
    )
    AnyComparison: TypeAlias = (
        EQ
        | NE
        | LT
        | LE
        | GT
        | GE
    )
    AnyLogical: TypeAlias = (
        And
        | Or
    )
    AnyBitwise: TypeAlias = (
        BitAnd
        | BitOr
        | BitXor
        | ShiftLeft
        | ShiftRight
    )
    AnyBinaryPrimExpr: TypeAlias = (
        Add
        | Sub
        | Mul
        | Div
        | FloorDiv
        | FloorMod
        | Min
        | Max
        | EQ
        | NE
        | LT
        | LE
        | GT
        | GE
        | And
        | Or
        | BitAnd
        | BitOr
        | BitXor
        | ShiftLeft
        | ShiftRight
    )
    AnyUnaryPrimExpr: TypeAlias = (
        Not
        | Neg
        | BitNot
    )
    AnyPrimFuncOnly: TypeAlias = (
        BitAnd
        | BitOr
        | BitXor
        | ShiftLeft
        | ShiftRight
        | BitNot
        | Cast
        | TypeLimit
        | BufferLoad
        | PrimCall
    )
    Binder = Var | DataflowVar
    ExternArg = PrimExpr | StrLit
    RegionIndex = PrimExpr | Range
else:
    Module = _Module
    Attribute = _Attribute
    Item = _Item
    Expr = _Expr
    BlockOfBindings = _BlockOfBindings
    Binding = _Binding
    StructInfo = _StructInfo
    Literal = _Literal
    PrimExpr = _PrimExpr
    PrimParam = _PrimParam
    Stmt = _Stmt
    TirPart = _TirPart

NODES: tuple[type[Node], ...] = (
    IRModule,
    Attr,
    PrimFunc,
    Constant,
    Var,
    DataflowVar,
    GlobalVar,
    Tuple,
    SeqExpr,
    Function,
    If,
    ExternFunc,
    Call,
    ShapeExpr,
    TupleGetItem,
    MissingField,
    Op,
    PrimValue,
    BinaryOp,
    UnaryOp,
    Missing,
    BindingBlock,
    DataflowBlock,
    VarBinding,
    MatchCast,
    TensorStructInfo,
    ShapeStructInfo,
    PrimStructInfo,
    ObjectStructInfo,
    TupleStructInfo,
    FuncStructInfo,
    MatchShapeInfo,
    MissingStructInfo,
    IntLit,
    FloatLit,
    BoolLit,
    StrLit,
    NullLit,
    ListLit,
    MapLit,
    DType,
    FileLit,
    PrimVar,
    IntImm,
    FloatImm,
    BoolImm,
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    FloorMod,
    Min,
    Max,
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE,
    And,
    Or,
    Not,
    Neg,
    Select,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    BitNot,
    Cast,
    TypeLimit,
    BufferLoad,
    PrimCall,
    Buffer,
    ScalarParam,
    For,
    Block,
    Allocate,
    BufferView,
    LetStmt,
    BufferStore,
    IfThenElse,
    While,
    AssertStmt,
    Break,
    Continue,
    CallExtern,
    Range,
    IterVar,
    BufferRegion,
)
ATOM = (
    Constant,
    Var,
    DataflowVar,
    GlobalVar,
    Tuple,
    ShapeExpr,
    ExternFunc,
    PrimValue,
)
"""The classes of `Atom`, as rows of a table."""
NEVER_BOUND = (
    SeqExpr,
    Op,
    BinaryOp,
    UnaryOp,
    Missing,
    MissingField,
)
"""The classes of `NeverBound`, as rows of a table."""
ARITHMETIC = (
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    FloorMod,
    Min,
    Max,
)
"""The classes of `Arithmetic`, as rows of a table."""
COMPARISON = (
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE,
)
"""The classes of `Comparison`, as rows of a table."""
LOGICAL = (
    And,
    Or,
)
"""The classes of `Logical`, as rows of a table."""
BITWISE = (
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
)
"""The classes of `Bitwise`, as rows of a table."""
BINARY_PRIM_EXPR = (
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    FloorMod,
    Min,
    Max,
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
)
"""The classes of `BinaryPrimExpr`, as rows of a table."""
UNARY_PRIM_EXPR = (
    Not,
    Neg,
    BitNot,
)
"""The classes of `UnaryPrimExpr`, as rows of a table."""
PRIM_FUNC_ONLY = (
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    BitNot,
    Cast,
    TypeLimit,
    BufferLoad,
    PrimCall,
)
"""The classes of `PrimFuncOnly`, as rows of a table."""
