"""The statements of PrimFuncs: loops, blocks, stores, allocations. One table by the function of TVM's dialect."""

from __future__ import annotations

import ast

from relax_lang.base.node import same
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.tvmscript.reader.attributes import read_attributes
from relax_lang.tvmscript.reader.prim_funcs import BufferName, PrimFuncReader, function_name, is_private
from relax_lang.tvmscript.reader.python_values import items_of
from relax_lang.tvmscript.reader.scalar_calls import purpose_of
from relax_lang.tvmscript.reader.scalars import INDEX_DTYPES, Scalar, wider_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.tvmscript.reader.reading import Reading

    Statements = list[tree.Stmt]

LOOPS = {
    "serial": "serial",
    "parallel": "parallel",
    "vectorized": "vectorized",
    "unroll": "unrolled",
    "thread_binding": "thread",
}
BLOCKS = frozenset(("block", "sblock"))
ALLOCATIONS = frozenset(("alloc_buffer", "sblock_alloc_buffer", "alloc_shared", "alloc_local", "decl_buffer"))
AXES = {
    "axis.spatial": "spatial", "axis.S": "spatial", "axis.reduce": "reduce", "axis.R": "reduce",
    "axis.scan": "scan", "axis.opaque": "opaque",
}  # fmt: skip
VIEWS = frozenset(("decl_buffer", "Buffer"))
KIND_LETTERS = {"S": "spatial", "R": "reduce"}
SKIPPED_ATTRIBUTES = ("global_symbol", "s_tir")
AUGMENTED: dict[type[ast.operator], str] = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*="}
FIXED_SCOPES = {"alloc_shared": "shared", "alloc_local": "local"}


class BlockParts:
    """What the statements at the head of a block say about it."""

    def __init__(self) -> None:
        self.axes: list[tree.IterVar] = []
        self.predicate: tree.PrimExpr | None = None
        self.reads: list[tree.BufferRegion] | None = None
        self.writes: list[tree.BufferRegion] | None = None
        self.attrs: list[tree.Attr] = []
        self.init: tuple[tree.Stmt, ...] | None = None


def read_prim_func(reading: Reading, node: ast.FunctionDef, decorator: ast.expr) -> tree.PrimFunc:
    """Read a PrimFunc. Raises Refused."""
    reader = PrimFuncReader(reading)
    private = is_private(reading, decorator)
    reader.read_signature(node)
    body = read_body(reader, node.body)
    left = [name for name, at in reader.handles.items() if at >= 0]
    if left:
        place = next(one for one in node.args.args if one.arg == left[0])
        raise reading.unsupported(place, f"the pointer `{left[0]}`", "a PrimFunc takes buffers and numbers")
    if private:
        reading.features.private = True
    name = function_name(reading, node)
    pos, end = reading.span(node)
    return tree.PrimFunc(name, private, tuple(reader.params), tuple(reader.attrs), tuple(body), pos, end)


def read_body(reader: PrimFuncReader, body: Sequence[ast.stmt]) -> Statements:
    """Read the body of a PrimFunc; a root block without axes is its contents."""
    return _Statements(reader, None, top=True).read(body)


