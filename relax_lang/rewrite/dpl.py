"""The pattern language: expressions with holes, found in programs through the variables between them.

    a, b = wildcard(), wildcard()
    pattern = is_op("add")(is_op("multiply")(a, b), wildcard())

Operators of Python on patterns make patterns of calls, `|` and `&` combine them, `~` is anything else. Calls of
commutative operators are found in both orders.
"""

from __future__ import annotations

from relax_lang.base.node import same
from relax_lang.base.relax_error import refused
from relax_lang.builder.infos import Info, dtype_name, info_node
from relax_lang.builder.values import literal
from relax_lang.ops.core.attributes import attribute_values
from relax_lang.ops.registry import lookup
from relax_lang.rewrite import diagnostics as diag
from relax_lang.rewrite.calls import COMMUTATIVE, attributes_of, same_number
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    Found = dict["Pattern", tree.Expr]

    class Matcher(Protocol):
        """What patterns ask about the function that they are looked for in."""

        def value_of(self, node: tree.Expr) -> tree.Expr | None:
            """Return what a variable is bound to, if a match may reach there."""
            ...

        def info_of(self, node: tree.Expr) -> tree.StructInfo | None:
            """Return what is known of a value."""
            ...

        def uses_of(self, node: tree.Expr) -> int:
            """Return how often a variable is used."""
            ...


class Pattern:
    """Something to look for. Patterns are keys of what was found: use one object where the same value is meant."""

    def matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        """Yield every way in which an expression is of this pattern; a pattern met again must be the same value."""
        known = found.get(self)
        if known is not None:
            if same(known, node):
                yield found
            return
        for one in self._matches(node, at, found):
            yield {**one, self: node}

    def _matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        raise NotImplementedError

    def __or__(self, other: Pattern) -> Pattern:
        """Either pattern, this one first."""
        return _Or(self, _pattern(other))

    def __and__(self, other: Pattern) -> Pattern:
        """Both patterns at once."""
        return _And(self, _pattern(other))

    def __invert__(self) -> Pattern:
        """Anything but this pattern."""
        return _Not(self)

    def __add__(self, other: Pattern) -> Pattern:
        """`add(a, b)`."""
        return is_op("add")(self, other)

    def __sub__(self, other: Pattern) -> Pattern:
        """`subtract(a, b)`."""
        return is_op("subtract")(self, other)

    def __mul__(self, other: Pattern) -> Pattern:
        """`multiply(a, b)`."""
        return is_op("multiply")(self, other)

    def __truediv__(self, other: Pattern) -> Pattern:
        """`divide(a, b)`."""
        return is_op("divide")(self, other)

    def __matmul__(self, other: Pattern) -> Pattern:
        """`matmul(a, b)`."""
        return is_op("matmul")(self, other)

    def has_attr(self, attrs: Mapping[str, object]) -> Pattern:
        """This pattern, of a call with these attributes; defaults count."""
        wanted = {name: literal(value) for name, value in attrs.items()}

        def test(node: tree.Expr, at: Matcher) -> bool:
            call = _looked_through(node, at)
            if not isinstance(call, tree.Call):
                return False
            given = attributes_of(call)
            values = attribute_values([tree.Attr(name, value) for name, value in wanted.items()])
            return all(name in given and given[name] == value for name, value in values.items())

        return _Where(self, test)

    def has_dtype(self, dtype: object) -> Pattern:
        """This pattern, of a tensor of a dtype."""
        name = dtype_name(dtype)
        return _Where(self, lambda node, at: _known(node, at).dtype == name)

    def has_shape(self, shape: Sequence[object]) -> Pattern:
        """This pattern, of a tensor with these dimensions, as far as they are provably equal."""
        from relax_lang.te.tensor import dims_of

        wanted = dims_of(tuple(shape))

        def test(node: tree.Expr, at: Matcher) -> bool:
            from relax_lang.topi.core import is_same

            dims = _known(node, at).shape
            return dims is not None and len(dims) == len(wanted) and all(map(is_same, dims, wanted))

        return _Where(self, test)

    def has_info(self, info: object) -> Pattern:
        """This pattern, of a value that is known to have a struct info."""
        wanted = info_node(info)

        def test(node: tree.Expr, at: Matcher) -> bool:
            from relax_lang.struct_info.compatibility import check_compatibility
            from relax_lang.struct_info.context import NOTHING_KNOWN
            from relax_lang.struct_info.verdict import COMPATIBLE

            found = at.info_of(node)
            return (
                found is not None and check_compatibility(found, wanted, NOTHING_KNOWN).answer == COMPATIBLE
            )

        return _Where(self, test)

    def used_once(self) -> Pattern:
        """This pattern, of a variable that is used in one place only."""
        return _Where(self, lambda node, at: at.uses_of(node) == 1)

    def optional(self, more: Callable[[Pattern], Pattern]) -> Pattern:
        """`more(self)`, or this pattern alone."""
        return more(self) | self


