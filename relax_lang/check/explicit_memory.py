"""Explicit memory as far as it is known without a run: uses after a kill, tensors beyond storages, unwritten slots.

Works on the normal form, one function after the other in the order of its bindings. Names for one value are one here;
what branches did is joined: what one of them killed is dead afterwards, and a slot is written if both wrote it. What is
not known is left to the run.
"""

from __future__ import annotations

from relax_lang.base.node import assert_never, children, unreachable, walk
from relax_lang.format.lexemes import local_name
from relax_lang.ops.core.attributes import attribute_values
from relax_lang.ops.core.diagnostics import calls as op_diag
from relax_lang.ops.core.diagnostics import memory as diag
from relax_lang.ops.definitions.program.machine import no_slot, unwritten
from relax_lang.ops.definitions.program.memory import ALLOCATING, KILLING, PLACING, beyond, misaligned
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import bytes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node


def check_memory(module: tree.IRModule) -> list[Diagnostic]:
    """Return what is wrong with the explicit memory of a module in normal form, in no particular order."""
    prim_funcs = {item.name.name_hint: item for item in module.items if isinstance(item, tree.PrimFunc)}
    found: list[Diagnostic] = []
    for item in module.items:
        if isinstance(item, tree.Function):
            walker = _Walker(prim_funcs, found)
            assert isinstance(item.body, tree.SeqExpr)
            walker.sequence(item.body, _Known())
    return found


class _Known:
    """What is known at one place of a function, by the names that values had first."""

    __slots__ = ("fields", "killed", "names", "sizes", "storages", "views", "written")

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        """Other name of a value to its first one."""
        self.killed: dict[str, Node] = {}
        self.fields: dict[str, tuple[str | None, ...]] = {}
        """Tuple to the first names of its fields; None for one that is not a variable."""
        self.views: dict[str, set[str]] = {}
        """Tensor to those that have its memory: what operators make that return a view."""
        self.sizes: dict[str, int] = {}
        """Shape heap to how many slots it has."""
        self.storages: dict[str, tuple[int, Node]] = {}
        """Storage to its bytes and where these are written."""
        self.written: dict[str, set[int]] = {}
        """Shape heap to the slots that are written; none is here of which not all is seen."""

    def copy(self) -> _Known:
        made = _Known()
        made.names, made.killed, made.storages = dict(self.names), dict(self.killed), dict(self.storages)
        made.sizes, made.fields = dict(self.sizes), dict(self.fields)
        made.views = {name: set(views) for name, views in self.views.items()}
        made.written = {name: set(slots) for name, slots in self.written.items()}
        return made

    def join(self, one: _Known, other: _Known) -> None:
        """Know what is so after both of two branches."""
        self.killed = {**one.killed, **other.killed}
        self.written = {
            name: one.written[name] & other.written[name]
            for name in self.written
            if name in one.written and name in other.written
        }

    def of(self, expr: tree.Expr) -> str | None:
        """Return the first name of the value of a variable, or of a field of a tuple; None for anything else."""
        if isinstance(expr, tree.TupleGetItem):
            fields = self.fields.get(self.of(expr.tuple_value) or "", ())
            return fields[expr.index] if expr.index < len(fields) else None
        return self.names.get(expr.name_hint, expr.name_hint) if isinstance(expr, tree.Var) else None

    def kill(self, value: str, place: Node) -> None:
        """End the life of a value and of the views of it, which have no memory of their own."""
        stack = [value]
        while stack:
            one = stack.pop()
            if one not in self.killed:
                self.killed[one] = place
                stack += self.views.get(one, ())

    def dead(self, expr: tree.Var) -> str | None:
        """Return the first name of what is killed, the value of a variable or a field of it; None if all lives."""
        stack = [self.names.get(expr.name_hint, expr.name_hint)]
        while stack:
            one = stack.pop()
            if one in self.killed:
                return one
            stack += [field for field in self.fields.get(one, ()) if field is not None]
        return None


