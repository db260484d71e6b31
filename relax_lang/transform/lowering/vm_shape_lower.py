"""VMShapeLower: sizes become data, in a vector that matches of shapes and generated PrimFuncs write."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import replaced, walk
from relax_lang.builder.values import literal
from relax_lang.format.printer import show
from relax_lang.syntax import tree
from relax_lang.transform.core.emitting import names_of
from relax_lang.transform.core.known_infos import KnownInfos
from relax_lang.transform.core.passes import Run, module_pass
from relax_lang.transform.core.rebuild import body_of, sequence, with_bindings, with_body, with_branches
from relax_lang.transform.lowering.obstacles import OFFSETS, SCALARS, obstacle
from relax_lang.transform.lowering.purity import as_pure_as
from relax_lang.transform.lowering.shape_heap import ShapeHeap, erased, may_be_negative, variables_in
from relax_lang.transform.lowering.statements import bound, statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.typed import Typed

    Leaf = tuple[tree.Expr, tuple[tree.PrimExpr, ...], str]
    """A value, its dimensions, and where it is within tuples."""

STORE, SLOT, NUMBER, ANY = "store", "slot", "number", "any"


@module_pass("VMShapeLower", idempotent=True)
def vm_shape_lower(typed: Typed, run: Run) -> Typed:
    """Keep sizes in a shape heap: a vector with a slot for each shape variable, and for each size made of them.

    A function stores the dimensions of its parameters and of what a `match_cast` binds (`vm.match_shape`); a generated
    PrimFunc, a *shape function*, computes the other sizes as soon as all of their variables are stored; shapes and
    scalars are made of slots (`vm.make_shape`). Checks of a `match_cast` and an annotation are written out, and fail
    as these did. Afterwards no shape variable is in the body of the function or in its declared result; parameters
    keep theirs, since they are the check of the arguments. A function without shape variables does not change.

    As it is stays a function with dataflow blocks or local functions, with a size that divides by one that may be zero,
    with calls whose declared result has shape variables, or that is used as a value.

    ```relax before
    force_pure def @main(x: Tensor[(n, m), float32]) -> Tensor[(n * m,), float32] {
      let y = builtin.alloc_tensor(shape(n * m), 0, dtype=float32);
      @flat(x, y);
      y
    }

    prim_func @flat(X: Buffer[(n, m), float32], Y: Buffer[(n * m,), float32]) {
      for i, j in grid(n, m) {
        Y[i * m + j] = X[i, j];
      }
    }
    ```

    ```relax after
    force_pure def @main(x: Tensor[(n, m), float32]) -> Tensor[ndim=1, float32] {
      let heap = vm.alloc_shape_heap(size=3);
      vm.match_shape(x, heap, codes=["store", "store"], operands=[0, 1]);
      @shape_func(heap);
      let sizes = vm.make_shape(heap, codes=["slot"], operands=[2]);
      let y = builtin.alloc_tensor(sizes, 0, dtype=float32);
      @flat(x, y);
      y
    }

    prim_func @flat(X: Buffer[(n, m), float32], Y: Buffer[(n * m,), float32]) {
      for i, j in grid(n, m) {
        Y[i * m + j] = X[i, j];
      }
    }

    private prim_func @shape_func(heap: Buffer[(3,), int64]) {
      heap[2] = heap[0] * heap[1];
    }
    ```
    """
    called = {node.op for item in typed.functions for node in walk(item) if isinstance(node, tree.Call)}
    values = {
        node.name_hint
        for item in typed.functions
        for node in walk(item)
        if isinstance(node, tree.GlobalVar) and node not in called and node is not item.name
    }
    names = FreshNames(set(typed.items))
    changed: dict[tree.Item, tree.Item | None] = {}
    added: list[tree.Item] = []
    for function in typed.functions:
        found = obstacle(function, values, typed.infos)
        if found is not None:
            if variables_in(function.body):
                run.remark(*found)
            continue
        lowering = _Lowering(function, typed, names)
        made = lowering.lowered()
        if made is not function:
            changed[function] = made
            added += lowering.heap.prim_funcs(function)
    return typed.with_items(changed, added)


class _Lowering:
    """The lowering of one function."""

    def __init__(self, function: tree.Function, typed: Typed, functions: FreshNames) -> None:
        self._function = function
        self._typed = typed
        self._proved = typed.inferred.proved
        self._functions = functions
        self._names = FreshNames(names_of(function))
        self._infos = KnownInfos(typed, function)
        self._out: list[tree.Binding] = []
        self._shapes: dict[tuple[tuple[str, int], ...], str] = {}
        """Shapes that are made at this place of the function, by their codes and slots."""
        self.heap = ShapeHeap(self._names.fresh("heap"))

    def lowered(self) -> tree.Function:
        function, heap = self._function, self.heap
        info = function.ret_struct_info
        checked = info if info is not None and info not in self._proved else None
        used = variables_in(function.body)
        if checked is not None:
            used |= variables_in(checked)
        body = body_of(function.body)
        if used:
            self._need(body, checked)
            for param in function.params:
                self._parameter(
                    tree.Var(param.name_hint, None), param.struct_info_annotation, used, function.body
                )
            self._compute(function.body)
            body = self._sequence(body, checked)
            size = (tree.Attr("size", tree.IntLit(len(heap.slots))),)
            made = bound(heap.name, tree.Call(tree.Op("vm.alloc_shape_heap"), (), size), function.body)
            first = tree.BindingBlock((made,), False, body.pos, body.end)
            body = sequence(body, (first, *body.blocks), body.body)
        function = with_body(function, body)
        if info is not None and erased(info) is not info:
            function = replaced(function, ret_struct_info=erased(info))
        return as_pure_as(self._function, function, self._typed)

    def _need(self, body: tree.Expr, result: tree.StructInfo | None) -> None:
        """Collect the sizes that the function uses."""
        infos = [result] if result is not None else []
        for node in walk(body):
            if isinstance(node, tree.MatchCast) and node not in self._proved:
                infos.append(node.struct_info)
            elif isinstance(node, tree.VarBinding):
                info = node.var.struct_info_annotation
                infos += [info] if info is not None and info not in self._proved else []
            for one in _operands(node):
                if isinstance(one, tree.ShapeExpr) and variables_in(one):
                    self.heap.need(one.values)
                elif isinstance(one, tree.PrimValue) and variables_in(one):
                    self.heap.need((one.value,))
        for info in infos:
            for dims in _shapes(info) if variables_in(info) else ():
                self.heap.need(dims)

    # What is stored and computed.

    def _parameter(self, value: tree.Expr, info: tree.StructInfo | None, used: set[str], place: Node) -> None:
        """Store the dimensions of a parameter, which is checked already."""
        if info is None or not variables_in(info) & (used - self.heap.known):
            return
        if isinstance(info, tree.TupleStructInfo):
            for index, field in enumerate(info.fields):
                if variables_in(field) & (used - self.heap.known):
                    self._parameter(
                        self._bound("field", tree.TupleGetItem(value, index), place), field, used, place
                    )
            return
        for dims in _shapes(info):
            self._match(
                value, [self._code(dim, used, stores=True, compares=False) for dim in dims], dims, place
            )

    def _code(
        self, dim: tree.PrimExpr, used: set[str] | None, *, stores: bool, compares: bool
    ) -> tuple[str, int]:
        """Return what is done with a dimension; a variable that is stored is known afterwards."""
        heap = self.heap
        if isinstance(dim, tree.PrimVar) and dim.name not in heap.known:
            if not stores or (used is not None and dim.name not in used):
                return ANY, 0
            heap.known.add(dim.name)
            return STORE, heap.slot(dim)
        if not compares:
            return ANY, 0
        return (NUMBER, dim.value) if isinstance(dim, tree.IntImm) else (SLOT, heap.slot(dim))

    def _match(
        self,
        value: tree.Expr,
        codes: list[tuple[str, int]],
        dims: tuple[tree.PrimExpr, ...],
        place: Node,
        context: str = "",
        failure: str = "",
    ) -> None:
        """Emit what does something with dimensions."""
        if all(code == ANY for code, _ in codes):
            return
        attrs: dict[str, Any] = {
            "codes": [code for code, _ in codes],
            "operands": [operand for _, operand in codes],
        }
        if any(code == SLOT for code, _ in codes):
            attrs["dims"] = [show(dim) for dim in dims]
        attrs |= _said(context, failure)
        self._statement("vm.match_shape", (value, self._heap()), attrs, place)

    def _compute(self, place: Node) -> None:
        """Call a shape function for the sizes that can be computed now."""
        sizes = self.heap.outstanding()
        if sizes:
            name = self._functions.fresh("shape_func")
            self.heap.functions.append((name, sizes))
            call = tree.Call(tree.GlobalVar(name), (self._heap(),), (), None, place.pos, place.end)
            self._out.append(statement(call, place))

    # The checks that are written out.

    def _check(
        self, value: tree.Expr, info: tree.StructInfo, context: str, failure: str, place: Node
    ) -> None:
        """Bind shape variables, and compare what is not proved. [M.2.6] [M.3]"""
        leaves: list[Leaf] = []
        self._kinds(value, info, context, failure, (), leaves, place)
        heap = self.heap
        known = set(heap.known)
        at_once = all(heap.is_ready(dim) for _, dims, _ in leaves for dim in dims)
        for one, dims, where in leaves:
            codes = [self._code(dim, None, stores=True, compares=at_once) for dim in dims]
            self._match(one, codes, dims, place, where, failure)
        self._compute(place)
        if not at_once:
            for one, dims, where in leaves:
                codes: list[tuple[str, int]] = []
                for dim in dims:
                    new = isinstance(dim, tree.PrimVar) and dim.name not in known
                    codes.append((ANY, 0) if new else self._code(dim, None, stores=False, compares=True))
                    if isinstance(dim, tree.PrimVar):
                        known.add(dim.name)
                self._match(one, codes, dims, place, where, failure)

    def _kinds(
        self,
        value: tree.Expr,
        info: tree.StructInfo,
        context: str,
        failure: str,
        path: tuple[str, ...],
        leaves: list[Leaf],
        place: Node,
    ) -> None:
        """Emit checks of kinds, ranks and dtypes, and collect what has dimensions."""
        where = f"{context}: {', '.join(path)}" if path else context
        said = _said(where, failure)
        if isinstance(info, tree.TupleStructInfo):
            fields: tuple[tree.Expr, ...]
            if isinstance(value, tree.Tuple) and len(value.fields) == len(info.fields):
                fields = value.fields
            else:
                self._statement("vm.check_tuple_info", (value,), {"size": len(info.fields), **said}, place)
                objects = tree.TupleStructInfo(tuple([tree.ObjectStructInfo() for _ in info.fields]))
                parts = tree.Var(self._names.fresh("parts"), None, place.pos, place.end)
                self._out.append(tree.MatchCast(parts, objects, value, place.pos, place.end))
                fields = tuple(
                    [
                        self._bound("field", tree.TupleGetItem(tree.Var(parts.name_hint, None), index), place)
                        for index in range(len(info.fields))
                    ]
                )
            for index, (one, field) in enumerate(zip(fields, info.fields, strict=True)):
                self._kinds(one, field, context, failure, (*path, f"field {index}"), leaves, place)
            return
        leaves += [(value, dims, where) for dims in _shapes(info)]
        if _least(erased(info), self._infos.of(value)) is None:
            return
        attrs: dict[str, Any] = {}
        rank = _rank(info)
        if rank is not None:
            attrs["ndim"] = rank
        if isinstance(info, tree.TensorStructInfo):
            if info.dtype is not None:
                attrs["dtype"] = info.dtype.name
            self._statement("vm.check_tensor_info", (value,), {**attrs, **said}, place)
        elif isinstance(info, tree.ShapeStructInfo):
            self._statement("vm.check_shape_info", (value,), {**attrs, **said}, place)

    # Sequences and bindings.

    def _sequence(self, seq: tree.SeqExpr, result: tree.StructInfo | None = None) -> tree.SeqExpr:
        blocks: list[tree.BlockOfBindings] = []
        for block in seq.blocks:
            for binding in block.bindings:
                self._binding(binding)
            blocks.append(with_bindings(block, tuple(self._out)))
            self._out = []
        body = self._atom(seq.body)
        if result is not None and variables_in(result):
            assert self._function.name is not None
            context = f"return value of {show(self._function.name)} does not match `{show(result)}`"
            self._check(body, result, context, "return-check-failed", seq.body)
        if self._out:
            blocks.append(tree.BindingBlock(tuple(self._out), False, seq.body.pos, seq.body.end))
            self._out = []
        return sequence(seq, blocks, body)

    def _binding(self, binding: tree.Binding) -> None:
        value = binding.value
        if isinstance(value, tree.If):
            value = with_branches(value, self._branch(value.true_branch), self._branch(value.false_branch))
        elif isinstance(value, tree.Call):
            value = self._call(value, binding)
        else:
            value = self._atom(value)
        var = binding.var
        if isinstance(binding, tree.MatchCast):
            self._match_cast(binding, value)
            return
        assert var is not None
        info = var.struct_info_annotation
        if info is None or not variables_in(info):
            same = value is binding.value
            self._out.append(binding if same else tree.VarBinding(var, value, binding.pos, binding.end))
            return
        if info not in self._proved:
            value = self._named(value, var.name_hint, binding)
            context = f"value of `{var.name_hint}` does not match its annotation `{show(info)}`"
            self._check(value, info, context, "annotation-check-failed", binding)
        annotated = tree.Var(var.name_hint, erased(info), var.pos, var.end)
        self._out.append(tree.VarBinding(annotated, value, binding.pos, binding.end))

    def _match_cast(self, binding: tree.MatchCast, value: tree.Expr) -> None:
        info = binding.struct_info
        if not variables_in(info):
            same = value is binding.value
            self._out.append(
                binding if same else tree.MatchCast(binding.var, info, value, binding.pos, binding.end)
            )
            return
        name = binding.var.name_hint if binding.var is not None else "value"
        value = self._named(value, name, binding)
        if binding in self._proved:
            self._stored(value, info, binding)
        else:
            context = f"match_cast to `{show(info)}` failed"
            self._check(value, info, context, "match-cast-failed", binding)
        if binding.var is None:
            return
        less = None if binding in self._proved else _least(erased(info), self._infos.of(value))
        if less is None:
            var = tree.Var(binding.var.name_hint, None, binding.var.pos, binding.var.end)
            self._out.append(tree.VarBinding(var, value, binding.pos, binding.end))
        else:
            self._out.append(tree.MatchCast(binding.var, less, value, binding.pos, binding.end))

    def _stored(self, value: tree.Expr, info: tree.StructInfo, place: Node) -> None:
        """Store the variables that a `match_cast` binds of which it is proved that it holds."""
        self._parameter(value, info, variables_in(info), place)
        self._compute(place)

    def _branch(self, seq: tree.Expr) -> tree.SeqExpr:
        """Lower a branch: what it stores is not known after it."""
        out, known, ready, shapes = self._out, set(self.heap.known), set(self.heap.ready), dict(self._shapes)
        self._out = []
        made = self._sequence(body_of(seq))
        self._out, self.heap.known, self.heap.ready, self._shapes = out, known, ready, shapes
        return made

    def _call(self, call: tree.Call, binding: tree.Binding) -> tree.Expr:
        name = call.op.op_name if isinstance(call.op, tree.Op) else ""
        first = call.args[0] if call.args else None
        if name in SCALARS and isinstance(first, tree.PrimValue) and variables_in(first):
            return self._scalar(call, first, binding)
        args: list[tree.Expr] = []
        op = call.op
        for at, arg in enumerate(call.args):
            if isinstance(arg, tree.PrimValue) and variables_in(arg):
                if name in OFFSETS and at == 1:
                    op = tree.Op(OFFSETS[name], call.op.pos, call.op.end)
                    arg = self._shape(tree.ShapeExpr((arg.value,), arg.pos, arg.end))
                else:
                    attrs = (tree.Attr("slot", tree.IntLit(self.heap.slot(arg.value))),)
                    made = tree.Call(
                        tree.Op("vm.make_prim_value"), (self._heap(),), attrs, None, arg.pos, arg.end
                    )
                    arg = self._bound("size", made, arg)
            else:
                arg = self._atom(arg)
            args.append(arg)
        if op is call.op and tuple(args) == call.args:
            return call
        return tree.Call(op, tuple(args), call.attrs, call.struct_info, call.pos, call.end)

    def _scalar(self, call: tree.Call, value: tree.PrimValue, binding: tree.Binding) -> tree.Call:
        """Return `scalar(n)` or `prim_value(n)` as one of a slot, of the dtype that it has."""
        assert isinstance(call.op, tree.Op)
        info: Any = None if binding.var is None else self._typed.infos.get(binding.var)
        dtype = getattr(info, "dtype", None) or tree.DType("int64")
        attrs = {"slot": self.heap.slot(value.value), "dtype": dtype.name}
        return self._made(SCALARS[call.op.op_name], (self._heap(),), attrs, call)

    def _atom(self, value: tree.Expr) -> tree.Expr:
        if isinstance(value, tree.ShapeExpr) and variables_in(value):
            return self._shape(value)
        if isinstance(value, tree.Tuple):
            fields = tuple([self._atom(one) for one in value.fields])
            return value if fields == value.fields else tree.Tuple(fields, value.pos, value.end)
        return value

    def _shape(self, value: tree.ShapeExpr) -> tree.Var:
        """Return a shape of slots; it is made once for all that follows."""
        codes = [self._code(dim, None, stores=False, compares=True) for dim in value.values]
        key = tuple(codes)
        if key not in self._shapes:
            attrs: dict[str, Any] = {
                "codes": [code for code, _ in codes],
                "operands": [operand for _, operand in codes],
            }
            if any(may_be_negative(dim) for dim in value.values):
                attrs["dims"] = [show(dim) for dim in value.values]
            made = self._made("vm.make_shape", (self._heap(),), attrs, value)
            self._shapes[key] = self._bound("sizes", made, value).name_hint
        return tree.Var(self._shapes[key], None, value.pos, value.end)

    # What is emitted.

    def _heap(self) -> tree.Var:
        return tree.Var(self.heap.name, None)

    def _named(self, value: tree.Expr, name: str, place: Node) -> tree.Expr:
        """Return a value that several statements can use."""
        return value if isinstance(value, tree.Var | tree.Tuple) else self._bound(name, value, place)

    def _bound(self, name: str, value: tree.Expr, place: Node) -> tree.Var:
        fresh = self._names.fresh(name)
        self._out.append(bound(fresh, value, place))
        return tree.Var(fresh, None, place.pos, place.end)

    def _made(self, name: str, args: tuple[tree.Expr, ...], attrs: dict[str, Any], place: Node) -> tree.Call:
        given = tuple(
            [
                tree.Attr(key, literal(value, "dtype" if key == "dtype" else ""))
                for key, value in attrs.items()
            ]
        )
        return tree.Call(tree.Op(name), args, given, None, place.pos, place.end)

    def _statement(self, name: str, args: tuple[tree.Expr, ...], attrs: dict[str, Any], place: Node) -> None:
        self._out.append(statement(self._made(name, args, attrs, place), place))


def _operands(node: Node) -> tuple[tree.Expr, ...]:
    """Return the expressions of a node that are atoms in the normal form."""
    if isinstance(node, tree.Call):
        return node.args
    if isinstance(node, tree.Tuple):
        return node.fields
    if isinstance(node, tree.VarBinding):
        return (node.value,)
    return (node.body,) if isinstance(node, tree.SeqExpr) else ()


def _said(context: str, failure: str) -> dict[str, str]:
    """Return the attributes for the message of a check."""
    return {key: value for key, value in (("context", context), ("failure", failure)) if value}


def _shapes(info: tree.StructInfo) -> list[tuple[tree.PrimExpr, ...]]:
    """Return the dimensions that are written in a struct info, those of the fields of tuples one after the other."""
    if isinstance(info, tree.TensorStructInfo):
        return [info.shape.values] if isinstance(info.shape, tree.ShapeExpr) else []
    if isinstance(info, tree.ShapeStructInfo):
        return [] if info.values is None else [info.values]
    if isinstance(info, tree.MatchShapeInfo):
        return [info.values]
    fields = info.fields if isinstance(info, tree.TupleStructInfo) else ()
    return [dims for field in fields for dims in _shapes(field)]


def _rank(info: tree.StructInfo) -> int | None:
    for dims in _shapes(info):
        return len(dims)
    return info.ndim if isinstance(info, tree.TensorStructInfo | tree.ShapeStructInfo) else None


def _least(wanted: Any, known: Any) -> tree.StructInfo | None:
    """Return what a value has to be cast to, so that this much is known of it; None if it is known."""
    if isinstance(wanted, tree.MatchShapeInfo):
        return None
    return None if known is not None and show(erased(known)) == show(wanted) else wanted
