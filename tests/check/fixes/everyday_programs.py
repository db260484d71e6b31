"""Short right programs of the usual operators and loops, as somebody who tries the tool would write them.

Unlike the random programs of other tests, they have few lines and little nesting, so that a mistake in them has one
meaning. All values of the Relax functions are float32 tensors of shape `(n, 4)`; `run_sizes` are those to try.
"""

from __future__ import annotations

import random

_OF_ONE = (
    "exp({0})", "nn.relu({0})", "negative({0})", "abs({0})", "{0} * 2.0", "1.5 - {0}", "clip({0}, 0.0, 1.0)",
    "nn.softmax({0}, axis=-1)", "nn.softmax({0}, axis=1)", "{0} - mean({0}, axis=[1], keepdims=true)",
    "{0} / sum(exp({0}), axis=[1], keepdims=true)", "permute_dims(permute_dims({0}))",
    "permute_dims(permute_dims({0}, axes=[1, 0]), axes=[1, 0])", "squeeze(expand_dims({0}, axis=0), axis=[0])",
    "astype(astype({0}, dtype=float64), dtype=float32)", "reshape({0}, shape(n, 4))",
    "reshape(reshape({0}, shape(n * 4)), shape(n, 4))", "broadcast_to(max({0}, axis=1, keepdims=true), shape(n, 4))",
    "split(concat(({0}, {0}), axis=1), indices_or_sections=2, axis=1)[0]", "matmul({0}, full(shape(4, 4), 0.5))",
    "matmul({0}, ones(shape(4, 4), dtype=float32))", "flip({0}, axis=0)", "nn.gelu({0})", "sigmoid({0})",
    "call_tir(@scale, ({0},)) -> Tensor[(n, 4), float32]", "@twice({0})", "({0}, 1)[0]", "cumsum({0}, axis=1)",
    "power({0}, 2.0)", "tile({0}, repeats=[1, 1])", "repeat(max({0}, axis=1, keepdims=true), repeats=4, axis=1)",
    "where({0} > 0.0, {0}, zeros(shape(n, 4), dtype=float32))", "if true {{ {0} }} else {{ exp({0}) }}",
    "if n > 2 && n < 9 {{ {0} }} else {{ -{0} }}", "astype({0} > 0.0 || {0} == -1.0, dtype=float32)",
)  # fmt: skip
_OF_TWO = (
    "{0} + {1}", "{0} * {1}", "{0} - {1}", "maximum({0}, {1})", "multiply({0}, {1})", "subtract({0}, {1})",
    "add({0}, {1})", "where({0} > {1}, {0}, {1})", "matmul({0}, matmul(permute_dims({0}), {1}))",
    "strided_slice(concat(({0}, {1}), axis=0), (0,), (0,), (n,))", "divide({0}, maximum(abs({1}), ones_like({1})))",
    "if sum({0}) == sum({1}) {{ {0} }} else if n == 3 {{ {1} }} else {{ {0} }}",
)  # fmt: skip

_SCALE = """prim_func @scale(A: Buffer[(n, 4), float32], B: Buffer[(n, 4), float32]) {
  for i, j in grid(n, 4) {
    B[i, j] = A[i, j] * 2.0;
  }
}
"""
_TWICE = "def @twice(a: Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32] {\n  a + a\n}\n"


def relax_function(seed: int) -> str:
    """Return a module whose `@main` takes two tensors of `(n, 4)` and returns one."""
    rng = random.Random(f"an everyday function {seed}")
    names, lines = ["x", "y"], []
    info = "Tensor[(n, 4), float32]"
    for at in range(rng.randint(1, 6)):
        value = _expression(rng, names)
        name = rng.choice((f"a{at}", f"h{at}", "total", "out", f"hidden_{at}"))
        annotation = rng.choice(("", "", "", f": {info}"))
        comment = rng.choice(("", "", "", "  # as it is"))
        lines.append(f"let {name}{annotation} = {value};{comment}")
        names.append(name)
    if len(lines) > 1 and rng.random() < 0.3 and not any("if " in line or "call" in line for line in lines):
        lines = ["dataflow {", *[f"  {line}" for line in lines], f"  output {names[-1]};", "}"]
        names = ["x", "y", names[-1]]
    lines.append(_expression(rng, names) if rng.random() < 0.5 else names[-1])
    body = "\n".join([f"  {line}" for line in lines])
    text = f"def @main(x: {info}, y: {info}) -> {info} {{\n{body}\n}}\n"
    return text + "".join([part for word, part in (("@scale", _SCALE), ("@twice", _TWICE)) if word in text])


