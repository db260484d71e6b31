"""Gradient: a function that also returns how its result changes with its parameters."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import assert_never, replaced, unreachable
from relax_lang.format.lexemes import global_name
from relax_lang.format.printer import show
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.ops.gradient.core import rule_of
from relax_lang.syntax import dtypes, tree
from relax_lang.transform.core.binders import local, ordinary
from relax_lang.transform.core.emitting import names_of
from relax_lang.transform.core.known_infos import KnownInfos
from relax_lang.transform.core.rebuild import copied
from relax_lang.transform.operators.adjoints import Reverse, leaves
from relax_lang.transform.operators.decompose_ops import decomposed
from relax_lang.transform.operators.recomputation import recomputed
from relax_lang.transform.pass_manager.finding import function_named, parameter_named
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


@module_pass(
    "Gradient", 'func: str = "main", require_grads: list[str]|none = none, target_index: int|list[int] = 0'
)
def gradient(
    typed: Typed,
    run: Run,
    func: str = "main",
    require_grads: list[str] | None = None,
    target_index: int | list[int] = 0,
) -> Typed:
    """Add `@f_adjoint` for the function `@f`: it returns what `@f` returns, and the gradients of its parameters.

    The result that is differentiated, the target, is a float tensor of rank 0: the whole result, or the field
    `target_index` of a tuple (a list goes into nested ones). `require_grads` names the parameters whose gradients are
    wanted; without it, all that are float tensors or tuples of these. The new function returns the pair of the
    original result and the tuple of the gradients.

    The function must be a straight line without effects: one dataflow block, or bindings that could be one. Where a
    variable is used several times, gradients are added; a parameter that does not matter gets zeros. Operators that are
    differentiable have a rule, or are decomposed as `DecomposeOps` does; the others have a reason in
    `docs/operators.md` and stop the pass if a gradient would flow through them. `grad.no_grad(x)` lets none through.
    `call_tir_with_grad` names the function of its gradient, a PrimFunc of the module or a packed one, which gets the
    gradient of each result and then the arguments, and fills a tensor for each argument. What is made is an ordinary
    function: it may be differentiated again.

    What is computed of a `grad.start_checkpoint(x)`, up to a `grad.end_checkpoint(y)`, is computed again where the
    gradient needs it, and not kept until then. `EliminateCommonSubexpr` would undo that.

    ```relax before
    def @main(x: Tensor[(3, 4), float32], w: Tensor[(4, 2), float32]) -> Tensor[(), float32] {
      dataflow {
        let a = matmul(x, w);
        let b = sum(a);
        output b;
      }
      b
    }
    ```

    ```relax after
    def @main(x: Tensor[(3, 4), float32], w: Tensor[(4, 2), float32]) -> Tensor[(), float32] {
      dataflow {
        let a = matmul(x, w);
        let b = sum(a);
        output b;
      }
      b
    }

    def @main_adjoint(
      x: Tensor[(3, 4), float32],
      w: Tensor[(4, 2), float32],
    ) -> (Tensor[(), float32], (Tensor[(3, 4), float32], Tensor[(4, 2), float32])) {
      dataflow {
        let a = matmul(x, w);
        let b = sum(a);
        let b_adjoint = ones(shape(), dtype=float32);
        let a_adjoint = broadcast_to(b_adjoint, shape(3, 2));
        let lv = permute_dims(w, axes=[1, 0]);
        let x_adjoint = matmul(a_adjoint, lv);
        let lv_1 = permute_dims(x, axes=[1, 0]);
        let w_adjoint = matmul(lv_1, a_adjoint);
        output b, x_adjoint, w_adjoint;
      }
      (b, (x_adjoint, w_adjoint))
    }
    ```
    """
    function = function_named(run, func)
    assert function.name is not None
    name = f"{function.name.name_hint}_adjoint"
    if name in typed.items:
        run.refuse(function.name, f"there is an item {global_name(name)} already")
    whole = decomposed(typed, function, lambda operator: rule_of(operator) is None)
    if whole is not function:
        typed = typed.with_items({function: whole})
    infos = KnownInfos(typed, whole)
    body = body_of(copied(whole.body))
    bindings = _straight(run, function, body)
    target = _target(run, function, body.body, infos, target_index)
    wanted = _wanted(run, function, require_grads)
    names = FreshNames(names_of(whole))
    reverse = Reverse(run, infos, names, [param.name_hint for param in wanted])
    gradients = reverse.run(bindings, target)
    results = {node.name_hint for node in leaves(body.body) if isinstance(node, tree.Var)}
    again = recomputed(bindings, reverse.bindings, names)
    block = _block(body, bindings, results, (again, reverse.outputs))
    made = replaced(
        function,
        name=tree.GlobalVar(name),
        params=tuple([copied(param) for param in function.params]),
        ret_struct_info=_result_info(function, wanted),
        attrs=tuple([attr for attr in function.attrs if attr.key != "global_symbol"]),
        body=tree.SeqExpr(block, tree.Tuple((body.body, tree.Tuple(tuple(gradients)))), body.pos, body.end),
    )
    return run.typed.with_items({}, [made])


def _straight(run: Run, function: tree.Function, body: tree.SeqExpr) -> list[tree.Binding]:
    """Return the bindings of a function. Raises PassRefused for what is not a computation of values in a line."""
    effects = run.typed.effects
    for block in body_of(function.body).blocks:
        for binding in block.bindings:
            if binding.value in effects:
                run.refuse(binding.value, "what has an effect cannot be differentiated")
            _refuse_branches(run, binding.value)
    return [binding for block in body.blocks for binding in block.bindings]


def _refuse_branches(run: Run, value: tree.Expr) -> None:
    match value:
        case tree.If():
            help_ = "both branches can be computed, and `where` can choose"
            run.refuse(value, "an `if` has no gradient", help_)
        case tree.Function():
            run.refuse(value, "a function with local functions has no gradient", "`LambdaLift` first")
        case tree.Call() | tree.TupleGetItem() | tree.Atom():
            pass
        case tree.NeverBound():
            unreachable(value)
        case _:
            assert_never(value)


def _target(
    run: Run, function: tree.Function, result: tree.Expr, infos: KnownInfos, index: int | list[int]
) -> tree.Var:
    assert function.name is not None
    path = [index] if isinstance(index, int) else index
    node, info = result, infos.of(result)
    place = body_of(function.body).body
    shown = global_name(function.name.name_hint)
    if not isinstance(info, tree.TupleStructInfo) and path != [0]:
        run.refuse(place, f"{shown} returns one value: `target_index` must be 0, not {index}")
    if isinstance(info, tree.TupleStructInfo):
        for at in path:
            if not isinstance(info, tree.TupleStructInfo) or not 0 <= at < len(info.fields):
                run.refuse(place, f"`target_index` {index} is not a field of the result of {shown}")
            if not isinstance(node, tree.Tuple):
                help_ = "write the tuple behind the block: `(a, b)`"
                run.refuse(place, "the result is a variable of a tuple, whose fields are not seen", help_)
            node, info = node.fields[at], info.fields[at]
    is_scalar = (
        isinstance(info, tree.TensorStructInfo)
        and isinstance(info.shape, tree.ShapeExpr)
        and not info.shape.values
        and info.dtype is not None
        and dtypes.is_float(str(info.dtype.name))
    )
    if not is_scalar or not isinstance(node, tree.Var):
        found = "a constant" if info is None or is_scalar else f"`{show(info)}`"
        help_ = "reduce it with `sum` or `mean`, or choose another result by `target_index`"
        run.refuse(place, f"the target must be a float tensor of rank 0, not {found}", help_)
    return node


def _wanted(run: Run, function: tree.Function, names: list[str] | None) -> list[tree.Var]:
    assert function.name is not None
    if names is None:
        found = [param for param in function.params if _is_float(param.struct_info_annotation)]
        if not found:
            run.refuse(
                function.name, f"no parameter of {global_name(function.name.name_hint)} is a float tensor"
            )
        return found
    wanted = [parameter_named(run, function, one) for one in names]
    for at, param in enumerate(wanted):
        info = param.struct_info_annotation
        if not _is_float(info):
            shown = "nothing" if info is None else f"`{show(info)}`"
            run.refuse(
                param, f"only float tensors and tuples of them have gradients; `{param.name_hint}` is {shown}"
            )
        if param in wanted[:at]:
            run.refuse(param, f"`require_grads` names `{param.name_hint}` twice")
    return wanted


def _is_float(info: tree.StructInfo | None) -> bool:
    if isinstance(info, tree.TupleStructInfo):
        return all(_is_float(field) for field in info.fields)
    known = info.dtype if isinstance(info, tree.TensorStructInfo) else None
    return known is not None and dtypes.is_float(str(known.name))


def _block(
    body: tree.SeqExpr,
    bindings: list[tree.Binding],
    results: set[str],
    backward: tuple[list[tree.Binding], list[str]],
) -> tuple[tree.DataflowBlock]:
    """Return one dataflow block of the function and its gradient: bindings, and the names of the gradients."""
    outputs: list[tree.Var] = []
    made: list[tree.Binding] = []
    for binding in bindings:
        leaves_block = binding.var is not None and binding.var.name_hint in results
        made.append(ordinary(binding) if leaves_block else local(binding))
        if leaves_block:
            assert binding.var is not None
            outputs.append(tree.Var(binding.var.name_hint, None))
    outputs += [tree.Var(one, None) for one in backward[1]]
    made += backward[0]
    return (tree.DataflowBlock(tuple(made), tuple(outputs), body.pos, body.end),)


def _result_info(function: tree.Function, wanted: list[tree.Var]) -> tree.StructInfo | None:
    """Return the type of the result, if that of the original is declared."""
    if function.ret_struct_info is None:
        return None
    gradients = [
        copied(param.struct_info_annotation) for param in wanted if param.struct_info_annotation is not None
    ]
    return tree.TupleStructInfo((copied(function.ret_struct_info), tree.TupleStructInfo(tuple(gradients))))
