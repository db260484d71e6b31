# Nothing about types and values depends on a virtual device.

from tvm.script import relax as R


@R.function
def main(x: R.Tensor((2,), "float32", vdevice="llvm")) -> R.Tensor((2,), "float32"):
    return R.abs(x)
