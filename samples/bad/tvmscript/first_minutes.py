from tvm.script import ir as I, relax as R, tirx as T


@I.ir_module
class Net:
    @R.function
    def main(
        x: R.Tensor(("batch", 784), "float32"), w: R.Tensor((768, 10), "float32")
    ) -> R.Tensor(("batch", 10), "float32"):
        with R.dataflow():
            lv = R.matmul(x, w)
            gv = R.nn.softmx(lv, axis=-1)
            R.output(gv)
        return gv
