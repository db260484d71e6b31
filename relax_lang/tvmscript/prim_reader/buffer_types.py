"""What `T.Buffer(…)` and its kin say about a buffer: shape, dtype, scope, and options."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.tvmscript.index_dtypes import Occurrences, of_axis
from relax_lang.tvmscript.python.values import items_of
from relax_lang.tvmscript.scalar_reader.attributes import literal_or_none
from relax_lang.tvmscript.scalar_reader.reading import Refused
from relax_lang.tvmscript.scalar_reader.scalar_calls import CallReader
from relax_lang.tvmscript.scalar_reader.scalars import INDEX_DTYPES, INT32, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tvmscript.scalar_reader.reading import Reading

_DROPPED_OPTIONS = frozenset(
    (
        "align",
        "offset_factor",
        "buffer_type",
        "axis_separators",
        "type",
        "offset_vars",
        "span",
        "name",
        "annotations",
    )
)
"""Options of buffers that say nothing about what a program computes."""
_KEPT_OPTIONS = frozenset(("align", "offset_factor", "strides", "elem_offset", "annotations"))
"""Options that export writes again."""
_LAYOUTS = frozenset(("strides", "elem_offset", "byte_offset", "layout", "allocated_addr"))
"""Options that say where in memory the elements of a buffer lie."""


class BufferName:
    """A buffer that is in scope: its name in the program, its dtype and shape.

    A view is another shape of the elements of a `base`: of all of them in the same order, or of those from `starts` on.
    """

    __slots__ = ("base", "dtype", "is_cell", "memory", "name", "node", "offset", "starts", "strides")

    def __init__(
        self,
        name: str,
        dtype: str,
        node: tree.Buffer,
        base: BufferName | None = None,
        starts: list[ast.expr] | None = None,
        memory: BufferName | None = None,
        *,
        is_cell: bool = False,
    ) -> None:
        self.name = name
        self.dtype = dtype
        self.node = node
        self.base = base
        self.starts = starts
        self.is_cell = is_cell
        """Whether the name stands for its only element."""
        self.memory = base or memory
        """What has the elements of a view, also of one that the program has under its own name."""
        self.offset: ast.expr | None = None
        self.strides: list[ast.expr] | None = None
        """Where a view with `strides` begins in the elements of its base, and how far its axes go there."""


class BufferTypeReader(CallReader):
    """Reads what describes a buffer."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.scopes: list[dict[str, Scalar | BufferName | ast.expr]] = [{}]
        self.laid_out: set[str] = set()
        """Buffers whose elements do not lie in memory one after the other."""
        self.tuples: dict[str, list[ast.expr]] = {}
        """Names that stand for several variables of a loop."""
        self.details: dict[str, list[tree.Attr]] = {}
        """What is said of a buffer that changes nothing about its elements: strides, alignment."""
        self.extent_dtypes: set[str] = set()
        """The dtypes that sizes of buffers and extents of loops have in TVM."""
        self.number_dtypes: dict[str, str] = {}
        """The dtypes of numbers among those, by the keys of `index_dtypes`."""
        self.occurrences = Occurrences()

    def find(self, name: str) -> Scalar | BufferName | ast.expr | None:
        """Return what a name means; None if it is not of this PrimFunc."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def unpacked(self, given: Sequence[ast.expr]) -> list[ast.expr]:
        """Return expressions with those in the place of a name for several, of `*name`, and of `*A.shape`."""
        made: list[ast.expr] = []
        for one in given:
            inner = one.value if isinstance(one, ast.Starred) else one
            if isinstance(inner, ast.Name) and inner.id in self.tuples:
                made += self.tuples[inner.id]
            elif isinstance(one, ast.Starred):
                made += self._starred(one, inner)
            else:
                made.append(one)
        return made

    def _starred(self, place: ast.Starred, inner: ast.expr) -> list[ast.expr]:
        if isinstance(inner, ast.Attribute) and inner.attr == "shape" and isinstance(inner.value, ast.Name):
            found = self.find(inner.value.id)
            if isinstance(found, BufferName):
                axes = [ast.copy_location(ast.Constant(at), place) for at in range(len(found.node.shape))]
                return [ast.copy_location(ast.Subscript(inner, one, ast.Load()), place) for one in axes]
        items = items_of(self.reading.value(inner))
        if items is None:
            raise self.reading.wrong(place, f"`{self.reading.py.shown(inner)}` is not a list")
        indices = [ast.copy_location(ast.Constant(at), place) for at in range(len(items))]
        return [ast.copy_location(ast.Subscript(inner, one, ast.Load()), place) for one in indices]

    def read_buffer(
        self, name: str, call: ast.expr, place: ast.arg | ast.stmt, skip: int = 0
    ) -> tuple[tree.Buffer, str]:
        """Return a buffer, and the scope of its memory; `skip` arguments come before the shape."""
        reading = self.reading
        if isinstance(call, ast.Subscript):  # `T.Buffer[(4,), "float32"]`
            given = call.slice.elts if isinstance(call.slice, ast.Tuple) else [call.slice]
            # `T.Buffer[4, "float32"]` has a shape and a dtype, `T.Buffer[4, 8]` a shape.
            of_dims = (
                len(given) == 2 and isinstance(given[1], ast.Constant) and isinstance(given[1].value, int)
            )
            if len(given) != 2 or (of_dims and not isinstance(given[0], ast.Tuple | ast.List)):
                given = [call.slice]
            named: dict[str, ast.expr] = {}
        elif isinstance(call, ast.Call):
            given = call.args[skip:]
            named = {one.arg or "**": one.value for one in call.keywords}
        else:
            raise reading.unsupported(call, "a buffer without a shape")
        if len(given) > 2:
            named = {**dict(zip(_BUFFER_ORDER[2:], given[2:], strict=False)), **named}
        shape = given[0] if given else named.get("shape")
        kind = given[1] if len(given) > 1 else named.get("dtype")
        scope = self.options(name, named, shape)
        if shape is None:
            raise reading.unsupported(call, "a buffer without a shape")
        dtype = tree.DType("float32", *reading.span(call)) if kind is None else reading.dtype(kind)
        if dtype is None:
            raise reading.wrong(call, f"the buffer `{name}` has no dtype")
        dims = self.dimensions(shape, self.occurrences.next(name))
        pos, end = reading.span(place)
        return tree.Buffer(name, dims, dtype, pos, end), scope

    def _is_compact(self, strides: ast.expr, shape: ast.expr) -> bool:
        """Return whether strides are those of a buffer without gaps."""
        if not isinstance(strides, ast.Tuple | ast.List) or not isinstance(shape, ast.Tuple | ast.List):
            return False
        try:
            given = [self.index(one) for one in strides.elts]
            sizes = [self.index(one) for one in shape.elts]
        except Refused:
            return False
        expected = 1
        for size, stride in zip(reversed(sizes), reversed(given), strict=False):
            if not isinstance(stride, tree.IntImm) or stride.value != expected:
                return False
            expected *= size.value if isinstance(size, tree.IntImm) else 0
        return len(given) == len(sizes)

    def options(self, name: str, named: dict[str, ast.expr], shape: ast.expr | None = None) -> str:
        """Check the options of a buffer; return its scope.

        How the elements lie in memory changes nothing about which element an index means; only a view of the
        memory would show it.
        """
        scope = ""
        for key, value in named.items():
            is_kept = key in _KEPT_OPTIONS and self._keep(
                name, key, value, has_factor="offset_factor" in named
            )
            if key in ("shape", "dtype") or key in _DROPPED_OPTIONS:
                continue
            if key == "scope":
                scope = self.reading.string(value, "the scope of a buffer")
                continue
            if self.is_default(key, value, shape):
                continue
            if key == "data":
                raise self.reading.unsupported(value, "a buffer over the memory of another one")
            if key not in _LAYOUTS:
                raise self.reading.unsupported(value, f"the option `{key}` of a buffer")
            self.laid_out.add(name)
            if is_kept:
                continue
            self.reading.drop(value, "how the elements of buffers lie in memory")
        return "" if scope == "global" else scope

    def _keep(self, name: str, key: str, value: ast.expr, *, has_factor: bool) -> bool:
        """Keep an option as an attribute of the buffer, if it is one that has something to say.

        With an `offset_factor` alone TVM makes up a variable for the offset, so an offset of 0 is kept beside it.
        """
        if self.is_default(key, value, None) and not (key == "elem_offset" and has_factor):
            return False
        found = literal_or_none(self.reading, value)
        if found is None or isinstance(found, tree.NullLit):
            return False
        own = self.details.setdefault(name, [])
        own.append(tree.Attr(key, found, *self.reading.span(value)))
        return True

    def is_default(self, key: str, value: ast.expr, shape: ast.expr | None) -> bool:
        """Return whether an option is what a buffer has without it."""
        if isinstance(value, ast.Constant) and value.value in (None, 0, "default", ""):
            return True
        if key in ("strides", "elem_offset", "byte_offset") and self._is_empty(value):
            return True
        return key == "strides" and shape is not None and self._is_compact(value, shape)

    def _is_empty(self, value: ast.expr) -> bool:
        if isinstance(value, ast.List | ast.Tuple):
            return not value.elts
        return (
            isinstance(value, ast.Call)
            and self.reading.path(value.func)[1] in INDEX_DTYPES
            and all(isinstance(one, ast.Constant) and one.value == 0 for one in value.args)
            and bool(value.args)
        )

    def dimensions(self, node: ast.expr, key: str = "") -> tuple[tree.PrimExpr, ...]:
        """Read the shape of a buffer: a tuple, a list, or one number."""
        if isinstance(node, ast.Tuple | ast.List):
            return tuple([self.dimension(one, key, at) for at, one in enumerate(self.unpacked(node.elts))])
        if isinstance(node, ast.Attribute) and node.attr == "shape" and isinstance(node.value, ast.Name):
            other = self.find(node.value.id)
            if isinstance(other, BufferName):
                return other.node.shape
        if isinstance(node, ast.Name) and self.find(node.id) is None:
            value = self.reading.value(node)
            if (items := items_of(value)) is not None:
                return tuple([self.extent(self.constant_value(node, one), key) for one in items])
        return (self.dimension(node, key),)

    def dimension(self, node: ast.expr, key: str = "", axis: int = 0) -> tree.PrimExpr:
        """Read one dimension of a buffer."""
        read = self.scalar(node)
        if key:
            self.note_number(of_axis(key, axis), read)
        return self.extent(read, key)

    def extent(self, read: Scalar, key: str = "") -> tree.PrimExpr:
        """Return an extent, and note its dtype, with `key` as that of a number."""
        self.extent_dtypes.add(read.dtype or INT32)
        if key:
            self.note_number(key, read)
        return read.as_index()

    def note_number(self, key: str, read: Scalar) -> None:
        """Note the dtype of a number where one is an extent or an index."""
        if isinstance(read.node, tree.IntImm):
            self.number_dtypes.setdefault(key, read.dtype or INT32)


_BUFFER_ORDER = (
    "shape",
    "dtype",
    "data",
    "strides",
    "elem_offset",
    "scope",
    "align",
    "offset_factor",
    "buffer_type",
    "axis_separators",
)
