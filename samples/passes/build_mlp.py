"""A program made in Python: a network of two layers, with a function of its own written as a tensor expression."""

from __future__ import annotations

from relax_lang import BlockBuilder, Tensor, dim, op, te


def leaky(x: te.Tensor) -> te.Tensor:
    """Return the elements of a matrix, negative ones a hundredth of what they are."""
    return te.compute(x.shape, lambda i, j: te.select(x[i, j] > 0.0, x[i, j], x[i, j] * 0.01))


def build() -> BlockBuilder:
    """Return the builder with the whole network in it."""
    bb, n = BlockBuilder(), dim("n")
    x = bb.var("x", Tensor((n, 784), "float32"))
    w1, b1 = bb.var("w1", Tensor((784, 128), "float32")), bb.var("b1", Tensor((128,), "float32"))
    w2, b2 = bb.var("w2", Tensor((128, 10), "float32")), bb.var("b2", Tensor((10,), "float32"))
    with bb.function("main", [x, w1, b1, w2, b2]):
        with bb.dataflow():
            hidden = bb.emit_te(leaky, x @ w1 + b1)
            out = bb.emit_output(op.nn.softmax(hidden @ w2 + b2))
        bb.emit_func_output(out)
    return bb


if __name__ == "__main__":
    print(build().get().script(), end="")
