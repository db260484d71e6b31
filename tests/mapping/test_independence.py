"""Whether rows are apart: what is proved, and what each reason says that is not."""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.mapping.independence import rows_of_function
from relax_lang.ops.row_rules.states import Fields, Mixed, Rows, State, Uniform
from relax_lang.typed import Typed
from tests.cli.harness import ROOT

X = "x: Tensor[(n, 4), float32]"


def shown(state: State) -> object:
    if isinstance(state, Fields):
        return tuple([shown(field) for field in state.fields])
    if isinstance(state, Mixed):
        return [cause.reason for cause in state.causes]
    return state.axis if isinstance(state, Rows) else type(state).__name__


def rows(text: str, dim: str = "n") -> object:
    return shown(rows_of_function(Typed.of_checked(api.check_sound(text)), "main", dim))


@pytest.mark.parametrize(
    ("params", "body", "expected"),
    [
        (f"{X}, w: Tensor[(4, 5), float32]", "nn.softmax(matmul(x, w) + 1.0)", 0),
        (X, "permute_dims(x)", 1),
        (X, "reshape(reshape(x, shape(n * 2, 2)), shape(n, 2, 2))", 0),
        (
            X,
            "reshape(permute_dims(x), shape(n, 4))",
            ["the rows are not the first axis of what is put together"],
        ),
        (X, "sum(x, axis=0)", ["it reduces over the rows"]),
        (X, "sum(x, axis=1)", 0),
        (X, "x + zeros(shape(n, 4), dtype=float32)", 0),
        (X, "x * full(shape(n, 1), 2.0)", 0),
        (X, "(x, ones(shape(3), dtype=float32))", (0, "Uniform")),
        (X, "x / scalar(n, x)", ["it does not say that it keeps rows apart"]),
        (X, "matmul(x, permute_dims(x))", ["its operands have their rows along different axes"]),
        (X, "take(x, const([0, 0]), axis=0)", ["it takes rows by their number"]),
        (X, "let y = sum(x, axis=0); (x, mean(y))", (0, ["it reduces over the rows"])),
        (X, "let y = sum(x, axis=0); x", 0),
        ("x: Tensor[(n, 4), float32], c: Tensor[(), bool]", "if c { x } else { x + x }", 0),
        (X, "if less(sum(x), const(1.0)) { x } else { x + x }", ["it reduces over the rows"]),
        (X, 'print(x, format="{}"); x', ["`print` has an effect, which would happen once for each part"]),
        (X, "unique(x)", ["it does not say that it keeps rows apart"]),
        (X, "let y = match_cast(x, Tensor[(m, 4), float32]); y + zeros(shape(m, 4), dtype=float32)", 0),
        (f"{X}, y: Tensor[(n, n), float32]", "x", ["`y` cannot be divided into rows"]),
        (X, "strided_slice(x, (0, 1), (0, 1), (n, 3))", 0),
        (X, "strided_slice(x, (0,), (0,), (n,), (1,))", 0),
        (X, "strided_slice(x, (0,), (0,), (n,), (2,))", ["it takes some of the rows"]),
        (X, "strided_slice(x, (0,), (1,), (n,))", ["it takes some of the rows"]),
        (X, 'layout_transform(x, index_map="(i, j) -> (j // 2, i, j % 2)")', 1),
        (
            X,
            'layout_transform(x, index_map="(i, j) -> (i // 2, j, i % 2)")',
            ["its map does not pass on `i`"],
        ),
        (X, 'layout_transform(x, index_map="(i, j) -> (i, i + j)")', ["its map does not pass on `i`"]),
        (
            "x: Tensor[(3, n), float32], i: Tensor[(2, 1), int64], u: Tensor[(2, n), float32]",
            "scatter_nd(x, i, u)",
            1,
        ),
        (
            "x: Tensor[(n, 3), float32], i: Tensor[(n, 1), int64], u: Tensor[(n, 3), float32]",
            "scatter_nd(x, i, u)",
            ["each row of the indices may name a place of any row"],
        ),
        (
            "x: Tensor[(n, 3), float32], i: Tensor[(2, 1), int64], u: Tensor[(2, 3), float32]",
            "scatter_nd(x, i, u)",
            ["only some of its operands have rows"],
        ),
        (
            "x: Tensor[(n,), float32], i: Tensor[(n,), int64], u: Tensor[(n,), float32]",
            "index_put(x, (i,), u)",
            ["its indices may name any row"],
        ),
        (
            "p: Tensor[(2, 5), float32], u: Tensor[(n, 1), float32], i: Tensor[(n, 1), int64]",
            "multinomial_from_uniform(p, u, i)",
            0,
        ),
        (
            "p: Tensor[(n, 5), float32], u: Tensor[(n, 1), float32], i: Tensor[(n, 1), int64]",
            "multinomial_from_uniform(p, u, i)",
            ["each sample may take the probabilities of any row"],
        ),
        (f"{X}, t: Tensor[(n,), int64]", 'nn.nll_loss(x, t, reduction="none")', 0),
        (f"{X}, t: Tensor[(n,), int64]", "nn.nll_loss(x, t)", ["it reduces over the rows"]),
        (
            f"{X}, y: Tensor[(n, 4), float32]",
            "nn.cross_entropy_with_logits(x, y)",
            ["it reduces over the rows"],
        ),
        (
            f"{X}, t: Tensor[(n,), int64]",
            'grad.nll_loss_backward(const(1.0), x, t, reduction="sum")',
            0,
        ),
        (
            f"{X}, t: Tensor[(n,), int64]",
            "grad.nll_loss_backward(const(1.0), x, t)",
            ["it divides by how many rows there are"],
        ),
        (
            "g: Tensor[(n, 1, 1, 1), float32], x: Tensor[(n, 1, 2, 2), float32]",
            "grad.max_pool2d_backward(g, x, pool_size=[2, 2])",
            0,
        ),
        (
            "x: Tensor[(3, 4, n), float32], t: Tensor[(3, n), int64]",
            'nn.nll_loss(x, t, const([1.0, 2.0, 1.0, 1.0]), reduction="none")',
            1,
        ),
    ],
)
def test_values(params: str, body: str, expected: object) -> None:
    found = rows(f"def @main({params}) {{ {body} }}")
    _alike(found, expected)


