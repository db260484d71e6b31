"""Statements of PrimFuncs that give names and values: assignments, stores, definitions."""

from __future__ import annotations

import ast
import copy

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.tvmscript.prim_reader.cells import allocated, is_of_one_element
from relax_lang.tvmscript.prim_reader.prim_blocks import BlockStatements
from relax_lang.tvmscript.prim_reader.prim_buffers import ALLOCATIONS, VIEWS
from relax_lang.tvmscript.prim_reader.vectors import Lanes, has_vectors, rereads
from relax_lang.tvmscript.scalar_reader.scalar_calls import purpose_of
from relax_lang.tvmscript.scalar_reader.scalars import INDEX_DTYPES, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.tvmscript.prim_reader.buffer_types import BufferName

AUGMENTED: dict[type[ast.operator], str] = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*="}


class DefinitionStatements(BlockStatements):
    """Assignments."""

    def assign(self, node: ast.Assign) -> None:
        """Read `target = value`."""
        if len(node.targets) != 1:
            raise self.reading.unsupported(node, "an assignment to several targets")
        target = node.targets[0]
        if has_vectors(self.reader, node):
            self.vector_store(node)
        elif isinstance(target, ast.Subscript):
            self.store(node, target, "=", node.value)
        elif isinstance(target, ast.Name):
            self.define(node, target, node.value, None)
        elif isinstance(target, ast.Tuple):
            self.define_several(node, target, node.value)
        else:
            raise self.reading.unsupported(node, f"an assignment to `{self.reading.py.shown(target)}`")

    def annotated(self, node: ast.AnnAssign) -> None:
        """Read `v: T.int32 = e`."""
        if not isinstance(node.target, ast.Name):
            raise self.reading.unsupported(node, "an assignment with an annotation")
        if node.value is None:
            dialect, name = self.reading.path(node.annotation)
            if dialect == "T" and name in DTYPES and node in self.reader.changing:
                self.cell(node, node.target, name)
                return
            if dialect == "T" and name in INDEX_DTYPES:
                self.reader.declare_size(node.target.id, name, node)
                return
            raise self.reading.unsupported(node, f"the variable `{node.target.id}`, which is assigned later")
        self.define(node, node.target, node.value, node.annotation)

    def augmented(self, node: ast.AugAssign) -> None:
        """Read `A[i] += e`."""
        if isinstance(node.target, ast.Name) and is_of_one_element(self._stored_to(node.target)):
            self.store_augmented(node, _only_element(node.target), node.value)
            return
        if not isinstance(node.target, ast.Subscript):
            raise self.reading.unsupported(node, "a variable that changes", "memory that changes is a buffer")
        if has_vectors(self.reader, node):
            self.vector_store(node)
        else:
            self.store_augmented(node, node.target, node.value)

    def store_augmented(self, node: ast.AugAssign, target: ast.Subscript, value: ast.expr) -> None:
        """Read `A[i] += e`; an operator without such a store is written out."""
        operator = AUGMENTED.get(type(node.op))
        if operator is not None:
            self.store(node, target, operator, value)
            return
        whole = ast.copy_location(ast.BinOp(target, node.op, value), node)
        self.store(node, target, "=", whole)

    def vector_store(self, node: ast.Assign | ast.AugAssign | ast.Expr) -> None:
        """Read a store of a vector, `A[T.Ramp(0, 1, 4)] = e`, `A[0:4] = e`: a loop over its lanes."""
        name = self.reader.fresh("lane")
        lanes = Lanes(self.reader, name)
        if isinstance(node, ast.Expr):
            assert isinstance(node.value, ast.Call)
            target, value = lanes.stored(node.value)
        else:
            given = node.targets[0] if isinstance(node, ast.Assign) else node.target
            target, value = lanes.visit(copy.deepcopy(given)), lanes.visit(copy.deepcopy(node.value))
        assert isinstance(target, ast.Subscript)
        assert lanes.count is not None
        again = rereads(self.reader, target, value)
        if again is not None:
            raise self.reading.unsupported(
                again,
                "a vector that is read from where the statement stores",
                "its lanes are stored one by one",
            )
        span = self.reading.span(node)
        variable = tree.PrimVar(name, *span)
        bounds, dtype = self._extent(lanes.count)
        self.reader.scopes.append({name: Scalar(variable, dtype or "int32", True)})
        outside, self.made = self.made, []
        if isinstance(node, ast.AugAssign):
            self.store_augmented(node, target, value)
        else:
            self.store(node, target, "=", value)
        inner, self.made = self.made, outside
        self.reader.scopes.pop()
        self.made.append(tree.For("vectorized", None, (variable,), (bounds,), tuple(inner), (), False, *span))

    def store(self, node: ast.stmt, target: ast.Subscript, operator: str, value: ast.expr) -> None:
        """Read a store to an element."""
        found = self.reader.buffer(target.value)
        if found is None:
            shown = self.reading.py.shown(target)
            raise self.reading.unsupported(
                node, f"a store to `{shown}`", "only elements of buffers are stored to"
            )
        place, indices = self.reader.place(target, found)
        if any(isinstance(one, tree.Range) for one in indices):
            raise self.reading.unsupported(
                target, "a store to a slice of a buffer", "a loop stores its elements"
            )
        stored = self.reader.value(value, found.dtype)
        span = self.reading.span(node)
        self.made.append(tree.BufferStore(place, tuple(indices), operator, stored, *span))  # type: ignore[arg-type]

    def define(self, node: ast.stmt, target: ast.Name, value: ast.expr, annotation: ast.expr | None) -> None:
        """Read a definition of a name: of a buffer, a size, an axis, or a number."""
        dialect, name = self.reading.called(value)
        if dialect == "T" and name == "bind" and isinstance(value, ast.Call) and len(value.args) == 1:
            value = value.args[0]
            dialect, name = self.reading.called(value)
        if dialect == "T" and isinstance(value, ast.Call):
            if name.startswith("axis."):
                self.axes(node, [target], value, name)
                return
            if name in VIEWS and self.view(node, target.id, value):
                return
            row = _DEFINITIONS.get(name)
            if row is not None and row(self, node, target, value):
                return
            if name in _EFFECTS:
                shown = self.reading.py.shown(value.func)
                raise self.reading.unsupported(value, f"`{shown}(…)`", purpose_of(name))
        if self.reshaped(node, target.id, value):
            return
        if isinstance(value, ast.Name) and self.reader.buffer(value) is not None:
            self.reader.scopes[-1][target.id] = value
            return
        if _is_cell(node, annotation) and is_of_one_element(self._stored_to(target)):
            self.store_to_cell(node, target, value)
            return
        self.let(node, target, value, annotation)

    def _stored_to(self, target: ast.Name) -> BufferName | None:
        """Return the buffer that TVM 0.27 stores to where its name is assigned to."""
        return self.reader.buffer(target) if self.reading.aliases.is_current else None

    def store_to_cell(self, node: ast.stmt, target: ast.Name, value: ast.expr) -> None:
        """Read `x = e` where `x` is a buffer of one element."""
        self.store(node, _only_element(target), "=", value)

    def cell(self, node: ast.stmt, target: ast.Name, dtype: str) -> None:
        """Define a variable that changes."""
        self.reader.occurrences.next(target.id)
        found, made = allocated(target.id, dtype, self.reading.span(target), self.reading.span(node))
        self.reader.scopes[-1][target.id] = found
        self.made.append(made)

    def let(self, node: ast.stmt, target: ast.Name, value: ast.expr, annotation: ast.expr | None) -> None:
        """Read `v = e`, which names a number."""
        read = self.reader.scalar(value)
        dtype = read.dtype
        if annotation is not None:
            dtype = self._declared_dtype(annotation) or dtype
        dtype = dtype or ("int32" if read.index else "float32")
        place = self.reading.span(target)
        span = self.reading.span(node)
        if node in self.reader.changing and _is_cell(node, annotation):
            self.cell(node, target, dtype)
            self.store_to_cell(node, target, value)
            return
        if read.index and dtype in INDEX_DTYPES:
            made = tree.LetStmt(tree.PrimVar(target.id, *place), None, read.node, *span)
            self.reader.scopes[-1][target.id] = Scalar(tree.PrimVar(target.id, *place), dtype, True)
        else:
            kind = tree.DType(dtype, *place)
            made = tree.LetStmt(tree.PrimVar(target.id, *place), kind, read.as_value(dtype), *span)
            self.reader.scopes[-1][target.id] = Scalar(tree.PrimVar(target.id, *place), dtype, False)
        self.made.append(made)
        if self.reading.aliases.is_current and _is_cell(node, annotation):
            self.reader.cells.append(target.id)

    def _declared_dtype(self, annotation: ast.expr) -> str | None:
        if isinstance(annotation, ast.Subscript):  # `T.let[T.int32]`
            annotation = annotation.slice
        dialect, name = self.reading.path(annotation)
        if dialect == "T" and name in DTYPES:
            return name
        if name in ("let", ""):
            return None
        raise self.reading.unsupported(
            annotation, f"a variable of type `{self.reading.py.shown(annotation)}`"
        )

    def define_several(self, node: ast.stmt, target: ast.Tuple, value: ast.expr) -> None:
        """Read `vi, vj = T.axis.remap("SR", [i, j])`, `n, m = T.int32(), T.int32()`."""
        names = [one for one in target.elts if isinstance(one, ast.Name)]
        if len(names) != len(target.elts):
            raise self.reading.unsupported(target, "an assignment to `*` names")
        dialect, name = self.reading.called(value)
        if dialect == "T" and isinstance(value, ast.Call) and name.startswith("axis."):
            self.axes(node, names, value, name)
        elif isinstance(value, ast.Tuple) and len(value.elts) == len(names):
            for one, inner in zip(names, value.elts, strict=True):
                self.define(node, one, inner, None)
        else:
            raise self.reading.unsupported(node, f"`{self.reading.py.shown(value)}`", purpose_of(name))


