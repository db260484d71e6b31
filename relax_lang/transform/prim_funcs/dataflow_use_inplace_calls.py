"""DataflowUseInplaceCalls: results that take over the memory of an operand which nothing needs any more."""

from __future__ import annotations

from relax_lang.analysis.aliasing import Aliasing
from relax_lang.analysis.bindings import names_in
from relax_lang.analysis.escape import closed_prim_func
from relax_lang.analysis.prim_funcs.element_by_element import overwritable
from relax_lang.arith.facts import NO_FACTS
from relax_lang.arith.prover import EQUAL, compare
from relax_lang.base.node import assert_never, unreachable, walk
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import buffers
from relax_lang.transform.core.known_infos import KnownInfos
from relax_lang.transform.core.prim_func_copies import BodyCopy
from relax_lang.transform.core.prim_funcs import PrimFuncs
from relax_lang.transform.core.rebuild import with_bindings, with_blocks, with_value
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


@module_pass("DataflowUseInplaceCalls", idempotent=True)
def dataflow_use_inplace_calls(typed: Typed, run: Run) -> Typed:
    """Let element-by-element PrimFuncs write their results over an operand that nothing needs any more.

    In dataflow blocks, where the operand was made by a `call_tir` of the function, is used for the last time, has the
    size of the result, and is read only at the element that is being stored. Its memory must be known to nothing
    else: what is returned, kept, or changed by another call stays apart, and so do names and views that are still
    used. The PrimFunc gets a form without the buffer of the result.

    ```relax before
    def @main(x: Tensor[(n,), float32]) {
      dataflow {
        let y = call_tir(@twice, (x,)) -> Tensor[(n,), float32];
        let z = call_tir(@twice, (y,)) -> Tensor[(n,), float32];
        let o = call_tir(@twice, (z,)) -> Tensor[(n,), float32];
        output o;
      }
      o
    }

    private prim_func @twice(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i] * 2.0;
      }
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) {
      dataflow {
        let y = call_tir(@twice, (x,)) -> Tensor[(n,), float32];
        let z = call_tir_inplace(@twice_inplace, (y,), inplace_indices=0) -> Tensor[(n,), float32];
        let o = call_tir_inplace(@twice_inplace, (z,), inplace_indices=0) -> Tensor[(n,), float32];
        output o;
      }
      o
    }

    private prim_func @twice(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i] * 2.0;
      }
    }

    private prim_func @twice_inplace(X: Buffer[(n,), float32]) {
      for i in 0..n {
        X[i] = X[i] * 2.0;
      }
    }
    ```
    """
    items = PrimFuncs(typed)
    changed: dict[tree.Item, tree.Item | None] = {}
    for function in typed.functions:
        if typed.mentions(function).dataflow:
            made = _Reuse(typed, function, items).rewritten()
            if made is not function:
                changed[function] = made
    return typed.with_items(changed, items.added)


