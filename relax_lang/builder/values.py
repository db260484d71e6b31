"""Values of a program that is being built: variables and calls, with infix operators."""

from __future__ import annotations

from relax_lang.base.names import nearest
from relax_lang.base.python_callers import calling_line
from relax_lang.base.relax_error import refused
from relax_lang.base.sequences import is_sequence
from relax_lang.builder import diagnostics as diag
from relax_lang.builder.infos import Info, dtype_name
from relax_lang.builder.places import error_at
from relax_lang.ops.core.attributes import check_call, literal_value
from relax_lang.ops.core.diagnostics.calls import of_call
from relax_lang.ops.registry import is_built_in, lookup, names
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.te.expr import Expr, constant_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    from relax_lang.base.python_callers import Place
    from relax_lang.ops.core.operator import Operator


class Value:
    """A value of the program. `x + y`, `x @ w`, `x < y`, `-x`, `t[0]` build calls; nothing is computed."""

    __slots__ = ()
    __array_ufunc__ = None
    """NumPy leaves `array + value` to the value."""

    @property
    def struct_info(self) -> Info:
        """What is known of the value. Raises RelaxError if it is not emitted yet."""
        raise refused(diag.not_emitted, repr(self))

    @property
    def shape(self) -> tuple[Expr, ...] | None:
        """The dimensions of a tensor or a shape, or None if they are not known. Raises RelaxError as `struct_info`."""
        return self.struct_info.shape

    @property
    def dtype(self) -> str | None:
        """The dtype of a tensor, or None if it is not known. Raises RelaxError as `struct_info`."""
        return self.struct_info.dtype

    @property
    def ndim(self) -> int | None:
        """The rank of a tensor or a shape, or None if it is not known. Raises RelaxError as `struct_info`."""
        return self.struct_info.ndim

    def astype(self, dtype: Any) -> Value:
        """`astype(x, dtype=dtype)`; the dtype may be NumPy's."""
        return call("astype", (self,), {"dtype": dtype})

    def __call__(self, *args: object) -> Pending:
        """`f(x, y)`: a call of a value that is a function, as `BlockBuilder.call`."""
        return Pending(self, args, (), calling_line())

    def __add__(self, other: object) -> Value:
        """`add(x, y)`."""
        return call("add", (self, other))

    def __radd__(self, other: object) -> Value:
        """`add(1, y)`."""
        return call("add", (other, self))

    def __sub__(self, other: object) -> Value:
        """`subtract(x, y)`."""
        return call("subtract", (self, other))

    def __rsub__(self, other: object) -> Value:
        """`subtract(1, y)`."""
        return call("subtract", (other, self))

    def __mul__(self, other: object) -> Value:
        """`multiply(x, y)`."""
        return call("multiply", (self, other))

    def __rmul__(self, other: object) -> Value:
        """`multiply(2, y)`."""
        return call("multiply", (other, self))

    def __truediv__(self, other: object) -> Value:
        """`divide(x, y)`."""
        return call("divide", (self, other))

    def __rtruediv__(self, other: object) -> Value:
        """`divide(1, y)`."""
        return call("divide", (other, self))

    def __floordiv__(self, other: object) -> Value:
        """`floor_divide(x, y)`."""
        return call("floor_divide", (self, other))

    def __rfloordiv__(self, other: object) -> Value:
        """`floor_divide(8, y)`."""
        return call("floor_divide", (other, self))

    def __mod__(self, other: object) -> Value:
        """`floor_mod(x, y)`, as Python's `%`."""
        return call("floor_mod", (self, other))

    def __rmod__(self, other: object) -> Value:
        """`floor_mod(8, y)`."""
        return call("floor_mod", (other, self))

    def __pow__(self, other: object) -> Value:
        """`power(x, y)`."""
        return call("power", (self, other))

    def __rpow__(self, other: object) -> Value:
        """`power(2, y)`."""
        return call("power", (other, self))

    def __matmul__(self, other: object) -> Value:
        """`matmul(x, w)`."""
        return call("matmul", (self, other))

    def __rmatmul__(self, other: object) -> Value:
        """`matmul(x, w)`."""
        return call("matmul", (other, self))

    def __neg__(self) -> Value:
        """`negative(x)`."""
        return call("negative", (self,))

    def __abs__(self) -> Value:
        """`abs(x)`."""
        return call("abs", (self,))

    def __lt__(self, other: object) -> Value:
        """`less(x, y)`."""
        return call("less", (self, other))

    def __le__(self, other: object) -> Value:
        """`less_equal(x, y)`."""
        return call("less_equal", (self, other))

    def __gt__(self, other: object) -> Value:
        """`greater(x, y)`."""
        return call("greater", (self, other))

    def __ge__(self, other: object) -> Value:
        """`greater_equal(x, y)`."""
        return call("greater_equal", (self, other))

    def __getitem__(self, index: object) -> Value:
        """Return the field of a tuple: `t[0]`. Raises RelaxError for what is not a number."""
        if isinstance(index, bool) or not isinstance(index, int) or index < 0:
            made = f"a field of a tuple is named by its number from 0, not by {index!r}"
            raise refused(diag.bad_call, made)
        return Field(self, index)

    def __iter__(self) -> Any:
        """Go over the fields of a tuple: `a, b = t`. Raises RelaxError if it is not known to be one."""
        info = self.struct_info.node
        if not isinstance(info, tree.TupleStructInfo):
            raise refused(diag.bad_call, f"`{self!r}` is not a tuple: it is `{self.struct_info}`")
        return iter([Field(self, at) for at in range(len(info.fields))])

    def __bool__(self) -> NoReturn:
        """Raise RelaxError: the value is not known."""
        raise refused(diag.no_value, "the truth")