class _Statements:
    """Reads the statements of one block of Python, inside a block of TVM or outside of any."""

    def __init__(self, reader: PrimFuncReader, block: BlockParts | None, *, top: bool = False) -> None:
        self.reader = reader
        self.reading = reader.reading
        self.block = block
        self.top = top
        self.made: Statements = []
        self.pointers = reader.pointers
        self.launched: tuple[str, str, tree.Range, str | None] | None = None
        """Name, axis and extent of the threads that the rest of the block runs on."""

    def read(self, body: Sequence[ast.stmt]) -> Statements:
        """Read statements, in a scope of their own."""
        self.reader.scopes.append({})
        for at, statement in enumerate(body):
            self.statement(statement)
            if self.launched is not None:  # the rest of the block runs on each thread
                self.made.append(self.threads(self.launched, body[at + 1 :], statement))
                break
        self.reader.scopes.pop()
        return self.made

    def threads(
        self, launched: tuple[str, str, tree.Range, str | None], body: Sequence[ast.stmt], place: ast.stmt
    ) -> tree.For:
        """Read what runs on each thread of an axis: a loop over them."""
        name, axis, bounds, dtype = launched
        span = self.reading.span(place)
        variable = tree.PrimVar(name, *span)
        before = dict(self.reader.extents)
        self.reader.extents[name] = bounds
        self.reader.scopes.append({name: Scalar(variable, dtype or "int32", True)})
        inner = _Statements(self.reader, None).read(body)
        self.reader.scopes.pop()
        self.reader.extents = before
        return tree.For("thread", axis, (variable,), (bounds,), tuple(inner), False, *span)

    def launch(self, name: str, axis: str, extent: ast.expr) -> None:
        """Note that the statements that follow run on each thread of an axis."""
        bounds, dtype = self._extent(extent)
        self.launched = name, axis, bounds, dtype

    def inner(self, body: Sequence[ast.stmt]) -> tuple[tree.Stmt, ...]:
        """Read the statements inside a loop or a branch."""
        return tuple(_Statements(self.reader, None).read(body))

    def statement(self, node: ast.stmt) -> None:
        """Read one statement. Raises Refused."""
        row = _ROWS.get(type(node))
        if row is None:
            kind = type(node).__name__.lower()
            raise self.reading.unsupported(node, f"the Python statement `{kind}`", "it needs Python to run")
        row(self, node)

    # -- assignments -------------------------------------------------------------------------------------------

    def assign(self, node: ast.Assign) -> None:
        """Read `target = value`."""
        if len(node.targets) != 1:
            raise self.reading.unsupported(node, "an assignment to several targets")
        target = node.targets[0]
        if isinstance(target, ast.Subscript):
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
            if dialect == "T" and name in INDEX_DTYPES:
                self.reader.declare_size(node.target.id, name, node)
                return
            raise self.reading.unsupported(node, f"the variable `{node.target.id}`, which is assigned later")
        self.define(node, node.target, node.value, node.annotation)

    def augmented(self, node: ast.AugAssign) -> None:
        """Read `A[i] += e`."""
        if not isinstance(node.target, ast.Subscript):
            raise self.reading.unsupported(node, "a variable that changes", "memory that changes is a buffer")
        sign = AUGMENTED.get(type(node.op))
        if sign is not None:
            self.store(node, node.target, sign, node.value)
            return
        whole = ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)
        self.store(node, node.target, "=", whole)

    def store(self, node: ast.stmt, target: ast.Subscript, sign: str, value: ast.expr) -> None:
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
        self.made.append(tree.BufferStore(place, tuple(indices), sign, stored, *span))  # type: ignore[arg-type]

    def define(self, node: ast.stmt, target: ast.Name, value: ast.expr, annotation: ast.expr | None) -> None:
        """Read a definition of a name: of a buffer, a size, an axis, or a number."""
        dialect, name = self.reading.called(value)
        if dialect == "T" and name == "bind" and isinstance(value, ast.Call) and len(value.args) == 1:
            value = value.args[0]
            dialect, name = self.reading.called(value)
        if dialect == "T" and isinstance(value, ast.Call):
            if name == "match_buffer":
                self.match_buffer(node, target.id, value)
                return
            if name in VIEWS and self.view(node, target.id, value):
                return
            if name == "env_thread" and len(value.args) == 1:
                self.reader.thread_axes[target.id] = self.reading.string(value.args[0], "a thread axis")
                return
            if name == "launch_thread" and len(value.args) == 2:
                self.launch(target.id, self.reading.string(value.args[0], "a thread axis"), value.args[1])
                return
            if name == "allocate" and len(value.args) >= 2:
                self.pointers[target.id] = value
                return
            if name in ALLOCATIONS:
                self.allocate(node, target.id, value, name)
                return
            if name.startswith("axis."):
                self.axes(node, [target], value, name)
                return
            if name in ("int32", "int64") and not value.args:
                self.reader.declare_size(target.id, name, target)
                return
            if name in ("var", "Var") and self._declares(target.id, value):
                return
            if name == "meta_var" and len(value.args) == 1:
                self.reader.scopes[-1][target.id] = value.args[0]
                return
            if name in _EFFECTS:
                raise self.reading.unsupported(
                    value, f"`{self.reading.py.shown(value.func)}(…)`", purpose_of(name)
                )
        if isinstance(value, ast.Name) and self.reader.buffer(value) is not None:
            self.reader.scopes[-1][target.id] = value
            return
        self.let(node, target, value, annotation)

    def _declares(self, name: str, value: ast.Call) -> bool:
        """Declare `n = T.var("int32")`; a pointer is declared by nothing."""
        kind = value.args[-1] if value.args else None
        dtype = self.reading.dtype(kind) if kind is not None else tree.DType("int32", -1, -1)
        if dtype is None or dtype.name not in INDEX_DTYPES:
            return False
        self.reader.declare_size(name, dtype.name, value)
        return True

    def let(self, node: ast.stmt, target: ast.Name, value: ast.expr, annotation: ast.expr | None) -> None:
        """Read `v = e`, which names a number."""
        read = self.reader.scalar(value)
        dtype = read.dtype
        if annotation is not None:
            dtype = self._declared_dtype(annotation) or dtype
        dtype = dtype or ("int32" if read.index else "float32")
        place = self.reading.span(target)
        span = self.reading.span(node)
        if read.index and dtype in INDEX_DTYPES:
            made = tree.LetStmt(tree.PrimVar(target.id, *place), None, read.node, *span)
            self.reader.scopes[-1][target.id] = Scalar(tree.PrimVar(target.id, *place), dtype, True)
        else:
            kind = tree.DType(dtype, *place)
            made = tree.LetStmt(tree.PrimVar(target.id, *place), kind, read.as_value(dtype), *span)
            self.reader.scopes[-1][target.id] = Scalar(tree.PrimVar(target.id, *place), dtype, False)
        self.made.append(made)

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

    # -- buffers -----------------------------------------------------------------------------------------------

    def match_buffer(self, node: ast.stmt, name: str, call: ast.Call) -> None:
        """Read `A = T.match_buffer(a, (n, m), "float32")` of a parameter."""
        reader = self.reader
        given = call.args[0] if call.args else None
        if isinstance(given, ast.Subscript) and self.part(node, name, call, given):
            return
        if not isinstance(given, ast.Name) or reader.handles.get(given.id, -1) < 0:
            raise self.reading.unsupported(call, "a view of a part of a buffer", "a buffer is a whole tensor")
        at = reader.handles[given.id]
        made, _ = reader.read_buffer(name, call, node, skip=1)
        reader.handles[given.id] = -1
        reader.params[at] = made
        reader.scopes[0][name] = BufferName(name, made.dtype.name, made)

    def part(self, node: ast.stmt, name: str, call: ast.Call, region: ast.Subscript) -> bool:
        """Read `A0 = T.match_buffer(A[i:i + 4, 0:4], (4, 4), …)`: a part of a buffer, whose last axes it keeps."""
        base = self.reader.buffer(region.value)
        if base is None:
            return False
        given = region.slice.elts if isinstance(region.slice, ast.Tuple) else [region.slice]
        starts: list[ast.expr] = []
        for one in given:
            if not isinstance(one, ast.Slice):
                starts.append(one)
            elif one.step is None:
                starts.append(one.lower or ast.copy_location(ast.Constant(0), region))
        kept = [one for one in call.keywords if one.arg in ("shape", "dtype")]
        plain = ast.copy_location(ast.Call(call.func, call.args[1:3], kept), call)
        made, _ = self.reader.read_buffer(name, plain, node)
        if (
            len(starts) != len(base.node.shape)
            or len(made.shape) > len(starts)
            or made.dtype.name != base.dtype
        ):
            return False
        self.reader.scopes[-1][name] = BufferName(name, made.dtype.name, made, base, starts)
        return True

    def view(self, node: ast.stmt, name: str, call: ast.Call) -> bool:
        """Read a buffer over memory: that of another buffer, or what `T.allocate` allocated. False: there is none."""
        given = [one.value for one in call.keywords if one.arg == "data"]
        if not given and len(call.args) > 2:
            given = [call.args[2]]
        if not given or isinstance(given[0], ast.Constant):
            return False
        data = given[0]
        base = self.reader.memory_of(data)
        if base is None and isinstance(data, ast.Name) and data.id in self.pointers:
            base = self._allocated(node, data.id, call)
        if base is None:
            raise self.reading.unsupported(call, "a buffer over the memory of a pointer")
        self.reader.declare_view(name, call, base, node)
        return True

    def _allocated(self, node: ast.stmt, pointer: str, call: ast.Call) -> BufferName:
        """Return the buffer of `p = T.allocate([n], "float32", "global")`, allocated where it is first used."""
        found = self.reader.find(pointer)
        if isinstance(found, BufferName):
            return found
        allocation = self.pointers[pointer]
        shape, kind, *rest = allocation.args
        plain = ast.copy_location(ast.Call(allocation.func, [shape, kind], []), allocation)
        made, _ = self.reader.read_buffer(pointer, plain, node)
        scope = self.reading.string(rest[0], "the scope of a buffer") if rest else ""
        buffer = BufferName(pointer, made.dtype.name, made)
        self.reader.scopes[-1][pointer] = buffer
        self.made.append(
            tree.Allocate(made, scope if scope not in ("", "global") else None, *self.reading.span(node))
        )
        return buffer

    def allocate(self, node: ast.stmt, name: str, call: ast.Call, function: str) -> None:
        """Read `B = T.alloc_buffer((n,), "float32", scope="local")`."""
        made, scope = self.reader.read_buffer(name, call, node)
        scope = scope or FIXED_SCOPES.get(function, "")
        self.reader.scopes[-1][name] = BufferName(name, made.dtype.name, made)
        self.made.append(tree.Allocate(made, scope or None, *self.reading.span(node)))

    # -- loops -------------------------------------------------------------------------------------------------

    def loop(self, node: ast.For) -> None:
        """Read a loop."""
        names = self._loop_names(node.target)
        kind, thread, ranges, grid = self._ranges(node.iter)
        if len(names) != len(ranges):
            raise self.reading.wrong(node.iter, f"{len(names)} loop variables, {len(ranges)} extents")
        scope: dict[str, Scalar | BufferName | ast.expr] = {}
        before = dict(self.reader.extents)
        variables: list[tree.PrimVar] = []
        for name, (bounds, dtype) in zip(names, ranges, strict=True):
            variable = tree.PrimVar(name.id, *self.reading.span(name))
            variables.append(variable)
            scope[name.id] = Scalar(variable, dtype or "int32", True)
            self.reader.extents[name.id] = bounds
        self.reader.scopes.append(scope)
        inner = self.inner(node.body)
        self.reader.scopes.pop()
        self.reader.extents = before
        span = self.reading.span(node)
        made = tree.For(kind, thread, tuple(variables), tuple([one for one, _ in ranges]), inner, grid, *span)
        self.made.append(made)

    def _loop_names(self, target: ast.expr) -> list[ast.Name]:
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        found = [one for one in names if isinstance(one, ast.Name)]
        if len(found) != len(names):
            raise self.reading.unsupported(target, "`*` names as loop variables")
        return found

    def _ranges(self, call: ast.expr) -> tuple[str, str | None, list[tuple[tree.Range, str | None]], bool]:
        """Return kind, thread axis, ranges with the dtypes of their variables, and whether it is a grid."""
        dialect, name = self.reading.called(call)
        if not isinstance(call, ast.Call):
            shown = self.reading.py.shown(call)
            raise self.reading.unsupported(call, f"a loop over `{shown}`", "it needs Python to run")
        thread = self._loop_options(call, name)
        if dialect == "T" and name == "grid":
            return "serial", None, [self._extent(one) for one in call.args], True
        if dialect == "T" and name in LOOPS:
            kind = LOOPS[name]
        elif not dialect and name == "range":
            kind = "serial"
        else:
            shown = self.reading.py.shown(call)
            why = purpose_of(name) or "it needs Python to run"
            raise self.reading.unsupported(call, f"a loop over `{shown}`", why)
        args = list(call.args)
        if kind == "thread":
            thread = thread or self._thread_axis(call, args)
        return kind, thread, [self._bounds(call, args)], False

    def _loop_options(self, call: ast.Call, name: str) -> str | None:
        """Return the thread axis that a loop names; other options are left out or refused."""
        thread: str | None = None
        for one in call.keywords:
            if one.arg == "thread" and name == "thread_binding":
                thread = self.reading.string(one.value, "a thread axis")
            elif one.arg == "annotations":
                if not (isinstance(one.value, ast.Constant) and one.value.value is None):
                    self.reading.drop(one.value, "annotations of loops")
            elif one.arg != "step" or not _is_one(one.value):
                raise self.reading.unsupported(call, f"`{one.arg}=` of a loop")
        return thread

    def _thread_axis(self, call: ast.Call, args: list[ast.expr]) -> str:
        last = args[-1] if len(args) > 1 else None
        if isinstance(last, ast.Constant) and isinstance(last.value, str):
            args.pop()
            return last.value
        raise self.reading.wrong(call, "a thread binding names its thread axis")

    def _bounds(self, call: ast.Call, args: list[ast.expr]) -> tuple[tree.Range, str | None]:
        """Return the range of a loop from its bounds."""
        if len(args) == 1:
            return self._extent(args[0])
        if len(args) == 3 and _is_one(args[2]):
            args = args[:2]
        if len(args) != 2:
            raise self.reading.unsupported(call, "a loop with a step")
        low, high = self.reader.scalar(args[0]), self.reader.scalar(args[1])
        bounds = tree.Range(low.as_index(), high.as_index(), *self.reading.span(call))
        return bounds, wider_index(low.dtype, high.dtype)

    def _extent(self, node: ast.expr) -> tuple[tree.Range, str | None]:
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:  # `T.grid((lo, hi))`
            low, high = [self.reader.scalar(one) for one in node.elts]
            made = tree.Range(low.as_index(), high.as_index(), *self.reading.span(node))
            return made, wider_index(low.dtype, high.dtype)
        read = self.reader.scalar(node)
        stop = read.as_index()
        return tree.Range(tree.IntImm(0, None, "0", stop.pos, stop.pos), stop, stop.pos, stop.end), read.dtype

    # -- blocks ------------------------------------------------------------------------------------------------

    def with_(self, node: ast.With) -> None:
        """Read `with T.sblock("b"):`, `with T.init():`, `with T.let(v, e):`."""
        if len(node.items) != 1:
            raise self.reading.unsupported(node, "a `with` of several")
        item = node.items[0]
        dialect, name = self.reading.called(item.context_expr)
        call = item.context_expr
        if dialect == "T" and isinstance(call, ast.Call):
            if name in BLOCKS:
                self.block_statement(node, call, item.optional_vars)
                return
            if name == "init" and self.block is not None:
                self.block.init = self.inner(node.body)
                return
            if name in ("let", "LetStmt") and self._let_block(node, call, item.optional_vars):
                return
            if name == "attr":
                self.attribute(node, call)
                self.made += _Statements(self.reader, None).read(node.body)
                return
            if name == "launch_thread" and isinstance(item.optional_vars, ast.Name) and len(call.args) == 2:
                axis = self.reading.string(call.args[0], "a thread axis")
                bounds, dtype = self._extent(call.args[1])
                self.made.append(self.threads((item.optional_vars.id, axis, bounds, dtype), node.body, node))
                return
            if name in ("decl_buffer", "allocate") and isinstance(item.optional_vars, ast.Name):
                self.define(node, item.optional_vars, call, None)
                self.made += _Statements(self.reader, self.block).read(node.body)
                return
        shown = self.reading.py.shown(call.func if isinstance(call, ast.Call) else call)
        raise self.reading.unsupported(call, f"`with {shown}(…)`", purpose_of(name))

    def _let_block(self, node: ast.With, call: ast.Call, target: ast.expr | None) -> bool:
        given = call.args
        if target is None and len(given) == 2 and isinstance(given[0], ast.Name):
            target, given = given[0], given[1:]
        if not isinstance(target, ast.Name) or len(given) != 1:
            return False
        self.let(node, target, given[0], None)
        for one in node.body:
            self.statement(one)
        return True

    def block_statement(self, node: ast.With, call: ast.Call, alias: ast.expr | None) -> None:
        """Read a block; a root block that holds all is its contents."""
        name = self.reading.string(call.args[0], "the name of a block") if call.args else ""
        for one in call.keywords:
            if one.arg not in ("no_realize", "exec_scope"):
                raise self.reading.unsupported(call, f"`{one.arg}=` of a block")
        parts = BlockParts()
        inner = _Statements(self.reader, parts)
        allocated = dict(self.reader.extents)
        body = inner.read(node.body)
        self.reader.extents = allocated
        if (
            self.top
            and not parts.axes
            and parts.predicate is None
            and parts.init is None
            and name in ("root", "")
        ):
            if parts.attrs:
                self.reading.drop(node.items[0].context_expr, "attributes of the root block")
            self.made += body
            return
        made = tree.Block(
            name or self._invented_name(),
            tuple(parts.axes),
            parts.predicate,
            tuple(parts.reads) if parts.reads else None,
            tuple(parts.writes) if parts.writes else None,
            tuple(parts.attrs),
            parts.init,
            tuple(body),
            *self.reading.span(node),
        )
        self.made.append(made)

    def _invented_name(self) -> str:
        names = self.reader.block_names
        name, number = "blk", 0
        while name in names:
            number += 1
            name = f"blk_{number}"
        names.add(name)
        return name

    def axes(self, node: ast.stmt, names: list[ast.Name], call: ast.Call, function: str) -> None:
        """Read the definition of axes."""
        if self.block is None:
            raise self.reading.wrong(node, "axes are defined at the head of a block")
        if function == "axis.remap":
            letters = self.reading.string(call.args[0], "the kinds of axes")
            values = call.args[1].elts if isinstance(call.args[1], ast.List | ast.Tuple) else []
            if len(letters) != len(names) or len(values) != len(names):
                raise self.reading.wrong(
                    call, f"{len(names)} axes, {len(values)} values, {len(letters)} kinds"
                )
            for name, letter, value in zip(names, letters, values, strict=True):
                self.axis(node, name, KIND_LETTERS.get(letter, "opaque"), None, value)
            return
        kind = AXES.get(function)
        given = [*call.args, *[one.value for one in call.keywords if one.arg in ("dom", "binding")]]
        if kind is None or len(names) != 1 or len(given) not in (1, 2):
            raise self.reading.unsupported(call, f"`{self.reading.py.shown(call.func)}(…)`")
        self.axis(node, names[0], kind, given[0], given[1] if len(given) == 2 else given[0])

    def axis(
        self, node: ast.stmt, name: ast.Name, kind: str, domain: ast.expr | None, value: ast.expr
    ) -> None:
        """Define one axis."""
        assert self.block is not None
        bound = self.reader.scalar(value)
        read = bound.as_index()
        bounds: tree.Range | None = None
        dtype = bound.dtype
        if domain is not None and domain is not value:
            bounds, from_domain = self._extent(domain)
            dtype = dtype or from_domain
            if isinstance(read, tree.PrimVar):
                known = self.reader.extents.get(read.name)
                if known is not None and same(known, bounds):
                    bounds = None
        variable = tree.PrimVar(name.id, *self.reading.span(name))
        if isinstance(value, ast.Name) and bounds is None and isinstance(read, tree.PrimVar):
            known = self.reader.extents.get(read.name)
            if known is not None:
                self.reader.extents[name.id] = known
        elif bounds is not None:
            self.reader.extents[name.id] = bounds
        self.block.axes.append(tree.IterVar(variable, kind, read, bounds, *self.reading.span(node)))
        self.reader.scopes[-1][name.id] = Scalar(variable, dtype or "int32", True)

    def regions(self, call: ast.Call) -> list[tree.BufferRegion]:
        """Read `T.reads(A[vi, 0:4])`; older files give one list."""
        given = list(call.args)
        if len(given) == 1 and isinstance(given[0], ast.List | ast.Tuple):
            given = given[0].elts
        made: list[tree.BufferRegion] = []
        buffers = [self.reader.buffer(one.value if isinstance(one, ast.Subscript) else one) for one in given]
        if any(one is not None and one.base is not None for one in buffers):
            self.reading.drop(call, "regions of views of buffers")
            return []
        for one in given:
            if isinstance(one, ast.Subscript) and (found := self.reader.buffer(one.value)) is not None:
                place, indices = self.reader.place(one, found)
                made.append(tree.BufferRegion(place, tuple(indices), *self.reading.span(one)))
            elif (found := self.reader.buffer(one)) is not None:
                pos, end = self.reading.span(one)
                whole = [
                    tree.Range(tree.IntImm(0, None, "0", pos, pos), dim, pos, end) for dim in found.node.shape
                ]
                made.append(tree.BufferRegion(tree.PrimVar(found.name, pos, end), tuple(whole), pos, end))
            else:
                raise self.reading.unsupported(one, f"the region `{self.reading.py.shown(one)}`")
        return made

    # -- other statements --------------------------------------------------------------------------------------

    def expression(self, node: ast.Expr) -> None:
        """Read a statement that is a call: it says something about the function or a block, or has an effect."""
        call = node.value
        if isinstance(call, ast.Constant):
            return
        dialect, name = self.reading.called(call)
        if not isinstance(call, ast.Call) or dialect != "T":
            raise self.reading.unsupported(node, f"`{self.reading.py.shown(call)}`", "it needs Python to run")
        row = _CALLS.get(name)
        if row is None:
            shown = self.reading.py.shown(call.func)
            raise self.reading.unsupported(call, f"`{shown}(…)`", purpose_of(name))
        row(self, node, call)

    def evaluate(self, node: ast.Expr, call: ast.Call) -> None:
        """Read `T.evaluate(…)`: of a number it is nothing, of `call_extern` a call."""
        inner = call.args[0] if len(call.args) == 1 else call
        if isinstance(inner, ast.Constant):
            return
        dialect, name = self.reading.called(inner)
        if dialect == "T" and isinstance(inner, ast.Call):
            row = _CALLS.get(name)
            if row is not None and name != "evaluate":
                row(self, node, inner)
                return
            shown = self.reading.py.shown(inner.func)
            if name not in ("Cast",):
                raise self.reading.unsupported(inner, f"`{shown}(…)`", purpose_of(name))
        self.reader.scalar(inner)  # it has no effect, but must be readable

    def function_attributes(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.func_attr({…})`."""
        self.reader.attrs += read_attributes(self.reading, call, SKIPPED_ATTRIBUTES)

    def block_attributes(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.sblock_attr({…})`."""
        if self.block is None:
            raise self.reading.wrong(call, "attributes of a block are outside of any")
        self.block.attrs += read_attributes(self.reading, call)

    def reads(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.reads(…)`."""
        if self.block is not None:
            self.block.reads = self.regions(call)

    def writes(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.writes(…)`."""
        if self.block is not None:
            self.block.writes = self.regions(call)

    def where(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.where(c)`."""
        if self.block is None or len(call.args) != 1:
            raise self.reading.wrong(call, "a condition is at the head of a block")
        self.block.predicate = self.reader.condition(call.args[0])

    def buffer_store(self, node: ast.Expr, call: ast.Call) -> None:
        """Read `T.buffer_store(A, e, [i, j])`."""
        if len(call.args) != 3:
            raise self.reading.wrong(call, "a store has a buffer, a value and indices")
        given = call.args[2]
        indices = ast.Tuple(given.elts, ast.Load()) if isinstance(given, ast.List) else given
        target = ast.copy_location(
            ast.Subscript(call.args[0], ast.copy_location(indices, given), ast.Store()), call
        )
        self.store(node, target, "=", call.args[1])

    def launch_thread(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.launch_thread(bx, 128)`, of an axis that `T.env_thread` named."""
        given = call.args[0] if len(call.args) == 2 else None
        if not isinstance(given, ast.Name) or given.id not in self.reader.thread_axes:
            raise self.reading.unsupported(call, "`T.launch_thread(…)`", purpose_of("launch_thread"))
        self.launch(given.id, self.reader.thread_axes[given.id], call.args[1])

    def attribute(self, node: ast.stmt, call: ast.Call) -> None:
        """Leave `T.attr(node, key, value)` out, unless it says what runs where."""
        key = self.reading.string(call.args[1], "the key of an attribute") if len(call.args) == 3 else ""
        if not key or key.endswith(("thread_extent", "virtual_thread", "async_scope", "device_scope")):
            raise self.reading.unsupported(
                call, f"`{self.reading.py.shown(call)}`", "it says how a device runs the program"
            )
        self.reading.drop(node, f"the attribute `{key}`")

    def attribute_statement(self, node: ast.Expr, call: ast.Call) -> None:
        """Leave an attribute of the statements that follow out."""
        self.attribute(node, call)

    def assume(self, node: ast.Expr, call: ast.Call) -> None:
        """Leave `T.assume(c)` out: it only helps a compiler."""
        self.reading.drop(node, "`T.assume`")

    def call_extern(self, node: ast.Expr, call: ast.Call) -> None:
        """Read `T.call_extern("f", …)`, of numbers and whole buffers."""
        given = list(call.args)
        if len(given) > 1 and isinstance(given[1], ast.Constant) and isinstance(given[1].value, str):
            given = given[1:]  # `T.call_extern("int32", "f", …)`
        if not given:
            raise self.reading.wrong(call, "the name of the function is missing")
        name = self.reading.string(given[0], "the name of a function")
        args: list[tree.PrimExpr] = []
        for one in given[1:]:
            found = self.reader.memory_of(one)
            if found is not None and found.base is not None:
                raise self.reading.unsupported(one, "a view of a buffer as an argument")
            if found is not None:
                args.append(tree.PrimVar(found.name, *self.reading.span(one)))
            else:
                read = self.reader.scalar(one)
                args.append(read.as_value(read.dtype))
        self.reading.features.tir_externs = True
        self.made.append(tree.CallExtern(name, tuple(args), *self.reading.span(node)))

    def if_(self, node: ast.If) -> None:
        """Read `if c: … else: …`."""
        condition = self.reader.condition(node.test)
        then, other = self.inner(node.body), self.inner(node.orelse)
        self.made.append(tree.IfThenElse(condition, then, other, *self.reading.span(node)))

    def while_(self, node: ast.While) -> None:
        """Read `while c: …`."""
        if node.orelse:
            raise self.reading.unsupported(node, "`else` of a loop")
        condition = self.reader.condition(node.test)
        self.made.append(tree.While(condition, self.inner(node.body), *self.reading.span(node)))

    def assert_(self, node: ast.Assert) -> None:
        """Read `assert c, "message"`."""
        message = "assertion failed"
        if node.msg is not None:
            given = node.msg
            if isinstance(given, ast.Tuple) and len(given.elts) == 2:  # (kind, pieces of the message)
                given = given.elts[1]
            value = self.reading.value(given)
            message = "".join([str(one) for one in items_of(value) or [value]])
        self.made.append(tree.AssertStmt(self.reader.condition(node.test), message, *self.reading.span(node)))

    def return_(self, node: ast.Return) -> None:
        """Read `return` at the end."""
        if node.value is not None:
            raise self.reading.unsupported(
                node, "a PrimFunc that returns a value", "a PrimFunc writes into buffers of its caller"
            )

    def pass_(self, node: ast.Pass) -> None:
        """Read `pass`: nothing."""


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


_EFFECTS = frozenset(("allocate_const", "ptr", "thread_id", "cta_id", "warp_id", "lane_id"))

_CALLS: dict[str, Callable[[_Statements, ast.Expr, ast.Call], None]] = {
    "evaluate": _Statements.evaluate,
    "func_attr": _Statements.function_attributes,
    "block_attr": _Statements.block_attributes,
    "sblock_attr": _Statements.block_attributes,
    "reads": _Statements.reads,
    "writes": _Statements.writes,
    "where": _Statements.where,
    "buffer_store": _Statements.buffer_store,
    "assume": _Statements.assume,
    "attr": _Statements.attribute_statement,
    "launch_thread": _Statements.launch_thread,
    "call_extern": _Statements.call_extern,
}

_ROWS: dict[type[ast.stmt], Callable[..., None]] = {
    ast.AnnAssign: _Statements.annotated,
    ast.Assert: _Statements.assert_,
    ast.Assign: _Statements.assign,
    ast.AugAssign: _Statements.augmented,
    ast.Expr: _Statements.expression,
    ast.For: _Statements.loop,
    ast.If: _Statements.if_,
    ast.Pass: _Statements.pass_,
    ast.Return: _Statements.return_,
    ast.While: _Statements.while_,
    ast.With: _Statements.with_,
}
