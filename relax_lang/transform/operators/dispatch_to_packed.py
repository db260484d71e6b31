"""DispatchToPacked: calls of operators become calls of packed functions, by a table."""

from __future__ import annotations

from relax_lang.ops.core.attributes import literal_value
from relax_lang.ops.registry import lookup, names
from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import with_bindings, with_blocks, with_value
from relax_lang.transform.pass_manager.passes import Run, function_pass


@function_pass("DispatchToPacked", "**: str")
def dispatch_to_packed(function: tree.Function, run: Run, **table: str) -> tree.Function:
    """Let packed functions do the work of operators: `DispatchToPacked(unique="my.unique", nn.relu="my.relu")`.

    A call of an operator in the table becomes a call of the packed function with the same arguments, which is taken
    to be pure, and whose result is taken to have the operator's struct info; nothing checks that. Attributes cannot
    be passed: a call that gives an attribute a value other than its default is an error.

    ```relax before
    def @main(x: Tensor[(n,), float32]) {
      let y = nn.relu(x);
      y
    }
    ```

    ```relax after nn.relu="my.relu"
    def @main(x: Tensor[(n,), float32]) {
      let y = extern "my.relu"(x, pure=true) -> Tensor[(n,), float32];
      y
    }
    ```
    """
    for name in table:
        if lookup(name) is None:
            from relax_lang.base.names import nearest

            near = nearest(name, names())
            run.refuse(None, f"there is no operator `{name}`", f"did you mean `{near}`?" if near else "")

    def block(one: tree.BlockOfBindings) -> tree.BlockOfBindings:
        return with_bindings(one, tuple([_dispatched(binding, run, table) for binding in one.bindings]))

    return with_blocks(function, block)


def _dispatched(binding: tree.Binding, run: Run, table: dict[str, str]) -> tree.Binding:
    call = binding.value
    if not isinstance(call, tree.Call) or not isinstance(call.op, tree.Op) or call.op.op_name not in table:
        return binding
    if not isinstance(binding, tree.VarBinding):
        return binding
    name = call.op.op_name
    operator = lookup(name)
    assert operator is not None
    defaults = {spec.name: spec.default for spec in operator.attrs if not spec.required}
    for attr in call.attrs:
        if attr.key not in defaults or defaults[attr.key] != literal_value(attr.value):
            run.refuse(call, f"`{name}` has the attribute `{attr.key}`, which packed functions do not take")
    if any(isinstance(arg, tree.PrimValue) for arg in call.args):
        run.refuse(call, f"`{name}` has a scalar operand, which packed functions do not take")
    info = run.infos.get(binding.var)
    pure = tree.Attr("pure", tree.BoolLit(True))
    packed = tree.ExternFunc(table[name], call.op.pos, call.op.end)
    return with_value(binding, tree.Call(packed, call.args, (pure,), info, call.pos, call.end))