class Atom(Value):
    """A variable, or anything else that is bound or needs no name: `node` is its tree, `info` what is known of it."""

    __slots__ = ("info", "node", "place", "scope")

    def __init__(
        self,
        node: tree.Expr,
        info: tree.StructInfo | None = None,
        scope: object = None,
        place: Place | None = None,
    ) -> None:
        self.node = node
        self.info = info
        self.scope = scope
        """The scope that a variable belongs to."""
        self.place = place
        """Where a parameter was made."""

    @property
    def struct_info(self) -> Info:
        """What is known of the value."""
        if self.info is None:
            raise refused(diag.not_emitted, repr(self))
        return Info(self.info)

    @property
    def name(self) -> str:
        """The name of a variable or a function."""
        return getattr(self.node, "name_hint", "")

    def __repr__(self) -> str:
        from relax_lang.format.printer import show  # only for messages

        return show(self.node)


class Pending(Value):
    """A call that is not emitted yet. `operator` is its name, or what is called."""

    __slots__ = ("args", "attrs", "operator", "place", "result")

    def __init__(
        self,
        operator: str | Value,
        args: tuple[object, ...],
        attrs: tuple[tree.Attr, ...],
        place: Place,
        result: tree.StructInfo | None = None,
    ) -> None:
        self.operator = operator
        self.args = args
        self.attrs = attrs
        self.place = place
        self.result = result
        """What is written behind `->`."""

    def __repr__(self) -> str:
        shown = ", ".join([repr(one) for one in self.args])
        return f"{self.operator if isinstance(self.operator, str) else repr(self.operator)}({shown})"


class Field(Value):
    """A field of a tuple."""

    __slots__ = ("index", "value")

    def __init__(self, value: Value, index: int) -> None:
        self.value = value
        self.index = index

    @property
    def struct_info(self) -> Info:
        """What is known of the field."""
        return self.value.struct_info.fields[self.index]

    def __repr__(self) -> str:
        return f"{self.value!r}[{self.index}]"


