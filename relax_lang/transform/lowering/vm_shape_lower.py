"""VMShapeLower: sizes become data, in a vector that matches of shapes and generated PrimFuncs write."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import assert_never, replaced, unreachable, walk
from relax_lang.format.printer import show
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.syntax import tree
from relax_lang.transform.core.emitting import names_of
from relax_lang.transform.core.known_infos import KnownInfos
from relax_lang.transform.core.rebuild import sequence, with_bindings, with_body, with_branches, with_value
from relax_lang.transform.core.revealing import without_revealing
from relax_lang.transform.lowering.obstacles import OFFSETS, SCALARS, is_claimed, obstacle
from relax_lang.transform.lowering.purity import as_pure_as
from relax_lang.transform.lowering.shape_emitting import ShapeEmitter, least_cast, shapes_of
from relax_lang.transform.lowering.shape_heap import erased, may_be_negative, variables_in
from relax_lang.transform.lowering.statements import bound
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.typed import Typed


@module_pass("VMShapeLower", idempotent=True)
def vm_shape_lower(typed: Typed, run: Run) -> Typed:
    """Keep sizes in a shape heap: a vector with a slot for each shape variable, and for each size made of them.

    A function stores the dimensions of its parameters and of what a `match_cast` binds (`vm.match_shape`); a generated
    PrimFunc, a *shape function*, computes the other sizes as soon as all of their variables are stored; shapes and
    scalars are made of slots (`vm.make_shape`). Checks of a `match_cast` and an annotation are written out, and fail
    as these did. Afterwards no shape variable is in the body of the function or in its declared result; parameters
    keep theirs, since they are the check of the arguments. What is claimed of the result of a packed function loses
    its dimensions, which are believed and never compared. A function without shape variables does not change.

    As it is stays a function with dataflow blocks or local functions, with a size that divides by one that may be zero,
    with calls that make the result that they declare with shape variables (`call_tir` whose arguments are not proved
    to fit), or that is used as a value. So does one that would certainly fail at some place, should a run come there,
    without what follows for shape variables from its checks.

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
    shape_functions: dict[tree.Function, list[tree.Item]] = {}
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
            shape_functions[function] = lowering.heap.prim_funcs(function)
    unused: list[tree.Item] = []

    def kept(function: tree.Function) -> tree.Function:
        run.remark(function, "its sizes stay: without them a failure is certain that only the run meets")
        unused.extend(shape_functions[function])
        return function

    added = [one for made in shape_functions.values() for one in made]
    after = without_revealing(typed, changed, kept, added)
    return after.with_items(dict.fromkeys(unused)) if unused else after


class _Lowering(ShapeEmitter):
    """The lowering of one function."""

    def __init__(self, function: tree.Function, typed: Typed, functions: FreshNames) -> None:
        super().__init__(FreshNames(names_of(function)), functions, KnownInfos(typed, function))
        self._function = function
        self._typed = typed
        self._proved = typed.inferred.proved
        self._shapes: dict[tuple[tuple[str, int], ...], str] = {}
        """Shapes that are made at this place of the function, by their codes and slots."""

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
            for dims in shapes_of(info) if variables_in(info) else ():
                self.heap.need(dims)

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

    def _value(self, binding: tree.Binding) -> tree.Expr:
        value = binding.value
        match value:
            case tree.If():
                branches = self._branch(value.true_branch), self._branch(value.false_branch)
                return with_branches(value, *branches)
            case tree.Call():
                return self._call(value, binding)
            case tree.Atom():
                return self._atom(value)
            case tree.TupleGetItem():
                return value  # of a variable
            case tree.Function() | tree.NeverBound():
                return unreachable(value)  # local functions are an obstacle
            case _:
                return assert_never(value)

    def _binding(self, binding: tree.Binding) -> None:
        value = self._value(binding)
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
            self._out.append(with_value(binding, value))
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
        less = None if binding in self._proved else least_cast(erased(info), self._infos.of(value))
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
        info = call.struct_info
        if info is not None and is_claimed(call) and variables_in(info):
            info = erased(info)
        if op is call.op and tuple(args) == call.args and info is call.struct_info:
            return call
        return tree.Call(op, tuple(args), call.attrs, info, call.pos, call.end)

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


def _operands(node: Node) -> tuple[tree.Expr, ...]:
    """Return the expressions of a node that are atoms in the normal form."""
    if isinstance(node, tree.Call):
        return node.args
    if isinstance(node, tree.Tuple):
        return node.fields
    if isinstance(node, tree.VarBinding):
        return (node.value,)
    return (node.body,) if isinstance(node, tree.SeqExpr) else ()
