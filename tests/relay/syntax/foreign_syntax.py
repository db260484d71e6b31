"""Syntax of other languages: text, slug, message."""

from __future__ import annotations

LIST = "type L { C(int32, L), N }\n"
TENSOR = "def @main(%x: Tensor[(2, 3), float32]) { "
ARROW = "a pattern and its value are joined by `=>`"
COMMA = "clauses and constructors are separated by `,`"
FOREIGN = [
    (
        'def @main(%x: R.Tensor((2, 3), "float32")) { %x }',
        "relay-syntax",
        "the type of a tensor is in brackets: `Tensor[(2, 3), float32]`",
    ),
    (
        'def @main(%x: Tensor((2, 3), "float32")) { %x }',
        "relay-syntax",
        "the type of a tensor is in brackets: `Tensor[(2, 3), float32]`",
    ),
    (
        'def @main(%x: Tensor[(2, 3), "float32"]) { %x }',
        "relay-syntax",
        "the dtype of a tensor is written without quotes",
    ),
    (
        "def @main(%x: Tensor[2, 3, float32]) { %x }",
        "relay-syntax",
        "the extents of a tensor are in parentheses: `Tensor[(2, 3), float32]`",
    ),
    (
        "def @main(%x: Tensor[(n, 3), float32]) { %x }",
        "relay-kind",
        "`n` is not an extent: a number, `?`, or a parameter of the kind `ShapeVar`",
    ),
    ("def main(%x: int32) { %x }", "relay-syntax", "the name of a function begins with `@`: `@main`"),
    ("fn @main(%x: int32) { %x }", "relay-syntax", "a function of the module begins with `def`"),
    ("function @main(%x: int32) { %x }", "relay-syntax", "a function of the module begins with `def`"),
    ("def @main(%x: int32): int32 { %x }", "relay-syntax", "the type of the result is behind `->`"),
    ("def @main(%x: int32) = %x", "relay-syntax", "the body of a function is in braces: `{ … }`"),
    ("def @main(%x: int32) -> int32:\n  %x", "relay-syntax", "the body of a function is in braces: `{ … }`"),
    (
        "def @main(%x: int32) { %y := %x; %y }",
        "relay-syntax",
        "there is no `:=`: `let %x = …;` binds, `ref_write(%r, …)` writes a reference",
    ),
    ("def @main(%x: int32) { return %x; }", "relay-syntax", "there is no `return` in Relay"),
    ("def @main(%x: int32) { %x ** 2 }", "relay-syntax", "there is no operator for powers: `power(a, b)`"),
    ("def @main(%x: int32) { %x // 2 }", "relay-syntax", "this `{` is never closed"),
    (
        "def @main(%x: int32) {\n  let %y = %x // 2;\n  %y\n}",
        "relay-syntax",
        "expected `;` after this binding",
    ),
    (
        "def @main(%x: int32) { if (%x > 1) { 1 } elif (%x > 2) { 2 } else { 3 } }",
        "relay-syntax",
        "`elif` is written `else if`",
    ),
    (
        "def @main(%x: int32) { if (%x > 1) { 1 } elif (%x > 2) { 2 } }",
        "relay-syntax",
        "`elif` is written `else if`",
    ),
    (
        "def @main(%a: Tensor[(2, 3), float32], %b: Tensor[(3, 4), float32]) { %a @ %b }",
        "relay-syntax",
        "there is no operator `@`: a product of matrices is `nn.matmul(a, b)`",
    ),
    (
        "def @main(%a: Tensor[(2, 3), float32]) {\n  let %c = %a @ %a;\n  %c\n}",
        "relay-syntax",
        "there is no operator `@`: a product of matrices is `nn.matmul(a, b)`",
    ),
    (
        "type L { C(int32), N }\ndef @main(%l: L) { match (%l) { C(%x) -> %x, N => 0 } }",
        "relay-syntax",
        "a pattern and its value are joined by `=>`",
    ),
    (
        "type L { C(int32), N }\ndef @main(%l: L) { match (%l) { N -> 0, C(%x) => %x } }",
        "relay-syntax",
        "a pattern and its value are joined by `=>`",
    ),
    (
        "def @main(%t: (int32, bool)) { match (%t) { (%a, _) -> %a } }",
        "relay-syntax",
        "a pattern and its value are joined by `=>`",
    ),
    (
        "def @main(%x: int32) { %x % 2 }",
        "relay-syntax",
        "there is no infix operator for the remainder: `mod(a, b)`",
    ),
    (
        "def @main(%x: Tensor[(2, 3), float32]) { %x[0] }",
        "relay-syntax",
        "a field of a tuple is `.0`; a part of a tensor is taken by an operator",
    ),
    (
        "def @main(%x: (int32, int32)) { %x[0] }",
        "relay-syntax",
        "a field of a tuple is `.0`; a part of a tensor is taken by an operator",
    ),
    (
        "def @main(%x: (int32, int32)) { let (%a, %b) = %x; %a }",
        "relay-syntax",
        "`let` binds one variable: take the fields of a tuple by `.0` and `.1`",
    ),
    ("def @main(%x: bool) { not %x }", "relay-syntax", "there is no `not`: `logical_not(…)`"),
    ("def @main(%x: bool) { %x and %x }", "relay-syntax", "`and` is written `&&`"),
    (
        "def @main(%x: int32) { %x if %x > 1 else 2 }",
        "relay-syntax",
        "an `if` is before its values: `if (c) { a } else { b }`",
    ),
    (
        "def @main(%x: bool) { if %x { 1 } else { 2 } }",
        "relay-syntax",
        "the condition of an `if` is in parentheses",
    ),
    ("def @main(%x: bool) { if (%x): 1 else: 2 }", "relay-syntax", "a branch is in braces: `{ … }`"),
    (
        "def @main(%x: Tensor[(2, 3), float32]) { relay.nn.relu(%x) }",
        "relay-unknown-operator",
        "there is no operator or constructor `relay.nn.relu`",
    ),
    (
        "def @main(%x: Tensor[(2, 3), float32]) { R.nn.relu(%x) }",
        "relay-unknown-operator",
        "there is no operator or constructor `R.nn.relu`",
    ),
    (
        "def @main(%x: Tensor[(2, 3), float32]) { nn.dense(%x, %x, units = 4, bias=None) }",
        "relay-unknown-attribute",
        "`nn.dense` has no attribute `bias`",
    ),
    (
        "def @main(%x: Tensor[(2, 3), float32]) { sum(%x, axis=[0], keepdims=true) }",
        "relay-syntax",
        "`true` is written `True`",
    ),
    (
        "def @main(%x: Tensor[(2, 3), float32]) { cast(%x, dtype=int32) }",
        "relay-syntax",
        "words are written in quotes here",
    ),
    (
        'def @main(%x: Tensor[(2, 3), float32]) { cast(%x, dtype="int") }',
        "relay-attribute-value",
        '`dtype` of `cast` is a dtype in quotes, not `"int"`',
    ),
    (
        "def @main(%x: Tensor[(2, 3), float32]) { nn.softmax(%x, 1) }",
        "relay-arity",
        "`nn.softmax` takes 1 argument, found 2",
    ),
    (
        "def @main(%x: Tensor[(2, 3), float32]) { permute_dims(%x) }",
        "relay-unknown-operator",
        "there is no operator or constructor `permute_dims`",
    ),
    (
        "def @main(%x: Tensor[(2, 3), float32]) { matmul(%x, %x) }",
        "relay-unknown-operator",
        "there is no operator or constructor `matmul`",
    ),
    (
        "def @main(%x: Tensor[(2, 3), float32]) { concat((%x, %x)) }",
        "relay-unknown-operator",
        "there is no operator or constructor `concat`",
    ),
    (
        "def @main(%x: Tensor[(2, 3), float32]) { %x * 2.0 }",
        "relay-literal",
        "a fraction needs a suffix with its width: `2.0f`",
    ),
    (
        "def @main(%x: Tensor[(2, 3), float32]) { %x * 2 }",
        "relay-dtype",
        "`multiply` takes two tensors of one dtype: `lhs` is float32, `rhs` is int32",
    ),
    (
        "type List[A] { Cons(A, List[A]), Nil }\ndef @main() { [1, 2] }",
        "relay-syntax",
        "there are no lists: a tuple is written `(1, 2)`",
    ),
    ("enum List { Nil }", "relay-syntax", "a type is defined by `type Name { Constructor, … }`"),
    (
        'def @main() { "hello" }',
        "relay-syntax",
        "a string is not a value of a program; it can be one of an attribute",
    ),
    (
        "def @main() { None }",
        "relay-unknown-operator",
        "`None` is a value of attributes alone; `()` is the value without contents",
    ),
    ("def @main() { true }", "relay-unknown-operator", "there is no operator or constructor `true`"),
    ("def @main() { lambda %x: %x }", "relay-syntax", "there is no `lambda`: `fn (%x) { … }`"),
    ("def @main() { fn(%x) => %x }", "relay-syntax", "the body of a function is in braces: `{ … }`"),
    (
        "def @main() { for %i in 3 { 1 } }",
        "relay-syntax",
        "there are no loops: a function that calls itself repeats what it does",
    ),
    (
        "def @main() { while (True) { 1 } }",
        "relay-syntax",
        "there are no loops: a function that calls itself repeats what it does",
    ),
    (
        "import tvm\ndef @main() { 1 }",
        "relay-syntax",
        (
            "operators are known by their names; texts of the standard library are imported in quotes: "
            '`import "std/prelude.relay"`'
        ),
    ),
    (
        "@main = fn (%x: int32) { %x }",
        "relay-syntax",
        "a function of the module is written `def @main(…) { … }`",
    ),
    ("def @main(%x: int32, ) { print(%x) }", "relay-unknown-operator", "there is no `print` in Relay"),
    (
        "def @main() { let %r = ref(1); %r := 2 }",
        "relay-syntax",
        "there is no `:=`: `let %x = …;` binds, `ref_write(%r, …)` writes a reference",
    ),
    ("def @main(%x: float) { %x }", "relay-unknown-type", "there is no type `float`"),
    ("def @main(%x: f32) { %x }", "relay-unknown-type", "there is no type `f32`"),
    *[
        (f"{head}{LIST}def @f(%l: L) {{ match (%l) {{ {clauses} }} }}", "relay-syntax", message)
        for head, clauses, message in (
            ("", "C(%h, _) -> %h, N -> 0", ARROW),
            ("", "C(%h, _): %h, N: 0", ARROW),
            ("", "C(%h, _) = %h, N = 0", ARROW),
            ("", "C(%h, _) => { %h }; N => { 0 };", COMMA),
            ("", "| C(%h, _) => %h | N => 0", COMMA),
            ("", "case C(%h, _): %h case N: 0", "the value of a case is in braces: `case Nil() { 0 }`"),
        )
    ],
    (
        f"{LIST}def @f(%l: L) {{ match (%l) {{ C(h, _) => h + h, N => 0 }} }}",
        "relay-unknown-constructor",
        "no type of the module has a constructor `h`",
    ),
    (
        f"{LIST}def @f(%l: L) {{ match (%l) with C(%h, _) => %h, N => 0 }}",
        "relay-syntax",
        "the clauses of a match are in braces: `match (e) { … }`",
    ),
    (
        f"{LIST}def @f(%l: L) {{ switch (%l) {{ case C(%h, _) {{ %h }} }} }}",
        "relay-syntax",
        "there is no `switch`: `match (e) { … }`",
    ),
    ("type L { A | B }\ndef @main() { A }", "relay-syntax", COMMA),
    ("type L { A; B }\ndef @main() { A }", "relay-syntax", COMMA),
    (
        "type L = A | B",
        "relay-syntax",
        "the constructors of a type are in braces: `type Name { A, B(int32) }`",
    ),
    ("type L(A) { C(A) }", "relay-syntax", "the parameters of a type are in brackets: `type Name[A] { … }`"),
    (
        "type L { C of int32 }",
        "relay-syntax",
        "the fields of a constructor are in parentheses: `Name(int32)`",
    ),
    ("type L[A] { C(A, L<A>), N }", "relay-syntax", "the arguments of a type are in brackets: `List[int32]`"),
    (
        "def @main(x: int32) { x + x }",
        "relay-syntax",
        "the name of a local variable begins with `%`: `%x`",
    ),
    ("def @main() { let x = 1; x + x }", "relay-syntax", "`let` binds a local variable: `%x`"),
    ("def @main() { x = 1; x + x }", "relay-syntax", "a variable is bound with `let`"),
    (
        "def @main() { let %x := 1; %x }",
        "relay-syntax",
        "there is no `:=`: `let %x = …;` binds, `ref_write(%r, …)` writes a reference",
    ),
    (
        "def @main(%x: int32) { %x += 1; %x }",
        "relay-syntax",
        "a variable is not changed: `let %x = %x + …;` binds another one of its name",
    ),
    (
        TENSOR + "nn.relu(data=%x) }",
        "relay-syntax",
        "an attribute has a value that is written out; `%x` is computed when the program runs",
    ),
    (
        TENSOR + "transpose(%x, [1, 0]) }",
        "relay-syntax",
        "there are no lists: a tuple is written `(1, 2)`",
    ),
    (
        TENSOR + "concatenate([%x, %x], axis=0) }",
        "relay-syntax",
        "there are no lists: a tuple is written `(1, 2)`",
    ),
    (TENSOR + "concatenate(%x, %x) }", "relay-arity", "`concatenate` takes 1 argument, found 2"),
    (TENSOR + "reshape(%x, (3, 2)) }", "relay-arity", "`reshape` takes 1 argument, found 2"),
    (TENSOR + "clip(%x, 0f, 6f) }", "relay-arity", "`clip` takes 1 argument, found 3"),
    (
        TENSOR + "clip(%x) }",
        "relay-attribute-value",
        "`clip` needs `a_min`, a number, and `a_max`, a number",
    ),
    (TENSOR + "reshape(%x, shape=[3, 2]) }", "relay-unknown-attribute", "`reshape` has no attribute `shape`"),
    (
        TENSOR + 'cast(%x, "int32") }',
        "relay-syntax",
        "a string is not a value of a program; it can be one of an attribute",
    ),
    (TENSOR + "%x.shape[0] }", "relay-syntax", "values have no fields by name: `.shape`"),
    (TENSOR + "%x.sum(axis=1) }", "relay-syntax", "values have no methods: `.sum`"),
    (TENSOR + "@relu(%x) }", "relay-undefined-variable", "`@relu` is not defined"),
    (
        "def @main() { for (i in 0..3) { 1 } }",
        "relay-syntax",
        "there are no loops: a function that calls itself repeats what it does",
    ),
    (
        "def @main(%x: Tensor) { 1 }",
        "relay-syntax",
        "the type of a tensor has extents and a dtype: `Tensor[(2, 3), float32]`",
    ),
    (
        "def @f[A](%x: A) { %x }\ndef @main() { @f[int32](1) }",
        "relay-syntax",
        "type arguments of a call are inferred; those that are written are in `<…>`: `@f<int32>(1)`",
    ),
    ("def @f(%x: 'A') { %x }", "relay-syntax", 'strings are written in `"`'),
    (
        '"""What it does."""\ndef @main() { 1 }',
        "relay-syntax",
        "a comment begins with `//`; there are no other texts before the definitions",
    ),
    ("def @main(*%x: int32) { 1 }", "relay-syntax", "a function takes a fixed number of parameters"),
    ("def @main(%x: int32 = 3) { %x }", "relay-syntax", "parameters have no defaults"),
]
