# The size is read as 8, the default of the parameter; `--define n=16` reads another program.

from tvm.script import relax as R


def make(n=8):
    @R.function
    def main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        return x

    return main
