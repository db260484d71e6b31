"""A product as the first drafts of Relax spell it."""

from tvm.script import relax as R


@R.function
def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32")):
    return R.dot(x, w)
