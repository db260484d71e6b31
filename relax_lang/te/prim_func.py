"""Tensors to a PrimFunc: the order of loops, buffers between them, and names. [TIR.1] [TIR.20]"""

from __future__ import annotations

from relax_lang.base.node import Node, walk
from relax_lang.base.relax_error import refused
from relax_lang.base.sequences import is_sequence
from relax_lang.syntax import tree
from relax_lang.te.diagnostics import local_name_escapes, not_a_tensor
from relax_lang.te.expr import Expr
from relax_lang.te.tensor import Compute, Extern, Inline, Reduction, Tensor, compute, tensor_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from relax_lang.te.tensor import Axis


def create_prim_func(
    tensors: Sequence[Tensor],
    name: str = "main",
    *,
    private: bool = False,
    attrs: tuple[tree.Attr, ...] = (),
    outputs: int | None = None,
    asserts: Sequence[tuple[Expr, str]] = (),
    shapes: Sequence[tuple[Expr, ...]] | None = None,
) -> tree.PrimFunc:
    """Return the PrimFunc that computes tensors: its parameters are those given, inputs first, then the results.

    The results are what is computed, or the last `outputs` of the list. A shape variable that is not a whole dimension
    of a parameter becomes a scalar parameter, after all others; `scalar_names` has them in order. `asserts` are checked
    first; `shapes` are those of the results where they are to be written in another way. Raises RelaxError.
    """
    given = list(tensors)
    for one in given:
        if not isinstance(one, Tensor):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise refused(not_a_tensor, one, "a parameter of a PrimFunc")
    n_inputs = (
        len(given) - outputs if outputs is not None else len([one for one in given if one.source is None])
    )
    results = [_stored(one, given[:at]) for at, one in enumerate(given) if at >= n_inputs]
    if shapes is not None:
        results = [_in_shape(one, shape) for one, shape in zip(results, shapes, strict=True)]
    return _Maker(given[:n_inputs], results, name).made(private=private, attrs=attrs, asserts=asserts)


def _in_shape(tensor: Tensor, shape: tuple[Expr, ...]) -> Tensor:
    """Write the shape of a result in another way, which is known to mean the same."""
    tensor.shape = shape
    return tensor


def scalar_names(func: tree.PrimFunc) -> list[str]:
    """Return the names of the scalar parameters of a PrimFunc."""
    return [param.name for param in func.params if isinstance(param, tree.ScalarParam)]


def _stored(tensor: Tensor, before: Sequence[Tensor]) -> Tensor:
    """Return a result that has a loop of its own: an input, or one that is named twice, is copied."""
    if tensor.source is None or isinstance(tensor, Inline) or tensor in before:
        return compute(tensor.shape, lambda *places: tensor.read(places), tensor.hint)
    return tensor


