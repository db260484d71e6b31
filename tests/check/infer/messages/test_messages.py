"""What the user reads: the important messages in full, and the fixes that go with them."""

from __future__ import annotations

import pytest

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.base.source import SourceFile
from tests.check.infer.harness import check, fixed, found, program

CASES = {
    "annotation-mismatch": """def @main(x: Tensor[(2, 3), float32]) {
  let y: Tensor[(2, 4), float32] = add(x, x);
  y
}
""",
    "argument-mismatch": """def @main(x: Tensor[(3,), int32], y: Tensor[(4,), int32]) -> Tensor {
  @add(x, y)
}

def @add(a: Tensor[(n,), int32], b: Tensor[(n,), int32]) -> Tensor[(n,), int32] {
  a + b
}
""",
    "argument-kind": """def @main(v: Tensor[(n,), int32]) -> Tensor {
  @id(shape(n))
}

def @id(a: Tensor[(n, m), int32]) -> Tensor {
  a
}
""",
    "return-mismatch": "def @main(x: Tensor[(n, 3), float32]) -> Tensor[(n, 4), float32] {\n  nn.relu(x)\n}\n",
    "needs-match-cast-argument": """def @main(n: Object, u: Tensor) -> Tensor {
  if true {
    @rows(u)
  } else {
    zeros(shape(2, 2), dtype=float32)
  }
}

def @rows(a: Tensor[(n, 4), float32]) -> Tensor {
  a
}
""",
    "needs-match-cast-result": "def @main(x: Tensor) -> Tensor[ndim=2, float32] {\n  add(x, x)\n}\n",
    "needs-match-cast-operator": "def @main(o: Object) -> Object {\n  let y = sum(o);\n  (y, o[1])\n}\n",
    "needs-match-cast-condition": "def @main(c: Tensor) -> Object {\n  if c { 1 } else { 2 }\n}\n",
    "possibly-incompatible": """def @main(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) -> Tensor {
  @add(x, y)
}

def @add(a: Tensor[(k,), float32], b: Tensor[(k,), float32]) -> Tensor[(k,), float32] {
  a + b
}
""",
    "possibly-composite": """def @main(x: Tensor[(n * m,), float32]) -> Tensor {
  let n1 = match_cast(x, Tensor[(n * m // 4 * 4,), float32]);
  let y: Tensor[(n * m // 8 * 8,), float32] = n1;
  y
}
""".replace("(x: Tensor[(n * m,), float32])", "(x: Tensor[(n * m,), float32], s: Shape[(n, m)])"),
    "match-cast-never": """def @main(x: Tensor[(2, 3), float32]) -> Tensor {
  let y = match_cast(x, Tensor[(2, 4, 1), int64]);
  y
}
""",
    "op-shape-mismatch": """def @main(x: Tensor[(n, 784), float32], w: Tensor[(768, 128), float32]) {
  matmul(x, w)
}
""",
    "op-dtype-mismatch": "def @main(x: Tensor[(n,), float32]) {\n  x + 1\n}\n",
    "call-tir-arguments": """prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) {
    Y[i, j] = max(X[i, j], 0.0);
  }
}

def @main(x: Tensor[(k, 4), int32]) {
  call_tir(@relu, (x,)) -> Tensor[(k, 4), float32]
}
""",
    "parameter-too-narrow": """def @apply(f: fn(Tensor) -> Tensor, a: Tensor) -> Tensor {
  f(a)
}

def @main(x: Tensor) -> Tensor {
  let f = fn (a: Tensor[ndim=2]) -> Tensor { a };
  @apply(f, x)
}
""",
    "renamed": """def @main(c: Tensor[(), bool], u: Tensor[ndim=1, int8], v: Tensor[ndim=1, int8]) {
  if c {
    match_cast(u, Tensor[(k,), int8]);
    shape(k)
  } else {
    let w = match_cast(v, Tensor[(k,), int8]);
    let y: Tensor[(k + 1,), int8] = w;
    shape(k)
  }
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_Z_6_messages(name: str, golden) -> None:
    text = CASES[name]
    golden(f"{name}.txt", shown(text))


def shown(text: str) -> str:
    """Return all findings as data a person can read."""
    source = SourceFile(text)
    lines = [text.rstrip("\n"), "-" * 40]
    for one in check(text).diagnostics:
        if one.severity == "off":
            continue
        line, column = source.position(one.pos)
        lines.append(f"{line}:{column} {one!r}")
        lines.append(f"  [{text[one.pos : one.end]}] {one.primary}")
        lines += [f"  [{text[label.pos : label.end]}] {label.message}" for label in one.labels]
        lines += [f"  note: {note}" for note in one.notes]
        lines += [f"  help: {one.help}"] if one.help else []
    if any(one.fixes for one in check(text).diagnostics):
        lines += ["-" * 40, fixed(text).rstrip("\n")]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "body",
    [
        "@g2(u)",
        "let y: Tensor[ndim=2, float32] = u; y",
        "let y = @g2(o); y",
        "dataflow { let y = @g2(u); output y; } y",
        "if c { @g2(u) } else { @g2(o) }",
        "(@g2(u), add(@g2(@g2(o)), x))",
        "let f = fn (v: Tensor) { @g2(v) }; f(u)",
        "(@g2(u))",
        "if u { x } else { x }",
        "o[0]",
        "let f = o; f(x)",
        "sum(o)",
        "call_tir(@relu, (u,)) -> Tensor[(2, 3), float32]",
        'let y = extern "f"(x); y[1]',
    ],
)
def test_Z_3_the_cast_that_is_offered_makes_the_program_right(body: str) -> None:
    text = program(body)
    assert "needs-match-cast" in [slug for slug, _ in found(text)]
    assert [slug for slug, _ in found(fixed(text)) if slug != "possibly-incompatible"] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("let y = match_cast(x, Tensor[(2, 3), float32]); (y, y)", "let y = x; (y, y)"),
        (
            "let y: Tensor = match_cast(u, Tensor[(2, 3), float32]); y",
            "let y = match_cast(u, Tensor[(2, 3), float32]); y",
        ),
        (
            "let y: Tensor[(m, 3), float32] = s; y",
            "let y: Tensor[(m, 3), float32] = match_cast(s, Tensor[(m, 3), float32]); y",
        ),
        ("x + 1", "x + 1.0"),
        ("reshape(x, (3, 2))", "reshape(x, shape(3, 2))"),
        ("zeros((4,), dtype=float32)", "zeros(shape(4), dtype=float32)"),
        ("1 * astype(x, dtype=int64)", "const(1, int64) * astype(x, dtype=int64)"),
    ],
)
def test_fixes_of_casts_literals_and_shapes(before: str, after: str) -> None:
    from relax_lang import api

    text = api.fix_text(program(before), unsafe=True).text
    assert text == program(after)
    assert [slug for slug, _ in found(text)] == []


def test_variables_that_the_normal_form_renames_keep_the_authors_names() -> None:
    def last(text: str) -> Diagnostic:
        return [one for one in check(text).diagnostics if one.slug != "shadowing"][-1]

    twice = "def @main(f0: Tensor, x: Object) -> Object {{ let f0 = f0; let x = x; {} }}"
    one = last(twice.format("let f0: Tensor = (x, x); f0"))
    assert one.message.startswith("`f0` is annotated `Tensor` but its value is `(Object, Object)`")
    one = last(twice.format("f0(x)"))
    assert one.message == "`Tensor` cannot be called"
    one = last(twice.format("let f0 = fn (a: Object) -> Object { a }; f0(x, x)"))
    assert one.message == "`f0` takes 1 argument, 2 are given"
    text = twice.format("let f0: Object = match_cast(f0, Tensor[ndim=2]); f0")
    one = last(text)
    (edit,) = one.fixes[0].edits
    assert text[edit.pos : edit.end] == ": Object"
