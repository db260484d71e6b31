# TVMScript is Python: what Python's parser refuses is not read.

from tvm.script import relax as R


@R.function
def main(x: R.Tensor((2, 3), "float32"):
    return x