def _alike(found: object, expected: object) -> None:
    if isinstance(expected, list):
        assert isinstance(found, list)
        assert len(found) == len(expected)
        assert all(one.startswith(start) for one, start in zip(found, expected, strict=True)), found
    elif isinstance(expected, tuple):
        assert isinstance(found, tuple)
        for one, other in zip(found, expected, strict=True):
            _alike(one, other)
    else:
        assert found == expected


def test_functions_are_followed_with_what_they_are_called_with() -> None:
    text = f"""def @main({X}, w: Tensor[(4, 4), float32]) {{ @layer(@layer(x, w), w) }}
    def @layer(y: Tensor[(m, k), float32], v: Tensor[(k, k), float32]) {{ nn.relu(matmul(y, v)) }}"""
    assert rows(text) == 0
    _alike(rows(text.replace("nn.relu(matmul(y, v))", "y - mean(y, axis=0)")), ["it reduces over the rows"])


def test_recursion_and_closures_are_not_known() -> None:
    text = f"def @main({X}) -> Tensor[(n, 4), float32] {{ @f(x) }}"
    text += " def @f(y: Tensor[(m, 4), float32]) -> Tensor[(m, 4), float32] { @f(y) }"
    assert rows(text) == ["the function that it calls is recursive"]
    local = "let f = fn (a: Tensor[(4,), float32]) { add(x, a) }; f(ones(shape(4), dtype=float32))"
    text = f"def @main({X}) {{ {local} }}"
    assert rows(text) == ["nothing is known of the function that it calls"]


