"""The kernels of `kernels.rlx` in other libraries, as far as they can be imported: numba, numexpr, torch, TVM.

numba and TVM get the loops of the PrimFunc itself, numexpr and torch the operators that one would write. Every form
takes the buffers of the PrimFunc and its scalars and writes into the last buffer; torch works on the memory of the
NumPy arrays. What a library cannot do, or fails to compile, is left out and reported.
"""

from __future__ import annotations

import math
import sys
from importlib import import_module

import numpy as np

from benchmarks.loops import Python, TVMScript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.syntax import tree

    Form = Callable[..., object]
    Sizes = dict[str, int]


def imported(name: str) -> Any:
    """Return a module, or None without it; it computes on one thread, as BLAS does in these benchmarks."""
    try:
        module = import_module(name)
    except ImportError:
        return None
    if hasattr(module, "set_num_threads"):
        module.set_num_threads(1)
    return module


def python_loops(func: tree.PrimFunc, sizes: Sizes, compiler: Callable[[Form], Form]) -> Form:
    """Return the loops of a PrimFunc, through a compiler of Python functions."""
    namespace: dict[str, Any] = {"np": np, "math": math}
    exec(Python().function(func, sizes), namespace)
    function = compiler(namespace["kernel"])
    dimensions = list(sizes.values())
    return lambda *args: function(*dimensions, *args)


def numba_form(numba: Any, func: tree.PrimFunc, sizes: Sizes, args: Sequence[Any]) -> Form:
    """Compile the loops, and call them once so that no compilation is timed."""
    form = python_loops(func, sizes, numba.njit)
    scalars = [np.float32(arg) if isinstance(arg, float) else arg for arg in args]
    form(*scalars)
    return form


EXPRESSIONS: dict[str, str] = {
    "chain": "where(exp(a) * b + c > zero, exp(a) * b + c, zero)",
    "row_sum": "sum(a, axis=1)",
    "column_sum": "sum(a, axis=0)",
    "stencil": "fifth * (a + b + c + d + e)",
    "one_hot": "where(a == b, one, zero)",
}
CONSTANTS = {name: np.float32(value) for name, value in {"zero": 0, "one": 1, "fifth": 0.2}.items()}
"""Literals would make numexpr compute in float64."""


def numexpr_form(numexpr: Any, func: tree.PrimFunc, sizes: Sizes, args: Sequence[Any]) -> Form | None:
    """Return what numexpr can do: elementwise expressions and sums."""
    name = func.name.name_hint
    expression = EXPRESSIONS.get(name)
    if expression is None:
        return None

    def run(*arrays: Any) -> None:
        *inputs, out = arrays
        if name == "stencil":
            (x,) = inputs
            inputs = [x[1:-1, 1:-1], x[:-2, 1:-1], x[2:, 1:-1], x[1:-1, :-2], x[1:-1, 2:]]
        if name == "one_hot":
            inputs = [inputs[0][:, None], np.arange(out.shape[1])]
        numexpr.evaluate(expression, CONSTANTS | dict(zip("abcde", inputs, strict=False)), out=out)

    return run


def torch_expressions(torch: Any) -> dict[str, Form]:
    """Return the kernels on torch tensors; each returns its result."""
    functional = torch.nn.functional
    return {
        "chain": lambda x, y, z: torch.relu(torch.exp(x) * y + z),
        "softmax": lambda x: torch.softmax(x, 1),
        "layer_norm": lambda x, g, b: functional.layer_norm(x, x.shape[1:], g, b, 1e-5),
        "matmul": lambda a, b: a @ b,
        "batched_matmul": lambda a, b: a @ b,
        "conv2d": lambda x, w: functional.conv2d(x, w, padding=1),
        "depthwise": lambda x, w: functional.conv2d(x, w[:, None], padding=1, groups=len(w)),
        "max_pool": lambda x: functional.max_pool2d(x, 2),
        "transpose": lambda x: x.t().contiguous(),
        "take": lambda x, index: x[index],
        "cumsum": lambda x: torch.cumsum(x, 1),
        "stencil": lambda x: 0.2 * (x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]),
        "argmax": lambda x: torch.argmax(x, 1),
        "row_sum": lambda x: x.sum(1),
        "column_sum": lambda x: x.sum(0),
        "quantized_matmul": torch._int_mm,
        "causal_mask": lambda x: x + torch.full(x.shape[1:], -1e9).triu(1),
        "concat": lambda a, b: torch.cat((a, b), 1),
        "strided_slice": lambda x: x[::2, 1::3].contiguous(),
        "gelu": functional.gelu,
    }


def torch_form(torch: Any, func: tree.PrimFunc, sizes: Sizes, args: Sequence[Any]) -> Form | None:
    """Return the torch form."""
    expression = torch_expressions(torch).get(func.name.name_hint)
    if expression is None:
        return None

    def run(*arrays: Any) -> None:
        *inputs, out = [torch.from_numpy(array) for array in arrays]
        with torch.no_grad():
            out.copy_(expression(*inputs))

    return run


def tvm_form(tvm: Any, func: tree.PrimFunc, sizes: Sizes, args: Sequence[Any]) -> Form:
    """Compile the PrimFunc with TVM's default build for the host; arrays are exchanged without a copy."""
    text = TVMScript(func, sizes).function(func, sizes)
    built = tvm.compile(tvm.script.from_source(text), target="llvm")
    function = built.jit()["kernel"]
    from_dlpack = tvm.runtime.from_dlpack
    return lambda *values: function(*[from_dlpack(v) if isinstance(v, np.ndarray) else v for v in values])


MAKERS: dict[str, Callable[..., Form | None]] = {
    "numba": numba_form,
    "numexpr": numexpr_form,
    "torch": torch_form,
    "tvm": tvm_form,
}


def names() -> list[str]:
    """Return the libraries that can be imported."""
    return [name for name in MAKERS if imported(name) is not None]


def forms(func: tree.PrimFunc, sizes: Sizes, args: Sequence[Any]) -> dict[str, Form]:
    """Return the forms of a kernel by library; `args` are arguments of the kind that it will be called with."""
    result: dict[str, Form] = {}
    for name in names():
        try:
            form = MAKERS[name](imported(name), func, sizes, args)
            if form is not None:
                form(*args)
                result[name] = form
        except Exception as error:  # a library that fails must not end the run
            print(f"{func.name.name_hint}: {name} fails: {type(error).__name__}: {error}", file=sys.stderr)
    return result
