"""Long functions, and edits as people make them inside of one."""

from __future__ import annotations

import random
import re

from tests.workspace.random_edits import edited

HEAD = """prim_func @tir(X: Buffer[(n, 4), float32], Y: Buffer[(n, 4), float32]) {
  for i in 0..n { for j in 0..4 { Y[i, j] = X[i, j]; } }
}

def @other(a: Tensor[(m, 4), float32]) -> Tensor[(m, 4), float32] { exp(a) }

"""
STATEMENTS = (
    "let v{0} = multiply(v{1}, x);",
    "let v{0} = multiply(v{1}, x);",
    "let v{0} = exp(v{2});",
    "let v{0} = add(exp(v{1}), nn.relu(v{2}));",
    "let v{0} = v{1} + v{2} * x;",
    "let v{0}: Tensor[(n, 4), float32] = exp(v{2});  # words",
    "let v{0} = @other(v{2});",
    "let v{0} = call_tir(@tir, (v{1},)) -> Tensor[(n, 4), float32];",
    "let `v{0}` = exp(v{1});",
    "let t{0} = (v{1}, v{2}); let v{0} = t{0}[0];",
    "let u{0} = unique(v{1}); let v{0} = match_cast(v{2}, Tensor[(k{0}, 4), float32]);",
    "let v{0} = if c {{\n    let y = exp(v{1});\n    let z = add(y, x);\n    z\n  }} else {{\n    v{2}\n  }};",
    "let f{0} = fn (y: Tensor[(n, 4), float32]) {{ add(y, v{1}) }};\n  let v{0} = f{0}(v{2});",
    "let v{0} = multiply(v{1}, const(2.0, float32));",
    'let v{0} = extern "host"(v{2}) -> Tensor[(n, 4), float32];',
    "let v{0} = reshape(v{1}, (n, 4));",
    "let v{0} = permute_dims(permute_dims(v{1}));",
    "# relax: ignore[unused-binding]\n  let v{0} = v{1};",
)


def program(rng: random.Random, count: int) -> str:
    """Return a program with a function of many statements, some of them in dataflow blocks."""
    plain = rng.random() < 0.4
    parts = [HEAD, "def @long(x: Tensor[(n, 4), float32], c: Tensor[(), bool]) {\n  let v0 = exp(x);\n"]
    within = False
    for number in range(1, count):
        if rng.random() < (0.01 if plain else 0.05):
            parts.append(f"  output v{number - 1};\n  }}\n" if within else "  dataflow {\n")
            within = not within
        kind = rng.randrange(5 if plain or within else len(STATEMENTS))
        back = max(0, number - rng.choice((1, 1, 2, 3, 20)))
        parts.append("  " + STATEMENTS[kind].format(number, number - 1, back) + "\n")
    if within:
        parts.append(f"  output v{count - 1};\n  }}\n")
    parts.append(
        f"  v{count - 1}\n}}\n\ndef @last(x: Tensor[(n, 4), float32]) {{ @long(x, const(true, bool)) }}\n"
    )
    return "".join(parts)


def edited_inside(text: str, rng: random.Random) -> str:
    """Return a text after an edit of one statement: another operator, a new name, a statement more or less."""
    lines = text.splitlines(keepends=True)
    lets = [at for at, line in enumerate(lines) if line.lstrip().startswith("let ")]
    if not lets:
        return edited(text, rng, [text])
    at = rng.choice(lets)
    rng.choice(
        (_operator, _operator, _operator, _renamed, _another, _fewer, _pasted, _shaped, _border, _many, _cut)
    )(lines, at, rng)
    return "".join(lines)


def _operator(lines: list[str], at: int, rng: random.Random) -> None:
    called = rng.choice(("subtract(", "sin(", "exp(", "mean("))
    lines[at] = re.sub(r"\b(multiply|exp|add|relu)\(", called, lines[at], count=1)


def _renamed(lines: list[str], at: int, rng: random.Random) -> None:
    name = re.search(r"\bv\d+\b", lines[at])
    if name is None:
        return
    new = rng.choice((f"w{rng.randrange(99)}", "v1", "exp", "add", "n", f"{name[0]}0"))
    if rng.random() < 0.5:  # everywhere
        lines[:] = [re.sub(rf"\b{name[0]}\b", new, line) for line in lines]
    else:
        lines[at] = lines[at].replace(name[0], new, 1)


def _another(lines: list[str], at: int, rng: random.Random) -> None:
    number = rng.randrange(1_000, 2_000)
    made = rng.choice(STATEMENTS).format(number, rng.randrange(9), rng.randrange(9))
    lines.insert(at, f"  {made}\n")


def _fewer(lines: list[str], at: int, rng: random.Random) -> None:
    del lines[at : at + rng.choice((1, 1, 1, 30))]


def _pasted(lines: list[str], at: int, rng: random.Random) -> None:
    pasted = (
        "dataflow {",
        "}",
        "output v5;",
        "let b = nn.",
        "",
        "# words",
        "return v3;",
        "let y = x.astype(1);",
    )
    lines.insert(at, f"  {rng.choice(pasted)}\n")


def _shaped(lines: list[str], at: int, rng: random.Random) -> None:
    lines[at] = lines[at].replace("(n, 4)", rng.choice(("(n, 5)", "(4, n)", "(q, 4)", "(n,)")))


def _border(lines: list[str], at: int, rng: random.Random) -> None:
    borders = [i for i, one in enumerate(lines) if one.strip() in ("}", "dataflow {") or "output" in one]
    if borders:
        i = min(borders, key=lambda one: abs(one - at))
        moved = lines.pop(i)
        lines.insert(max(1, i + rng.randrange(-3, 4)), moved)


def _many(lines: list[str], at: int, rng: random.Random) -> None:
    lines[at:at] = [f"  let s{i} = exp(x);\n" for i in range(rng.randrange(40))]


def _cut(lines: list[str], at: int, rng: random.Random) -> None:
    lines[at] = lines[at][: rng.randrange(len(lines[at]))] + "\n"
