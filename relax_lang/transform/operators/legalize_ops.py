"""LegalizeOps: calls of operators become calls of PrimFuncs."""

from __future__ import annotations

from relax_lang.analysis.aliasing import Aliasing
from relax_lang.base.names import nearest
from relax_lang.ops.legal.core import Refused
from relax_lang.ops.registry import is_built_in, lookup, names
from relax_lang.ops.shape_rules.infer import infer_call
from relax_lang.struct_info.context import NOTHING_KNOWN
from relax_lang.syntax import tree
from relax_lang.transform.core.known_infos import KnownInfos
from relax_lang.transform.core.prim_funcs import PrimFuncs
from relax_lang.transform.core.rebuild import with_bindings, with_blocks, with_value
from relax_lang.transform.core.revealing import without_revealing
from relax_lang.transform.operators.legal_forms import LegalForms
from relax_lang.transform.pass_manager.forms import LEGAL
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


@module_pass("LegalizeOps", "skip: list[str] = [], only: list[str] = []", gives=(LEGAL,), idempotent=True)
def legalize_ops(typed: Typed, run: Run, skip: list[str], only: list[str]) -> Typed:
    """Make a `call_tir` of every call of an operator that has a legal form; the PrimFuncs are private.

    PrimFuncs that are the same up to names are one. The struct infos of results stay what they are. A call stays as
    well if its shapes or dtypes are not known, if the operator has no form (see `docs/operators.md`), or if it
    makes a view (`reshape`, `split`) of memory that something else may hold: the copy could be told from it.
    `relax opt --explain` lists the calls that stay. Operators in `skip` stay, and with `only`, all others do. What the
    operator checks when it runs, the PrimFunc asserts, but it looks at no index for a result without elements; sums
    of floats may be made in another order. To send operators to packed functions instead, use `DispatchToPacked`
    before. The operators of a function stay that would not be valid otherwise, as a failure is certain then that only
    the run met before.

    ```relax before
    def @main(x: Tensor[(n, 8), float32]) {
      let y = nn.relu(x);
      let z = nn.relu(y);
      z
    }
    ```

    ```relax after
    def @main(x: Tensor[(n, 8), float32]) {
      let y = call_tir(@nn_relu, (x,)) -> Tensor[(n, 8), float32];
      let z = call_tir(@nn_relu, (y,)) -> Tensor[(n, 8), float32];
      z
    }

    private prim_func @nn_relu(data: Buffer[(n, 8), float32], relu: Buffer[(n, 8), float32]) {
      for i0, i1 in grid(n, 8) {
        block relu (vi0 = spatial(i0), vi1 = spatial(i1)) {
          relu[vi0, vi1] = max(data[vi0, vi1], float32(0.0));
        }
      }
    }
    ```
    """
    for name in (*skip, *only):
        operator = lookup(name)
        if operator is None:
            near = nearest(name, names())
            run.refuse(None, f"there is no operator `{name}`", f"did you mean `{near}`?" if near else "")
    prim_funcs = PrimFuncs(typed)
    forms = LegalForms(prim_funcs)
    changed: dict[tree.Item, tree.Item | None] = {}
    places: set[int] = set()
    for function in typed.functions:
        work = _Legalizer(typed, run, function, forms, set(skip), set(only))
        made = work.legal()
        if made is not function:
            changed[function] = made
            places |= work.places

    def kept(function: tree.Function) -> tree.Function:
        run.remark(function, "its operators stay: without them a failure is certain that only the run meets")
        return function

    return without_revealing(
        typed, changed, kept, prim_funcs.added, lambda found: found.pos < 0 or found.pos in places
    )


class _Legalizer:
    """The calls of one function."""

    def __init__(
        self,
        typed: Typed,
        run: Run,
        function: tree.Function,
        forms: LegalForms,
        skip: set[str],
        only: set[str],
    ) -> None:
        self._typed = typed
        self._run = run
        self._function = function
        self._forms = forms
        self._skip = skip
        self._only = only
        self.places: set[int] = set()
        """Where the calls are that have another form now."""
        self._known: KnownInfos | None = None
        self._aliasing: Aliasing | None = None

    def legal(self) -> tree.Function:
        return with_blocks(self._function, self._block)

    def _block(self, block: tree.BlockOfBindings) -> tree.BlockOfBindings:
        return with_bindings(block, tuple([self._binding(binding) for binding in block.bindings]))

    def _binding(self, binding: tree.Binding) -> tree.Binding:
        call = binding.value
        if not isinstance(call, tree.Call) or not isinstance(call.op, tree.Op):
            return binding
        name = call.op.op_name
        operator = lookup(name)
        if operator is None or name in _STAY or name in self._skip or (self._only and name not in self._only):
            return binding
        if not is_built_in(operator):
            self._run.remark(call, f"`{name}` has no legal form: it is an operator of a plugin")
            return binding
        if self._known is None:
            self._known = KnownInfos(self._typed, self._function)
        infos = [self._known.of(arg) for arg in call.args]
        try:
            result = self._result(binding, call, infos)
            if operator.aliases and not self._is_free(binding):
                raise Refused("it is a view of memory that something else may hold")
            made = with_value(binding, self._forms.call(operator, call, infos, result))
        except Refused as refused:
            self._run.remark(call, f"`{name}` stays: {refused}")
            return binding
        self.places.add(call.pos)
        return made

    def _result(
        self, binding: tree.Binding, call: tree.Call, infos: list[tree.StructInfo | None]
    ) -> tree.StructInfo:
        """Return the struct info of a call, whatever is claimed of the variable that it is bound to."""
        var = binding.var
        if isinstance(binding, tree.VarBinding) and binding.var.struct_info_annotation is None:
            return self._typed.infos.get(binding.var) or tree.ObjectStructInfo()
        assert isinstance(call.op, tree.Op)
        operator = lookup(call.op.op_name)
        assert operator is not None
        result, findings = infer_call(operator, call, infos, NOTHING_KNOWN)
        if findings:
            raise Refused(f"the struct info of `{'_' if var is None else var.name_hint}` is not known")
        return result

    def _is_free(self, binding: tree.Binding) -> bool:
        """Return whether nothing can distinguish a copy from the view that a binding makes."""
        if self._aliasing is None:
            self._aliasing = Aliasing(self._function, self._typed.prim_funcs)
        var = binding.var
        return var is None or var.name_hint == "_" or self._aliasing.may_be_copied(var.name_hint)


_STAY = frozenset(
    ("call_tir", "call_tir_inplace", "call_tir_with_grad", "call_dps_packed", "call_pure_packed",
     "call_inplace_packed", "call_py_func", "invoke_closure", "invoke_pure_closure", "make_closure",
     "shape_of", "tensor_to_shape", "print", "assert_op", "memory.view")
)  # fmt: skip
"""Calls that are legal as they are."""
