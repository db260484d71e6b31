"""Small programs in which the obvious rewriting is wrong: changes in place, aliases, effects, branches, failures.

Of the packed functions, `bump` adds one in place, `log` tells the host what it is given and returns it, `store` keeps
it, `bump_kept` adds one to what was kept, and `stop` fails.
"""

from __future__ import annotations

T = "Tensor[(3,), float32]"
HEAD = f"impure def @main(x: {T}, y: {T}, c: Tensor[(), bool]) {{"

TIR = """
prim_func @twice(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[i] * 2.0; }
}
prim_func @grown(X: Buffer[(n,), float32]) {
  for i in 0..n { X[i] = X[i] + 1.0; }
}
prim_func @flipped(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[n - 1 - i]; }
}
"""

BODIES: dict[str, str] = {
    # Common subexpressions.
    "one of two equal values is changed": 'let a = exp(x); let b = exp(x); extern "bump"(a) -> (); (a, b)',
    "both outputs of a block, one changed after it": (
        'dataflow { let a = exp(x); let b = exp(x); output a, b; } extern "bump"(a) -> (); (a, b)'
    ),
    "the operand changes between two equal calls": (
        'let a = exp(x); extern "bump"(x) -> (); let b = exp(x); (a, b)'
    ),
    "an alias of the operand changes between": (
        'let z = x; let a = exp(x); extern "bump"(z) -> (); let b = exp(x); (a, b)'
    ),
    "the operand changes through a tuple": (
        'let t = (x, y); let a = exp(x); let z = t[0]; extern "bump"(z) -> (); let b = exp(x); (a, b)'
    ),
    "the operand changes through a view": (
        'let v = reshape(x, shape(3, 1)); let a = exp(x); extern "bump"(v) -> (); let b = exp(x); (a, b, v)'
    ),
    "the operand changes inside of a closure": (
        'let f = impure fn () { extern "bump"(x) -> (); x }; let a = exp(x); let u = f();'
        " let b = exp(x); (a, b, u)"
    ),
    "what the host keeps is changed later": (
        'let a = exp(x); let b = exp(x); extern "store"(a) -> (); extern "bump_kept"() -> (); (a, b)'
    ),
    "equal values in two branches": (
        'let a = if c { let p = exp(x); extern "bump"(p) -> (); p } else { exp(x) }; let b = exp(x); (a, b)'
    ),
    "a value of a branch is not known after it": "let a = if c { exp(x) } else { x }; let b = exp(x); a + b",
    "two tuples with the same fields": (
        'let a = exp(x); let t = (a, y); let u = (a, y); let p = t[0]; extern "bump"(p) -> (); (t, u)'
    ),
    "new memory twice": (
        "let a = zeros(shape(3), dtype=float32); let b = zeros(shape(3), dtype=float32);"
        ' extern "bump"(a) -> (); (a, b)'
    ),
    "equal constants, one is changed": (
        'let a = const([1.0, 2.0, 3.0]); let b = const([1.0, 2.0, 3.0]); extern "bump"(a) -> (); (a, b)'
    ),
    "a packed function is called twice": (
        f'let a = extern "log"(x) -> {T}; let b = extern "log"(x) -> {T}; (a, b)'
    ),
    "an impure function is called twice": "let a = @tells(x); let b = @tells(x); a + b",
    "local functions with equal text": (
        "let f = fn (p: Tensor[(3,), float32]) { p + x }; let g = fn (p: Tensor[(3,), float32]) { p + x };"
        " (f(y), g(y))"
    ),
    "calls of PrimFuncs, one result is changed": (
        f"let a = call_tir(@twice, (x,)) -> {T}; let b = call_tir(@twice, (x,)) -> {T};"
        f' extern "bump"(b) -> (); (a, b)'
    ),
    "a call in place between equal calls": (
        f"let a = exp(x); let z = call_tir_inplace(@grown, (x,), inplace_indices=[0]) -> {T};"
        f" let b = exp(z); (a, b, x)"
    ),
    # Names for names.
    "a name for a name, one of them is changed": 'let a = x; extern "bump"(a) -> (); let b = a; (a, b, x)',
    "a field of a tuple that a function returned": (
        'let t = @pair(x); let a = t[0]; extern "bump"(a) -> (); let b = t[0]; (b, t[1])'
    ),
    "a tuple is taken apart and put together": (
        'let t = (x, y); let u = (t[0], t[1]); extern "bump"(u[1]) -> (); (t, u)'
    ),
    "an output takes a name, and is changed": (
        'dataflow { let a = exp(x); let o = a; output o; } extern "bump"(o) -> (); (o, x)'
    ),
    "two outputs are one value": (
        'dataflow { let a = exp(x); let o = a; let p = a; output o, p; } extern "bump"(o) -> (); (o, p)'
    ),
    "a cast that binds a size": (
        "let z: Object = x; let a = match_cast(z, Tensor[(k,), float32]); ones(shape(k), dtype=float32)"
    ),
    # Dead code.
    "a dead call has an effect": 'let d = exp(x); extern "log"(d) -> (); y',
    "a dead call of a function with effects": "let d = @tells(x); y",
    "a dead call may fail": "let z: Object = x; let d = match_cast(z, Tensor[(4,), float32]); y",
    "a dead packed call may fail": 'extern "stop"(x) -> (); y',
    "a dead branch has an effect": 'let d = if c { extern "log"(x) -> (); x } else { y }; y',
    "a dead closure that would have an effect": 'let f = impure fn () { extern "log"(x) -> (); x }; y',
    "the result of a call in place is dead": (
        f"let z = call_tir_inplace(@grown, (x,), inplace_indices=[0]) -> {T}; x"
    ),
    "a dead assertion": 'assert_op(c, format="no"); y',
    # Folding.
    "a folded constant is changed": (
        "dataflow { let a = const([1.0, 2.0, 3.0]) + const(1.0); let b = a; output a, b;"
        ' } extern "bump"(a) -> (); (a, b)'
    ),
    "a failure is not moved": (
        'extern "log"(x) -> (); dataflow { let q = take(const([1.0, 2.0]), const([5], int64), axis=0);'
        " output q; } q"
    ),
    "a folded call in a function that is called twice": (
        'let a = @fresh(); extern "bump"(a) -> (); let b = @fresh(); (a, b)'
    ),
    "a constant is changed in place and read": (
        "dataflow { let k = const([1.0, 2.0, 3.0]);"
        f" let z = call_tir_inplace(@grown, (k,), inplace_indices=[0]) -> {T}; let s = k + const(1.0);"
        f" output z, s; }}"
        " (z, s)"
    ),
    "a constant is changed by the host before a block": (
        'let k = const([1.0, 2.0, 3.0]); extern "bump"(k) -> (); dataflow { let s = k + const(1.0); output s; } (k, s)'
    ),
    "a constant is changed in a branch": (
        'let k = const([1.0, 2.0, 3.0]); let u = if c { extern "bump"(k) -> (); x } else { y };'
        " dataflow { let s = k + const(1.0); output s; } (u, s)"
    ),
    # Functions.
    "an inlined function changes its argument": "let a = @bumps(x); let b = exp(x); (a, b)",
    "an inlined function returns its argument": 'let a = @itself(x); extern "bump"(a) -> (); (a, x)',
    "recursion with effects": "let r = @down(x, c); (r, x)",
    "closures that capture what is changed later": (
        'let f = fn (p: Tensor[(3,), float32]) { p + x }; let a = f(y); extern "bump"(x) -> ();'
        " let b = f(y); (a, b)"
    ),
    "a closure in a tuple in a branch": (
        "let f = fn (p: Tensor[(3,), float32]) { p * x }; let t = (f, y);"
        " let r = if c { let g = t[0]; g(t[1]) } else { y }; (r, f(x))"
    ),
    "a closure that is returned twice": (
        'let f = @maker(x); let a = f(y); extern "bump"(x) -> (); let g = @maker(x); (a, f(y), g(y))'
    ),
    # Fusing, views and memory that is used again.
    "an intermediate result leaves its group": (
        f"dataflow {{ let a = call_tir(@twice, (x,)) -> {T}; let b = call_tir(@twice, (a,)) -> {T};"
        f" output a, b; }}"
        ' extern "bump"(a) -> (); (a, b)'
    ),
    "a view of what is changed": (
        'dataflow { let a = exp(x); let v = reshape(a, shape(1, 3)); output a, v; } extern "bump"(a) -> (); (a, v)'
    ),
    "a reversed copy is not a view": (
        f"dataflow {{ let a = exp(x); let b = call_tir(@flipped, (a,)) -> {T}; output a, b;"
        f' }} extern "bump"(a) -> (); (a, b)'
    ),
    "the operand of a group changes within it": (
        f"dataflow {{ let a = call_tir(@twice, (x,)) -> {T};"
        f" let z = call_tir_inplace(@grown, (x,), inplace_indices=[0]) -> {T};"
        f" let b = call_tir(@twice, (a,)) -> {T}; output b, z; }} (b, z)"
    ),
    "the operand of a pattern changes within the match": (
        "dataflow { let a = exp(x);"
        f" let z = call_tir_inplace(@grown, (x,), inplace_indices=[0]) -> {T}; let b = nn.relu(a);"
        f" output b, z; }} (b, z)"
    ),
    "the operand of a pattern changes outside of blocks": (
        'let a = exp(x); extern "bump"(x) -> (); let b = nn.relu(a); (b, x)'
    ),
    "an operand that is used again must not be written over": (
        "dataflow { let a = exp(x); let b = a + y; let d = b * a; output d; } d"
    ),
    "a parameter must not be written over": "dataflow { let a = x + y; let b = a * x; output b; } (b, x)",
    "one value twice in a tuple": (
        'dataflow { let a = exp(x); let t = (a, a); output t; } extern "bump"(t[0]) -> (); t'
    ),
    "a split whose parts are changed": (
        'dataflow { let p = split(x, indices_or_sections=3); output p; } extern "bump"(p[0]) -> (); (p, x)'
    ),
}

HELPERS = f"""
private impure def @tells(p: {T}) -> {T} {{ extern "log"(p) -> (); exp(p) }}
private impure def @bumps(p: {T}) -> {T} {{ extern "bump"(p) -> (); p + p }}
private def @itself(p: {T}) -> {T} {{ p }}
private def @pair(p: {T}) -> ({T}, {T}) {{ (p, p) }}
private def @fresh() -> {T} {{ dataflow {{ let k = const([1.0, 2.0, 3.0]) * const(2.0); output k; }} k }}
private def @maker(p: {T}) -> fn({T}) -> {T} {{ let q = exp(p); fn (r: {T}) {{ r + q + p }} }}
private impure def @down(p: {T}, c: Tensor[(), bool]) -> {T} {{
  if c {{ extern "log"(p) -> (); let q = p + p; @down(q, logical_not(c)) }} else {{ exp(p) }}
}}
"""


def program(name: str) -> str:
    """Return the text of a program."""
    return f"{TIR}{HELPERS}{HEAD} {BODIES[name]} }}"
