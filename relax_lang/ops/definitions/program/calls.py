"""Calls and closures: evaluated by the runtime, which knows the functions of a program."""

from __future__ import annotations

from relax_lang.base.python.plain_functions import partial
from relax_lang.ops.core.operator import BY_RUNTIME, Family

family = Family(__name__, "Calls and closures")

_OUT = "The result is what `->` declares: a tensor with dimensions and a dtype, or a tuple of such."
_INPLACE = """`inplace_indices` gives for every result the argument whose memory it takes over, or -1 for new
    memory; that argument must not be used afterwards."""

_call = partial(family.declare, evaluated=BY_RUNTIME)

_call(
    "call_tir",
    "func: callee, args: tuple, tir_vars: shape?",
    example="call_tir(@f, (x,)) -> Tensor[(n,), float32]",
    doc=f"""Call the PrimFunc `func` with the tensors of `args`, then with new tensors for the results, then
     with the values of the shape `tir_vars` for its trailing scalar parameters; returns the results.
     {_OUT}""",
)
_call(
    "call_tir_inplace",
    "func: callee, args: tuple",
    "inplace_indices: int|list[int]",
    since="later",
    example="call_tir_inplace(@f, (x,), inplace_indices=0) -> Tensor[(n,), float32]",
    doc=f"Call a PrimFunc as `call_tir` does, whose results may take over arguments. {_INPLACE} {_OUT}",
)
_call(
    "call_tir_with_grad",
    "func: callee, args: tuple",
    "te_grad_name: str, te_grad_kwargs: none = none",
    since="later",
    example='call_tir_with_grad(@f, (x,), te_grad_name="g") -> Tensor[(n,), float32]',
    doc=f"""Call a PrimFunc as `call_tir` does; `te_grad_name` names the function of its gradient, for training.
     {_OUT}""",
)
_call(
    "dist.call_tir_local_view",
    "func: callee, args: tuple, tir_vars: shape?",
    since="later",
    example="dist.call_tir_local_view(@f, (x,)) -> Tensor[(n,), float32]",
    doc=f"""Call a PrimFunc as `call_tir` does, on the part of each tensor that a worker of a mesh has: there is one
     worker here, which has all of them. {_OUT}""",
)
_call(
    "call_dps_packed",
    "func: callee, args: tuple",
    "pure: bool = false",
    pure=False,
    since="later",
    example='call_dps_packed(extern "f", (x,)) -> Tensor[(n,), float32]',
    doc=f"""Call a packed function with `args` and then with new tensors for the results, which it fills;
     returns them. It may also change its arguments, so that the call is impure unless `pure=true` claims
     otherwise. {_OUT}""",
)
_call(
    "call_pure_packed",
    "func: callee, *args: any",
    since="later",
    example='call_pure_packed(extern "f", x) -> Tensor[(n,), float32]',
    doc="""Call a packed function and claim that it has no effect. The result is what `->` declares, without it an
     object.""",
)
_call(
    "call_py_func",
    "func_name: callee, args: tuple",
    since="later",
    example='call_py_func(extern "f", (x,)) -> Tensor[(n,), float32]',
    doc="""Call a Python function by the name that it is registered under, with the fields of `args`, and claim that it
     has no effect. The result is what `->` declares, without it an object.""",
)
_call(
    "call_builtin_with_ctx",
    "func: callee, args: tuple",
    pure=False,
    example='call_builtin_with_ctx(extern "f", (x,)) -> Tensor[(n,), float32]',
    doc="""Call a packed function that belongs to the machine, with the fields of `args`; TVM's virtual machine passes
     itself before them, here there is nothing to pass. The result is what `->` declares, without it the unit.""",
)
_call(
    "call_inplace_packed",
    "func: callee, *args: any",
    "inplace_indices: int|list[int]",
    since="later",
    example='call_inplace_packed(extern "f", x, inplace_indices=0) -> Tensor[(n,), float32]',
    doc=f"Call a packed function that writes its results into arguments and returns them. {_INPLACE}",
)
_call(
    "make_closure",
    "func: callee, args: tuple",
    example="make_closure(@f, (x,))",
    doc="""Bind the last arguments of a function: the result is an object that `invoke_closure` calls with
     the others, which come first.""",
)
_call(
    "invoke_closure",
    "closure: any, args: tuple",
    pure=False,
    example="invoke_closure(c, (x,)) -> Tensor[(n,), float32]",
    doc="""Call a closure that `make_closure` made, with the arguments that are left. The result is what `->`
     says, without it an object.""",
)
_call(
    "invoke_pure_closure",
    "closure: any, args: tuple",
    since="later",
    example="invoke_pure_closure(c, (x,)) -> Tensor[(n,), float32]",
    doc="Call a closure as `invoke_closure` does, and claim that it has no effect.",
)
