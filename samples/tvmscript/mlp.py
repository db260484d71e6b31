from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class MLP:
    """An MLP."""

    I.module_attrs({"author": "me"})

    @T.prim_func(s_tir=True)
    def relu(x: T.handle, Y: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": True, "global_symbol": "relu"})
        X = T.match_buffer(x, (T.int64(2), T.int64(3)), "float32")
        # elementwise
        for i, j in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("relu"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(X[vi, vj])
                T.writes(Y[vi, vj])
                Y[vi, vj] = T.max(X[vi, vj], T.float32(0))

    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        cls = MLP
        # the only layer
        with R.dataflow():
            lv: R.Tensor((2, 3), "float32") = R.matmul(x, w)
            lv1 = R.call_tir(cls.relu, (lv,), out_ty=R.Tensor((2, 3), "float32"))
            gv = R.add(lv1, R.const(1.0, "float32"))
            R.output(gv)
        return gv
