"""DecomposeOps: larger operators become calls of smaller ones."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.ops.core.call_terms import CallTerms, Refused
from relax_lang.ops.core.terms import Term
from relax_lang.ops.decompose.core import decomposition_of
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree
from relax_lang.transform.core.emitting import Emitting, names_of
from relax_lang.transform.core.known_infos import KnownInfos
from relax_lang.transform.core.rebuild import with_bindings, with_blocks, with_value
from relax_lang.transform.operators.named_sizes import with_named_sizes
from relax_lang.transform.pass_manager.passes import Run, function_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.ops.core.operator import Operator
    from relax_lang.typed import Typed


@function_pass("DecomposeOps", "only: list[str] = []", idempotent=True)
def decompose_ops(function: tree.Function, run: Run, only: list[str] | None = None) -> tree.Function:
    """Write normalizations, attention, `nn.gelu`, `nn.gelu_tanh`, `nn.silu` and `nn.dropout` as smaller operators.

    What is computed is the same but for rounding; `nn.batch_norm` follows its attribute `training`. `only` names the
    operators. A call of which too little is known stays as it is: a normalization of unknown rank, attention with an
    unknown number of heads or a window. `Gradient` decomposes what has no gradient itself.

    The dimensions that `tensor_to_shape` computes get names, by a `match_cast`, so that what is made with them has a
    known shape, and a legal form.

    ```relax before
    def @main(x: Tensor[(n, 4), float32], w: Tensor[(4,), float32]) {
      dataflow {
        let y = nn.rms_norm(x, w);
        output y;
      }
      y
    }
    ```

    ```relax after
    def @main(x: Tensor[(n, 4), float32], w: Tensor[(4,), float32]) {
      dataflow {
        let lv = multiply(x, x);
        let lv_1 = mean(lv, axis=[1], keepdims=true);
        let lv_2 = add(lv_1, 1e-05);
        let lv_3 = sqrt(lv_2);
        let lv_4 = divide(x, lv_3);
        let lv_5 = expand_dims(w, axis=[0]);
        let y = multiply(lv_4, lv_5);
        output y;
      }
      y
    }
    ```

    ```relax before
    def @main(x: Tensor[(n,), float32], s: Tensor[(2,), int64]) {
      dataflow {
        let sizes = tensor_to_shape(s);
        let y = reshape(x, sizes);
        output y;
      }
      y
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32], s: Tensor[(2,), int64]) {
      dataflow {
        let sizes_sizes = tensor_to_shape(s);
        let sizes = match_cast(sizes_sizes, Shape[(sizes_0, sizes_1)]);
        let y = reshape(x, sizes);
        output y;
      }
      y
    }
    ```
    """
    for name in only or ():
        operator = lookup(name)
        if operator is None or (name != "tensor_to_shape" and decomposition_of(operator) is None):
            run.refuse(None, f"`{name}` is not an operator that is made of smaller ones")
    made = decomposed(run.typed, function, lambda operator: not only or operator.name in only)
    return made if only and "tensor_to_shape" not in only else with_named_sizes(run.typed, made)


def decomposed(typed: Typed, function: tree.Function, wanted: Callable[[Operator], bool]) -> tree.Function:
    """Return a function in which calls of the wanted operators are decomposed, if they can be."""
    if not any(_rule(node, wanted) for node in _calls(function)):
        return function
    infos, names = KnownInfos(typed, function), FreshNames(names_of(function))

    def block(one: tree.BlockOfBindings) -> tree.BlockOfBindings:
        emitting = Emitting(names, dataflow=isinstance(one, tree.DataflowBlock))
        for binding in one.bindings:
            made = _value(binding, infos, emitting, wanted)
            emitting.bindings.append(with_value(binding, made))
        return with_bindings(one, tuple(emitting.bindings))

    return with_blocks(function, block)


def _calls(function: tree.Function) -> list[tree.Call]:
    return [node for node in walk(function) if isinstance(node, tree.Call)]


def _rule(node: tree.Expr, wanted: Callable[[Operator], bool]) -> bool:
    if not isinstance(node, tree.Call) or not isinstance(node.op, tree.Op):
        return False
    operator = lookup(node.op.op_name)
    return operator is not None and decomposition_of(operator) is not None and wanted(operator)


def _value(
    binding: tree.Binding, infos: KnownInfos, emitting: Emitting, wanted: Callable[[Operator], bool]
) -> tree.Expr:
    """Return what is bound now; what it needs is emitted before."""
    value, var = binding.value, binding.var
    if var is None or not isinstance(value, tree.Call) or not _rule(value, wanted):
        return value
    assert isinstance(value.op, tree.Op)
    operator = lookup(value.op.op_name)
    assert operator is not None
    rule = decomposition_of(operator)
    assert rule is not None
    try:
        found = rule(
            CallTerms(operator, value, infos.of, tree.Var(var.name_hint, None), infos[var.name_hint])
        )
    except Refused:
        return value
    emitting.place = value.pos, value.end
    if isinstance(found, Term):
        return emitting.value(found)
    return tree.Tuple(tuple([emitting.atom(one) for one in found]), value.pos, value.end)
