"""FoldConstant: what depends on constants only is evaluated now."""

from __future__ import annotations

from relax_lang.analysis.effects import is_quiet
from relax_lang.analysis.escape import kept_names
from relax_lang.base.node import assert_never, unreachable, walk
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.ops.core.operator import BY_KERNEL
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import with_bindings, with_blocks, with_value
from relax_lang.transform.pass_manager.passes import Run, module_pass
from relax_lang.typed import IllTyped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.transform.core.evaluating import Constants
    from relax_lang.typed import Typed

_GROWTH = 16
"""A result that is computed from constants has at most so many times their elements."""


@module_pass("FoldConstant", "limit: int>=0 = 1024", idempotent=True)
def fold_constant(typed: Typed, run: Run, limit: int) -> Typed:
    """Evaluate the calls in dataflow blocks whose arguments are constants, and write their results as constants.

    Operators are evaluated by the kernels that the program would run, PrimFuncs by the interpreter, so that results
    are the same to the bit. What makes more than `limit` elements of nothing (`zeros(shape(2048))`) stays, and so
    does what would fail: its failure is part of the program. Where the shape of a result was not known, and the program
    certainly fails with it when it runs, such results stay. Large results are stored in a file beside the program.
    Random operators and packed functions are never evaluated, and nothing outside of dataflow blocks is.

    ```relax before
    def @main(x: Tensor[(2,), float32]) {
      dataflow {
        let a = const([1.0, 2.0], float32);
        let b = multiply(a, a);
        let c = add(x, b);
        output c;
      }
      c
    }
    ```

    ```relax after
    def @main(x: Tensor[(2,), float32]) {
      dataflow {
        let a = const([1.0, 2.0], float32);
        let b = const([1.0, 4.0], float32);
        let c = add(x, b);
        output c;
      }
      c
    }
    ```
    """
    after, reveals = _folded(typed, limit, reveals=True)
    if reveals:
        try:
            _ = after.inferred
        except IllTyped:  # a shape that is known now makes an error of the program of what fails when it runs
            after, _ = _folded(typed, limit, reveals=False)
    return after


def _folded(typed: Typed, limit: int, *, reveals: bool) -> tuple[Typed, bool]:
    """Return a program with folded calls, and whether more is known of some of the results than before."""
    changed: dict[tree.Item, tree.Item | None] = {}
    folder: _Folder | None = None
    for function in typed.functions:
        if not typed.mentions(function).dataflow:
            continue
        folder = folder or _Folder(typed, limit, reveals=reveals)
        made = folder.function(function)
        if made is not function:
            changed[function] = made
    after = typed.with_items(changed)
    if folder is None or folder.constants is None:
        return after, False
    if folder.constants.held:
        after = after.with_arrays(folder.constants.held)
    return after, folder.constants.has_revealed


