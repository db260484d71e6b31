"""Why a call, a scalar operand, or a part of a dimension cannot be meant as it is written.

Only imported once there is something to report.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.base.names import misspelled, nearest
from relax_lang.base.node import replaced
from relax_lang.format.lexemes import global_name, local_name, string
from relax_lang.format.printer import show
from relax_lang.ops import registry
from relax_lang.ops.core.diagnostics import calls as operator_problems
from relax_lang.ops.suggestions import OURS, is_module, suggest
from relax_lang.scope.diagnostics import blocks as blocks_diag
from relax_lang.scope.diagnostics import dims as dims_diag
from relax_lang.scope.diagnostics import names as names_diag
from relax_lang.scope.inserted_bindings import bound_before
from relax_lang.scope.spans import name_span
from relax_lang.scope.unresolved.extents import declared_dims
from relax_lang.syntax import tree
from relax_lang.syntax.vocabulary import foreign_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.scope.context import Context

_FUNCTIONS_OF_DIMS = {"min": 2, "max": 2, "select": 3}
_DIMS_HAVE = "dimensions have + - * / // % min max, and select over conditions"


def missing_operator(ctx: Context, use: tree.Op, variable: Diagnostic | None) -> None:
    """Report a callee that is not an operator; `variable` is the report if a hidden variable was meant. [OP.1]"""
    name = use.op_name
    if variable is not None:
        if ctx.first_report("variable", name):
            ctx.resolved.diagnostics.append(variable)
        return
    item = ctx.resolved.globals.get(name)
    if item is not None:
        written = global_name(name)
        message = f"there is no operator `{name}`; the function is `{written}`"
        if type(item) is tree.PrimFunc:
            found = names_diag.unknown_operator(use, message).helped(f"write `call_tir({written}, (…)) -> …`")
        else:
            found = names_diag.unknown_operator(use, message, written)
        ctx.resolved.diagnostics.append(found)
        return
    if name == "cast":  # known only together with a result
        found = names_diag.unknown_operator(use, "there is no operator `cast` without a result info")
        ctx.resolved.diagnostics.append(
            found.helped("write `match_cast(x, S)` to check, `astype(x, …)` to convert")
        )
        return
    if name.startswith("."):  # a method of a value, which the parser has read
        found = names_diag.unknown_operator(use, "values have no methods")
        found.primary = ""
        ctx.resolved.diagnostics.append(
            found.helped("call an operator with the value: `relax ops` lists them")
        )
        return
    if method(ctx, use) or _of_this_module(ctx, use):
        return
    ctx.resolved.diagnostics.append(_unknown(ctx, use))


def _of_this_module(ctx: Context, use: tree.Op) -> bool:
    """Report `cls.f(x)` and `self.f(x)` of a function `@f`; return whether it was that. [Y.7]"""
    owner, _, name = use.op_name.partition(".")
    item = ctx.resolved.globals.get(name)
    if owner not in ("cls", "self", "Module", "mod", "module") or item is None:
        return False
    written = global_name(name)
    message = f"there is no operator `{use.op_name}`; functions of the module are written `{written}`"
    if type(item) is tree.PrimFunc:
        found = names_diag.unknown_operator(use, message).helped(f"write `call_tir({written}, (…)) -> …`")
    else:
        found = names_diag.unknown_operator(use, message, written)
    ctx.resolved.diagnostics.append(found)
    return True


def _unknown(ctx: Context, use: tree.Op) -> Diagnostic:
    """Return the report of a name that is not an operator, with what was probably meant. [Y.7]

    A name of another framework has a fix; one that is only spelled alike is asked about.
    """
    name = use.op_name
    message = f"there is no operator `{name}`"
    if not ctx.searches:
        return names_diag.unknown_operator(use, message)
    suggestion = suggest(name)
    if suggestion is None:
        found = names_diag.unknown_operator(use, message)
        variables = misspelled(name, ctx.variables)
        return found.helped(f"did you mean `{local_name(variables[0])}`?") if variables else found
    if suggestion.form:
        return names_diag.unknown_operator(use, message).helped(suggestion.advice)
    if suggestion.only is None:
        return names_diag.unknown_operator(use, message).helped(suggestion.question)
    message += f"; here it is `{suggestion.only}`"
    if _is_layer(name) and suggestion.reason != OURS:
        reason = f"there are no layers: the weights are operands, as `relax ops {suggestion.only}` shows"
        return names_diag.unknown_operator(use, message).helped(reason)
    return names_diag.unknown_operator(use, message, suggestion.only, sure=suggestion.reason == OURS)


def _is_layer(name: str) -> bool:
    """Return whether a name is that of a layer of PyTorch or Keras: `nn.Linear`, `layers.Dense`."""
    module, _, last = name.rpartition(".")
    return last[:1].isupper() and module not in ("", "onnx")


def method(ctx: Context, use: tree.Op) -> bool:
    """Report `x.shape` and `x.astype(…)` of a variable `x`; return whether it was that. [Y.7]"""
    owner, _, last = use.op_name.partition(".")
    if owner not in ctx.variables or not last:
        return False
    suggestion = suggest(last) if ctx.searches else None
    near = last if registry.lookup(last) is not None else None if suggestion is None else suggestion.only
    found = names_diag.unknown_operator(use, f"there is no operator `{use.op_name}`")
    reason = f"`{owner}` is a variable; variables have no methods and no fields"
    more = "" if near in ("shape_of", "permute_dims") else ", …"
    is_field = last in ("T", "shape")
    help_ = f"{reason}: write `{near}({local_name(owner)}{more})`" if near and not is_field else reason
    dims = declared_dims(ctx.variables[owner][0]) if near == "shape_of" else ()
    if dims:
        names = ", ".join([f"`{show(dim)}`" for dim in dims])
        help_ += f"; its dimensions can be written as in its declaration: {names}"
    if is_field:
        form = f"{near}({local_name(owner)})"
        found.replace(use, form, f"write `{form}`")
    ctx.resolved.diagnostics.append(found.helped(help_))
    return True


def wrapped_operator(operator: registry.Operator) -> str | None:
    """Return a function literal that calls an operator; None if it has operands that no function can take."""
    kinds = {"tensor": "Tensor", "shape": "Shape", "tensors": "Object", "tuple": "Object", "any": "Object"}
    needed = [param for param in operator.params if not param.optional]
    for param in needed:
        if param.kind not in kinds or param.variadic:
            return None
    params = ", ".join([f"{local_name(param.name)}: {kinds[param.kind]}" for param in needed])
    args = ", ".join([local_name(param.name) for param in needed])
    return f"fn({params}) {{ {operator.name}({args}) }}"


def operator_as_value(ctx: Context, use: tree.Op) -> None:
    """Report an operator where a value is needed. [W.8]"""
    name = use.op_name
    operator = registry.lookup(name)
    if not ctx.first_report("operator", name):
        return
    if operator is not None:
        ctx.resolved.diagnostics.append(names_diag.op_as_value(use, name, wrapped_operator(operator)))
        return
    if method(ctx, use):
        return
    number = foreign_words.number_with_prefix(name)
    if number is not None:
        found = names_diag.undefined_variable(use, f"`{name}` is not defined; it is written `{number}`")
        ctx.resolved.diagnostics.append(found.replace(use, number, f"write `{number}`", SAFE))
        return
    dtype = foreign_words.dtype_with_prefix(name)
    if dtype is not None:
        found = names_diag.undefined_variable(use, f"`{name}` is not defined")
        ctx.resolved.diagnostics.append(
            found.helped(f"a dtype is not a value; where a call takes one, it has a name: `dtype={dtype}`")
        )
        return
    ctx.resolved.diagnostics.append(_unknown(ctx, use))


def is_field_of_nothing(ctx: Context, use: tree.Op) -> bool:
    """Return whether a name with a dot is that of a field of something that no variable and no module is called."""
    owner, _, last = use.op_name.partition(".")
    return bool(owner and last) and "." not in last and owner not in ctx.variables and not is_module(owner)


_FORMS = frozenset(("shape", "const"))
"""Words before a parenthesis that are not operators, though they look like calls."""


def missing_global(ctx: Context, use: tree.GlobalVar) -> None:
    """Report `@name` without a definition. [G.25 S.1]"""
    name = use.name_hint
    near = nearest(name, ctx.resolved.globals) if ctx.searches else None
    written = None if near is None else global_name(near)
    found = names_diag.undefined_global(use, global_name(name), written)
    if written is None and name in ctx.variables:
        found.replace(use, local_name(name), f"write `{local_name(name)}`")
    elif name in _FORMS:
        found.replace(use, name, f"write `{name}`: it belongs to the language, not to the module")
    elif written is None and ctx.searches:
        suggestion = suggest(name) if registry.lookup(name) is None else None
        operator = suggestion.only if suggestion is not None else name if registry.lookup(name) else None
        if operator is not None:
            found.replace(use, operator, f"write `{operator}`: operators have no `@`")
    ctx.resolved.diagnostics.append(found)


def direct_call_of_prim_func(
    ctx: Context, call: tree.Call, callee: tree.GlobalVar, item: tree.PrimFunc
) -> None:
    """Report a prim_func that is called directly, with the `call_tir` that was meant. [V.12 ERR.46]"""
    buffers = [param for param in item.params if type(param) is tree.Buffer]
    args = list(call.args)
    if buffers and len(args) == len(buffers):  # called with its destination, as in destination passing style
        args.pop()
    shown = [local_name(arg.name_hint) if type(arg) is tree.Var else "…" for arg in args]
    fields = ", ".join(shown) + ("," if len(shown) == 1 else "")
    dtype = buffers[-1].dtype.name if buffers else "float32"
    name = global_name(callee.name_hint)
    suggestion = f"call_tir({name}, ({fields})) -> Tensor[(…), {dtype}]"
    found = blocks_diag.primfunc_call(call, name, item.name, suggestion)
    ctx.resolved.diagnostics.append(found)


def not_a_prim_func(ctx: Context, callee: tree.Expr, item: tree.Item | None) -> None:
    """Report the callee of a `call_tir` that is not a prim_func. [O.1]"""
    if type(callee) is tree.GlobalVar:
        definition = item.name if type(item) is tree.Function else None
        found = blocks_diag.not_a_primfunc(callee, global_name(callee.name_hint), definition)
        found.helped(f"call it directly: `{global_name(callee.name_hint)}(…)`")
    elif type(callee) is tree.ExternFunc:
        found = blocks_diag.not_a_primfunc(callee, f"extern {string(callee.global_symbol)}", None)
        found.helped("packed functions are called with call_dps_packed")
    else:
        shown = local_name(callee.name_hint) if type(callee) is tree.Var else describe(callee)
        found = blocks_diag.not_a_primfunc(callee, shown, None)
        if type(callee) is tree.Var and type(ctx.resolved.globals.get(callee.name_hint)) is tree.PrimFunc:
            written = global_name(callee.name_hint)
            found.replace(callee, written, f"write `{written}`")
    ctx.resolved.diagnostics.append(found)


def not_a_scalar(ctx: Context, operand: tree.Expr, operator: str, number: int) -> None:
    """Report an operand that should be a number or a dimension expression. [OP.3 X15.1]"""
    what = describe(operand)
    message = f"argument {number + 1} of {operator} must be a number or a dimension expression, not {what}"
    ctx.resolved.diagnostics.append(operator_problems.op_argument(operand, message).note(_DIMS_HAVE))


def computed_scalar(ctx: Context, call: tree.Call, operand: tree.Expr, names: list[tree.Var]) -> bool:
    """Report a `prim_value` of arithmetic on scalars, which is for operators; return whether it is one. [X15.1]"""
    found: Diagnostic | None = None
    dtypes: set[str] = set()
    for use in names:
        entry = ctx.variables.get(use.name_hint)
        info = None if entry is None else entry[0].struct_info_annotation
        if entry is None or not isinstance(info, tree.PrimStructInfo):
            return False
        dtypes.add(info.dtype.name)
        if found is None:
            found = dims_diag.value_in_dim(use, use.name_hint, name_span(entry[0]))
    if found is None or len(dtypes) != 1 or call.pos < 0:
        return False
    (dtype,) = dtypes
    computed = show(_in_dtype(operand, dtype))
    if isinstance(operand, tree.Var):
        found.message = f"`{computed}` is a scalar already"
        found.replace(call, computed, f"write `{computed}`")
    else:
        statement = f"match_cast({computed}, Prim[{dtype}])"
        found.message = f"`{names[0].name_hint}` is a scalar: operators compute with it, not `prim_value`"
        title = "compute a tensor before, and make a scalar of it by `match_cast`"
        frame = ctx.frames[-1]
        anchor = (frame.seq.body if frame.binding is None else frame.binding).pos
        if anchor >= 0:
            taken = {*ctx.variable_names, *ctx.variables}
            found.fix(title, *bound_before(call, anchor, "next", taken, statement))
    ctx.resolved.diagnostics.append(found)
    ctx.resolved.rejected.add(call)
    ctx.reported |= {("shape variable", use.name_hint) for use in names}
    return True


def _in_dtype(operand: tree.Expr, dtype: str) -> tree.Expr:
    """Return arithmetic whose bare numbers are constants of a dtype."""
    if isinstance(operand, tree.Constant) and operand.dtype is None:
        own = "int32" if isinstance(operand.data, tree.IntLit) else "float32"
        return operand if own == dtype else replaced(operand, dtype=tree.DType(dtype))
    if isinstance(operand, tree.BinaryOp):
        sides = _in_dtype(operand.lhs, dtype), _in_dtype(operand.rhs, dtype)
        return replaced(operand, lhs=sides[0], rhs=sides[1])
    if isinstance(operand, tree.UnaryOp):
        return replaced(operand, operand=_in_dtype(operand.operand, dtype))
    if isinstance(operand, tree.Call):
        name = operand.op.name_hint if isinstance(operand.op, tree.Var) else ""
        args = tuple([_in_dtype(arg, dtype) for arg in operand.args])
        return replaced(operand, op=tree.Var(_ELEMENTWISE.get(name, name), None), args=args)
    return operand


_ELEMENTWISE = {"min": "minimum", "max": "maximum", "select": "where"}
"""Functions of dimensions, and the operators that compute the same of tensors."""


_DESCRIBED: dict[type[Node], str] = {
    tree.Call: "a call",
    tree.BinaryOp: "an expression over values",
    tree.UnaryOp: "an expression over values",
    tree.Constant: "a constant tensor",
    tree.Tuple: "a tuple of values",
    tree.TupleGetItem: "a field of a tuple",
    tree.Function: "a function",
    tree.If: "an `if`",
    tree.SeqExpr: "a block",
    tree.ShapeExpr: "a shape",
    tree.ExternFunc: "a packed function",
    tree.GlobalVar: "a function",
    tree.Op: "an operator",
    tree.PrimValue: "a scalar",
}


def describe(node: Node) -> str:
    """Say in a few words what kind of expression a node is."""
    return _DESCRIBED.get(type(node), "a value")


def not_a_dimension(ctx: Context, value: Node) -> None:
    """Report a call in a dimension, or, in trees built in Python, code that only PrimFuncs have. [G.5]"""
    if type(value) is tree.PrimCall:
        found = _call_in_dimension(value)
    else:
        found = dims_diag.dim_not_integer(value, "code of a prim_func").note(_DIMS_HAVE)
    ctx.resolved.diagnostics.append(found)


def _call_in_dimension(call: tree.PrimCall) -> Diagnostic:
    takes = _FUNCTIONS_OF_DIMS.get(call.name)
    if takes is not None:
        given = f"{len(call.args)} {'is' if len(call.args) == 1 else 'are'} given"
        return operator_problems.arity(call, f"{call.name} takes {takes} arguments, {given}")
    place = (call.pos, min(call.end, call.pos + len(call.name)))
    found = names_diag.unknown_operator(place, f"there is no operator `{call.name}` for dimensions")
    return found.note(_DIMS_HAVE)


def missing_derive_function(ctx: Context, info: tree.FuncStructInfo, known: Iterable[str]) -> None:
    """Report a derive function that is not registered. [G.20]"""
    name = info.derive_func or ""
    near = nearest(name, sorted(known))
    quoted = string(name)
    place = (info.pos, info.end)
    edit = None
    if info.end - info.pos == len(
        f"PackedFunc[derive={quoted}]"
    ):  # written without blanks: the string can be marked
        place = (info.end - 1 - len(quoted), info.end - 1)
        edit = None if near is None else Edit(*place, string(near))
    ctx.resolved.diagnostics.append(blocks_diag.unknown_derive_func(place, name, near, edit))