class _Maker:
    """One PrimFunc in the making."""

    __slots__ = ("blocks", "free", "inputs", "name", "names", "owners", "results", "statements", "taken")

    def __init__(self, inputs: list[Tensor], results: list[Tensor], name: str) -> None:
        self.inputs = inputs
        self.results = results
        self.name = name
        self.names: dict[str, str] = {}
        """Names in the trees of expressions to those of the PrimFunc."""
        self.taken: set[str] = set()
        self.blocks: set[str] = set()
        self.statements: list[tree.Stmt] = []
        self.owners: dict[str, Tensor] = {}
        self.free: dict[str, None] = {}

    def made(
        self, *, private: bool, attrs: tuple[tree.Attr, ...], asserts: Sequence[tuple[Expr, str]]
    ) -> tree.PrimFunc:
        order = self._order()
        self._collect([condition.node for condition, _ in asserts])
        for tensor in (*self.inputs, *self.results):
            self._collect(dim.node for dim in tensor.shape)
        bound = self._bound()
        self.taken.update(self.free)
        for tensor in self.inputs:
            self.names[tensor.name] = self._fresh(tensor.hint)
        for tensor in self.results:
            self.names[tensor.name] = self._fresh(
                "y" if tensor.hint in ("compute", "extern", "t") else tensor.hint
            )
        self.statements += [tree.AssertStmt(self.renamed(one.node), message) for one, message in asserts]
        for source in order:
            self._emit(source)
        params: list[tree.PrimParam] = [self._buffer(tensor) for tensor in (*self.inputs, *self.results)]
        scalars = [tree.ScalarParam(name, tree.DType("int64")) for name in self.free if name not in bound]
        body = tuple(self.statements)
        return tree.PrimFunc(tree.GlobalVar(self.name), private, (*params, *scalars), attrs, body)

    def _bound(self) -> set[str]:
        """Return the shape variables that are a whole dimension of a parameter."""
        dims = [dim.node for tensor in (*self.inputs, *self.results) for dim in tensor.shape]
        return {dim.name for dim in dims if isinstance(dim, tree.PrimVar)}

    def _order(self) -> list[Compute | Extern]:
        """Return what is to be computed, each after what it reads; note all tensors and free names."""
        for tensor in self.inputs:
            self.owners[tensor.name] = tensor
        found: dict[Compute | Extern, None] = {}
        stack: list[tuple[Compute | Extern, bool]] = [
            (tensor.source, False) for tensor in reversed(self.results) if tensor.source is not None
        ]
        while stack:
            source, is_ready = stack.pop()
            if is_ready:
                found[source] = None
                continue
            if source in found:
                continue
            stack.append((source, True))
            for each in source.outputs:
                self.owners[each.name] = each
            needed = [
                one.source
                for one in self._read_by(source)
                if one.source is not None and one.source is not source
            ]
            stack += [(one, False) for one in reversed(needed) if one not in found]
        return list(found)

    def _read_by(self, source: Compute | Extern) -> list[Tensor]:
        if isinstance(source, Extern):
            for tensor in (*source.inputs, *source.outputs):
                self._collect(dim.node for dim in tensor.shape)
            self._collect(source.body(*source.outputs), local=source)
            return [one for one in source.inputs if one.source is not None]
        nodes: list[Node] = [axis.extent.node for axis in source.axes]
        if isinstance(source.body, Reduction):
            nodes += [axis.extent.node for axis in source.body.axes]
            nodes += [value.node for value in source.body.values]
        else:
            nodes += [value.node for value in source.body]
        self._collect(nodes, local=source)
        loads = [node.buffer for root in nodes for node in walk(root) if isinstance(node, tree.BufferLoad)]
        return list({handle.name: tensor_of(handle) for handle in loads}.values())

    def _collect(self, nodes: Iterable[Node], local: Compute | Extern | None = None) -> None:
        """Note the shape variables in trees; refuse axes of other computes."""
        own = _axis_names(local)
        for root in nodes:
            buffers = {
                id(node.buffer) for node in walk(root) if isinstance(node, tree.BufferLoad | tree.BufferStore)
            }
            for node in walk(root):
                if not isinstance(node, tree.PrimVar) or id(node) in buffers:
                    continue
                if "." not in node.name:
                    self.free.setdefault(node.name)
                elif isinstance(local, Compute) and node.name not in own:
                    raise refused(local_name_escapes, node.name.partition(".")[0])

    # Statements.

    def _emit(self, source: Compute | Extern) -> None:
        for tensor in source.outputs:
            if tensor not in self.results:
                self.names[tensor.name] = self._fresh(
                    "t" if tensor.hint in ("compute", "extern") else tensor.hint
                )
                self.statements.append(tree.Allocate(self._buffer(tensor), None))
        if isinstance(source, Extern):
            self.statements += [self.renamed(one) for one in source.body(*source.outputs)]
            return
        reduction = source.body if isinstance(source.body, Reduction) else None
        reduced = reduction.axes if reduction is not None else ()
        loops: list[tuple[str, tree.PrimExpr]] = []
        axes: list[tree.IterVar] = []
        kinds: list[tuple[Axis, str]] = [
            *[(one, "spatial") for one in source.axes],
            *[(one, "reduce") for one in reduced],
        ]
        names: list[str] = []
        for axis, _ in kinds:
            names.append(self._fresh(axis.hint))
        for (axis, kind), name in zip(kinds, names, strict=True):
            own = self.names[axis.name] = self._fresh(f"v{axis.hint}")
            loops.append((name, self.renamed(axis.extent.node)))
            axes.append(tree.IterVar(tree.PrimVar(own), kind, tree.PrimVar(name), None))
        at = tuple([tree.PrimVar(self.names[axis.name]) for axis in source.axes])
        init, body = self._body(source, at)
        block = tree.Block(
            self._block_name(source.outputs[0].hint), tuple(axes), None, None, None, (), init, body
        )
        self.statements.append(_nest(loops, block))
        self.taken.difference_update(names)  # loop variables and axes are local
        self.taken.difference_update([self.names[axis.name] for axis, _ in kinds])

    def _body(
        self, source: Compute, at: tuple[tree.PrimExpr, ...]
    ) -> tuple[tuple[tree.Stmt, ...] | None, tuple[tree.Stmt, ...]]:
        targets = [tree.PrimVar(self.names[tensor.name]) for tensor in source.outputs]
        reduction = source.body
        if not isinstance(reduction, Reduction):
            values = [self.renamed(value.node) for value in reduction]
            return None, tuple(
                [
                    tree.BufferStore(target, at, "=", value)
                    for target, value in zip(targets, values, strict=True)
                ]
            )
        begun = [self.renamed(one.node) for one in reduction.identity(reduction.dtypes)]
        init = tuple(
            [tree.BufferStore(target, at, "=", one) for target, one in zip(targets, begun, strict=True)]
        )
        if reduction.update:
            value = self.renamed(reduction.values[0].node)
            return init, (tree.BufferStore(targets[0], at, reduction.update, value),)
        so_far = tuple(
            [
                Expr(tree.BufferLoad(target, at), dtype)
                for target, dtype in zip(targets, reduction.dtypes, strict=True)
            ]
        )
        combined = [self.renamed(one.node) for one in reduction.combine(so_far, reduction.values)]
        if len(targets) == 1:
            return init, (tree.BufferStore(targets[0], at, "=", combined[0]),)
        # Every value is needed by every combination: none is stored before all are known.
        lets = [self._fresh(f"next_{target.name}") for target in targets]
        first = [
            tree.LetStmt(tree.PrimVar(name), None, value) for name, value in zip(lets, combined, strict=True)
        ]
        then = [
            tree.BufferStore(target, at, "=", tree.PrimVar(name))
            for target, name in zip(targets, lets, strict=True)
        ]
        return init, (*first, *then)

    def _buffer(self, tensor: Tensor) -> tree.Buffer:
        shape = tuple([self.renamed(dim.node) for dim in tensor.shape])
        return tree.Buffer(self.names[tensor.name], shape, tree.DType(tensor.dtype))

    # Names.

    def _fresh(self, hint: str) -> str:
        name, number = hint, 0
        while name in self.taken:
            number += 1
            name = f"{hint}_{number}"
        self.taken.add(name)
        return name

    def _block_name(self, hint: str) -> str:
        """Return a name that no other block has; buffers may have it."""
        name, number = hint, 0
        while name in self.blocks:
            number += 1
            name = f"{hint}_{number}"
        self.blocks.add(name)
        return name

    def renamed(self, node: Any) -> Any:
        """Return a tree with the names of the PrimFunc; no node is in it twice."""
        if isinstance(node, tree.PrimVar):
            return tree.PrimVar(self._name_of(node.name))
        fields: list[Any] = []
        for field in node.FIELDS:
            value = getattr(node, field)
            if isinstance(value, Node):
                value = self.renamed(value)
            elif is_sequence(value):
                value = tuple([self.renamed(one) if isinstance(one, Node) else one for one in value])
            elif isinstance(node, tree.Buffer) and field == "name":
                value = self._name_of(value)
            fields.append(value)
        if isinstance(node, tree.For):
            return tree.For(*fields, grid=len(node.loop_vars) > 1)
        return type(node)(*fields)

    def _name_of(self, name: str) -> str:
        if "." not in name:
            return name
        known = self.names.get(name)
        if known is None:  # a variable of statements that are written by hand
            known = self.names[name] = self._fresh(name.partition(".")[0])
        return known


def _axis_names(local: Compute | Extern | None) -> set[str]:
    if not isinstance(local, Compute):
        return set()
    reduced = local.body.axes if isinstance(local.body, Reduction) else ()
    return {axis.name for axis in (*local.axes, *reduced)}


def _nest(loops: list[tuple[str, tree.PrimExpr]], inner: tree.Stmt) -> tree.Stmt:
    if not loops:
        return inner
    ranges = tuple([tree.Range(tree.IntImm(0), extent) for _, extent in loops])
    variables = tuple([tree.PrimVar(name) for name, _ in loops])
    return tree.For("serial", None, variables, ranges, (inner,), grid=len(loops) > 1)
