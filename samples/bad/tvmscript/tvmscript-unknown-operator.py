# There is `nn.relu`.

from tvm.script import relax as R


@R.function
def main(x: R.Tensor((2, 3), "float32")):
    return R.nn.rleu(x)