def _expression(rng: random.Random, names: list[str]) -> str:
    some = [rng.choice(names[-3:]) for _ in range(2)]
    return rng.choice(_OF_ONE if rng.random() < 0.6 else _OF_TWO).format(*some)


_STEPS = (
    "C[i, j] = A[i, j] + {v};", "C[i, j] += A[i, j] * {v};", "C[i, j] = max(C[i, j], {v});",
    "C[i, j] = if_then_else(A[i, j] > {v}, A[i, j], {v});", "C[i, j] = select(i < j, {v}, 0.0);",
    "let t = A[i, j] * {v};\n    C[i, j] = t + t;", "let t: float32 = cast(i + j, float32);\n    C[i, j] = t * {v};",
    "if i < 2 && j > 0 || n == 3 {{\n      C[i, j] = {v};\n    }} else if i == j {{\n      C[i, j] = 1.0;\n    }}",
    "if !(i == j) {{\n      C[i, j] -= {v};\n    }}", "C[i, j] = B[j] * {v};", "C[i, j] = A[n - 1 - i, j];",
    "C[i, j] = A[i, j] + cast(K[i], float32);", "C[i, j] = {v} / 2.0;", "C[i, j] = pow(A[i, j], 2.0);",
    "C[i, j] = A[(i + 1) % n, j // 2];", "C[i, j] = if_then_else(true, {v}, 0.5);",
)  # fmt: skip
_PARTS = (
    "for i, j in grid(n, 4) {{\n    {step}\n  }}",
    "for i in 0..n {{ for j in 0..4 {{\n    {step}\n  }} }}",
    "for i in 0..n {{\n    K[i] += 1;\n  }}",
    "for j in 0..4 {{\n    B[j] = 0.0;\n    for i in 0..n {{\n      B[j] += A[i, j];\n    }}\n  }}",
    (
        "for i, j in grid(n, 4) {{\n    block b (v = spatial(j), w = reduce(i)) {{\n      init {{ B[v] = 0.0; }}\n"
        "      B[v] += A[w, v];\n    }}\n  }}"
    ),
    (
        "alloc T: Buffer[(n,), float32];\n  for i in 0..n {{\n    T[i] = A[i, 0] * {v};\n  }}\n"
        "  for i in 0..n {{\n    C[i, 1] = T[n - 1 - i];\n  }}"
    ),
    "alloc s: Buffer[(), int64];\n  s[()] = 0;\n  while s[()] < 3 {{\n    s[()] += 1;\n    B[s[()]] = 2.0;\n  }}",
    'for i in 0..n {{\n    assert i < n, "in bounds";\n    K[i] = cast(i, int32) * 2;\n  }}',
)
_VALUES = ("2.0", "0.5", "B[j]", "A[i, j]", "-A[i, 0]", "exp(B[j])", "(A[i, j] + 1.0)", "cast(K[i], float32)")


def prim_func(seed: int) -> str:
    """Return a PrimFunc `@f(A, B, C, K)` over `(n, 4)`, `(4,)`, `(n, 4)` and integers of `(n,)`."""
    rng = random.Random(f"an everyday PrimFunc {seed}")
    parts: list[str] = []
    for _ in range(rng.randint(1, 3)):
        part = rng.choice(_PARTS[:2] * 3 + _PARTS)
        value = rng.choice(_VALUES if "{step}" in part else _VALUES[:2])
        part = part.format(step=rng.choice(_STEPS).format(v=value), v=value)
        if not any(word in part and word in " ".join(parts) for word in ("alloc T", "alloc s")):
            parts.append(part)
    head = "A: Buffer[(n, 4), float32], B: Buffer[(4,), float32], C: Buffer[(n, 4), float32], K: Buffer[(n,), int32]"
    return f"prim_func @f({head}) {{\n  " + "\n  ".join(parts) + "\n}\n"
