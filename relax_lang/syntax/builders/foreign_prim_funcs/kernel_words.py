"""What languages for kernels call, and what it is in a PrimFunc: Triton, numba, OpenCL, CUDA. [Y.7]

Only imported for a call with a prefix, or of a statement that is not one.
"""

from __future__ import annotations

_LOOP = "a loop runs over the elements: `for i in 0..n { … }`"
_MEMORY = "memory is allocated by `alloc t: Buffer[(…), float32];`"
_REDUCTION = "a loop reduces: `for i in 0..n { s[()] += x[i]; }`"

ADVICE = {
    **dict.fromkeys(("program_id", "num_programs", "get_global_id", "gridsize", "arange"), _LOOP),
    **dict.fromkeys(("zeros", "ones", "full", "empty", "zeros_like", "empty_like", "array"), _MEMORY),
    **dict.fromkeys(("sum", "mean", "prod", "dot", "matmul", "argmax", "argmin", "reduce"), _REDUCTION),
    "load": "an element is written `x[i]`",
    "store": "an element is stored to by `x[i] = …;`",
    "atomic_add": "a store may add: `x[i] += …;`",
    **dict.fromkeys(
        ("evaluate", "call_extern", "call_packed", "tvm_call_packed"),
        'a packed function is called by the statement `call_extern("name", A);`',
    ),
    "match_buffer": "a parameter is the buffer itself: `A: Buffer[(n,), float32]`",
    "func_attr": "attributes are written before the body: `attrs { … }`",
    **dict.fromkeys(("reads", "writes"), "what a block reads and writes is written in its head, if at all"),
    **dict.fromkeys(
        ("debug_barrier", "syncthreads", "barrier"), "the statements of a prim_func run in order"
    ),
}
"""Functions of other languages that are not intrinsics, and what is written instead."""
CONDITION = "the condition of a block comes before its body: `block b (…) where c { … }`"
STORING = "a prim_func computes by storing: `B[i] = …;`"


def advice_on(name: str) -> str:
    """Return what to write for a function of another language, with or without its prefix; empty if that is unknown."""
    return ADVICE.get(name.rpartition(".")[2], "")


def instead_of_call(name: str) -> str:
    """Return what to write for a call with a prefix that is a statement of another language."""
    return CONDITION if name.endswith(".where") else advice_on(name) or STORING
