# The size is a parameter of a Python function: `--define n=8` would give it a value.

from tvm.script import relax as R


def make(n):
    @R.function
    def main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        return x

    return main
