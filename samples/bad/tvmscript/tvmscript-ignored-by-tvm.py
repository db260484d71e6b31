# TVM 0.27 knows this result by `ty_args=` only.

from tvm.script import relax as R


@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = R.call_packed("my.f", x, sinfo_args=R.Tensor((2,), "float32"))
    z = R.call_packed("my.f", y, ty_args=R.Tensor((2,), "float32"))
    return z