PRIM = """prim_func @f(X: Buffer[(m, k), float32], Y: Buffer[(m, k), float32]) {{ {} }}
def @main(x: Tensor[(n, 4), float32]) {{ call_tir(@f, (x,)) -> Tensor[(n, 4), float32] }}"""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("for i, j in grid(m, k) { Y[i, j] = X[i, j] * 2.0; }", ""),
        ("for j, i in grid(k, m) { Y[i, j] = X[i, k - 1 - j]; }", ""),
        ("for i in 0..m { block b (v = spatial(i)) { for j in 0..k { Y[v, j] = X[v, j]; } } }", ""),
        (
            (
                "for i in 0..m { alloc s: Buffer[(), float32]; s[()] = 0.0; for j in 0..k { s[()] += X[i, j]; }"
                " for j in 0..k { Y[i, j] = X[i, j] / s[()]; } }"
            ),
            "",
        ),
        ("for i, j in grid(m, k) { Y[i, j] = X[m - 1 - i, j]; }", "`X` is accessed at another row than that"),
        (
            "for i, j in grid(m, k) { Y[i, j] = cast(i, float32); }",
            "the number of the row is used as a value",
        ),
        (
            "for i, j in grid(m, k) { Y[i, j] = X[i, j] / cast(m, float32); }",
            "how many rows there are is used",
        ),
        (
            (
                "alloc s: Buffer[(k,), float32]; for j in 0..k { s[j] = 0.0; }"
                " for i, j in grid(m, k) { s[j] += X[i, j]; Y[i, j] = s[j]; }"
            ),
            "all rows store to `s`",
        ),
        (
            "for i, j in grid(m, k) { Y[i, j] = 0.0; for l in 0..m { Y[i, j] += X[l, j]; } }",
            "for each row it goes over all rows",
        ),
        ("for i, j in grid(m, k) { Y[i, j] = X[0, j]; }", "`X` is accessed at another row than that"),
        (
            "for i in 0..m { if X[i, 0] > 1.0 { break; } Y[i, 0] = X[i, 0]; }",
            "a `break` may leave out rows because of what others hold",
        ),
        ("for i, j in grid(m, k) { if X[i, j] > 1.0 { continue; } Y[i, j] = X[i, j]; }", ""),
        ('call_extern("f", X, Y);', "a packed function may do anything with its buffers"),
        (
            "for i in 1..m { for j in 0..k { Y[i, j] = X[i, j]; } }",
            "the loop over the rows does not begin at 0",
        ),
        (
            (
                "for o, i in grid((m + 15) // 16, 16) { if o * 16 + i < m {"
                " for j in 0..k { Y[o * 16 + i, j] = X[i + 16 * o, j]; } } }"
            ),
            "",
        ),
        (
            (
                "for o, j, i in grid((m + 3) // 4, k, 4) {"
                " block b (v = spatial(o * 4 + i), w = spatial(j)) where (o * 4 + i < m) { Y[v, w] = X[v, w]; } }"
            ),
            "",
        ),
        (
            (
                "for o, i in grid((m + 15) // 16, 16) { if o * 16 + i < m {"
                " for j in 0..k { Y[o * 16 + i, j] = X[o, j]; } } }"
            ),
            "`X` is accessed at another row than that",
        ),
        (
            "for o, i in grid((m + 15) // 16, 16) { if o * 16 + i < m { Y[o * 16 + i, 0] = cast(o, float32); } }",
            "the number of the row is used as a value",
        ),
        (
            "for o, i in grid(m // 16, 16) { for j in 0..k { Y[o * 16 + i, j] = X[o * 16 + i, j]; } }",
            "how many rows there are is used",
        ),
        (
            "for o, i in grid((m + 15) // 16, 15) { if o * 16 + i < m { Y[o * 16 + i, 0] = X[o * 16 + i, 0]; } }",
            "how many rows there are is used",
        ),
    ],
)
def test_prim_funcs(body: str, reason: str) -> None:
    found = rows(PRIM.format(body))
    if not reason:
        assert found == 0
    else:
        assert isinstance(found, list)
        assert found[0].startswith(f"@f mixes them: {reason}"), found


def test_a_buffer_of_a_prim_func_that_has_as_many_places_as_rows() -> None:
    """`w` has 8 places whatever part of the rows is passed, so that parts of 8 rows alone would be accepted."""
    text = """prim_func @f(X: Buffer[(m, 4), float32], W: Buffer[(m,), float32], Y: Buffer[(m, 4), float32]) {
  for i, j in grid(m, 4) { Y[i, j] = X[i, j]; }
}
def @main(x: Tensor[(n, 4), float32], w: Tensor[(k,), float32]) {
  let v = match_cast(x, Tensor[(k, 4), float32]);
  call_tir(@f, (x, w)) -> Tensor[(n, 4), float32]
}"""
    reason = "`W` of the function that it calls has as many places as rows"
    assert rows(text.replace("  let v = match_cast(x, Tensor[(k, 4), float32]);\n", "")) == [reason]


PLACES = """prim_func @f(X: Buffer[({0},), float32], Z: Buffer[({1},), float32], Y: Buffer[({2},), float32]) {{ {3} }}
def @main(x: Tensor[(n, 4), float32], z: Tensor[({4},), float32]) {{
  let y = reshape(x, shape(n * 4));
  call_tir(@f, (y, z)) -> Tensor[({5},), float32]
}}"""
SPLIT = """for o, i in grid((m + 7) // 8, 8) { if o * 8 + i < m { for j in 0..2 {
  Y[2 * (o * 8 + i) + j] = X[o * 16 + i * 2 + j]; } } }"""