class _Reuse:
    """The calls of one function."""

    def __init__(self, typed: Typed, function: tree.Function, items: PrimFuncs) -> None:
        self._typed = typed
        self._function = function
        self._items = items
        self._infos = KnownInfos(typed, function)
        self._aliasing = Aliasing(function, typed.prim_funcs)
        self._last: dict[str, int] = {}
        """Class of variables to the place of its last use, counted in bindings."""
        self._places: dict[tree.Binding, int] = {}
        self._fresh: set[str] = set()
        """Variables with memory that a `call_tir` made."""
        self._visit(function.body)

    def rewritten(self) -> tree.Function:
        return with_blocks(self._function, self._block)

    def _visit(self, seq: tree.Expr) -> None:
        assert isinstance(seq, tree.SeqExpr)
        for block in seq.blocks:
            for binding in block.bindings:
                self._use(binding, self._mentioned(binding))
                if isinstance(binding, tree.VarBinding) and _is_call_tir(binding.value):
                    self._fresh.add(binding.var.name_hint)
        at = len(self._places)
        for name in names_in(seq.body):
            self._last[self._aliasing.root(name)] = at

    def _mentioned(self, binding: tree.Binding) -> set[str]:
        """Visit what is inside a right-hand side; return the names that the binding mentions itself."""
        value = binding.value
        match value:
            case tree.If():
                self._visit(value.true_branch)
                self._visit(value.false_branch)
                return names_in(value.cond)
            case tree.Function():
                self._visit(value.body)
                return set()
            case tree.Call() | tree.TupleGetItem() | tree.Atom():
                return names_in(binding)
            case tree.NeverBound():
                return unreachable(value)
            case _:
                return assert_never(value)

    def _use(self, binding: tree.Binding, names: set[str]) -> None:
        at = self._places[binding] = len(self._places)
        for name in names:
            self._last[self._aliasing.root(name)] = at

    def _block(self, block: tree.BlockOfBindings) -> tree.BlockOfBindings:
        if not isinstance(block, tree.DataflowBlock):
            return block
        return with_bindings(block, tuple([self._binding(binding) for binding in block.bindings]))

    def _binding(self, binding: tree.Binding) -> tree.Binding:
        call = binding.value
        if not isinstance(binding, tree.VarBinding) or not _is_call_tir(call) or binding not in self._places:
            return binding
        assert isinstance(call, tree.Call)
        func = closed_prim_func(call, self._typed.prim_funcs)
        given, result = call.args[1], call.struct_info
        if func is None or not isinstance(given, tree.Tuple) or not isinstance(result, tree.TensorStructInfo):
            return binding
        for at in overwritable(func):
            if at < len(given.fields) and self._may_take(binding, given.fields, at, result):
                return self._in_place(binding, call, func, at)
        return binding

    def _may_take(
        self, binding: tree.VarBinding, given: tuple[tree.Expr, ...], at: int, result: tree.TensorStructInfo
    ) -> bool:
        operand = given[at]
        if not isinstance(operand, tree.Var) or operand.name_hint not in self._fresh:
            return False
        root = self._aliasing.root(operand.name_hint)
        if not self._aliasing.is_private(root) or self._last[root] != self._places[binding]:
            return False
        others = [node for arg in given for node in walk(arg) if isinstance(node, tree.Var)]
        if len([one for one in others if self._aliasing.root(one.name_hint) == root]) != 1:
            return False
        return _same_shape(self._infos[operand.name_hint], result)

    def _in_place(
        self, binding: tree.VarBinding, call: tree.Call, func: tree.PrimFunc, at: int
    ) -> tree.Binding:
        name = self._items.add(_over(func, at))
        given = call.args[1]
        assert isinstance(given, tree.Tuple)
        operand = given.fields[at]
        assert isinstance(operand, tree.Var)
        last = self._last.get(self._aliasing.root(binding.var.name_hint), self._places[binding])
        self._aliasing.join(operand.name_hint, binding.var.name_hint)
        self._last[self._aliasing.root(operand.name_hint)] = last
        attr = tree.Attr("inplace_indices", tree.IntLit(at, None))
        op = tree.Op("call_tir_inplace", call.op.pos, call.op.end)
        args = (tree.GlobalVar(name, call.args[0].pos, call.args[0].end), *call.args[1:])
        return with_value(binding, tree.Call(op, args, (attr,), call.struct_info, call.pos, call.end))


def _is_call_tir(value: tree.Expr) -> bool:
    return isinstance(value, tree.Call) and isinstance(value.op, tree.Op) and value.op.op_name == "call_tir"


def _same_shape(info: tree.StructInfo, other: tree.TensorStructInfo) -> bool:
    if not isinstance(info, tree.TensorStructInfo):
        return False
    left, right = info.shape, other.shape
    if not isinstance(left, tree.ShapeExpr) or not isinstance(right, tree.ShapeExpr):
        return False
    if len(left.values) != len(right.values):
        return False
    return all(
        compare(one, two, NO_FACTS) == EQUAL for one, two in zip(left.values, right.values, strict=True)
    )


def _over(func: tree.PrimFunc, at: int) -> tree.PrimFunc:
    """Return a PrimFunc whose result is written over one of its inputs."""
    tensors = buffers(func)
    made, operand = tensors[-1], tensors[at]
    meaning: dict[str, tree.PrimExpr] = {made.name: tree.PrimVar(operand.name)}
    for dim, own in zip(made.shape, operand.shape, strict=True):
        if isinstance(dim, tree.PrimVar):
            meaning.setdefault(dim.name, own)
    body = BodyCopy([buffer.name for buffer in tensors]).statements(func.body, meaning)
    params = tuple([param for param in func.params if param is not made])
    return tree.PrimFunc(
        tree.GlobalVar(f"{func.name.name_hint}_inplace"),
        True,
        params,
        func.attrs,
        body,
        None,
        None,
        func.pos,
        func.end,
    )