class _Walker:
    """Goes over one function and collects what is wrong."""

    def __init__(self, prim_funcs: Mapping[str, tree.PrimFunc], found: list[Diagnostic]) -> None:
        self._prim_funcs = prim_funcs
        self._found = found

    def sequence(self, seq: tree.SeqExpr, known: _Known) -> None:
        for block in seq.blocks:
            for binding in block.bindings:
                self._binding(binding, known)
        self._uses(seq.body, known)

    def _binding(self, binding: tree.Binding, known: _Known) -> None:
        value = binding.value
        name = binding.var.name_hint if binding.var is not None else "_"
        self._uses(value.cond if isinstance(value, tree.If) else value, known)
        match value:
            case tree.If():
                self._choice(value, known)
            case tree.Var() | tree.TupleGetItem():
                first = known.of(value)
                if first is not None:
                    known.names[name] = first
                else:
                    self._escape(value, known)
            case tree.Tuple():
                known.fields[name] = tuple([known.of(field) for field in value.fields])
                self._escape(value, known)
            case tree.Call():
                self._call(name, value, known)
            case tree.Function() | tree.Atom():
                self._escape(value, known)
            case tree.NeverBound():
                unreachable(value)
            case _:
                assert_never(value)

    def _choice(self, value: tree.If, known: _Known) -> None:
        after: list[_Known] = []
        for branch in (value.true_branch, value.false_branch):
            assert isinstance(branch, tree.SeqExpr)
            after.append(known.copy())
            self.sequence(branch, after[-1])
        known.join(*after)

    def _uses(self, value: tree.Expr, known: _Known) -> None:
        if not known.killed:
            return
        if _kills(value):  # ends the tuple or the view alone, whatever it was made of
            assert isinstance(value, tree.Call)
            direct = known.of(value.args[0])
            if direct is None or direct not in known.killed:
                return
        stack: list[Node] = [value]
        while stack:
            node = stack.pop()
            if isinstance(node, tree.TupleGetItem):
                field, whole = known.of(node), known.of(node.tuple_value)
                if field is not None and field not in known.killed and whole not in known.killed:
                    continue  # another field may be dead
            if isinstance(node, tree.Var):
                dead = known.dead(node)
                if dead is not None:
                    killed = known.killed.pop(dead)  # once is enough
                    self._found.append(diag.use_after_kill(node, local_name(node.name_hint), killed))
            stack += reversed(list(children(node)))

    def _call(self, name: str, call: tree.Call, known: _Known) -> None:
        called = call.op.op_name if isinstance(call.op, tree.Op) else ""
        if called in KILLING:
            value = known.of(call.args[0])
            if value is not None:
                known.kill(value, call)
        elif called in ALLOCATING:
            size = _product(call.args[0])
            if size is not None:
                known.storages[name] = size, call.args[0]
        elif called in PLACING:
            self._placed(call, known)
        elif called == "vm.alloc_shape_heap":
            known.written[name] = set()
            size = attribute_values(call.attrs).get("size")
            if isinstance(size, int):
                known.sizes[name] = size
        elif called in ("vm.match_shape", "vm.make_shape", "vm.make_prim_value", "vm.make_scalar"):
            self._slots(call, known, call.args[-1])
        elif isinstance(call.op, tree.GlobalVar) and call.op.name_hint in self._prim_funcs:
            self._prim_call(call, self._prim_funcs[call.op.name_hint], known)
        else:
            _note_views(name, called, call, known)
            self._escape(call, known)

    def _placed(self, call: tree.Call, known: _Known) -> None:
        storage = known.storages.get(known.of(call.args[0]) or "")
        offset = call.args[1]
        elements = _product(call.args[2])
        dtype = attribute_values(call.attrs).get("dtype")
        if storage is None or elements is None or not isinstance(offset, tree.PrimValue):
            return
        at = _number(offset.value)
        if at is None or not isinstance(dtype, str):
            return
        size = elements * bytes_of(dtype)
        if at % bytes_of(dtype):
            self._found.append(op_diag.op_argument(offset, f"{_name(call)}: {misaligned(at, dtype)}"))
        if not 0 <= at <= at + size <= storage[0]:
            message = f"{_name(call)}: {beyond(at, size, storage[0])}"
            self._found.append(diag.storage_exceeded(call, message, storage[1]))

    def _slots(self, call: tree.Call, known: _Known, heap: tree.Expr) -> None:
        """Follow what reads and writes slots by its attributes, in order."""
        first = known.of(heap) or ""
        size, written = known.sizes.get(first), known.written.get(first)
        attrs = attribute_values(call.attrs)
        slots = zip(attrs.get("codes", ()), attrs.get("operands", ()), strict=False)
        for code, slot in [("slot", attrs["slot"])] if "slot" in attrs else slots:
            if code in ("store", "slot") and size is not None and not 0 <= slot < size:
                self._found.append(op_diag.op_attribute(call, f"{_name(call)}: {no_slot(slot, size)}"))
            elif written is None:
                continue
            elif code == "store":
                written.add(slot)
            elif code == "slot" and slot not in written:
                self._found.append(diag.heap_slot_unwritten(call, f"{_name(call)}: {unwritten(slot)}"))
                written.add(slot)

    def _prim_call(self, call: tree.Call, func: tree.PrimFunc, known: _Known) -> None:
        """Follow a function of sizes: a PrimFunc that gets the heap."""
        for arg, param in zip(call.args, func.params, strict=False):
            heap = known.of(arg)
            if heap not in known.written or not isinstance(param, tree.Buffer):
                continue
            stored = _constant_slots(func, param.name, tree.BufferStore)
            loaded = _constant_slots(func, param.name, tree.BufferLoad)
            if stored is None or loaded is None:
                del known.written[heap]
                continue
            missing = sorted(loaded - stored - known.written[heap])
            if missing:
                shown = f"@{func.name.name_hint}: {unwritten(missing[0])}"
                self._found.append(diag.heap_slot_unwritten(call, shown))
            known.written[heap] |= stored | loaded

    def _escape(self, value: tree.Expr, known: _Known) -> None:
        """Forget heaps that something else may write."""
        if known.written:
            for node in walk(value):
                if isinstance(node, tree.Var):
                    known.written.pop(known.of(node) or "", None)


