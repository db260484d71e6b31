"""The program that the tests of `relax run` run, and its argument."""

import numpy as np

PROGRAM = """def @main(x: Tensor[(n, 2), float32], k: Tensor[(), int32]) {
  let y = x * 2.0;
  (y, k)
}

def @one(x: Tensor[(n,), int32]) {
  x + x
}

def @size(s: Shape[ndim=2]) {
  s
}

def @nothing() {
  ()
}

private def @hidden() {
  1
}

def @fails(x: Tensor) {
  let y = match_cast(x, Tensor[(2,), int32]);
  y
}

def @extern(x: Tensor[(n,), int32]) {
  extern "my.add"(x, x) -> Tensor[(n,), int32]
}
"""


X = np.arange(6, dtype=np.float32).reshape(3, 2)
