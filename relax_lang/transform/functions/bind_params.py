"""BindParams: parameters become constants."""

from __future__ import annotations

from relax_lang.arith.printing import simplified
from relax_lang.base.names import FreshNames
from relax_lang.base.node import replaced
from relax_lang.format.lexemes import global_name
from relax_lang.format.printer import show
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.syntax import tree
from relax_lang.transform.core.emitting import names_of
from relax_lang.transform.core.rebuild import Substitution, copied
from relax_lang.transform.functions.bind_symbolic_vars import with_sizes
from relax_lang.transform.pass_manager.finding import function_named, parameter_named
from relax_lang.transform.pass_manager.passes import Run, module_pass
from relax_lang.typed import IllTyped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.typed import Typed


@module_pass("BindParams", 'func: str = "main", **: array')
def bind_params(typed: Typed, run: Run, func: str = "main", **params: Any) -> Typed:
    """Make constants of parameters of a function: `BindParams(w=weights)`, by their names, from NumPy arrays.

    Dtypes and ranks must be those of the annotations; shape variables that the arrays determine become numbers, also
    in the other parameters. Large arrays are stored in a file beside the program. A function that others of the module
    call cannot be bound. Where the program certainly fails with these arrays, should it come to that place, it still
    does when it runs: the function calls what it was, with arrays whose shapes are not known. From Python only;
    `relax opt --params weights.npz` binds the arrays of an archive.

    ```python
    >>> import numpy as np
    >>> program = api.typed("def @main(x: Tensor[(n,), float32], w: Tensor[(n,), float32]) { x * w }")
    >>> print(transform.BindParams(w=np.array([1, 2], np.float32))(program), end="")
    def @main(x: Tensor[(2,), float32]) {
      let w = const([1.0, 2.0], float32);
      let gv = multiply(x, w);
      gv
    }

    ```
    """
    name = func.removeprefix("@")
    function = function_named(run, name)
    callers = [one for one in typed.functions if name in typed.mentions(one).functions]
    if callers:
        run.refuse(callers[0].name, f"{global_name(name)} is called here, with all of its parameters")
    known = {one: parameter_named(run, function, one) for one in params}
    sizes: dict[str, tree.IntImm] = {}
    for one, array in params.items():
        _match(run, known[one], array, sizes)
    from relax_lang.transform.core.evaluating import Constants

    constants = Constants(typed, 0, 0)
    bindings: list[tree.Binding] = []
    for one, array in params.items():
        constant = constants.constant(array)
        param = known[one]
        if constant is None:
            run.refuse(param, f"`{one}` has the dtype {array.dtype.name}, of which there are no constants")
        bindings.append(
            tree.VarBinding(tree.Var(one, None, param.pos, param.end), constant, param.pos, param.end)
        )
    left = tuple([param for param in function.params if param.name_hint not in params])
    body = body_of(function.body)
    first = tree.BindingBlock(tuple(bindings), False, function.pos, function.end)
    made = replaced(
        function,
        params=left,
        body=tree.SeqExpr((first, *body.blocks), body.body, body.pos, body.end) if bindings else body,
    )
    after = typed.with_items({function: merged(with_sizes(made, sizes))})
    after = after.with_arrays(constants.held) if constants.held else after
    try:
        _ = after.inferred
    except IllTyped as wrong:
        shown = wrong.diagnostics[0].message
        run.remark(
            function, f"{global_name(name)} certainly fails with these arrays, if it comes there: {shown}"
        )
        whole = _calling(typed, function, bindings, params, sizes)
        after = whole.with_arrays(constants.held) if constants.held else whole
    return after


def _calling(
    typed: Typed,
    function: tree.Function,
    bindings: list[tree.Binding],
    params: dict[str, Any],
    sizes: dict[str, tree.IntImm],
) -> Typed:
    """Return the program with a function that calls what it was, with constants whose shapes are not known."""
    names = FreshNames({*typed.items, *names_of(function)})
    assert function.name is not None
    inner = tree.GlobalVar(names.fresh(function.name.name_hint))
    hidden: list[tree.Binding] = []
    for one in bindings:
        assert one.var is not None
        array = params[one.var.name_hint]
        rank_only = tree.TensorStructInfo(None, tree.DType(array.dtype.name), len(array.shape))
        var = tree.Var(one.var.name_hint, rank_only, one.pos, one.end)
        hidden.append(tree.VarBinding(var, one.value, one.pos, one.end))
    args = [tree.Var(one.name_hint, None) for one in function.params]
    result = tree.Var(names.fresh("gv"), None, function.pos, function.end)
    call = tree.Call(tree.GlobalVar(inner.name_hint), tuple(args), (), None, function.pos, function.end)
    block = tree.BindingBlock((*hidden, tree.VarBinding(result, call, function.pos, function.end)), False)
    body = tree.SeqExpr((block,), tree.Var(result.name_hint, None))
    left = tuple([copied(one) for one in function.params if one.name_hint not in params])
    outer = with_sizes(replaced(function, params=left, body=body), sizes)
    return typed.with_items({function: outer}, [replaced(function, name=inner, private=True, attrs=())])


def merged(function: tree.Function) -> tree.Function:
    """Return a function in which neighbouring ordinary blocks are one. [N.7]"""
    from relax_lang.transform.core.rebuild import sequence, with_body

    body = body_of(function.body)
    return with_body(
        function, sequence(tree.SeqExpr((), body.body, body.pos, body.end), body.blocks, body.body)
    )


def _match(run: Run, param: tree.Var, array: Any, sizes: dict[str, tree.IntImm]) -> None:
    """Hold an array against the annotation of its parameter; note what follows for shape variables."""
    name, info = param.name_hint, param.struct_info_annotation
    if not hasattr(array, "dtype") or not hasattr(array, "shape"):
        run.refuse(param, f"`{name}` is bound to something that is not an array")
    if isinstance(info, tree.ObjectStructInfo):
        return
    if not isinstance(info, tree.TensorStructInfo):
        run.refuse(param, f"`{name}` is not a tensor")
    if info.dtype is not None and info.dtype.name != array.dtype.name:
        run.refuse(param, f"`{name}` has the dtype {info.dtype.name}, the array has {array.dtype.name}")
    dims = info.shape.values if isinstance(info.shape, tree.ShapeExpr) else None
    rank = len(dims) if dims is not None else info.ndim
    if rank is not None and rank != len(array.shape):
        run.refuse(param, f"`{name}` has {rank} dimensions, the array has {len(array.shape)}")
    for dim, size in zip(dims or (), array.shape, strict=False):
        if isinstance(dim, tree.PrimVar):
            sizes.setdefault(dim.name, tree.IntImm(int(size)))
    known = Substitution(sizes=sizes)
    for dim, size in zip(dims or (), array.shape, strict=False):
        value = simplified(known.of(dim))
        if not isinstance(value, tree.IntImm) or value.value != size:
            run.refuse(param, f"`{name}` has the dimension `{show(dim)}`, the array has {size} there")
