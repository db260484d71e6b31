"""The tree of a Relay program. Generated from grammar/relay.asdl by tools/make_tree.py: do not edit.

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


class _Root(Node):
    """A whole file."""

    __slots__ = ()


class _Item(Node):
    """What a module defines."""

    __slots__ = ()


class _Constructor(Node):
    """A constructor in the definition of a type."""

    __slots__ = ()


class _TypeParameter(Node):
    """A parameter in brackets."""

    __slots__ = ()


class _Attribute(Node):
    """A name with a value."""

    __slots__ = ()


class _Expr(Node):
    """An expression."""

    __slots__ = ()


class _Binding(Node):
    """What a block holds before its value."""

    __slots__ = ()


class _Parameter(Node):
    """The parameter of a function."""

    __slots__ = ()


class _MatchClause(Node):
    """A case of a match."""

    __slots__ = ()


class _Pattern(Node):
    """What a value is matched with."""

    __slots__ = ()


class _Type(Node):
    """A type."""

    __slots__ = ()


class _Dim(Node):
    """An extent."""

    __slots__ = ()


class _AttrValue(Node):
    """The value of an attribute."""

    __slots__ = ()


@final
class Module(_Root):
    """One file: an optional `#[version = "0.0.5"]`, the definitions in any order, and the objects outside of the text. [R.1]"""

    __slots__ = ("version", "items", "metadata")
    FIELDS = ("version", "items")
    CHILDREN = ("items",)
    __match_args__ = ("version", "items")
    version: str | None
    items: tuple[Item, ...]
    metadata: str | None

    def __init__(
        self,
        version: str | None = None,
        items: tuple[Item, ...] = (),
        metadata: str | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.version = version
        self.items = items
        self.metadata = metadata
        self.pos = pos
        self.end = end


@final
class Def(_Item):
    """`def @main(%x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] { %x }`. [R.2]"""

    __slots__ = ("name", "function")
    FIELDS = ("name", "function")
    CHILDREN = ("name", "function")
    __match_args__ = ("name", "function")
    name: GlobalVar
    function: Function

    def __init__(
        self,
        name: GlobalVar,
        function: Function,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.function = function
        self.pos = pos
        self.end = end


@final
class TypeDef(_Item):
    """`type List[A] { Cons(A, List[A]), Nil }`. [R.3]"""

    __slots__ = ("name", "params", "ctors", "name_pos")
    FIELDS = ("name", "params", "ctors")
    CHILDREN = ("params", "ctors")
    __match_args__ = ("name", "params", "ctors")
    name: str
    params: tuple[TypeParam, ...]
    ctors: tuple[Ctor, ...]
    name_pos: int

    def __init__(
        self,
        name: str,
        params: tuple[TypeParam, ...] = (),
        ctors: tuple[Ctor, ...] = (),
        pos: int = -1,
        end: int = -1,
        name_pos: int = -1,
    ) -> None:
        self.name = name
        self.params = params
        self.ctors = ctors
        self.name_pos = name_pos
        self.pos = pos
        self.end = end


@final
class ExternType(_Item):
    """`extern type Tree[A]`. [R.4]"""

    __slots__ = ("name", "params", "name_pos")
    FIELDS = ("name", "params")
    CHILDREN = ("params",)
    __match_args__ = ("name", "params")
    name: str
    params: tuple[TypeParam, ...]
    name_pos: int

    def __init__(
        self,
        name: str,
        params: tuple[TypeParam, ...] = (),
        pos: int = -1,
        end: int = -1,
        name_pos: int = -1,
    ) -> None:
        self.name = name
        self.params = params
        self.name_pos = name_pos
        self.pos = pos
        self.end = end


@final
class Import(_Item):
    """`import "std/prelude.relay"`: what the standard library defines there. [R.2]"""

    __slots__ = ("path",)
    FIELDS = ("path",)
    CHILDREN = ()
    __match_args__ = ("path",)
    path: str

    def __init__(
        self,
        path: str,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.path = path
        self.pos = pos
        self.end = end


@final
class Ctor(_Constructor):
    """`Cons(A, List[A])`. [R.3]"""

    __slots__ = ("name", "fields")
    FIELDS = ("name", "fields")
    CHILDREN = ("fields",)
    __match_args__ = ("name", "fields")
    name: str
    fields: tuple[Type, ...]

    def __init__(
        self,
        name: str,
        fields: tuple[Type, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.fields = fields
        self.pos = pos
        self.end = end


@final
class TypeParam(_TypeParameter):
    """`A` in `fn[A] (…)`; `s` in `fn<s : Shape>(…)`, whose kind is written. [R.5]"""

    __slots__ = ("name", "kind")
    FIELDS = ("name", "kind")
    CHILDREN = ()
    __match_args__ = ("name", "kind")
    name: str
    kind: str | None

    def __init__(
        self,
        name: str,
        kind: str | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.kind = kind
        self.pos = pos
        self.end = end


@final
class Attr(_Attribute):
    """`axis=1` in a call, `Primitive=1` of a function. [R.6]"""

    __slots__ = ("key", "value")
    FIELDS = ("key", "value")
    CHILDREN = ("value",)
    __match_args__ = ("key", "value")
    key: str
    value: AttrValue

    def __init__(
        self,
        key: str,
        value: AttrValue,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.key = key
        self.value = value
        self.pos = pos
        self.end = end


@final
class Var(_Expr):
    """`%x`. [R.7]"""

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
class GlobalVar(_Expr):
    """`@main`. [R.7]"""

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
class GraphVar(_Expr):
    """`%12`: a node of a graph by its number. [R.8]"""

    __slots__ = ("index",)
    FIELDS = ("index",)
    CHILDREN = ()
    __match_args__ = ("index",)
    index: int

    def __init__(
        self,
        index: int,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.index = index
        self.pos = pos
        self.end = end


@final
class OpRef(_Expr):
    """`Cons`, `nn.dense`: a constructor of the module, or else an operator, by its name. [R.9] [R.10]"""

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
class Const(_Expr):
    """`1`, `2i64`, `1.5f`, `True`; `text` is how it was written. [R.11]"""

    __slots__ = ("value", "dtype", "text")
    FIELDS = ("value", "dtype")
    CHILDREN = ()
    __match_args__ = ("value", "dtype")
    value: bool | int | float
    dtype: str
    text: str

    def __init__(
        self,
        value: bool | int | float,
        dtype: str,
        text: str,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.dtype = dtype
        self.text = text
        self.pos = pos
        self.end = end


@final
class MetaRef(_Expr):
    """`meta[relay.Constant][0]`: an object outside of the text. [R.12]"""

    __slots__ = ("key", "index")
    FIELDS = ("key", "index")
    CHILDREN = ()
    __match_args__ = ("key", "index")
    key: str
    index: int

    def __init__(
        self,
        key: str,
        index: int,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.key = key
        self.index = index
        self.pos = pos
        self.end = end


@final
class Tuple(_Expr):
    """`(%a, %b)`, `(%a,)`, `()`. [R.13]"""

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
class Proj(_Expr):
    """`%t.0`. [R.13]"""

    __slots__ = ("tuple", "index")
    FIELDS = ("tuple", "index")
    CHILDREN = ("tuple",)
    __match_args__ = ("tuple", "index")
    tuple: Expr
    index: int

    def __init__(
        self,
        tuple: Expr,
        index: int,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.tuple = tuple
        self.index = index
        self.pos = pos
        self.end = end


@final
class Call(_Expr):
    """`f(%x, axis=1)`; `%a + %b` is a call of `add`, written with the operator in `infix`. [R.14]"""

    __slots__ = ("op", "args", "attrs", "type_args", "infix")
    FIELDS = ("op", "args", "attrs", "type_args")
    CHILDREN = ("op", "args", "attrs", "type_args")
    __match_args__ = ("op", "args", "attrs", "type_args")
    op: Expr
    args: tuple[Expr, ...]
    attrs: tuple[Attr, ...]
    type_args: tuple[Type, ...]
    infix: str | None

    def __init__(
        self,
        op: Expr,
        args: tuple[Expr, ...] = (),
        attrs: tuple[Attr, ...] = (),
        type_args: tuple[Type, ...] = (),
        infix: str | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.op = op
        self.args = args
        self.attrs = attrs
        self.type_args = type_args
        self.infix = infix
        self.pos = pos
        self.end = end


@final
class Function(_Expr):
    """`fn[A] (%x: A) -> A { %x }`. [R.15]"""

    __slots__ = ("type_params", "params", "result", "attrs", "relations", "body")
    FIELDS = ("type_params", "params", "result", "attrs", "relations", "body")
    CHILDREN = ("type_params", "params", "result", "attrs", "body")
    __match_args__ = ("type_params", "params", "result", "attrs", "relations", "body")
    type_params: tuple[TypeParam, ...]
    params: tuple[Param, ...]
    result: Type | None
    attrs: tuple[Attr, ...]
    relations: tuple[str, ...]
    body: Block

    def __init__(
        self,
        type_params: tuple[TypeParam, ...],
        params: tuple[Param, ...],
        result: Type | None,
        attrs: tuple[Attr, ...],
        relations: tuple[str, ...],
        body: Block,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.type_params = type_params
        self.params = params
        self.result = result
        self.attrs = attrs
        self.relations = relations
        self.body = body
        self.pos = pos
        self.end = end


@final
class If(_Expr):
    """`if (%c) { %x } else { %y }`. [R.16]"""

    __slots__ = ("cond", "then", "other")
    FIELDS = ("cond", "then", "other")
    CHILDREN = ("cond", "then", "other")
    __match_args__ = ("cond", "then", "other")
    cond: Expr
    then: Block
    other: Block

    def __init__(
        self,
        cond: Expr,
        then: Block,
        other: Block,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.cond = cond
        self.then = then
        self.other = other
        self.pos = pos
        self.end = end


@final
class Match(_Expr):
    """`match (%l) { Cons(%h, _) => %h, Nil => 0 }`; `match?` may leave cases out. [R.17]"""

    __slots__ = ("data", "clauses", "total")
    FIELDS = ("data", "clauses", "total")
    CHILDREN = ("data", "clauses")
    __match_args__ = ("data", "clauses", "total")
    data: Expr
    clauses: tuple[Clause, ...]
    total: bool

    def __init__(
        self,
        data: Expr,
        clauses: tuple[Clause, ...] = (),
        total: bool = False,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.data = data
        self.clauses = clauses
        self.total = total
        self.pos = pos
        self.end = end


@final
class RefNew(_Expr):
    """`ref(%x)`. [R.18]"""

    __slots__ = ("value",)
    FIELDS = ("value",)
    CHILDREN = ("value",)
    __match_args__ = ("value",)
    value: Expr

    def __init__(
        self,
        value: Expr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.pos = pos
        self.end = end


@final
class RefRead(_Expr):
    """`ref_read(%r)`. [R.18]"""

    __slots__ = ("ref",)
    FIELDS = ("ref",)
    CHILDREN = ("ref",)
    __match_args__ = ("ref",)
    ref: Expr

    def __init__(
        self,
        ref: Expr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.ref = ref
        self.pos = pos
        self.end = end


@final
class RefWrite(_Expr):
    """`ref_write(%r, %x)`. [R.18]"""

    __slots__ = ("ref", "value")
    FIELDS = ("ref", "value")
    CHILDREN = ("ref", "value")
    __match_args__ = ("ref", "value")
    ref: Expr
    value: Expr

    def __init__(
        self,
        ref: Expr,
        value: Expr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.ref = ref
        self.value = value
        self.pos = pos
        self.end = end


@final
class Block(_Expr):
    """`{ let %y = %x; %y }`: bindings, then a value. [R.19]"""

    __slots__ = ("bindings", "value", "braces")
    FIELDS = ("bindings", "value")
    CHILDREN = ("bindings", "value")
    __match_args__ = ("bindings", "value")
    bindings: tuple[Binding, ...]
    value: Expr
    braces: bool

    def __init__(
        self,
        bindings: tuple[Binding, ...],
        value: Expr,
        braces: bool = False,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.bindings = bindings
        self.value = value
        self.braces = braces
        self.pos = pos
        self.end = end


@final
class Missing(_Expr):
    """In place of what could not be read, which was reported."""

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
class Let(_Binding):
    """`let %y: T = e;`. [R.20]"""

    __slots__ = ("var", "annotation", "value")
    FIELDS = ("var", "annotation", "value")
    CHILDREN = ("var", "annotation", "value")
    __match_args__ = ("var", "annotation", "value")
    var: Var
    annotation: Type | None
    value: Expr

    def __init__(
        self,
        var: Var,
        annotation: Type | None,
        value: Expr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.var = var
        self.annotation = annotation
        self.value = value
        self.pos = pos
        self.end = end


@final
class GraphBind(_Binding):
    """`%3 = e;`: evaluated once, where it is needed first. [R.8]"""

    __slots__ = ("var", "value")
    FIELDS = ("var", "value")
    CHILDREN = ("var", "value")
    __match_args__ = ("var", "value")
    var: GraphVar
    value: Expr

    def __init__(
        self,
        var: GraphVar,
        value: Expr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.var = var
        self.value = value
        self.pos = pos
        self.end = end


@final
class FreeVar(_Binding):
    """`free_var %x: T;`. [R.21]"""

    __slots__ = ("var", "annotation")
    FIELDS = ("var", "annotation")
    CHILDREN = ("var", "annotation")
    __match_args__ = ("var", "annotation")
    var: Var
    annotation: Type | None

    def __init__(
        self,
        var: Var,
        annotation: Type | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.var = var
        self.annotation = annotation
        self.pos = pos
        self.end = end


@final
class Then(_Binding):
    """`e;`: evaluated, and its value is dropped. [R.22]"""

    __slots__ = ("value",)
    FIELDS = ("value",)
    CHILDREN = ("value",)
    __match_args__ = ("value",)
    value: Expr

    def __init__(
        self,
        value: Expr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.pos = pos
        self.end = end


@final
class Param(_Parameter):
    """`%x: T`, `%x {virtual_device=…}: T`. [R.15]"""

    __slots__ = ("var", "attrs", "annotation")
    FIELDS = ("var", "attrs", "annotation")
    CHILDREN = ("var", "attrs", "annotation")
    __match_args__ = ("var", "attrs", "annotation")
    var: Var
    attrs: tuple[Attr, ...]
    annotation: Type | None

    def __init__(
        self,
        var: Var,
        attrs: tuple[Attr, ...] = (),
        annotation: Type | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.var = var
        self.attrs = attrs
        self.annotation = annotation
        self.pos = pos
        self.end = end


@final
class Clause(_MatchClause):
    """`Cons(%h, _) => %h`. [R.17]"""

    __slots__ = ("pattern", "body")
    FIELDS = ("pattern", "body")
    CHILDREN = ("pattern", "body")
    __match_args__ = ("pattern", "body")
    pattern: Pattern
    body: Expr

    def __init__(
        self,
        pattern: Pattern,
        body: Expr,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.pattern = pattern
        self.body = body
        self.pos = pos
        self.end = end


@final
class PWild(_Pattern):
    """`_`. [R.17]"""

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
class PVar(_Pattern):
    """`%x`, `%x: T`. [R.17]"""

    __slots__ = ("var", "annotation")
    FIELDS = ("var", "annotation")
    CHILDREN = ("var", "annotation")
    __match_args__ = ("var", "annotation")
    var: Var
    annotation: Type | None

    def __init__(
        self,
        var: Var,
        annotation: Type | None = None,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.var = var
        self.annotation = annotation
        self.pos = pos
        self.end = end


@final
class PCtor(_Pattern):
    """`Cons(%h, _)`, `Nil`. [R.17]"""

    __slots__ = ("name", "fields")
    FIELDS = ("name", "fields")
    CHILDREN = ("fields",)
    __match_args__ = ("name", "fields")
    name: str
    fields: tuple[Pattern, ...]

    def __init__(
        self,
        name: str,
        fields: tuple[Pattern, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.fields = fields
        self.pos = pos
        self.end = end


@final
class PTuple(_Pattern):
    """`(%a, _)`. [R.17]"""

    __slots__ = ("fields",)
    FIELDS = ("fields",)
    CHILDREN = ("fields",)
    __match_args__ = ("fields",)
    fields: tuple[Pattern, ...]

    def __init__(
        self,
        fields: tuple[Pattern, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.fields = fields
        self.pos = pos
        self.end = end


@final
class TensorType(_Type):
    """`Tensor[(2, ?), float32]`, `float32`: of rank 0 if there are no dimensions. [R.23]"""

    __slots__ = ("dims", "shape_var", "dtype", "bare")
    FIELDS = ("dims", "shape_var", "dtype")
    CHILDREN = ("dims",)
    __match_args__ = ("dims", "shape_var", "dtype")
    dims: tuple[Dim, ...]
    shape_var: str | None
    dtype: str
    bare: bool

    def __init__(
        self,
        dims: tuple[Dim, ...],
        shape_var: str | None,
        dtype: str,
        bare: bool = False,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.dims = dims
        self.shape_var = shape_var
        self.dtype = dtype
        self.bare = bare
        self.pos = pos
        self.end = end


@final
class TupleType(_Type):
    """`(T, U)`. [R.24]"""

    __slots__ = ("fields",)
    FIELDS = ("fields",)
    CHILDREN = ("fields",)
    __match_args__ = ("fields",)
    fields: tuple[Type, ...]

    def __init__(
        self,
        fields: tuple[Type, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.fields = fields
        self.pos = pos
        self.end = end


@final
class FuncType(_Type):
    """`fn[A] (A) -> A`. [R.25]"""

    __slots__ = ("type_params", "params", "result")
    FIELDS = ("type_params", "params", "result")
    CHILDREN = ("type_params", "params", "result")
    __match_args__ = ("type_params", "params", "result")
    type_params: tuple[TypeParam, ...]
    params: tuple[Type, ...]
    result: Type

    def __init__(
        self,
        type_params: tuple[TypeParam, ...],
        params: tuple[Type, ...],
        result: Type,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.type_params = type_params
        self.params = params
        self.result = result
        self.pos = pos
        self.end = end


@final
class TypeCall(_Type):
    """`List[int32]`; `A` without brackets is a type parameter where one is in scope. [R.26]"""

    __slots__ = ("name", "args", "brackets")
    FIELDS = ("name", "args")
    CHILDREN = ("args",)
    __match_args__ = ("name", "args")
    name: str
    args: tuple[Type, ...]
    brackets: bool

    def __init__(
        self,
        name: str,
        args: tuple[Type, ...] = (),
        brackets: bool = False,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.args = args
        self.brackets = brackets
        self.pos = pos
        self.end = end


@final
class RefType(_Type):
    """`ref(T)`. [R.18]"""

    __slots__ = ("value",)
    FIELDS = ("value",)
    CHILDREN = ("value",)
    __match_args__ = ("value",)
    value: Type

    def __init__(
        self,
        value: Type,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.pos = pos
        self.end = end


@final
class Incomplete(_Type):
    """`_`: to be inferred. [R.27]"""

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
class DimInt(_Dim):
    """`3`. [R.23]"""

    __slots__ = ("value",)
    FIELDS = ("value",)
    CHILDREN = ()
    __match_args__ = ("value",)
    value: int

    def __init__(
        self,
        value: int,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.pos = pos
        self.end = end


@final
class DimAny(_Dim):
    """`?`: any extent. [R.28]"""

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
class DimVar(_Dim):
    """`n`: a parameter of the kind ShapeVar. [R.5]"""

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
class DimMeta(_Dim):
    """`meta[IntImm][0]`. [R.12]"""

    __slots__ = ("key", "index")
    FIELDS = ("key", "index")
    CHILDREN = ()
    __match_args__ = ("key", "index")
    key: str
    index: int

    def __init__(
        self,
        key: str,
        index: int,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.key = key
        self.index = index
        self.pos = pos
        self.end = end


@final
class NumberValue(_AttrValue):
    """`1`, `0.5f`, `True`; a fraction without a suffix is one of these, too. [R.6]"""

    __slots__ = ("value", "text")
    FIELDS = ("value",)
    CHILDREN = ()
    __match_args__ = ("value",)
    value: bool | int | float
    text: str

    def __init__(
        self,
        value: bool | int | float,
        text: str,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.value = value
        self.text = text
        self.pos = pos
        self.end = end


@final
class StringValue(_AttrValue):
    """`"NCHW"`. [R.6]"""

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
class ListValue(_AttrValue):
    """`[1, 2]`; `(1, 2)` is read as one. [R.6]"""

    __slots__ = ("items",)
    FIELDS = ("items",)
    CHILDREN = ("items",)
    __match_args__ = ("items",)
    items: tuple[AttrValue, ...]

    def __init__(
        self,
        items: tuple[AttrValue, ...] = (),
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.items = items
        self.pos = pos
        self.end = end


@final
class NoneValue(_AttrValue):
    """`None`, also written `nullptr`. [R.6]"""

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
class MetaValue(_AttrValue):
    """`meta[Attrs][0]`. [R.12]"""

    __slots__ = ("key", "index")
    FIELDS = ("key", "index")
    CHILDREN = ()
    __match_args__ = ("key", "index")
    key: str
    index: int

    def __init__(
        self,
        key: str,
        index: int,
        pos: int = -1,
        end: int = -1,
    ) -> None:
        self.key = key
        self.index = index
        self.pos = pos
        self.end = end


@final
class BadValue(_AttrValue):
    """A value that could not be read, which was reported."""

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


if TYPE_CHECKING:
    Root: TypeAlias = Module
    Item: TypeAlias = (
        Def
        | TypeDef
        | ExternType
        | Import
    )
    Constructor: TypeAlias = Ctor
    TypeParameter: TypeAlias = TypeParam
    Attribute: TypeAlias = Attr
    Expr: TypeAlias = (
        Var
        | GlobalVar
        | GraphVar
        | OpRef
        | Const
        | MetaRef
        | Tuple
        | Proj
        | Call
        | Function
        | If
        | Match
        | RefNew
        | RefRead
        | RefWrite
        | Block
        | Missing
    )
    Binding: TypeAlias = (
        Let
        | GraphBind
        | FreeVar
        | Then
    )
    Parameter: TypeAlias = Param
    MatchClause: TypeAlias = Clause
    Pattern: TypeAlias = (
        PWild
        | PVar
        | PCtor
        | PTuple
    )
    Type: TypeAlias = (
        TensorType
        | TupleType
        | FuncType
        | TypeCall
        | RefType
        | Incomplete
    )
    Dim: TypeAlias = (
        DimInt
        | DimAny
        | DimVar
        | DimMeta
    )
    AttrValue: TypeAlias = (
        NumberValue
        | StringValue
        | ListValue
        | NoneValue
        | MetaValue
        | BadValue
    )
else:
    Root = _Root
    Item = _Item
    Constructor = _Constructor
    TypeParameter = _TypeParameter
    Attribute = _Attribute
    Expr = _Expr
    Binding = _Binding
    Parameter = _Parameter
    MatchClause = _MatchClause
    Pattern = _Pattern
    Type = _Type
    Dim = _Dim
    AttrValue = _AttrValue

NODES: tuple[type[Node], ...] = (
    Module,
    Def,
    TypeDef,
    ExternType,
    Import,
    Ctor,
    TypeParam,
    Attr,
    Var,
    GlobalVar,
    GraphVar,
    OpRef,
    Const,
    MetaRef,
    Tuple,
    Proj,
    Call,
    Function,
    If,
    Match,
    RefNew,
    RefRead,
    RefWrite,
    Block,
    Missing,
    Let,
    GraphBind,
    FreeVar,
    Then,
    Param,
    Clause,
    PWild,
    PVar,
    PCtor,
    PTuple,
    TensorType,
    TupleType,
    FuncType,
    TypeCall,
    RefType,
    Incomplete,
    DimInt,
    DimAny,
    DimVar,
    DimMeta,
    NumberValue,
    StringValue,
    ListValue,
    NoneValue,
    MetaValue,
    BadValue,
)