class _Wildcard(Pattern):
    def _matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        yield found


class _Or(Pattern):
    def __init__(self, *choices: Pattern) -> None:
        self.choices = choices

    def _matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        for choice in self.choices:
            yield from choice.matches(node, at, found)


class _And(Pattern):
    def __init__(self, first: Pattern, second: Pattern) -> None:
        self.first, self.second = first, second

    def _matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        for one in self.first.matches(node, at, found):
            yield from self.second.matches(node, at, one)


class _Not(Pattern):
    def __init__(self, inner: Pattern) -> None:
        self.inner = inner

    def _matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        if next(self.inner.matches(node, at, found), None) is None:
            yield found


class _Where(Pattern):
    def __init__(self, inner: Pattern, test: Callable[[tree.Expr, Matcher], bool]) -> None:
        self.inner, self.test = inner, test

    def _matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        if self.test(node, at):
            yield from self.inner.matches(node, at, found)


class _Leaf(Pattern):
    """A node that is looked at by itself, through variables."""

    def __init__(self, test: Callable[[tree.Expr, Matcher], bool]) -> None:
        self.test = test

    def _matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        if self.test(node, at):
            yield found


class CallPattern(Pattern):
    """A call: of an operator by name, or of anything else that a pattern describes."""

    def __init__(
        self, callee: str | Pattern, args: Sequence[Pattern] | None, *, exactly: bool = False
    ) -> None:
        self.callee = callee
        self.args = args
        self.attrs: dict[str, Any] | None = None
        """All attributes, where they must be these."""
        self.exactly = exactly

    def _matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        call = _looked_through(node, at)
        if not isinstance(call, tree.Call):
            return
        if isinstance(self.callee, str):
            if not isinstance(call.op, tree.Op) or call.op.op_name != self.callee:
                return
            if self.attrs is not None and self.attrs != attributes_of(call):
                return
            yield from self._arguments(call.args, at, found)
            return
        for one in self.callee.matches(call.op, at, found):
            yield from self._arguments(call.args, at, one)

    def _arguments(self, given: Sequence[tree.Expr], at: Matcher, found: Found) -> Iterator[Found]:
        if self.args is None:
            yield found
            return
        if len(self.args) != len(given):
            return
        yield from _all(self.args, given, at, found)
        if self.callee in COMMUTATIVE and len(given) == 2:
            yield from _all(self.args, (given[1], given[0]), at, found)


