# Nothing about types and values depends on an assumption.

from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def double(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
    for i in range(8):
        T.assume(x[i] > T.float32(0))
        y[i] = x[i] * T.float32(2)