class _Folder:
    """What is known of the variables of a module; blocks come in the order of the text, inner ones first."""

    def __init__(self, typed: Typed, limit: int, *, reveals: bool) -> None:
        self._typed = typed
        self._limit = limit
        self._reveals = reveals
        self._prim_funcs = typed.prim_funcs
        self._known: dict[str, Any] = {}
        """Variables of the current function with their values: constants, or tuples of them."""
        self._function: tree.Function | None = None
        self._changeable: set[str] | None = None
        """Variables of the current function whose arrays something may change; found when the first constant is."""
        self.constants: Constants | None = None

    def function(self, function: tree.Function) -> tree.Function:
        """Return a function with folded calls."""
        self._known.clear()
        self._function, self._changeable = function, None
        return with_blocks(function, self.block)

    def _know(self, var: tree.Binder, value: tree.Expr) -> None:
        if self._changeable is None:
            assert self._function is not None
            is_quiet = self._typed.graph.plans[self._function].quiet
            body = body_of(self._function.body)
            self._changeable = set() if is_quiet else kept_names(body, self._prim_funcs)
        if var.name_hint not in self._changeable:
            self._known[var.name_hint] = value

    def block(self, block: tree.BlockOfBindings) -> tree.BlockOfBindings:
        """Fold what can be folded in a block, and remember the constants in it."""
        dataflow = isinstance(block, tree.DataflowBlock)
        made: list[tree.Binding] = []
        for binding in block.bindings:
            if isinstance(binding, tree.VarBinding) and binding.var.struct_info_annotation is None:
                binding = self._binding(binding, dataflow=dataflow)
            made.append(binding)
        return with_bindings(block, tuple(made))

    def _binding(self, binding: tree.VarBinding, *, dataflow: bool) -> tree.Binding:
        value = binding.value
        match value:
            case tree.Constant():
                known, new = value, None
            case tree.Call():
                known = new = self._folded(binding.var, value) if dataflow else None
            case tree.Tuple():
                known, new = self._constant(value), None
            case tree.TupleGetItem():
                known = new = self._field(value) if dataflow else None
            case tree.If() | tree.Function() | tree.Atom():
                return binding  # what is in them was changed before
            case tree.NeverBound():
                return unreachable(value)
            case _:
                return assert_never(value)
        if known is not None:
            self._know(binding.var, known)
        return binding if new is None else with_value(binding, new)

    def _field(self, value: tree.TupleGetItem) -> tree.Expr | None:
        whole = value.tuple_value
        known = self._known.get(whole.name_hint) if isinstance(whole, tree.Var) else None
        if isinstance(known, tree.Tuple) and value.index < len(known.fields):
            field = known.fields[value.index]
            # A constant is new memory where it is evaluated; a tuple of results has no other name.
            return field if isinstance(field, tree.Constant) and known in self._made() else None
        return None

    def _made(self) -> set[tree.Expr]:
        return self.constants.made if self.constants is not None else set()

    def _constant(self, value: tree.Expr) -> tree.Expr | None:
        """Return an argument as a constant expression; None if it is not known."""
        match value:
            case tree.Var():
                return self._known.get(value.name_hint)
            case tree.Tuple():
                fields = [self._constant(field) for field in value.fields]
                known = tuple([field for field in fields if field is not None])
                return tree.Tuple(known) if len(known) == len(fields) else None
            case tree.ShapeExpr():
                return value if all(isinstance(dim, tree.IntImm) for dim in value.values) else None
            case tree.PrimValue():
                return value if isinstance(value.value, tree.IntImm | tree.FloatImm | tree.BoolImm) else None
            case tree.Constant():
                return value
            case tree.GlobalVar() | tree.ExternFunc() | tree.DataflowVar():
                return None
            case tree.If() | tree.Call() | tree.Function() | tree.TupleGetItem():
                return None  # not an operand
            case tree.NeverBound():
                return unreachable(value)
            case _:
                return assert_never(value)

    def _folded(self, var: tree.Binder, call: tree.Call) -> tree.Expr | None:
        args = self._arguments(call)
        if args is None or not is_quiet(call, self._prim_funcs):
            return None
        if self.constants is None:
            from relax_lang.transform.core.evaluating import Constants  # loads NumPy and the interpreter

            self.constants = Constants(self._typed, self._limit, _GROWTH, reveals=self._reveals)
        return self.constants.evaluate(
            tree.Call(call.op, args, call.attrs, call.struct_info), self._typed.infos.get(var)
        )

    def _arguments(self, call: tree.Call) -> tuple[tree.Expr, ...] | None:
        """Return the arguments of a call as constants; None if they are not, or it is not one to evaluate."""
        if not isinstance(call.op, tree.Op):
            return None
        if call.struct_info is not None and any(
            isinstance(node, tree.PrimVar) for node in walk(call.struct_info)
        ):
            return None  # how large the result is only the run knows
        first = call.args[:1]
        if call.op.op_name == "call_tir" and isinstance(first[0], tree.GlobalVar):
            rest = call.args[1:]
        else:
            operator = lookup(call.op.op_name)
            if operator is None or operator.evaluated != BY_KERNEL:
                return None
            first, rest = (), call.args
        made = list(first)
        for arg in rest:
            known = self._constant(arg)
            if known is None:
                return None
            made.append(known)
        return tuple(made)
