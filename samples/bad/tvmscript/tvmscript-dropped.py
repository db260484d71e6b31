# Nothing about types and values depends on a pragma.

from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def double(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
    T.attr(0, "pragma_debug_skip_region", 0)
    for i in range(8):
        y[i] = x[i] * T.float32(2)