def _kills(value: tree.Expr) -> bool:
    return isinstance(value, tree.Call) and isinstance(value.op, tree.Op) and value.op.op_name in KILLING


def _note_views(name: str, called: str, call: tree.Call, known: _Known) -> None:
    """Remember the tensors whose memory the result of an operator shares."""
    operator = lookup(called) if called else None
    if operator is None or not operator.aliases:
        return
    for param, arg in zip(operator.params, call.args, strict=False):
        viewed = known.of(arg) if param.name in operator.aliases else None
        if viewed is not None:
            known.views.setdefault(viewed, set()).add(name)


def _name(call: tree.Call) -> str:
    assert isinstance(call.op, tree.Op)
    return call.op.op_name


def _number(dim: tree.PrimExpr) -> int | None:
    """Return a number that is written out, with its sign."""
    if isinstance(dim, tree.Neg):
        return -dim.a.value if isinstance(dim.a, tree.IntImm) else None
    return dim.value if isinstance(dim, tree.IntImm) else None


def _product(shape: tree.Expr) -> int | None:
    """Return the product of a shape that is written out in numbers."""
    if not isinstance(shape, tree.ShapeExpr):
        return None
    product = 1
    for dim in shape.values:
        if not isinstance(dim, tree.IntImm):
            return None
        product *= dim.value
    return product


def _constant_slots(
    func: tree.PrimFunc, buffer: str, kind: type[tree.BufferStore | tree.BufferLoad]
) -> set[int] | None:
    """Return the elements of a vector that a PrimFunc stores or loads; None if an index is not a number."""
    found: set[int] = set()
    for node in walk(func):
        if isinstance(node, kind) and node.buffer.name == buffer:
            index = node.indices[0] if len(node.indices) == 1 else None
            if not isinstance(index, tree.IntImm):
                return None
            found.add(index.value)
    return found