def _only_element(target: ast.Name) -> ast.Subscript:
    zero = ast.copy_location(ast.Constant(0), target)
    return ast.copy_location(ast.Subscript(target, zero, ast.Load()), target)


def _is_cell(node: ast.stmt, annotation: ast.expr | None) -> bool:
    """Return whether TVM takes a definition for memory of one element: `x = e`, `x: T.int32 = e`."""
    if isinstance(node, ast.AnnAssign):
        return not any(
            isinstance(one, ast.Attribute) and one.attr == "let" for one in ast.walk(node.annotation)
        )
    value = getattr(node, "value", None)
    is_bound = (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "bind"
    )
    return isinstance(node, ast.Assign) and not is_bound


_EFFECTS = frozenset(("ptr", "thread_id", "cta_id", "warp_id", "lane_id"))


def _defines_allocation(
    reader: DefinitionStatements, node: ast.stmt, target: ast.Name, call: ast.Call
) -> bool:
    reader.allocate(node, target.id, call, reader.reading.called(call)[1])
    return True


def _defines_buffer(reader: DefinitionStatements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    reader.match_buffer(node, target.id, call)
    return True


def _defines_size(reader: DefinitionStatements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    if call.args:
        return False
    reader.reader.declare_size(target.id, reader.reading.called(call)[1], target)
    return True


def _defines_variable(reader: DefinitionStatements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    """Declare `n = T.var("int32")`; a pointer is declared by nothing."""
    kind = call.args[-1] if call.args else None
    dtype = reader.reading.dtype(kind) if kind is not None else tree.DType("int32", -1, -1)
    if dtype is None or dtype.name not in INDEX_DTYPES:
        return False
    reader.reader.declare_size(target.id, dtype.name, call)
    return True


def _defines_threads(reader: DefinitionStatements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    if len(call.args) not in (1, 2):
        return False
    axis = reader.reading.string(call.args[0], "a thread axis")
    if len(call.args) == 1:
        reader.reader.thread_axes[target.id] = axis
    else:
        reader.launch(target.id, axis, call.args[1])
    return True


def _defines_memory(reader: DefinitionStatements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    reader.reader.pointers[target.id] = call
    return len(call.args) >= 2


def _defines_constant(reader: DefinitionStatements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    return reader.allocate_const(node, target.id, call)


def _defines_cell(reader: DefinitionStatements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    """Declare `x = T.local_scalar("int32")`, a variable that changes."""
    given = [*call.args, *[one.value for one in call.keywords if one.arg == "dtype"]]
    dtype = reader.reading.dtype(given[0]) if len(given) == 1 else None
    if dtype is None or len(call.args) + len(call.keywords) != 1:
        return False
    reader.cell(node, target, dtype.name)
    return True


def _defines_alias(reader: DefinitionStatements, node: ast.stmt, target: ast.Name, call: ast.Call) -> bool:
    if len(call.args) != 1:
        return False
    reader.reader.scopes[-1][target.id] = call.args[0]
    return True


_DEFINITIONS: dict[str, Callable[[DefinitionStatements, ast.stmt, ast.Name, ast.Call], bool]] = {
    **dict.fromkeys(ALLOCATIONS, _defines_allocation),
    **dict.fromkeys(("int32", "int64"), _defines_size),
    **dict.fromkeys(("var", "Var"), _defines_variable),
    **dict.fromkeys(("env_thread", "launch_thread"), _defines_threads),
    "allocate": _defines_memory,
    "local_scalar": _defines_cell,
    "allocate_const": _defines_constant,
    "match_buffer": _defines_buffer,
    "meta_var": _defines_alias,
}
"""What `name = T.f(…)` defines, by the function; False where it is something else after all."""