class OperatorPattern(Pattern):
    """An operator; called with patterns it is the pattern of a call."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *args: Pattern) -> CallPattern:
        """Return the pattern of a call with these arguments; without any, of any call."""
        return CallPattern(self.name, [_pattern(one) for one in args] if args else None)

    def _matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        if isinstance(node, tree.Op) and node.op_name == self.name:
            yield found


class TuplePattern(Pattern):
    """A tuple of patterns."""

    def __init__(self, fields: Sequence[Pattern]) -> None:
        self.fields = fields

    def _matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        value = _looked_through(node, at)
        if isinstance(value, tree.Tuple) and len(value.fields) == len(self.fields):
            yield from _all(self.fields, value.fields, at, found)


class FieldPattern(Pattern):
    """A field of what a pattern describes; any one, or the one of a number."""

    def __init__(self, value: Pattern, index: int | None) -> None:
        self.value, self.index = value, index

    def _matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        field = _looked_through(node, at)
        if isinstance(field, tree.TupleGetItem) and self.index in (None, field.index):
            yield from self.value.matches(field.tuple_value, at, found)


def wildcard() -> Pattern:
    """Return a pattern of anything."""
    return _Wildcard()


def is_op(name: str) -> OperatorPattern:
    """Return a pattern of an operator: `is_op("add")(a, b)`. Raises RelaxError if there is none of that name."""
    from relax_lang.base.names import nearest
    from relax_lang.builder.diagnostics import unknown_operator
    from relax_lang.ops.registry import names

    if lookup(name) is None:
        raise refused(unknown_operator, name, nearest(name, names()))
    return OperatorPattern(name)


def is_var(name: str | None = None) -> Pattern:
    """Return a pattern of a variable."""
    return _Leaf(lambda node, _: isinstance(node, tree.Var) and name in (None, node.name_hint))


def is_const(value: object = None) -> Pattern:
    """Return a pattern of a constant, of any or of the same number or array."""
    if value is None:
        return _Leaf(lambda node, at: isinstance(_looked_through(node, at), tree.Constant))
    from relax_lang.builder import constants

    wanted = constants.array(value).data if hasattr(value, "__array__") else literal(value)

    def test(node: tree.Expr, at: Matcher) -> bool:
        constant = _looked_through(node, at)
        return isinstance(constant, tree.Constant) and same_number(constant.data, wanted)

    return _Leaf(test)


def is_tuple(fields: Sequence[Pattern]) -> Pattern:
    """Return a pattern of a tuple."""
    return TuplePattern([_pattern(one) for one in fields])


def is_tuple_get_item(value: Pattern, index: int | None = None) -> Pattern:
    """Return a pattern of a field of a tuple."""
    return FieldPattern(_pattern(value), index)


def is_shape(dims: Sequence[object] | None = None) -> Pattern:
    """Return a pattern of a shape that is written out."""
    from relax_lang.te.tensor import dims_of

    wanted = None if dims is None else tree.ShapeExpr(tuple([one.node for one in dims_of(tuple(dims))]))

    def test(node: tree.Expr, at: Matcher) -> bool:
        shape = _looked_through(node, at)
        return isinstance(shape, tree.ShapeExpr) and (wanted is None or same(shape, wanted))

    return _Leaf(test)


def is_expr(node: tree.Expr) -> Pattern:
    """Return a pattern of one expression."""
    return _Leaf(lambda found, _: same(found, node))


def is_call_tir(name: str | None = None, args: Sequence[Pattern] | None = None) -> Pattern:
    """Return a pattern of a `call_tir`, of any PrimFunc or of that of a name."""
    callee = _Leaf(lambda node, _: isinstance(node, tree.GlobalVar) and name in (None, node.name_hint))
    given = wildcard() if args is None else is_tuple(args)
    whole = CallPattern("call_tir", (callee, given))
    return whole | CallPattern("call_tir", (callee, given, wildcard()))


def is_call_packed(name: str, args: Sequence[Pattern] | None = None) -> Pattern:
    """Return a pattern of a call of a packed function."""
    callee = _Leaf(lambda node, at: getattr(_looked_through(node, at), "global_symbol", None) == name)
    return CallPattern(callee, None if args is None else [_pattern(one) for one in args])


def _pattern(value: Any) -> Pattern:
    if isinstance(value, Pattern):
        return value
    if isinstance(value, bool | int | float):
        return is_const(value)
    raise refused(diag.bad_pattern, f"a pattern is needed, not {value!r}")


def _looked_through(node: tree.Expr, at: Matcher) -> tree.Expr:
    if isinstance(node, tree.Var):
        value = at.value_of(node)
        return node if value is None else value
    return node


def _all(
    patterns: Sequence[Pattern], nodes: Sequence[tree.Expr], at: Matcher, found: Found
) -> Iterator[Found]:
    if not patterns:
        yield found
        return
    for one in patterns[0].matches(nodes[0], at, found):
        yield from _all(patterns[1:], nodes[1:], at, one)


def _known(node: tree.Expr, at: Matcher) -> Info:
    info = at.info_of(node)
    return Info(tree.ObjectStructInfo() if info is None else info)