@pytest.mark.parametrize(
    ("dims", "body", "results", "reason"),
    [
        (("p", "q", "p"), "for i in 0..p { Y[i] = X[i]; }", ("5", "n * 4"), ""),
        (
            ("m * 4", "m", "m * 4"),
            "for i, j in grid(m, 4) { Y[i * 4 + j] = X[4 * i + 3]; }",
            ("n", "n * 4"),
            "",
        ),
        (("m * 4", "m", "m"), "for i in 0..m { Y[i] = X[i * 4] + X[i * 4 + 3]; }", ("n", "n"), ""),
        (
            ("m * 4", "m", "m"),
            "for i in 0..m { Y[i] = 0.0; for j in 0..4 { Y[i] += X[i * 4 + j] * Z[i]; } }",
            ("n", "n"),
            "",
        ),
        (("m * 2", "m", "m * 2"), SPLIT, ("n * 2", "n * 4"), ""),
        (
            ("m * 4", "m", "m"),
            "for i in 0..m { Y[i] = X[i]; }",
            ("n", "n"),
            "@f mixes them: `X` is accessed at another",
        ),
        (
            ("m * 4", "m", "m"),
            "for i in 0..m { Y[i] = 0.0; for j in 0..4 { Y[i] += X[i + j * 3]; } }",
            ("n", "n"),
            "@f mixes them: `X` is accessed at another",
        ),
        (
            ("p", "m", "m"),
            "for i in 0..m { Y[i] = Z[i]; }",
            ("n", "n"),
            "a row is another number of places in one buffer than in another",
        ),
        (
            ("m * 8", "m", "m"),
            "for i in 0..m { Y[i] = 1.0; }",
            ("n", "n"),
            "a row is not a whole number of places",
        ),
    ],
)
def test_rows_of_several_places(dims, body: str, results, reason: str) -> None:
    found = rows(PLACES.format(*dims, body, *results))
    _alike(found, [reason] if reason else 0)


IN_PLACE = """prim_func @f(X: Buffer[(m, k), float32], W: Buffer[(k,), float32], Y: Buffer[(m, k), float32]) {{
  for i, j in grid(m, k) {{ {} }}
}}
def @main(x: Tensor[(n, 4), float32], w: Tensor[(4,), float32]) {{
  let y = x + w;
  call_tir_inplace(@f, (y, w), inplace_indices=[0, -1]) -> (Tensor[(n, 4), float32], Tensor[(n, 4), float32])
}}"""


def test_calls_in_place() -> None:
    assert rows(IN_PLACE.format("Y[i, j] = X[i, j]; X[i, j] = X[i, j] * W[j];")) == (0, 0)
    found = rows(IN_PLACE.format("Y[i, j] = X[i, j]; X[0, j] = X[i, j] * W[j];"))
    _alike(found, ["@f mixes them: `X` is accessed at another row than that of the loop"])
    found = rows(IN_PLACE.format("Y[i, j] = X[i, j]; W[j] += X[i, j];"))
    _alike(found, ["@f mixes them: all rows store to `W`"])


@pytest.mark.parametrize(
    ("sample", "dim", "expected"),
    [
        ("digits/digits.rlx", "n", 0),
        ("models/convnet.rlx", "n", 0),
        ("models/transformer_block.rlx", "batch", 0),
    ],
)
def test_models_are_proved(sample: str, dim: str, expected: int) -> None:
    source = api.read(str(ROOT / "samples" / sample))
    assert shown(rows_of_function(api.typed(source), "main", dim)) == expected


LAYER = """def @main(
  x: Tensor[(n, s, 8), float32],
  g: Tensor[(8,), float32],
  b: Tensor[(8,), float32],
  w: Tensor[(8, 24), float32],
) {
  let parts = split(matmul(nn.layer_norm(x, g, b, axes=[-1]), w), indices_or_sections=3, axis=2);
  let heads = shape(n, s, 2, 4);
  let mixed = nn.attention(reshape(parts[0], heads), reshape(parts[1], heads), reshape(parts[2], heads));
  x + reshape(mixed, shape(n, s, 8))
}"""


def test_attention_behind_a_layer_norm_keeps_rows_of_the_batch_apart() -> None:
    assert rows(LAYER, "n") == 0
    _alike(rows(LAYER, "s"), ["only some of its operands have rows, or not along their first axis"])


def test_a_state_that_is_the_same_for_all_rows() -> None:
    assert isinstance(rows_of_function(api.typed(f"def @main({X}) {{ const(1.0) }}"), "main", "n"), Uniform)
