"""A function with a call that may have effects; TVM takes it for pure and refuses it."""

from tvm.script import relax as R


@R.function
def main(x: R.Tensor((2,), "float32")):
    _ = R.call_packed("log", x, ty_args=R.Any)
    return x