def call(name: str, args: tuple[object, ...], attrs: Mapping[str, object] | None = None) -> Pending:
    """Return a call of an operator, after checks of the number of arguments and the attributes. Raises RelaxError."""
    place = calling_line()
    key = _key(name, len(args), attrs) if attrs else (name, len(args))
    known = _RIGHT.get(key) if key is not None else None
    if known is not None:
        return Pending(name, args, known, place)
    operator = lookup(name)
    if operator is None:
        raise refused(diag.unknown_operator, name, nearest(name, names()))
    given, named = _by_position(operator, args, attrs or {})
    literals = {each: literal(value, _type_of(operator, each)) for each, value in named.items()}
    problems = check_call(operator, len(given), {each: literal_value(one) for each, one in literals.items()})
    if problems:
        made: Any = tree.Call(tree.Op(name), (), ())
        raise error_at(place, of_call(problems, made, operator.signature))
    written = tuple([tree.Attr(each, one) for each, one in literals.items()])
    if key is not None and given is args and is_built_in(operator):
        if len(_RIGHT) > _MOST_REMEMBERED:
            _RIGHT.clear()
        _RIGHT[key] = written
    return Pending(name, given, written, place)


_RIGHT: dict[object, tuple[tree.Attr, ...]] = {}
"""Name, number of arguments and attributes of calls that were right, with these attributes as they are written."""
_MOST_REMEMBERED = 1000


def _key(name: str, count: int, attrs: Mapping[str, object]) -> object:
    """Return what such calls have in common; None where an attribute is not a plain value."""
    parts: list[object] = [name, count]
    for each, value in attrs.items():
        if value.__class__ not in _PLAIN_VALUES:
            return None
        parts += (each, value.__class__, value)
    return tuple(parts)


_PLAIN_VALUES = (int, str, bool, float)


def _by_position(
    operator: Operator, args: tuple[object, ...], named: Mapping[str, object]
) -> tuple[tuple[object, ...], dict[str, object]]:
    """Return the arguments with those that are given by the names of parameters, and the attributes."""
    params = operator.params
    attrs = dict(named)
    places = {param.name: at for at, param in enumerate(params) if not param.variadic and param.name in attrs}
    own = {spec.name for spec in operator.attrs}
    places = {name: at for name, at in places.items() if name not in own and at >= len(args)}
    if not places:
        return args, attrs
    given = [*args, *[None] * (max(places.values()) + 1 - len(args))]
    for name, at in places.items():
        given[at] = attrs.pop(name)
    return tuple(given), attrs


def _type_of(operator: Operator, name: str) -> str:
    for spec in operator.attrs:
        if spec.name == name:
            return spec.type
    return ""


def literal(value: Any, type_: str = "") -> tree.Literal:
    """Return the value of an attribute as a literal. Raises RelaxError for what is not one."""
    if isinstance(value, tree.Node):
        return value  # pyright: ignore[reportReturnType]
    if isinstance(value, Expr):
        number = constant_value(value)
        if number is None:
            raise refused(diag.no_operand, value, "an attribute, which is known when the program is read,")
        return tree.IntLit(number)
    kind: Any = value.__class__
    plain = _PLAIN.get(kind)
    if plain is not None:
        return plain(value)
    if isinstance(value, str) and not ("dtype" in type_ and value in DTYPES):
        return tree.StrLit(value)
    if is_sequence(value):
        items: Any = value
        return tree.ListLit(tuple([literal(one, type_) for one in items]))
    name = dtype_name(value)
    if name in DTYPES:
        return tree.DType(name)
    as_list: Any = getattr(value, "tolist", None)  # of NumPy
    if as_list is not None:
        return literal(as_list(), type_)
    raise refused(diag.no_operand, value, "an attribute")


_PLAIN: dict[type, Callable[[Any], tree.Literal]] = {
    bool: tree.BoolLit,
    int: tree.IntLit,
    float: tree.FloatLit,
    type(None): lambda _: tree.NullLit(),
}
