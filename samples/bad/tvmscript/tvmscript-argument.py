# There is no such dtype.

from tvm.script import relax as R


@R.function
def main(x: R.Tensor((2, 3), "float31")):
    return x
